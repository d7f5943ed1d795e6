/**
 * What shows a moment after the pointer has come: cards and tips that a page holds back, lest they show wherever the
 * pointer only passes. That it will show something the page does not say, but it asks for a timer when the pointer comes.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LATE_MS = 600;
  const STEP_MS = 16;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    /** @type {import('./agent').Late['told']} */
    const told = async (look, { seen, start, hasTimed }) => {
      const isOver = () => performance.now() - start >= LATE_MS;
      const isCalm = parts.get('settle_signs').isCalm;
      let last = await look();
      // A frame that the pointer is not in has nothing to show for it.
      while (!last.navigated && isCalm(last.lines) && hasTimed() && !isOver() && document.querySelector(':hover')) {
        const { changedAt } = seen;
        while (seen.changedAt === changedAt && !isOver()) await parts.get('rest').pause(STEP_MS);
        if (seen.changedAt !== changedAt) last = await look();
      }
      return last;
    };

    return { told };
  };

  agent.part('late', make);
})();
