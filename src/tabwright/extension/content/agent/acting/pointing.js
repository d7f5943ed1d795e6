/**
 * What is under a point and where the caret is. Services for trusted input:
 *
 *   hit       what is under a point
 *   focus     puts the caret into an element without clicking it
 *   focused   tells where the caret is
 *   drawn     answers once the next frame is drawn
 *   secret    whether an element is a field for secrets
 *   scrollAt  what the wheel would scroll at a point, and how far it is
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Point} Point */

  const LOOK_MS = 30;
  const START_MS = 450;
  const STILL_MS = 1200;
  /** What a button or box sends with a form is nothing that a person sees in it. */
  const UNTOLD = 'button,[type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio]';
  const EDITED = '[contenteditable]:not([contenteditable=false])';
  const NO_TEXT = /^(?:button|submit|reset|image|checkbox|radio|range|file|color|hidden)$/;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const boxes = parts.get('boxes');
    const { kindOf, optionsOf, say, sayCover, controlAround } = parts.get('locate');
    const { boxOf, deepest, untold, placeOf, contentOf } = boxes;
    const { bare } = tree;

    /** @type {import('./acting').Pointing['hit']} */
    const hit = (at) => {
      const point = untold(at);
      const found = deepest(point.x, point.y);
      if (!found) return { role: '', name: '', kind: '', options: [] };
      const element = controlAround(found);
      const label = element instanceof HTMLLabelElement ? element.control : null;
      const place = placeOf(found);
      const inner = contentOf(found);
      const frame = { place, x: (point.x - inner.left) / inner.wide, y: (point.y - inner.top) / inner.high };
      return { ...say(label ?? element), kind: kindOf(label ?? element), options: optionsOf(element), ...(place >= 0 ? { frame } : {}) };
    };

    /** The element with the caret, through shadow roots. */
    const active = () => {
      let element = document.activeElement;
      for (;;) {
        const inner = element && tree.shadowOf(element)?.activeElement;
        if (!inner) return element;
        element = inner;
      }
    };

    const takesText = (/** @type {Element} */ element) =>
      element instanceof HTMLTextAreaElement ? !element.readOnly
        : element instanceof HTMLInputElement ? !element.readOnly && !NO_TEXT.test(element.type)
          : /** @type {HTMLElement} */ (element).isContentEditable === true || /** @type {any} */ (element).editContext instanceof Object;

    /** The editor that draws what is typed into an element. */
    const editorOf = (/** @type {Element} */ element) => {
      const editor = parts.get('filling_editors').around(element);
      return editor && parts.get('filling_editors').isDrawn(editor) ? editor : null;
    };

    const written = (/** @type {HTMLElement} */ element) => (parts.get('filling_rich').isBlank(element) ? '' : element.innerText);

    /** @type {import('./acting').Pointing['focused']} */
    const focused = () => {
      const element = active();
      const isPage = element === null || element === document.body || element === document.documentElement;
      // the whole document may be the field
      const isWhole = isPage && (document.designMode === 'on' || document.body?.isContentEditable === true);
      if (element === null || (isPage && !bare(element).matches(EDITED))) {
        return { role: '', name: '', editable: isWhole, rich: isWhole, frame: -1 };
      }
      const isSecret = parts.get('secrets').isSecret(element);
      const editor = editorOf(element);
      const own = editor ? parts.get('filling_editors').current(editor)
        : !bare(element).matches(UNTOLD) ? /** @type {HTMLInputElement} */ (element).value : undefined;
      const value = own ?? (takesText(element) ? written(/** @type {HTMLElement} */ (element)) : undefined);
      return {
        ...say(editor ?? element), editable: takesText(element), frame: placeOf(element), rich: /** @type {HTMLElement} */ (element).isContentEditable === true,
        ...(typeof value === 'string' && !isSecret ? { value: value.slice(-200) } : {}), secret: isSecret,
      };
    };

    /** @type {import('./acting').Pointing['focus']} */
    const focus = async ({ target, x, y }) => {
      const at = target ? null : untold({ x: Number(x), y: Number(y) });
      const named = target ? parts.get('refs').resolve(target) : deepest(/** @type {Point} */ (at).x, /** @type {Point} */ (at).y);
      const element = named instanceof HTMLOptionElement ? named.closest('select') : named;
      if (!element) return { focused: false, role: '', name: '', options: [] };
      await boxes.reveal(element, () => boxOf(element));
      /** @type {HTMLElement} */ (element).focus?.({ preventScroll: true });
      const now = active();
      return { focused: now !== null && tree.contains(element, now), ...say(element), options: optionsOf(element) };
    };

    /** @type {import('./acting').Pointing['secret']} */
    const secret = ({ target }) => {
      const named = parts.get('refs').resolve(target);
      const element = named instanceof HTMLLabelElement ? named.control ?? named : named;
      return { secret: parts.get('secrets').isSecret(element) };
    };

    const canScroll = (/** @type {Element} */ element, /** @type {boolean} */ across) => {
      const { overflowX, overflowY } = getComputedStyle(element);
      const isRoot = element === document.scrollingElement;
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = bare(element);
      return across
        ? scrollWidth > clientWidth + 1 && (isRoot || /auto|scroll|overlay/.test(overflowX))
        : scrollHeight > clientHeight + 1 && (isRoot || /auto|scroll|overlay/.test(overflowY));
    };

    /** How far it can be scrolled, and how far it is from its left or upper end. @param {Element} element @param {boolean} across */
    const rangeOf = (element, across) => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight, scrollLeft, scrollTop } = bare(element);
      const most = across ? scrollWidth - clientWidth : scrollHeight - clientHeight;
      const { direction, display, flexDirection } = getComputedStyle(element);
      // What begins at its right or lower end counts from there, down from 0.
      const isBackwards = across
        ? (direction === 'rtl') !== (display.includes('flex') && flexDirection === 'row-reverse')
        : display.includes('flex') && flexDirection === 'column-reverse';
      return { most, position: Math.round(across ? scrollLeft : scrollTop) + (isBackwards ? most : 0) };
    };

    /** What the wheel would move that way: what is at its end leaves it to what is around. @param {Element | null} inmost @param {boolean} across @param {number} way */
    const scrollerAt = (inmost, across, way) => {
      /** @type {Element | undefined} */
      let first;
      for (let at = inmost; at; at = tree.around(at)) {
        if (!canScroll(at, across)) continue;
        first ??= at;
        const { position, most } = rangeOf(at, across);
        if (way > 0 ? position < most - 1 : position > 0) return at;
        const { overscrollBehaviorX, overscrollBehaviorY } = getComputedStyle(at);
        if ((across ? overscrollBehaviorX : overscrollBehaviorY) !== 'auto') return at;
      }
      return first ?? document.scrollingElement;
    };

    /** What the wheel was about to move. @type {Element | null} */
    let scroller = null;

    /** @type {import('./acting').Pointing['scrollAt']} */
    const scrollAt = async ({ x, y, across, way, from }) => {
      const point = untold({ x, y });
      // It may have come to its end by now, or away from under the point.
      if (from === undefined || !scroller?.isConnected) scroller = scrollerAt(deepest(point.x, point.y), across, way);
      const scrolled = scroller;
      if (!scrolled) return { position: 0, most: 0 };
      const position = () => rangeOf(scrolled, across).position;
      let last = position();
      // The wheel's effect comes with a later frame, and may take several.
      for (let waited = 0; from !== undefined && waited < (last === from ? START_MS : STILL_MS); waited += LOOK_MS) {
        await parts.get('rest').pause(LOOK_MS);
        const now = position();
        if (now === last && now !== from) break;
        last = now;
      }
      const isPage = scrolled === document.scrollingElement;
      return { position: last, most: rangeOf(scrolled, across).most, what: isPage ? '' : sayCover(scrolled).role };
    };

    return { hit, focus, focused, secret, scrollAt };
  };

  agent.part('pointing', make);
  agent.serve('hit', (params) => agent.get('pointing').hit(params));
  agent.serve('focus', (params) => agent.get('pointing').focus(params));
  agent.serve('focused', () => agent.get('pointing').focused());
  agent.serve('drawn', async () => {
    await agent.get('filling_rich').frame();
    return {};
  });
  agent.serve('secret', (params) => agent.get('pointing').secret(params));
  agent.serve('scrollAt', (params) => agent.get('pointing').scrollAt(params));
})();
