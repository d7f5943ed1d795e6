/**
 * What shows a moment after the pointer has come, or something was pressed: cards and tips that a page holds back, lest they
 * show wherever the pointer only passes, and what it puts off by a timer. That it will show something the page does not say,
 * but it asks for a timer meanwhile. Whoever presses a field to write into it waits for nothing, unless with Enter.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LATE_MS = 600;
  const STEP_MS = 16;
  const WRITTEN = 'textarea, [contenteditable]:not([contenteditable=false]), input:not([type=button], [type=submit], [type=reset], [type=image], [type=checkbox], [type=radio], [type=range], [type=color], [type=file])';

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    let [pressedAt, enteredAt] = [-Infinity, -Infinity];
    // For good, as it costs next to nothing.
    addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) pressedAt = performance.now(); }, { capture: true });
    addEventListener('keydown', ({ isTrusted, key }) => { if (isTrusted && key === 'Enter') enteredAt = performance.now(); }, { capture: true });

    /** @type {import('./agent').Late['isPressed']} */
    const isPressed = (since) => enteredAt >= since || (pressedAt >= since && !document.activeElement?.matches(WRITTEN));

    /** @type {import('./agent').Late['told']} */
    const told = async (look, { seen, start, hasTimed, isMeant }) => {
      const isOver = () => performance.now() - start >= LATE_MS;
      const isCalm = parts.get('settle_signs').isCalm;
      let last = await look();
      // Later ones are not the gesture's: some pages ask again and again.
      const isTimed = hasTimed();
      while (!last.navigated && isCalm(last.lines) && isTimed && !isOver() && isMeant()) {
        const { changedAt } = seen;
        while (seen.changedAt === changedAt && !isOver()) await parts.get('rest').pause(STEP_MS);
        if (seen.changedAt !== changedAt) last = await look();
      }
      return last;
    };

    return { isPressed, told };
  };

  agent.part('late', make);
})();
