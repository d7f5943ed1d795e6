/**
 * Waiting a moment, in tabs in the background too: there Chrome runs timers once a second, while messages of a
 * MessageChannel are delivered as ever.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Longer waits may as well be rounded up to the second. */
  const SHORT_MS = 100;

  agent.part('pace', () => {
    const { port1, port2 } = new MessageChannel();
    /** @type {(() => void)[]} */
    const queue = [];
    port1.onmessage = () => queue.shift()?.();

    /** Runs it as a task of its own, as soon as possible. @param {() => void} action */
    const soon = (action) => {
      queue.push(action);
      port2.postMessage(0);
    };

    /**
     * Runs it after about so many milliseconds; what it returns calls that off.
     * @param {number} ms
     * @param {() => void} action
     */
    const after = (ms, action) => {
      if (!document.hidden || ms > SHORT_MS) {
        const timer = setTimeout(action, ms);
        return () => clearTimeout(timer);
      }
      const due = performance.now() + ms;
      let isOff = false;
      const look = () => {
        if (isOff) return;
        if (performance.now() < due) soon(look);
        else action();
      };
      soon(look);
      return () => { isOff = true; };
    };

    return { soon, after };
  });
})();
