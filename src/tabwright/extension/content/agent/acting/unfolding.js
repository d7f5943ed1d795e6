/**
 * What unfolds or fades in: panels, menus, rows whose height grows by a transition, an animation, or a script that sets it
 * frame by frame. Until that is over its fields are cut off, and whoever looks at the page misses them.
 *
 * Only what has words or controls in it counts: what a button itself does when it is pressed holds nobody up, nor does what
 * moves for ever.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const HEIGHTS = ['height', 'maxHeight', 'minHeight', 'blockSize', 'maxBlockSize', 'gridTemplateRows'];
  const WIDTHS = ['width', 'maxWidth', 'inlineSize'];
  const NOTHING = /^0(?:px|%|fr)?$/;
  const PRESSED = 'button,a,summary,label,[role=button],[role=tab],[role=menuitem],[role=option]';
  const CONTROLS = 'input,select,textarea,button,a[href],[role=button]';
  const FADED = 0.5;
  /** A height that is set so often is set frame by frame, and so soon after the last time it goes on. */
  const SET_TIMES = 3;
  const FRAMES_MS = 100;
  /** Shorter transitions are over before anybody looks. */
  const SLOW_S = 0.05;
  const SIZED_MAX = 20;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    /** @param {Element} element */
    const holds = (element) =>
      dom.closest(element, PRESSED) === null && (/\p{L}/u.test(dom.bare(element).textContent ?? '') || dom.bare(element).querySelector(CONTROLS) !== null);

    /** @param {KeyframeEffect} effect */
    const opens = (effect) => {
      const frames = effect.getKeyframes();
      const [first, last] = [frames[0], frames.at(-1)];
      if (!first || !last) return false;
      if (HEIGHTS.some((name) => name in first || name in last)) return true;
      if (WIDTHS.some((name) => NOTHING.test(String(first[name] ?? '')))) return true;
      return first.opacity !== undefined && Number(first.opacity) < FADED && Number(last.opacity ?? 1) > FADED;
    };

    /** @param {number} since @returns {Element[]} */
    const moving = (since) => parts.get('fading').running(since)
      .filter((effect) => effect.target !== null && !effect.pseudoElement && opens(effect))
      .map(({ target }) => /** @type {Element} */ (target));

    const cuts = (/** @type {Element} */ element) => /hidden|clip/.test(getComputedStyle(element).overflowY);

    const isSlow = (/** @type {Element} */ element) => getComputedStyle(element).transitionDuration.split(',').some((each) => parseFloat(each) > SLOW_S);

    /** @type {import('./acting').UnfoldingPart['start']} */
    const start = () => {
      const since = performance.now();
      /** By how often their own height was set, when last, and whether it was set to nothing. @type {Map<HTMLElement, {times: number, at: number, isShut: boolean}>} */
      const sized = new Map();
      /** What is at no height after that is shut. @type {WeakSet<Element>} */
      const moved = new WeakSet();

      /** @type {import('./acting').Unfolding['note']} */
      const note = (element, before) => {
        if (!(element instanceof HTMLElement)) return;
        const { height, maxHeight } = element.style;
        if (height === '' && maxHeight === '') return;
        const known = sized.get(element);
        if (!known && sized.size >= SIZED_MAX) return;
        const wasShut = /height:\s*0(?:px)?\s*(?:;|$)/.test(before ?? '');
        const isShut = !wasShut && (NOTHING.test(height) || NOTHING.test(maxHeight));
        sized.set(element, { times: (known?.times ?? 0) + 1, at: performance.now(), isShut: isShut || (known?.isShut ?? false) });
      };

      /** About to grow, or growing by a script. @param {[HTMLElement, {times: number, at: number, isShut: boolean}]} each */
      const isGrowing = ([element, { times, at, isShut }]) => {
        const isSet = times >= SET_TIMES && performance.now() - at < FRAMES_MS;
        const isWaiting = isShut && !moved.has(element) && element.clientHeight <= 1;
        return (isSet || (isWaiting && isSlow(element))) && dom.isRendered(element) && cuts(element) && holds(element);
      };

      /** @type {import('./acting').Unfolding['isUnderWay']} */
      const isUnderWay = () => {
        const targets = moving(since);
        for (const target of targets) moved.add(target);
        return targets.some(holds) || [...sized].some(isGrowing);
      };

      return { note, isUnderWay };
    };

    return { start };
  };

  agent.part('unfolding', make);
})();
