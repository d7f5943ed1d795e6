/**
 * What the worker says of the tab's requests during an action: how many are under way, and when the last one ended. It
 * numbers what it says, so that it knows what a word of the page was said without.
 *
 * It may say so before the page has the answer: on a busy machine one that has ended is under way until it must be here.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    let underWay = 0;
    let arriving = 0;
    let ended = 0;
    let last = 0;

    const arrive = async () => {
      arriving += 1;
      await parts.get('errands').run().catch(() => {});
      arriving -= 1;
      ended = performance.now();
    };

    /** @type {import('./agent').Network['update']} */
    const update = (pending, told) => {
      if (pending < underWay && told > 0) void arrive();
      underWay = pending;
      last = told;
    };
    return { pending: () => underWay + arriving, endedAt: () => ended, heard: () => last, update };
  };

  agent.part('network', make);
})();
