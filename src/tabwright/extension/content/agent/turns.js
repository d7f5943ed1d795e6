/**
 * Whether the page has asked for a turn of its own since a moment: a timer, a frame, an idle callback. Chrome numbers each
 * kind one after the other, for the scripts of the document and for ours alike: a number that we did not take, the page
 * took. What it asked for before that moment does not show here.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const nothing = () => {};

  agent.part('turns', () => {
    /** How many were asked for here. */
    let own = 0;

    /** @type {import('./agent').Turns['timer']} */
    const timer = (action, ms) => {
      own += 1;
      return setTimeout(action, ms);
    };
    /** @type {import('./agent').Turns['frame']} */
    const frame = (action) => {
      own += 1;
      return requestAnimationFrame(action);
    };
    /** @type {import('./agent').Turns['idle']} */
    const idle = (action) => {
      own += 1;
      return requestIdleCallback(action);
    };

    /** How many were asked for by others, give or take what they were at the beginning. */
    const others = () => {
      const [timed, drawn, rested] = [Number(timer(nothing, 0)), frame(nothing), idle(nothing)];
      clearTimeout(timed);
      cancelAnimationFrame(drawn);
      cancelIdleCallback(rested);
      return timed + drawn + rested - own;
    };

    /** @type {import('./agent').Turns['since']} */
    const since = () => {
      const before = others();
      return () => others() !== before;
    };

    return { timer, frame, idle, since };
  });
})();
