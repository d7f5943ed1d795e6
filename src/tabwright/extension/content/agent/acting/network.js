/**
 * What the worker says of the tab's requests during an action: how many are under way, and when the last one ended. It
 * numbers what it says, so that it knows what a word of the page was said without.
 *
 * It may say so before the page has the answer: on a busy machine one that has ended is under way until it must be here.
 *
 * When the page has read an answer it notes that itself, but for those of its frames and workers.
 *
 * And whether it has heard of all that the page ever opened: not if this script came later than the page, nor once the port
 * broke, as the worker may have been stopped.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const cameFirst = document.readyState === 'loading';
  /** Of what is not counted; and where the page notes no more. */
  const UNCOUNTED = new Set(['img', 'image', 'input', 'css', 'video', 'audio', 'track', 'beacon']);
  const NOTED_MAX = 250;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    let underWay = 0;
    let arriving = 0;
    let ended = 0;
    let last = 0;
    let endings = 0;
    let followed = cameFirst;

    /** While a page loads it is told of whatever it loads, and what it has heard is known by other means. */
    const arrive = async () => {
      if (document.readyState === 'complete') {
        arriving += 1;
        await parts.get('errands').run().catch(() => {});
        arriving -= 1;
      }
      ended = performance.now();
    };

    /** @type {import('./acting').Network['update']} */
    const update = (pending, told) => {
      if (pending < underWay && told > 0) {
        endings += underWay - pending;
        void arrive();
      }
      underWay = pending;
      last = told;
    };
    const lose = () => {
      followed = false;
      update(0, 0);
    };
    /** @type {import('./acting').Network['isRead']} */
    const isRead = (since, before) => {
      const noted = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource'));
      const read = noted.filter(({ responseEnd, initiatorType }) => responseEnd >= since && !UNCOUNTED.has(initiatorType));
      return noted.length >= NOTED_MAX || read.length >= endings - before;
    };
    return { pending: () => underWay + arriving, endedAt: () => ended, endings: () => endings, isRead, heard: () => last, isFollowed: () => followed, update, lose };
  };

  agent.part('network', make);
})();
