/**
 * Whether the page has asked for a turn of its own since a moment: a timer, a frame, an idle callback. Chrome numbers each
 * kind one after the other, for the scripts of the document and for ours alike: a number that we did not take, the page
 * took. What it asked for before that moment does not show here.
 *
 * To take a number is to ask, and who asks for a frame makes Chrome draw one, called off or not. Of a page that rests it
 * draws the first at once and the next a whole frame later, so none is asked for before there is something to be drawn:
 * frames count from the first that was asked for here. Those that the page asked for before come with that one.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const nothing = () => {};
  /** Asked for after the first, of a page whose thread is not idle between them. */
  const FRAMES_MOST = 4;

  agent.part('turns', () => {
    /** How many were asked for here. */
    const own = { timers: 0, frames: 0, idle: 0 };
    /** How many frames were asked for by others, when one was first asked for here since that moment. @type {number | undefined} */
    let drawn;

    /** @type {import('./acting').Turns['timer']} */
    const timer = (action, ms) => {
      own.timers += 1;
      return setTimeout(action, ms);
    };
    /** @type {import('./acting').Turns['frame']} */
    const frame = (action) => {
      own.frames += 1;
      const number = requestAnimationFrame(action);
      drawn ??= number - own.frames;
      return number;
    };
    /** @type {import('./acting').Turns['idle']} */
    const idle = (action) => {
      own.idle += 1;
      return requestIdleCallback(action);
    };

    /** @type {import('./acting').Turns['draw']} */
    const draw = (onFrame) => new Promise((done) => {
      let isIdle = false;
      let more = FRAMES_MOST;
      // Chrome has nobody idle between a frame that was late and the next one, and if none is asked for not for a tenth of a second.
      const next = () => {
        if (isIdle || more === 0) return;
        more -= 1;
        frame(next);
      };
      frame(() => {
        onFrame();
        const at = performance.now();
        // Asked for later, there may be no idle callback before the next frame.
        idle((deadline) => {
          isIdle = true;
          done({ at, idleAt: performance.now(), left: deadline.timeRemaining() });
        });
        next();
      });
    });

    // How many were asked for by others, give or take what they were at the beginning.
    const timers = () => {
      const number = Number(timer(nothing, 0));
      clearTimeout(number);
      return number - own.timers;
    };
    const frames = () => {
      const number = frame(nothing);
      cancelAnimationFrame(number);
      return number - own.frames;
    };
    const idles = () => {
      const number = idle(nothing);
      cancelIdleCallback(number);
      return number - own.idle;
    };

    /** @type {import('./acting').Turns['since']} */
    const since = () => {
      const [timed, rested] = [timers(), idles()];
      drawn = undefined;
      return () => timers() !== timed || idles() !== rested || frames() !== drawn;
    };

    /** @type {import('./acting').Turns['frameSince']} */
    const frameSince = () => () => frames() !== drawn;

    /** @type {import('./acting').Turns['idleSince']} */
    const idleSince = () => {
      const rested = idles();
      return () => idles() !== rested;
    };

    /** @type {import('./acting').Turns['timerSince']} */
    const timerSince = () => {
      const timed = timers();
      return () => timers() !== timed;
    };

    /** @type {import('./acting').Turns['haveBeenAsked']} */
    const haveBeenAsked = () => timers() !== 0 || idles() !== 0 || frames() !== 0;

    return { haveBeenAsked, timer, frame, idle, draw, since, frameSince, idleSince, timerSince };
  });
})();
