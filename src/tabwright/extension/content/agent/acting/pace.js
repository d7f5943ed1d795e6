/**
 * Waiting a moment, in tabs in the background too, where Chrome runs timers once a second:
 *
 * 1. the first short waits ask the time by messages of a MessageChannel, which are delivered as ever, at full speed;
 * 2. when those have taken their share, the clock of `rest` serves. It is not for the first ones: what it needs is
 *    too dear to be made in every frame of a page that loads.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Longer waits may as well be rounded up to the second. */
  const SHORT_MS = 100;
  /** How long a document may wait by messages: enough for what it registers while it loads. */
  const POLLED_MS = 200;
  /** Who wakes so late was woken by a slowed timer: there is no clock here. */
  const SLOWED_MS = 500;

  agent.part('pace', (agent) => {
    const { port1, port2 } = new MessageChannel();
    /** @type {(() => void)[]} */
    const queue = [];
    let left = POLLED_MS;
    port1.onmessage = () => queue.shift()?.();

    /** Runs it as a task of its own, as soon as possible. @param {() => void} action */
    const soon = (action) => {
      queue.push(action);
      port2.postMessage(0);
    };

    /** @param {number} ms @param {AbortSignal} off @param {() => void} action */
    const poll = (ms, off, action) => {
      const begun = performance.now();
      const look = () => {
        const waited = performance.now() - begun;
        if (waited < ms && !off.aborted) return soon(look);
        left = Math.max(0, left - Math.min(waited, ms));
        if (!off.aborted) action();
      };
      soon(look);
    };

    /** @param {number} ms @param {AbortSignal} off @param {() => void} action */
    const wait = async (ms, off, action) => {
      const due = performance.now() + ms;
      await agent.get('rest').pause(ms);
      // Or whoever wants to be on time would never be.
      if (performance.now() - due > SLOWED_MS) left = POLLED_MS;
      if (!off.aborted) action();
    };

    /**
     * Runs it after about so many milliseconds; what it returns calls that off.
     * @param {number} ms
     * @param {() => void} action
     */
    const after = (ms, action) => {
      if (!document.hidden || ms > SHORT_MS) {
        const timer = agent.get('turns').timer(action, ms);
        return () => clearTimeout(timer);
      }
      const off = new AbortController();
      if (ms > left) void wait(ms, off.signal, action);
      else poll(ms, off.signal, action);
      return () => off.abort();
    };

    return { soon, after };
  });
})();
