/**
 * Errands of ours to the browser's process and back. What was on its way to this page when one was begun is there when it
 * is back, however busy the machine is: the same threads carry both. Time alone tells nothing of that.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Of workers, databases and messages nothing is known before they answer; on a busy machine that takes as long as these. */
  const TIMES = 2;

  agent.part('errands', () => ({
    async run() {
      for (let left = TIMES; left > 0; left -= 1) await new Blob(['.']).arrayBuffer();
    },
  }));
})();
