/**
 * Errands of ours to the browser's process and back, and to the thread on which Chrome does cryptography for the page, one after
 * the other. What was on its way to this page when one was begun is there when it is back, however busy the machine is: the
 * same threads carry both. Time alone tells nothing of that.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Of workers, databases and messages nothing is known before they answer; on a busy machine that takes as long as these. */
  const TIMES = 3;

  const away = async () => {
    for (let left = TIMES; left > 0; left -= 1) await new Blob(['.']).arrayBuffer();
  };
  // Pages without https have none.
  const reckoned = () => crypto.subtle?.digest('SHA-256', new Uint8Array(1));

  agent.part('errands', () => ({
    async run() {
      const begun = performance.now();
      await Promise.all([away(), reckoned()]);
      return performance.now() - begun;
    },
  }));
})();
