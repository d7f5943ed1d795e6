/**
 * What shows a moment after the pointer has come, or something was pressed: cards and tips that a page holds back, lest they
 * show wherever the pointer only passes, and what it puts off by a timer. That it will show something the page does not say,
 * but it asks for a timer meanwhile; or it says just that, as by “Loading…”, which is waited for longer. Whoever presses a
 * field to write into it waits for nothing, unless with Enter; whoever writes waits for what is suggested or found for
 * that, which pages ask for by a timer after the last key.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LATE_MS = 600;
  const PROMISED_MS = 1_500;
  /** Short words that end by dots, in any language, or say so, with little beside them: lists have a “Read more…” of each. */
  const PROMISE = /“(?=[^”]{1,80}”)(?:[^”]* · )?(?:[^“”·]{1,40}(?:…|\.{3})|(?:loading|please wait)[^“”·]{0,30})(?=”| · )/i;
  const STEP_MS = 16;
  const WRITTEN = 'textarea, [contenteditable]:not([contenteditable=false]), input:not([type=button], [type=submit], [type=reset], [type=image], [type=checkbox], [type=radio], [type=range], [type=color], [type=file])';
  const ASKING = '[type=search], [role=searchbox], [role=combobox], [aria-autocomplete], [autocomplete=off], [list]';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    /** Whether something may be suggested or found for it; in a form of several fields, that is for those which say so. @param {Element} field @param {boolean} typed */
    const isAsking = (field, typed) => {
      if (!field.matches(WRITTEN)) return false;
      if (typed || field.matches(ASKING)) return true;
      const { form } = /** @type {HTMLInputElement} */ (field);
      return !form || [...form.querySelectorAll(WRITTEN)].filter((each) => each.checkVisibility()).length < 2;
    };
    let [pressedAt, writtenAt] = [-Infinity, -Infinity];
    // For good, as it costs next to nothing.
    addEventListener('pointerdown', ({ isTrusted }) => { if (isTrusted) pressedAt = performance.now(); }, { capture: true });
    addEventListener('keydown', ({ isTrusted, key }) => { if (isTrusted && key === 'Enter') writtenAt = performance.now(); }, { capture: true });
    addEventListener('input', (event) => { if (event.target instanceof Element && isAsking(event.target, event.isTrusted)) writtenAt = performance.now(); }, { capture: true });

    /** @type {import('./acting').Late['isPressed']} */
    const isPressed = (since) => writtenAt >= since || (pressedAt >= since && !document.activeElement?.matches(WRITTEN));

    /** @type {import('./acting').Late['told']} */
    const told = async (look, { seen, start, hasTimed, isMeant }) => {
      const isCalm = parts.get('settle_signs').isCalm;
      const hasPromised = () => last.lines.some((line) => PROMISE.test(line));
      let last = await look();
      const isOver = () => performance.now() - start >= (hasPromised() ? PROMISED_MS : LATE_MS);
      // Later ones are not the gesture's: some pages ask again and again.
      const isTimed = hasTimed();
      const network = parts.get('network');
      while (!last.navigated && (isCalm(last.lines) || hasPromised()) && isTimed && !isOver() && isMeant()) {
        const { changedAt } = seen;
        const pending = network.pending();
        const isNews = () => seen.changedAt !== changedAt || network.pending() > pending;
        while (!isNews() && !isOver()) await parts.get('rest').pause(STEP_MS);
        if (isNews()) last = await look();
      }
      return last;
    };

    return { isPressed, told };
  };

  agent.part('late', make);
})();
