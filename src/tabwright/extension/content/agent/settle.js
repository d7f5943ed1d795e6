/**
 * Waiting for what an action causes, and saying it in a few lines. It ends as soon as the page is quiet after a
 * change; how long that takes decides the page, not a fixed pause:
 *
 * 1. the action runs while changes, navigations, requests and refused fields are noted;
 * 2. a navigation to another document: this one is about to end, and the worker answers for it;
 * 3. requests the action caused, and what the page said to sockets and workers: until they are answered and the answers
 *    are shown;
 * 4. a change: until nothing changed for a moment and nothing says it is busy; no change at all: a little longer;
 * 5. what a person would notice is put into words.
 *
 * Two paces: a tool of the page is one call for a whole errand and waits for what comes late; a single click or key
 * of the automation tools is answered as soon as the next frame is drawn and the page is at rest: its thread is idle,
 * no timer of it is due before the wait would have been over anyway, and errands of ours to the browser's process and
 * back are done, as those of the page would be. Chrome tells of timers by how long it lets an idle callback run, but not
 * where that ends with the next frame: then only a page is believed that has asked for no turn since the gesture began.
 * Where nobody else could change the page either (no frame, worker, socket, database, cache, other window of its origin), and
 * the errands were back soon, less is left that could come unseen, and the word is given sooner; the worker, which knows of some of these, may ask once more.
 * A page that never rests, or is not drawn, gets the whole wait.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /**
   * Whether the page asked for a turn of its own since the gesture began, for a frame among them, and for an idle callback, and whether nobody else
   * shows who could change it. `said`: since when what the page says to others may be the gesture's; `endings`: how many requests had ended.
   * @typedef {{hasAsked?: () => boolean, hasDrawn?: () => boolean, mayIdle?: () => boolean, isAlone?: () => boolean, since?: number, said?: number, endings?: number}} Gesture
   */
  /** @typedef {{step: number, quiet: number, pieces: number, push: number, nothing: number, rested?: number, alone?: number, hidden: number, restless: number, requests: number, leave: number}} Patience */

  /**
   * `rested`: after a change, or after none, where the page is at rest; `alone`: after a change that nobody else could add to; `restless`: a page that never stops changing;
   * `pieces`: after a piece of an answer that may come in more; `push`: after an answer, or another address, that has shown nothing yet;
   * `requests`: while answers are outstanding; `leave`: until another page answers.
   * @type {Patience}
   */
  const ERRAND = { step: 20, quiet: 80, pieces: 100, push: 300, nothing: 450, hidden: 1100, restless: 1500, requests: 5000, leave: 8_000 };
  /** @type {Patience} */
  const GESTURE = { step: 8, quiet: 24, pieces: 60, push: 250, nothing: 34, rested: 16, alone: 5, hidden: 0, restless: 400, requests: 1500, leave: 1_700 };
  /** Drawn before nothing at all is taken for an answer: what scrolls by a key begins to move in the second. */
  const FRAMES = 2;
  /** The longest that Chrome lets an idle callback run, a little less: what is due later it does not tell. */
  const TOLD_MS = 48;
  /** The next frame of a page that draws on is not later. */
  const FRAME_MS = 34;
  /** Errands of a page at rest on a machine at rest are back within half of it. */
  const QUICK_MS = 10;
  /**
   * A page that has loaded and is not at rest: applications build themselves up step by step, with longer pauses. That
   * something moves or changes its looks is no reason to wait.
   * @type {Patience}
   */
  const ARRIVAL = { ...GESTURE, quiet: 100, pieces: 150, rested: undefined, alone: undefined, restless: 600 };
  const READ_MS = 250;
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
  const ASKED_AGAIN_MS = 400;
  /** @type {import('./agent').Settled} */
  const LEFT = { lines: [], navigated: true, changed: true, errors: [] };
  /** Nothing is left to say, and the wait was not over yet. @type {string[]} */
  const REST = [];
  /** The same, and sooner than if others could change the page. @type {string[]} */
  const EARLY = [];
  /** The wait was over before the answers came. */
  const WAITS = ['The page still waits for answers from the network.'];
  /** Or before there was anything to see. */
  const EMPTY = ['The page shows nothing yet.'];

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const { pause, restBefore, idled } = parts.get('rest');
    const notices = parts.get('notices');
    const network = parts.get('network');
    const watching = parts.get('watching');
    const signsOf = parts.get('settle_signs');
    const talks = parts.get('talks');

    /**
     * Null once this document is being left, else what is left to say about the wait.
     * @param {import('./agent').Watch} watch
     * @param {number} start
     * @param {Patience} patience
     * @param {import('./agent').Signs} signs
     * @param {Gesture & {earlier: Map<Element, string>}} gesture
     * @returns {Promise<string[] | null>}
     */
    const quiet = async ({ seen, isBusy, isUnfolding }, start, patience, signs, { hasAsked, hasDrawn = () => false, mayIdle = () => false, isAlone = () => false, since = start, said = since, endings = network.endings(), earlier }) => {
      const hidden = document.hidden ? patience.hidden : 0;
      const fading = parts.get('fading').start(earlier, since);
      /** What is about to be seen, or gone; a page that has just come is told as it is. @param {number} waited */
      const isMoving = (waited) =>
        (waited < FADING_MS && fading.isUnderWay()) || (waited < UNFOLDING_MS && patience !== ARRIVAL && isUnfolding());
      const changedAt = () => (patience === ARRIVAL ? seen.wordsAt : seen.changedAt);
      /** When an answer was last seen to be unread. */
      let unreadAt = 0;
      const lastly = () => Math.max(changedAt(), signs.scrolledAt(), unreadAt, network.endedAt() > since ? network.endedAt() : 0);
      /** The change after which the page came to rest; undefined while it has not. @type {number | undefined} */
      let restedAfter;
      /** Where errands take long, the machine or the page is at work, and what comes takes as long. */
      let isQuick = false;
      let hasIdled = false;
      /** The change after which another frame was waited for. */
      let drawnOn = 0;
      let hasMoved = false;
      /** Nobody shows who could add to the change: neither the page itself nor others. */
      const isOver = () => network.isFollowed() && network.endedAt() <= since && !hasAsked?.() && isAlone();
      /** How long it must have been at rest. @param {number} last */
      const rested = (last) => (last > 0 && patience.alone !== undefined && isQuick && isOver() ? patience.alone : (patience.rested ?? 0));
      const wait = async () => {
        const { step } = patience;
        const last = lastly();
        const over = last > 0 ? last + patience.quiet : start + patience.nothing;
        const left = over - performance.now();
        // An answer of the network may still be read when it is told to have ended.
        if (patience.rested === undefined || (last > 0 && last === network.endedAt()) || left <= 0 || left > TOLD_MS) return pause(step);
        if (last !== restedAfter) {
          const changed = last > 0 ? { hasChanged: true, drawn: seen.drawn && { promise: seen.drawn, after: last } } : {};
          const errands = seen.errands ?? agent.get('errands').run();
          void errands.then((took) => { isQuick = took <= QUICK_MS; }, () => {});
          if (await restBefore(last > 0 ? 1 : FRAMES, over, { hasAsked, errands, ...changed })) restedAfter = last;
          return undefined;
        }
        const more = (last || start) + rested(last) - performance.now();
        // Chrome leaves out parts of a millisecond, and a second timer would have to make up for it. It may just have been over.
        return pause(more > -1 ? Math.max(1, Math.ceil(more)) : step);
      };
      /** When the first piece of an answer was there. */
      let answered = 0;
      /** Until when there was nothing to see of a page that has loaded; what fills it comes in pieces. */
      let emptyUntil = start;
      let isEmpty = false;
      const isFilling = async () => {
        isEmpty = patience === ARRIVAL && parts.get('shell').isShell();
        if (!isEmpty || performance.now() - start > SHELL_MS) return false;
        emptyUntil = performance.now();
        await pause(FILLED_MS);
        return true;
      };
      for (;;) {
        await wait();
        const now = performance.now();
        // Only what follows the action counts: filling in has settled before.
        const waited = now - start;
        if (seen.gone) return null;
        if (seen.leaving && !(/** @type {any} */ (globalThis).navigation?.transition) && !signs.isForeign()) {
          if (waited < patience.leave) continue;
          return [`The tab is loading ${seen.left}, which has not answered yet.`];
        }
        if (seen.refused.size > 0) return [];
        const { isAwaited, heardAt, hasLine, streams } = talks.since(said);
        if (network.pending() > streams) {
          if (waited < patience.requests + hidden) continue;
          return WAITS;
        }
        if (isAwaited && waited < patience.requests + hidden) continue;
        if (heardAt > 0) {
          answered ||= heardAt;
          if (now - heardAt < patience.pieces && now - answered < patience.restless) continue;
          if (now - heardAt < patience.push && seen.wordsAt < answered) continue;
        }
        // What a request caused may come by another way than its answer.
        const isUnshown = hasLine && network.endedAt() > since && seen.changedAt < network.endedAt();
        if (isUnshown && now - network.endedAt() < patience.push) continue;
        // On a busy machine a page reads an answer later than it is told that it is there.
        if (network.endedAt() > since && changedAt() < network.endedAt() && now - network.endedAt() < READ_MS && !network.isRead(since, endings)) {
          unreadAt = now;
          continue;
        }
        // Another address is told before what stands there is drawn.
        if (seen.movedAt > 0 && seen.wordsAt < seen.movedAt - ROUTE_MS && now - seen.movedAt < patience.push) continue;
        if (signs.isScrolling() && waited < SCROLL_MS) continue;
        if (now - emptyUntil > patience.restless + hidden && !isMoving(waited) && now - network.endedAt() > patience.quiet) {
          if (await isFilling()) continue;
          return isEmpty ? EMPTY : [];
        }
        const last = lastly();
        const isQuiet = last > 0 ? now - last > (emptyUntil > start ? patience.push : patience.quiet) : waited > Math.max(patience.nothing, hidden);
        const isRested = last === restedAfter && now - (last || start) >= rested(last);
        if (!(isQuiet || isRested) || (last > 0 && isBusy())) continue;
        if (!isRested && !hasIdled && mayIdle()) {
          // On a busy machine the thread is not idle for long. Once: some pages ask again and again.
          hasIdled = true;
          await idled(patience.restless + hidden - waited);
          continue;
        }
        if (!isRested && last > drawnOn && !document.hidden && hasDrawn()) {
          // What a page begins in one frame and goes on with in the next.
          drawnOn = last;
          await Promise.race([new Promise((done) => { parts.get('turns').frame(done); }), pause(FRAME_MS)]);
          continue;
        }
        const moves = isMoving(waited);
        if (moves || hasMoved) {
          // The page acts on its end, of which it hears with the next frame.
          hasMoved = moves;
          seen.changedAt = performance.now();
          continue;
        }
        if (await isFilling()) continue;
        if (isEmpty) return EMPTY;
        return isQuiet ? [] : now - (last || start) >= (patience.rested ?? 0) ? REST : EARLY;
      }
    };

    /**
     * @param {import('./agent').Watch} watch
     * @param {import('./agent').Noticed} before
     * @param {number} start
     * @param {Patience} patience
     * @param {import('./agent').Signs} signs
     * @param {Gesture & {form?: Element}} how
     * @returns {Promise<import('./agent').Settled & {fresh?: import('./agent').News[]}>}
     */
    const settled = async (watch, before, start, patience, signs, { form, ...gesture }) => {
      const remarks = await quiet(watch, start, patience, signs, { ...gesture, earlier: before.dialogs });
      if (remarks === null) return LEFT;
      if (watch.seen.leaving && remarks.length > 0) return { ...LEFT, lines: remarks };
      const told = notices.describe(before, watch.seen, form);
      return { ...told, lines: [...signs.tell(told.lines), ...remarks], rested: remarks === REST || remarks === EARLY, early: remarks === EARLY, waits: remarks === WAITS || remarks === EMPTY };
    };

    /** With what can be used at once of what came. @param {import('./agent').Settled & {fresh?: import('./agent').News[]}} how */
    const withNews = ({ fresh = [], ...told }) => {
      const news = fresh.length > 0 ? parts.get('newcomers').told(fresh) : [];
      return news.length > 0 ? { ...told, lines: notices.withoutFresh(told.lines), news } : told;
    };

    /** @type {import('./agent').Settle['after']} */
    const after = async (action, { form } = {}) => {
      const before = notices.before(form);
      const watch = watching.start();
      const signs = signsOf.start();
      try {
        const start = performance.now();
        await action();
        const { fresh, ...told } = await settled(watch, before, start, ERRAND, signs, { form });
        return told;
      } finally {
        watch.stop();
        signs.stop();
      }
    };

    /** The gesture under way, which comes from outside the page. @type {{watch: import('./agent').Watch, signs: import('./agent').Signs, before: import('./agent').Noticed, endings: number, hasAsked: () => boolean, hasDrawn: () => boolean, mayIdle: () => boolean, isAlone: () => boolean, since: number, said: number, hasTimed: () => boolean, hovering: boolean, start?: number, read?: () => object} | undefined} */
    let gesture;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let leaving;

    const stop = () => {
      clearTimeout(leaving);
      gesture?.watch.stop();
      gesture?.signs.stop();
      gesture = undefined;
      parts.get('aim').end();
    };

    const observe = (/** @type {{arriving?: boolean, hovering?: boolean}} */ { arriving = false, hovering = false } = {}) => {
      stop();
      const hasAsked = parts.get('turns').since();
      const hasDrawn = parts.get('turns').frameSince();
      const mayIdle = parts.get('turns').idleSince();
      const isAlone = parts.get('company').look();
      const hasTimed = parts.get('turns').timerSince();
      parts.get('late');
      const [before, since] = [notices.before(), performance.now()];
      gesture = { before, since, said: arriving ? 0 : since, watch: watching.start({ hovering }), signs: signsOf.start(), endings: parts.get('network').endings(), hasAsked, hasDrawn, mayIdle, isAlone, hasTimed, hovering };
      return {};
    };

    const reread = (/** @type {() => object} */ read) => {
      if (gesture) gesture.read = read;
    };

    /** What a field holds by now, if the gesture filled one in that is still there. @param {(() => object) | undefined} read */
    const held = (read) => {
      try {
        return read && { held: read() };
      } catch {
        return undefined;
      }
    };

    const conclude = async (/** @type {{ms?: number, patient?: boolean}} */ { ms, patient = false }) => {
      if (!gesture) return { ...LEFT, navigated: false, changed: false };
      clearTimeout(leaving);
      const { watch, signs, before, endings, hasAsked, hasDrawn, mayIdle, isAlone, since, said, hasTimed, hovering, read } = gesture;
      const usual = said === 0 ? ARRIVAL : { ...GESTURE, ...(patient ? { alone: undefined } : {}) };
      const patience = ms === undefined ? usual : { ...GESTURE, rested: undefined, nothing: ms, restless: Math.max(ms, GESTURE.restless), requests: ms, leave: Math.max(ms, GESTURE.leave) };
      let mayAskAgain = false;
      try {
        // Who asks once more goes on waiting: what ended in between counts.
        const start = (gesture.start ??= performance.now());
        const look = () => settled(watch, before, start, patience, signs, { endings, hasAsked, hasDrawn, mayIdle, isAlone, since, said });
        const late = parts.get('late');
        // A frame that the pointer is not in has nothing to show for it.
        const isMeant = () => (hovering ? document.querySelector(':hover') !== null : late.isPressed(since));
        const told = withNews(ms === undefined && isMeant() ? await late.told(look, { seen: watch.seen, start, hasTimed, isMeant }) : await look());
        // Whoever knows of a request that was not told here yet asks once more, but not of a page that has just come.
        mayAskAgain = told.rested !== undefined && said > 0;
        const missed = mayAskAgain && !told.navigated ? parts.get('aim').missed(watch.seen) : {};
        return { ...told, ...missed, title: document.title, url: location.href, ...(mayAskAgain ? { heard: network.heard(), streams: talks.since(said).streams } : {}), ...held(read) };
      } finally {
        if (gesture?.watch === watch && mayAskAgain) leaving = parts.get('turns').timer(stop, ASKED_AGAIN_MS);
        else if (gesture?.watch === watch) stop();
      }
    };

    return { after, arrived: notices.arrived, observe, reread, conclude };
  };

  agent.part('settle', make);
  agent.serve('observe', (params) => agent.get('settle').observe(params));
  agent.serve('settled', (params) => agent.get('settle').conclude(params));
})();
