/** Where an element that is acted on is shown, for the frames of a recording. It only looks. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  agent.serve('showingAt', ({ target }) => {
    const element = agent.get('refs').resolve(target);
    const { left, top, width, height } = element.getBoundingClientRect();
    const isInSight = width > 0 && height > 0 && left < innerWidth && top < innerHeight && left + width > 0 && top + height > 0;
    return isInSight ? { left, top, width, height } : null;
  });
})();
