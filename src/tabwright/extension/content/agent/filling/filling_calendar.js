/**
 * A day in the calendar that a field opens, chosen as people do: month by month to the one that is wanted, then the day.
 * What the field holds afterwards is what counts.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Calendar} Calendar */
  /** @typedef {import('../agent').Day} Day */
  /** @typedef {import('./filling').Outcome} Outcome */

  const DIALOG = 'dialog,[role=dialog],[aria-modal=true],.modal';
  const FLOAT_UP = 16;
  const CONFIRMS = /^(?:ok|done|confirm|select)$/i;
  const MONTHS_MOST = 600;
  const WALK_MS = 8_000;
  /** How long a calendar may take to come, and where its page waits by the clock. */
  const OPENED_MS = 150;
  const AWAITED_MS = 600;
  const TURNED_MS = 1500;
  const CLOSED_MS = 300;
  const AGREED_MS = 150;
  const TAKEN_MS = 600;
  const STEP_MS = 10;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const act = parts.get('act');
    const { pause } = parts.get('rest');
    const { monthsTo, says, shown, read, dateOf, arrowOf, aroundOf, isOff, marked } = parts.get('calendars');

    /** The calendar that was not there before, of several the one of the month that is wanted. */
    const look = (/** @type {Element} */ element, /** @type {Set<Element>} */ before, /** @type {Day} */ wanted) => {
      const found = [...shown()].filter((each) => !before.has(each)).map((each) => read(each, element)).filter((each) => each !== null);
      return found.find((each) => monthsTo(each, wanted) === 0) ?? found[0] ?? null;
    };

    /** @param {() => boolean} holds @param {number} most */
    const until = async (holds, most) => {
      const end = performance.now() + most;
      while (!holds()) {
        if (performance.now() >= end) return false;
        await pause(STEP_MS);
      }
      return true;
    };

    /** @type {import('./filling').FillingCalendar['heldBy']} */
    const heldBy = (element) => (element instanceof HTMLInputElement ? element.value : dom.collapse(element.textContent ?? ''));

    const isOpen = (/** @type {Set<Element>} */ before) => [...shown()].some((each) => !before.has(each));

    /** @type {import('./filling').FillingCalendar['come']} */
    const come = async (before, isAwaited) => {
      if (isAwaited()) await until(() => isOpen(before), AWAITED_MS);
    };

    /** Whether something comes that was not there before. @param {() => boolean} holds @param {() => boolean} isAwaited */
    const comes = async (holds, isAwaited) => (await until(holds, OPENED_MS)) || (isAwaited() && until(holds, AWAITED_MS));

    const isGone = (/** @type {Element} */ grid) => !grid.isConnected || !dom.isVisible(grid);

    /** In a dialog the key would close that. */
    const shut = (/** @type {HTMLElement} */ element) => {
      if (!dom.closest(element, DIALOG)) parts.get('keys').press(element, 'Escape');
    };

    const refused = (/** @type {HTMLElement} */ element, /** @type {string} */ problem) => {
      shut(element);
      return { ok: false, value: heldBy(element), problem: `${problem} Click it with computer and choose there.` };
    };

    /** The day itself, or why it cannot be had. @returns {{cell: Element} | {problem: string}} */
    const cellOf = (/** @type {Calendar} */ { grid, days }, /** @type {Day} */ wanted) => {
      const cell = days[wanted.day - 1];
      const dated = cell ? dateOf(cell, grid) : null;
      const isOffered = cell && !isOff(cell, grid) && !(dated && monthsTo(dated, wanted) !== 0);
      return isOffered ? { cell } : { problem: `The calendar does not offer day ${wanted.day} of that month.` };
    };

    /** What takes over what was chosen, where a calendar asks for that. */
    const confirmOf = (/** @type {Element} */ grid, /** @type {HTMLElement} */ element) =>
      aroundOf(grid, element, FLOAT_UP).flatMap((each) => dom.queryAll(each, 'button,[role=button],input[type=button]'))
        .find((each) => CONFIRMS.test(dom.nameOf(each).trim()) || parts.get('deeds').is(dom.nameOf(each), 'apply')) ?? null;

    /** Waits for what was chosen to show, and for the calendar to go; else closes it. */
    const finish = async (/** @type {HTMLElement} */ element, /** @type {Element} */ grid, /** @type {() => boolean} */ holds) => {
      const isHeld = await until(holds, TAKEN_MS);
      // Who opens it again at once would see it close; and some stay until the field is left.
      if (isHeld && (await until(() => isGone(grid), CLOSED_MS))) return;
      const confirm = confirmOf(grid, element);
      if (confirm) await act.click(confirm);
      else if (isHeld) shut(element);
      await until(() => holds() && isGone(grid), confirm ? TAKEN_MS : 0);
    };

    /** @returns {Promise<Outcome>} */
    const take = async (/** @type {HTMLElement} */ element, /** @type {Element} */ cell, /** @type {Element} */ grid, /** @type {Day} */ wanted) => {
      const was = heldBy(element);
      await act.click(cell);
      // What a button opened may show the day elsewhere.
      const isOther = () => (element instanceof HTMLInputElement ? heldBy(element) !== '' && heldBy(element) !== was : isGone(grid));
      const holds = () => says(heldBy(element), wanted) ?? isOther();
      await finish(element, grid, holds);
      element.blur();
      return holds() ? { ok: true, value: heldBy(element) } : refused(element, `It shows ${JSON.stringify(heldBy(element))} after that day was clicked in its calendar.`);
    };

    /**
     * Turns the calendar to the month of a day, and opens it before where it is closed; null if there is none.
     * @returns {Promise<{cell: Element, grid: Element} | {problem: string} | null>}
     */
    const reach = async (/** @type {HTMLElement} */ element, /** @type {Day} */ day, /** @type {Set<Element>} */ before) => {
      const began = performance.now();
      let now = look(element, before, day);
      if (!now) {
        await act.click(element);
        await until(() => (now = look(element, before, day)) !== null, AWAITED_MS);
      }
      if (!now) return null;
      while (monthsTo(now, day) !== 0) {
        const { year, month, grid, around } = /** @type {Calendar} */ (now);
        const far = monthsTo({ year, month }, day);
        const at = `${year}-${String(month).padStart(2, '0')}`;
        const arrowNow = () => aroundOf(grid, element, FLOAT_UP).filter((each) => dom.contains(each, around)).map((each) => arrowOf(each, grid, far > 0 ? 'next' : 'previous')).find((each) => each !== null);
        // Of several months side by side only the outer ones have arrows, which may come a moment later.
        await until(() => arrowNow() !== undefined, OPENED_MS);
        const arrow = arrowNow();
        if (!arrow || Math.abs(far) > MONTHS_MOST || performance.now() - began > WALK_MS) return { problem: `The calendar does not go on from ${at}.` };
        await act.click(arrow);
        const isTurned = () => (now = look(element, before, day)) !== null && (now.year !== year || now.month !== month);
        if (!(await until(isTurned, TURNED_MS)) || !now) return { problem: `The calendar stays at ${at}.` };
        if (Math.abs(monthsTo(now, day)) >= Math.abs(far)) return { problem: `The arrows of the calendar do not lead from ${at} to that month.` };
      }
      const found = cellOf(now, day);
      return 'cell' in found ? { ...found, grid: now.grid } : found;
    };

    /** @type {import('./filling').FillingCalendar['pick']} */
    const pick = async (element, day, before) => {
      const found = await reach(element, day, before);
      if (!found) return null;
      return 'cell' in found ? take(element, found.cell, found.grid, day) : refused(element, found.problem);
    };

    /** @type {import('./filling').FillingCalendar['pickBoth']} */
    const pickBoth = async (ends, days, before) => {
      const [element] = ends;
      const held = () => [...new Set(ends)].map(heldBy).join(' – ');
      const holds = () => days.every((day, at) => says(heldBy(ends[at]), day) === true);
      /** @type {Element | null} */
      let grid = null;
      for (const [at, day] of days.entries()) {
        const found = await reach(ends[at], day, before);
        if (!found && at === 0) return null;
        if (!found || !('cell' in found)) return refused(element, found?.problem ?? 'Its calendar closed after the first day.');
        grid = found.grid;
        await act.click(found.cell);
        // Only then it knows that the next one is the end.
        await until(() => !found.cell.isConnected || marked(/** @type {any} */ ({ days: [found.cell], grid: found.grid })).length > 0, AGREED_MS);
      }
      if (grid) await finish(element, grid, holds);
      for (const each of ends) each.blur();
      await until(() => !holds(), AGREED_MS);
      return holds() ? { ok: true, value: held() } : refused(element, `It shows ${JSON.stringify(held())} after both days were clicked in its calendar.`);
    };

    const floats = (/** @type {Element} */ grid, /** @type {Element} */ element) =>
      aroundOf(grid, element, FLOAT_UP).some((each) => /absolute|fixed/.test(getComputedStyle(each).position));

    /** @type {import('./filling').FillingCalendar['others']} */
    const others = async (element) => {
      const floating = [...shown()].filter((each) => floats(each, element));
      // The field's own may be open, or about to go.
      if (floating.length > 0 && dom.closest(element, ':focus')) {
        shut(element);
        element.blur();
      }
      await until(() => floating.every(isGone), CLOSED_MS);
      return shown();
    };

    /** Whether the calendar shows another day as the chosen one. */
    const differs = (/** @type {Calendar} */ calendar, /** @type {Day} */ wanted) => {
      const chosen = marked(calendar);
      return monthsTo(calendar, wanted) !== 0 || (chosen.length > 0 && !chosen.includes(calendar.days[wanted.day - 1]));
    };

    /** @type {import('./filling').FillingCalendar['agree']} */
    const agree = async (element, day, { was, before, isAwaited }) => {
      if (!(await comes(() => isOpen(before), isAwaited))) return null;
      const isOther = () => {
        const now = look(element, before, day);
        return now === null || differs(now, day);
      };
      if (await until(() => !isOther(), AGREED_MS)) return null;
      const typed = heldBy(element);
      const { write } = parts.get('writing');
      // What it made of that may be centuries away.
      write(element, '');
      const picked = await pick(element, day, before);
      if (!picked?.ok) write(element, picked ? was : typed);
      return picked;
    };

    return { heldBy, others, come, pick, pickBoth, agree };
  };

  agent.part('filling_calendar', make);
})();
