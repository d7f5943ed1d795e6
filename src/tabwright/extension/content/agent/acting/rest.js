/**
 * When a page is at rest: its thread is idle and nothing is due on it for a moment. Asked of every page that somebody is
 * led to, while it loads, so this needs none of what describes pages.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./acting').Asking} Asking */

  /** Idle until the next frame, and no longer, says nothing of timers. */
  const FRAME_MS = 17;
  /** What a page does so soon after it has loaded belongs to its loading; a frame may be drawn meanwhile. */
  const LOADED_MS = 4;
  /** How long a page that has loaded may be at work before it is watched for what it does. */
  const REST_MS = 60;
  /** After a piece of an answer that may come in more. */
  const PIECES_MS = 150;
  /**
   * Chrome slows timers in hidden tabs to one a second, later one a minute; waiting on this it does not. Made on first
   * use: each reserves so much address space that a page of 200 frames would stand still.
   * @type {Int32Array | null | undefined}
   */
  let clock;
  const makeClock = () => {
    try {
      return new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
    } catch {
      return null;
    }
  };

  /** @type {import('./acting').Rest['pause']} */
  const pause = async (ms, off) => {
    const atomics = /** @type {any} */ (Atomics);
    if (document.hidden) clock ??= makeClock();
    if (document.hidden && clock && atomics.waitAsync) await atomics.waitAsync(clock, 0, 0, Math.max(1, ms)).value;
    else {
      await new Promise((done) => {
        const timer = agent.get('turns').timer(() => done(undefined), ms);
        off?.addEventListener('abort', () => clearTimeout(timer), { once: true });
      });
    }
  };

  /**
   * Resolves once so many frames were drawn and nothing is due on this thread before `until`, neither a timer nor, where
   * something moves or scrolls, another frame; perhaps never. A page that has changed and not asked for a turn of its own is
   * believed as soon as it is idle: how near the next frame is tells nothing of what is due.
   * @param {number} frames
   * @param {number} until
   * @param {AbortSignal} off
   * @param {Asking} page
   * @returns {Promise<void>}
   */
  const rest = (frames, until, off, { hasAsked = () => false, hasChanged = false, drawn }) => new Promise((done) => {
    const turns = agent.get('turns');
    const isFree = (/** @type {number} */ from, /** @type {number} */ left) =>
      (hasAsked() ? left > FRAME_MS && from + left >= until : hasChanged || from + left >= until);
    const look = (/** @type {IdleDeadline} */ deadline) => {
      if (off.aborted) return;
      if (isFree(performance.now(), deadline.timeRemaining())) done();
      else turns.idle(look);
    };
    const draw = (/** @type {number} */ left) => {
      if (off.aborted) return;
      if (left > 0) turns.frame(() => draw(left - 1));
      else turns.idle(look);
    };
    if (!drawn) return draw(frames);
    void drawn.promise.then(({ at, idleAt, left }) => {
      if (off.aborted) return;
      if (at > drawn.after && isFree(idleAt, left)) done();
      else draw(frames);
    });
  });

  /**
   * The same, but no longer than `most`; whether it came to rest.
   * @type {import('./acting').Rest['restBefore']}
   */
  const restBefore = async (frames, until, { most = until, errands, ...page } = {}) => {
    const ending = new AbortController();
    // A timer of ours at the very end does not stand in the way of those before.
    const over = pause(most - performance.now() + 1, ending.signal).then(() => false);
    const resting = Promise.all([rest(frames, until, ending.signal, page), errands]);
    const rested = await Promise.race([resting.then(() => true), over]);
    ending.abort();
    return rested;
  };

  /** @type {import('./acting').Rest['idled']} */
  const idled = async (ms) => {
    const ending = new AbortController();
    const turn = new Promise((done) => { agent.get('turns').idle(done); });
    await Promise.race([turn, pause(ms, ending.signal)]);
    ending.abort();
  };

  /** @type {import('./acting').Rest['rests']} */
  const rests = async (off) => {
    const ending = new AbortController();
    const signal = AbortSignal.any([off, ending.signal]);
    let isLeaving = false;
    const left = (/** @type {any} */ { destination }) => { isLeaving ||= !destination.sameDocument; };
    /** @type {any} */ (globalThis).navigation?.addEventListener('navigate', left, { signal });
    if (document.readyState !== 'complete') await new Promise((done) => { addEventListener('load', done, { signal }); });
    const now = performance.now();
    // What was answered by now has its turn before the page is at rest.
    const heard = performance.getEntriesByType('resource').map(({ name }) => name);
    const rested = !document.hidden && (await restBefore(0, now + LOADED_MS, { most: now + REST_MS }));
    ending.abort();
    const { isAwaited, heardAt, streams } = agent.get('talks').since(0);
    const isTold = !isAwaited && (heardAt === 0 || performance.now() - heardAt >= PIECES_MS);
    return { rested: rested && !isLeaving && agent.get('network').pending() <= streams && isTold && !agent.get('shell').isShell(), heard, streams };
  };

  agent.part('rest', () => ({ pause, restBefore, idled, rests }));
  agent.serve('rests', (_, off) => rests(off));
})();
