/**
 * A day in the calendar that a field opens, chosen as people do: month by month to the one that is wanted, then the day.
 * A calendar is whatever shows the days of a month one after the other. Which month that is it says beside them, in words,
 * a list or a field, or at each day. What the field holds afterwards is what counts.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./agent').Day} Day */
  /** @typedef {import('./agent').Outcome} Outcome */
  /** @typedef {{grid: Element, around: Element, days: Element[], year: number, month: number}} Calendar */

  const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
  const STAMP = /\b(\d{4})-(\d{2})-(\d{2})\b/;
  const YEAR = /(?<!\d)(?:19|20)\d{2}(?!\d)/;
  const NUMBER = /^(?:[1-9]|[12]\d|3[01])$/;
  const CELLS = 'td,[role=gridcell],button,a,span,div,abbr,time,p,li';
  const DATED = ['datetime', 'data-iso-date', 'data-date', 'data-day', 'data-value', 'aria-label', 'title'];
  const MARKED = '[aria-selected=true],[aria-pressed=true],[class*=selected i],[class*=current-day i],.active,.ui-state-active';
  const OFF = '[aria-disabled=true],[disabled],[class*=disabled i]';
  const ARROWS = { next: /next|forward|\bright\b|[›→]/i, previous: /prev|backward|\bleft\b|[‹←]/i };
  const FARTHER = /year|decade|double/i;
  const LEAST_DAYS = 28;
  const GRID_UP = 6;
  const AROUND_UP = 5;
  const ARROW_PX = 160;
  const MONTHS_MOST = 600;
  /** How long a calendar may take to come, and where its page waits by the clock. */
  const OPENED_MS = 60;
  const AWAITED_MS = 600;
  const TURNED_MS = 600;
  const CLOSED_MS = 300;
  const AGREED_MS = 150;
  const TAKEN_MS = 600;
  const STEP_MS = 10;

  /** @type {import('./agent').FillingCalendar['dayOf']} */
  const dayOf = (text) => {
    const [, year, month, day] = (DAY.exec(text.trim()) ?? []).map(Number);
    const date = new Date(Date.UTC(year, month - 1, day));
    return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? { year, month, day } : null;
  };

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const act = parts.get('act');
    const { pause } = parts.get('rest');

    const saidBy = (/** @type {Element} */ element) => (element.textContent ?? '').trim();

    const daysIn = (/** @type {Document | Element} */ root) => dom.queryAll(root, CELLS)
      .filter((each) => each.childElementCount === 0 && NUMBER.test(saidBy(each)) && dom.isVisible(each));

    /** What holds the days of one month. */
    const gridOf = (/** @type {Element} */ first, /** @type {Element[]} */ days) => {
      let at = dom.parentOf(first);
      for (let up = 0; at && up < GRID_UP; at = dom.parentOf(at), up += 1) {
        if (days.filter((each) => dom.contains(/** @type {Element} */ (at), each)).length >= LEAST_DAYS) return at;
      }
      return null;
    };

    /** What holds the days of a month, wherever one shows. @returns {Set<Element>} */
    const shown = (/** @type {Document | Element} */ root = document) => {
      const days = daysIn(root);
      if (days.length < LEAST_DAYS) return new Set();
      const grids = days.filter((each) => saidBy(each) === '1').map((each) => gridOf(each, days));
      return new Set(grids.filter((each) => each !== null));
    };

    /** The names of months where the page is written and where the browser is at home. */
    const namesOf = (/** @type {'long' | 'short'} */ length) => {
      const languages = [document.documentElement.lang, navigator.language, 'en'].filter(Boolean);
      return languages.flatMap((language) => {
        try {
          const { format } = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' });
          return Array.from({ length: 12 }, (_, month) => ({ month: month + 1, name: format(Date.UTC(2026, month)).toLowerCase().replace(/\.$/, '') }));
        } catch {
          return [];
        }
      });
    };

    /** What stands around the days; of a list only what is chosen in it. */
    const wordsAround = (/** @type {Element} */ around, /** @type {Element} */ grid) => {
      let words = (around.textContent ?? '').replace(grid.textContent ?? '', ' ');
      for (const list of around.querySelectorAll('select')) words = words.replace(list.textContent ?? '', ` ${list.selectedOptions[0]?.label ?? ''} `);
      return [words, ...[...around.querySelectorAll('input')].map(({ value }) => value)].join(' ').toLowerCase();
    };

    const monthIn = (/** @type {string} */ words) => {
      const year = Number(YEAR.exec(words)?.[0] ?? NaN);
      const long = namesOf('long').sort((one, other) => other.name.length - one.name.length).find(({ name }) => words.includes(name));
      // Short ones are names of days, too.
      const short = () => namesOf('short').find(({ name }) => words.replace(/[.,\s]+/g, ' ').includes(`${name} ${year}`));
      const { month } = long ?? short() ?? { month: NaN };
      return { year, month };
    };

    /** What a day says of itself, if that is a whole date. @returns {Day | null} */
    const dateOf = (/** @type {Element} */ cell, /** @type {Element} */ grid) => {
      for (let at = /** @type {Element | null} */ (cell); at && at !== grid; at = dom.parentOf(at)) {
        for (const name of DATED) {
          const said = at.getAttribute(name) ?? '';
          const stamp = dayOf(STAMP.exec(said)?.[0] ?? '');
          const date = stamp || !YEAR.test(said) ? null : new Date(said);
          const found = stamp ?? (date && !Number.isNaN(date.getTime()) ? { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() } : null);
          if (found && found.day === Number(saidBy(cell))) return found;
        }
      }
      return null;
    };

    /** @returns {Calendar | null} the calendar that was not there before */
    const look = (/** @type {Element} */ element, /** @type {Set<Element>} */ before, /** @type {Document | Element} */ root = document) => {
      const grid = [...shown(root)].find((each) => !before.has(each));
      if (!grid) return null;
      const all = daysIn(grid);
      const begin = all.findIndex((each) => saidBy(each) === '1');
      const days = all.slice(begin).filter((each, index) => Number(saidBy(each)) === index + 1);
      const dated = days[14] ? dateOf(days[14], grid) : null;
      let around = /** @type {Element | null} */ (grid);
      for (let up = 0; around && around !== document.body && up < AROUND_UP && !dom.contains(around, element); around = dom.parentOf(around), up += 1) {
        const { year, month } = dated ?? monthIn(wordsAround(around, grid));
        if (year && month && (arrowOf(around, grid, 'next') ?? arrowOf(around, grid, 'previous'))) return { grid, around, days, year, month };
      }
      return null;
    };

    const arrowOf = (/** @type {Element} */ around, /** @type {Element} */ grid, /** @type {'next' | 'previous'} */ way) => {
      const deeds = parts.get('deeds');
      const found = dom.queryAll(around, '*').filter((each) => {
        if (dom.contains(each, grid) || dom.contains(grid, each) || each.matches('select,option,input')) return false;
        const label = each.getAttribute('aria-label') ?? each.getAttribute('title') ?? saidBy(each).slice(0, 40);
        const said = [label, each.getAttribute('class'), each.getAttribute('data-action'), each.getAttribute('data-handler')].join(' ');
        const isWay = deeds.is(label, way) || (ARROWS[way].test(said) && !ARROWS[way === 'next' ? 'previous' : 'next'].test(said));
        return isWay && !FARTHER.test(said) && !each.matches(OFF) && each.getBoundingClientRect().width <= ARROW_PX && dom.isVisible(each);
      });
      return found.find((each) => /month/i.test(`${each.getAttribute('aria-label')} ${each.getAttribute('class')}`)) ?? found[0] ?? null;
    };

    /** @param {() => boolean} holds @param {number} most */
    const until = async (holds, most) => {
      for (let waited = 0; waited < most && !holds(); waited += STEP_MS) await pause(STEP_MS);
      return holds();
    };

    /** Whether something comes that was not there before. @param {() => boolean} holds @param {() => boolean} isAwaited */
    const comes = async (holds, isAwaited) => (await until(holds, OPENED_MS)) || (isAwaited() && until(holds, AWAITED_MS));

    const refused = (/** @type {Element} */ element, /** @type {string} */ problem) => {
      parts.get('keys').press(element, 'Escape');
      return { ok: false, value: /** @type {HTMLInputElement} */ (element).value, problem: `${problem} Click it with computer and choose there.` };
    };

    /** @returns {Promise<Outcome>} */
    const take = async (/** @type {HTMLInputElement} */ element, /** @type {Calendar} */ { grid, days }, /** @type {Day} */ { day }) => {
      const cell = days[day - 1];
      if (!cell || cell.closest(OFF) !== null) return refused(element, `The calendar does not offer day ${day} of that month.`);
      const was = element.value;
      const isMarked = cell.closest(MARKED) !== null && dom.contains(grid, cell);
      await act.click(cell);
      await until(() => element.value !== was, isMarked ? 0 : TAKEN_MS);
      const holds = new RegExp(`(?:^|\\D)0?${day}(?:\\D|$)`).test(element.value);
      const isClosed = () => !grid.isConnected || !dom.isVisible(grid);
      // Who opens it again at once would see it close; and some stay until the field is left.
      if (holds && !(await until(isClosed, CLOSED_MS))) parts.get('keys').press(element, 'Escape');
      element.blur();
      return holds ? { ok: true, value: element.value } : refused(element, `It shows ${JSON.stringify(element.value)} after that day was clicked in its calendar.`);
    };

    /** @type {import('./agent').FillingCalendar['pick']} */
    const pick = async (element, day, before) => {
      let now = look(element, before);
      if (!now) {
        const isAwaited = parts.get('turns').timerSince();
        await act.click(element);
        await comes(() => (now = look(element, before)) !== null, isAwaited);
      }
      for (let turned = 0; now && turned < MONTHS_MOST; turned += 1) {
        const { year, month, grid, around } = now;
        const far = (day.year - year) * 12 + day.month - month;
        if (far === 0) return take(element, now, day);
        const arrow = arrowOf(around, grid, far > 0 ? 'next' : 'previous');
        if (!arrow) return refused(element, `The calendar does not go on from ${year}-${String(month).padStart(2, '0')}.`);
        await act.click(arrow);
        const root = around.isConnected ? around : document;
        const isTurned = () => (now = look(element, before, root)) !== null && (now.year !== year || now.month !== month);
        if (!(await until(isTurned, TURNED_MS))) return refused(element, `The calendar stays at ${year}-${String(month).padStart(2, '0')}.`);
      }
      return null;
    };

    /** @type {import('./agent').FillingCalendar['others']} */
    const others = async (element) => {
      const calendars = shown();
      if (calendars.size === 0) return calendars;
      // The field's own may be open, or about to go.
      if (dom.closest(element, ':focus')) {
        parts.get('keys').press(element, 'Escape');
        element.blur();
      }
      await until(() => shown().size < calendars.size, CLOSED_MS);
      return shown();
    };

    /** Whether the calendar shows another day as the chosen one. */
    const differs = (/** @type {Calendar} */ { grid, days, year, month }, /** @type {Day} */ wanted) => {
      if (year !== wanted.year || month !== wanted.month) return true;
      const marked = days.filter((each) => each.closest(MARKED) !== null && dom.contains(grid, /** @type {Element} */ (each.closest(MARKED))));
      return marked.length > 0 && !marked.includes(days[wanted.day - 1]);
    };

    /** @type {import('./agent').FillingCalendar['agree']} */
    const agree = async (element, day, before, isAwaited) => {
      const opened = () => [...shown()].some((each) => !before.has(each));
      if (!(await comes(opened, isAwaited))) return null;
      const isOther = () => {
        const now = look(element, before);
        return now === null || differs(now, day);
      };
      await until(() => !isOther(), AGREED_MS);
      if (!isOther()) return null;
      const typed = element.value;
      const { write } = parts.get('fill');
      // What it made of that may be centuries away.
      write(element, '');
      const picked = await pick(element, day, before);
      if (!picked?.ok) write(element, typed);
      return picked;
    };

    return { dayOf, others, pick, agree };
  };

  agent.part('filling_calendar', make);
})();
