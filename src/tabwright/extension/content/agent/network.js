/** What the worker says of the tab's requests during an action: how many are under way, and when the last one ended. */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const make = () => {
    let underWay = 0;
    let ended = 0;
    /** @type {import('./agent').Network['update']} */
    const update = (pending) => {
      if (pending < underWay) ended = performance.now();
      underWay = pending;
    };
    return { pending: () => underWay, endedAt: () => ended, update };
  };

  agent.part('network', make);
})();
