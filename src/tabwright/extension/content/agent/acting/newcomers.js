/**
 * What came with an action, told so that it can be used at once: as an outline tells it, with numbers for refs, so that
 * nobody has to read the page again for the two buttons of a dialog. Only where it is little: of a large part of a page the
 * words are told, and who wants to know more reads it.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ELEMENTS_MAX = 400;
  const PIECES_MAX = 40;
  const CONTROLS_MAX = 12;
  const DAY = /(?<!\d)(?:[1-9]|[12]\d|3[01])(?!\d)/;
  const ONLY_DAY = /^\s*0?(?:[1-9]|[12]\d|3[01])\s*$/;
  /** What has so many is a month. */
  const DAYS_LEAST = 28;
  const MONTH_UP = 8;
  const LOOKED_MAX = 1_500;
  const MONTH_MAX = 60;
  const SENDER = 'button:not([type=button],[type=reset]),input:is([type=submit],[type=image])';

  agent.part('newcomers', (parts) => {
    const dom = parts.get('dom');

    const outlineOf = (/** @type {Element} */ element) => {
      const refs = parts.get('refs');
      const root = { agent: refs.agent, number: refs.numberOf(element), path: '', role: '', name: '' };
      const { nodes, steps } = /** @type {import('../agent').Outlined} */ (agent.service('snapshot')({ root, filter: 'all' }, AbortSignal.any([])));
      return { agent: refs.agent, nodes, steps };
    };
    const sizeOf = (/** @type {Node} */ node) => (node instanceof Element ? dom.bare(node).getElementsByTagName('*').length : 0);
    /** @param {(string | import('../agent').Outlined)[]} pieces */
    const controlsIn = (pieces) => pieces.flatMap((each) => (typeof each === 'string' ? [] : each.nodes.filter(([, , , , clickable]) => clickable === 1)));
    const isMonth = (/** @type {import('../agent').WireNode[]} */ controls) => controls.filter(([, , name]) => DAY.test(name)).length >= DAYS_LEAST;

    /** Nothing but the number of a day. @param {Node} each */
    const isDay = (each) => !(each instanceof Element && dom.bare(each).firstElementChild) && ONLY_DAY.test(each.textContent ?? '');

    /** @type {import('./acting').Newcomers['monthOf']} */
    const monthOf = (nodes) => {
      /** @type {Node[]} */
      const days = [];
      let left = LOOKED_MAX;
      for (const node of nodes) {
        left -= 1 + sizeOf(node);
        if (left < 0) break;
        if (node.isConnected) days.push(...[node, ...(node instanceof Element ? dom.bare(node).querySelectorAll('*') : [])].filter(isDay));
      }
      if (days.length < DAYS_LEAST) return undefined;
      // Numbers of other things leave some out.
      const isWhole = (/** @type {Element} */ root) => new Set(days.filter((each) => dom.contains(root, each)).map((each) => Number(each.textContent))).size >= DAYS_LEAST;
      let at = days[0].parentElement;
      for (let up = 0; at && up < MONTH_UP; at = at.parentElement, up += 1) if (isWhole(at)) return dom.isRendered(at) ? at : undefined;
      return undefined;
    };

    /** @type {import('./acting').Newcomers['told']} */
    const told = (news, isFilled = false) => {
      const once = [...new Map(news.map((each) => [each.node, each])).values()];
      const outermost = once.filter(({ node }) => !once.some((other) => other.node !== node && dom.contains(other.node, node)));
      if (outermost.length > PIECES_MAX || outermost.reduce((sum, { node }) => sum + sizeOf(node), 0) > ELEMENTS_MAX) return [];
      const pieces = outermost.map(({ node, text }) => (node instanceof Element ? outlineOf(node) : text));
      const controls = controlsIn(pieces);
      const isFew = controls.length <= (isMonth(controls) && !isFilled ? MONTH_MAX : CONTROLS_MAX);
      return controls.length > 0 && isFew ? pieces : [];
    };

    /** @type {import('./acting').Newcomers['refused']} */
    const refused = (complaints) => {
      const fields = new Set(complaints.map(({ at }) => at));
      const forms = new Set([...fields].map((each) => each.closest('form')).filter((each) => each !== null));
      const senders = [...forms].map((each) => each.querySelector(SENDER)).filter((each) => each !== null);
      const asNews = (/** @type {Iterable<Element>} */ elements) => [...elements].map((node) => ({ node, text: '' }));
      const whole = told(asNews(forms));
      return whole.length > 0 ? whole : told(asNews([...fields, ...senders]));
    };

    return { told, refused, monthOf };
  });
})();
