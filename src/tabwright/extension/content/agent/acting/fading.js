/**
 * What comes and goes step by step: a dialog that fades in cannot be seen in its first frame, one that fades out is still
 * there, and some come only when what they lie on has been drawn. Whoever tells what a gesture did waits for these.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const SHOWN = { visibilityProperty: true, opacityProperty: true };
  const ANIMATIONS_MAX = 60;
  const GONE_MS = 100;
  /** What begins with a frame begins when that was due, which may be before the gesture. */
  const FRAMES_MS = 34;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    /** Those that end. @type {import('./acting').Fading['running']} */
    const running = (since) => dom.roots(document)
      .flatMap((root) => (root instanceof Element ? [] : root.getAnimations()))
      .filter(({ playState, startTime, effect }) =>
        playState === 'running' && (startTime === null || Number(startTime) >= since - FRAMES_MS) && effect?.getComputedTiming().endTime !== Infinity)
      .slice(0, ANIMATIONS_MAX)
      .map(({ effect }) => /** @type {KeyframeEffect} */ (effect));

    /** Nothing is seen of it yet, and something will be. @param {KeyframeEffect} effect @param {Element} target */
    const comes = (effect, target) => {
      if (dom.bare(target).checkVisibility(SHOWN) || !dom.bare(target).checkVisibility()) return false;
      const last = effect.getKeyframes().at(-1);
      return (last?.opacity !== undefined && last.opacity !== '0') || last?.visibility === 'visible';
    };

    /** Over the whole page, by itself and of no words: something else is to be drawn on it. @param {Element} target */
    const isGround = (target) => {
      if (dom.bare(target).parentElement !== document.body) return false;
      const { width, height } = dom.bare(target).getBoundingClientRect();
      return width >= innerWidth && height >= innerHeight && dom.bare(target).textContent?.trim() === '' && dom.shadowOf(target) === null;
    };

    /** @type {import('./acting').Fading['start']} */
    const start = (earlier, since) => {
      /** When one of the dialogs that were open moved last. */
      let movedAt = -Infinity;

      const isGoing = (/** @type {Element} */ target) => {
        const moves = [...earlier.keys()].some((dialog) => target === dialog || dom.contains(target, dialog));
        if (moves) movedAt = performance.now();
        return moves;
      };

      const isNews = (/** @type {KeyframeEffect} */ effect) => {
        const { target } = effect;
        if (!target || effect.pseudoElement) return false;
        if (comes(effect, target) || isGoing(target)) return true;
        return isGround(target) && [...parts.get('notices').dialogs().keys()].every((dialog) => earlier.has(dialog));
      };

      // The page takes a dialog away when it hears that it has been drawn to its end.
      const isLeft = () => performance.now() - movedAt < GONE_MS && [...earlier.keys()].every(dom.isVisible);
      return { isUnderWay: () => running(since).some(isNews) || isLeft() };
    };

    return { start, running };
  };

  agent.part('fading', make);
})();
