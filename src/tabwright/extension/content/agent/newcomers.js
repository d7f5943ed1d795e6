/**
 * What came with an action, told so that it can be used at once: as an outline tells it, with numbers for refs, so that
 * nobody has to read the page again for the two buttons of a dialog. Only where it is little: of a large part of a page the
 * words are told, and who wants to know more reads it.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ELEMENTS_MAX = 400;
  const PIECES_MAX = 40;
  const CONTROLS_MAX = 12;
  const SENDER = 'button:not([type=button],[type=reset]),input:is([type=submit],[type=image])';

  agent.part('newcomers', (parts) => {
    const dom = parts.get('dom');

    const outlineOf = (/** @type {Element} */ element) => {
      const refs = parts.get('refs');
      const root = { agent: refs.agent, number: refs.numberOf(element), path: '', role: '', name: '' };
      const { nodes, steps } = /** @type {import('./agent').Outlined} */ (agent.service('snapshot')({ root, filter: 'all' }, AbortSignal.any([])));
      return { agent: refs.agent, nodes, steps };
    };
    const sizeOf = (/** @type {Node} */ node) => (node instanceof Element ? dom.bare(node).getElementsByTagName('*').length : 0);
    const controls = (/** @type {{nodes: import('./agent').WireNode[]}} */ { nodes }) => nodes.filter(([, , , , clickable]) => clickable === 1).length;

    /** @type {import('./agent').Newcomers['told']} */
    const told = (news) => {
      const outermost = news.filter(({ node }) => !news.some((other) => other.node !== node && dom.contains(other.node, node)));
      if (outermost.length > PIECES_MAX || outermost.reduce((sum, { node }) => sum + sizeOf(node), 0) > ELEMENTS_MAX) return [];
      const pieces = outermost.map(({ node, text }) => (node instanceof Element ? outlineOf(node) : text));
      const count = pieces.reduce((sum, each) => sum + (typeof each === 'string' ? 0 : controls(each)), 0);
      return count > 0 && count <= CONTROLS_MAX ? pieces : [];
    };

    /** @type {import('./agent').Newcomers['refused']} */
    const refused = (complaints) => {
      const fields = new Set(complaints.map(({ at }) => at));
      const forms = new Set([...fields].map((each) => each.closest('form')).filter((each) => each !== null));
      const senders = [...forms].map((each) => each.querySelector(SENDER)).filter((each) => each !== null);
      const asNews = (/** @type {Iterable<Element>} */ elements) => [...elements].map((node) => ({ node, text: '' }));
      const whole = told(asNews(forms));
      return whole.length > 0 ? whole : told(asNews([...fields, ...senders]));
    };

    return { told, refused };
  });
})();
