/**
 * What the worker says of the tab's requests during an action: how many are under way, and when the last one ended. It
 * numbers what it says, so that it knows what a word of the page was said without.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const make = () => {
    let underWay = 0;
    let ended = 0;
    let last = 0;
    /** @type {import('./agent').Network['update']} */
    const update = (pending, told) => {
      if (pending < underWay) ended = performance.now();
      underWay = pending;
      last = told;
    };
    return { pending: () => underWay, endedAt: () => ended, heard: () => last, update };
  };

  agent.part('network', make);
})();
