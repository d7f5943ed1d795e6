/**
 * When a wait for what an action causes is over: as soon as nothing more is to be expected, and within bounds.
 *
 * Two paces: a tool of the page is one call for a whole errand and waits for what comes late; a single click or key
 * of the automation tools is answered as soon as the next frame is drawn and the page is at rest: its thread is idle,
 * no timer of it is due before the wait would have been over anyway, and errands of ours to the browser's process and
 * back are done, as those of the page would be. Chrome tells of timers by how long it lets an idle callback run, but not
 * where that ends with the next frame: then only a page is believed that has asked for no turn since the gesture began.
 * Where nobody else could change the page either (no frame, worker, socket, database, cache, other window of its origin), and
 * the errands were back soon, less is left that could come unseen, and the word is given sooner; the worker, which knows of
 * some of these, may ask once more. A page that never rests, or is not drawn, gets the whole wait.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Drawn before nothing at all is taken for an answer: what scrolls by a key begins to move in the second. */
  const FRAMES = 2;
  /** The longest that Chrome lets an idle callback run, a little less: what is due later it does not tell. */
  const TOLD_MS = 48;
  /** The next frame of a page that draws on is not later. */
  const FRAME_MS = 34;
  /** Errands of a page at rest on a machine at rest are back within half of it; longer ones have the page rest so many times longer. */
  const QUICK_MS = 10;
  const LATER = 3;
  /** Some pages draw first and say where they are then. */
  const ROUTE_MS = 20;
  const SCROLL_MS = 1_500;
  /** What is to fill an empty page is waited for so long, and looked for so often. */
  const SHELL_MS = 2_000;
  const FILLED_MS = 40;
  /** What fades is waited for so long. */
  const FADING_MS = 1_000;
  /** And what unfolds. */
  const UNFOLDING_MS = 600;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { pause, restBefore, idled } = parts.get('rest');
    const network = parts.get('network');

    /** @type {import('./acting').Quiet['after']} */
    const after = async (gesture, start, patience) => {
      const { watch: { seen, isBusy, isUnfolding }, signs, since, asks, isAlone } = gesture;
      const isArrival = patience.arrives === true;
      const hidden = document.hidden ? patience.hidden : 0;
      const changedAt = () => (isArrival ? seen.wordsAt : seen.changedAt);
      const answers = parts.get('answers').since(gesture, patience, changedAt);
      const fading = parts.get('fading').start(gesture.before.dialogs, since);
      const lastly = () => Math.max(changedAt(), signs.scrolledAt(), answers.lastAt());

      /** What is about to be seen, or gone; a page that has just come is told as it is. @param {number} waited */
      const isMoving = (waited) => (waited < FADING_MS && fading.isUnderWay()) || (waited < UNFOLDING_MS && !isArrival && isUnfolding());
      /** Another address is told before what stands there is drawn. @param {number} now */
      const isOnItsWay = (now) => seen.movedAt > 0 && seen.wordsAt < seen.movedAt - ROUTE_MS && now - seen.movedAt < patience.push;

      /** The change after which the page came to rest; undefined while it has not. @type {number | undefined} */
      let restedAfter;
      /** How long errands took. Where that is long, the machine or the page is at work, and what comes takes as long. */
      let tookMs = Infinity;
      /** Nobody shows who could add to the change: neither the page itself nor others. */
      const isOver = () => network.isFollowed() && network.endedAt() <= since && !asks.any() && isAlone();
      /** How long it must have been at rest. @param {number} last */
      const restOf = (last) => {
        const { alone, rested = 0 } = patience;
        if (last === 0 || alone === undefined || !isOver()) return rested;
        return Math.min(rested, Math.max(alone, QUICK_MS + LATER * (tookMs - QUICK_MS)));
      };

      /** @param {number} last @param {number} over */
      const comesToRest = async (last, over) => {
        const changed = last > 0 ? { hasChanged: true, drawn: seen.drawn && { promise: seen.drawn, after: last } } : {};
        const errands = seen.errands ?? agent.get('errands').run();
        void errands.then((took) => { tookMs = took; }, () => {});
        if (await restBefore(last > 0 ? 1 : FRAMES, over, { hasAsked: asks.any, errands, ...changed })) restedAfter = last;
      };

      const wait = async () => {
        const last = lastly();
        const over = last > 0 ? last + patience.quiet : start + patience.nothing;
        const left = over - performance.now();
        // An answer of the network may still be read when it is told to have ended.
        const mayBeRead = last > 0 && last === network.endedAt();
        if (patience.rested === undefined || mayBeRead || left <= 0 || left > TOLD_MS) return pause(patience.step);
        if (last !== restedAfter) return comesToRest(last, over);
        const more = (last || start) + restOf(last) - performance.now();
        // Chrome leaves out parts of a millisecond, and a second timer would have to make up for it. It may just have been over.
        return pause(more > -1 ? Math.max(1, Math.ceil(more)) : patience.step);
      };

      /** Until when there was nothing to see of a page that has loaded; what fills it comes in pieces. */
      let emptyUntil = start;
      let isEmpty = false;
      const isFilling = async () => {
        isEmpty = isArrival && parts.get('shell').isShell();
        if (!isEmpty || performance.now() - start > SHELL_MS) return false;
        emptyUntil = performance.now();
        await pause(FILLED_MS);
        return true;
      };

      let hasIdled = false;
      /** The change after which another frame was waited for. */
      let drawnOn = 0;
      let hasMoved = false;
      /** What the page may still do by itself; each is waited for once, as some do so again and again. @param {number} last @param {number} waited @param {boolean} isRested */
      const goesOn = async (last, waited, isRested) => {
        if (!isRested && !hasIdled && asks.idle()) {
          // On a busy machine the thread is not idle for long.
          hasIdled = true;
          await idled(patience.restless + hidden - waited);
          return true;
        }
        if (!isRested && last > drawnOn && !document.hidden && asks.frame()) {
          // What a page begins in one frame and goes on with in the next.
          drawnOn = last;
          await Promise.race([new Promise((done) => { parts.get('turns').frame(done); }), pause(FRAME_MS)]);
          return true;
        }
        const moves = isMoving(waited);
        if (!moves && !hasMoved) return isFilling();
        // The page acts on its end, of which it hears with the next frame.
        hasMoved = moves;
        seen.changedAt = performance.now();
        return true;
      };

      for (;;) {
        await wait();
        const now = performance.now();
        // Only what follows the action counts: filling in has settled before.
        const waited = now - start;
        const isPatient = waited < patience.requests + hidden;
        if (seen.gone) return 'left';
        if (seen.leaving && !(/** @type {any} */ (globalThis).navigation?.transition) && !signs.isForeign()) {
          if (waited < patience.leave) continue;
          return 'leaving';
        }
        if (seen.refused.size > 0) return 'over';
        const { isPending, isDue } = answers.look(now, isPatient);
        if (isPending && !isPatient) return 'waits';
        if (isDue || isOnItsWay(now) || (signs.isScrolling() && waited < SCROLL_MS)) continue;
        if (now - emptyUntil > patience.restless + hidden && !isMoving(waited) && now - network.endedAt() > patience.quiet) {
          if (await isFilling()) continue;
          return isEmpty ? 'empty' : 'over';
        }
        const last = lastly();
        const quiet = emptyUntil > start ? patience.push : patience.quiet;
        const isQuiet = last > 0 ? now - last > quiet : waited > Math.max(patience.nothing, hidden);
        const isRested = last === restedAfter && now - (last || start) >= restOf(last);
        if (!(isQuiet || isRested) || (last > 0 && isBusy())) continue;
        if (await goesOn(last, waited, isRested)) continue;
        if (isEmpty) return 'empty';
        if (isQuiet) return 'over';
        return now - (last || start) >= (patience.rested ?? 0) ? 'rested' : 'early';
      }
    };

    return { after };
  };

  agent.part('quiet', make);
})();
