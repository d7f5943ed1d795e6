/**
 * What lies over an element and is about to go: the ground of a menu that fades out, or that waits until the menu has faded;
 * the picture of the page as it was, in a view transition.
 * It is waited for, within bounds, before anybody is told that the element is covered.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const GOING_MS = 1_000;
  /** The page takes it away when it hears that it has been drawn to its end. */
  const GONE_MS = 100;
  const STEP_MS = 16;
  const TRANSITION = ':root:active-view-transition';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');

    /** All that came with the cover: the outermost around it that does not hold the element. @param {Element} cover @param {Element} element */
    const layerOf = (cover, element) => {
      let layer = cover;
      for (let at = tree.around(layer); at && !tree.contains(at, element); at = tree.around(at)) layer = at;
      return layer;
    };

    /** Whether something in it is drawn step by step, to an end. @param {Element} layer */
    const moves = (layer) => tree.roots(document)
      .flatMap((root) => (root instanceof Element ? [] : root.getAnimations()))
      .some(({ playState, effect }) => {
        const { target = null } = /** @type {KeyframeEffect} */ (effect ?? {});
        return playState === 'running' && effect?.getComputedTiming().endTime !== Infinity && target !== null && tree.contains(layer, target);
      });

    // Nothing of the page can be hit until it is over, which is later than what it draws ends.
    const isPassing = () => CSS.supports(`selector(${TRANSITION})`) && document.querySelector(TRANSITION) !== null;

    /** @type {import('./acting').Covers['past']} */
    const past = async (element, look) => {
      let found = look();
      const begin = performance.now();
      let movedAt = -Infinity;
      while (found.cover && performance.now() - begin < GOING_MS) {
        if (isPassing() || moves(layerOf(found.cover, element))) movedAt = performance.now();
        if (performance.now() - movedAt > GONE_MS) break;
        await parts.get('rest').pause(STEP_MS);
        found = look();
      }
      return found;
    };

    return { isPassing, past };
  };

  agent.part('covers', make);
})();
