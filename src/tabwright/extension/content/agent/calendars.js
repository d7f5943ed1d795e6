/**
 * Calendars that show: whatever has the days of a month one after the other. Which month that is it says beside them, in
 * words, a list or a field, or at each day. What is chosen in one is left to `filling_calendar`.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./agent').Day} Day */

  const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
  const STAMP = /\b\d{4}-\d{2}-\d{2}(?!\d)/;
  const YEAR = /(?<!\d)(?:19|20)\d{2}(?!\d)/;
  const NUMBER = /^(?:[1-9]|[12]\d|3[01])$/;
  const CELLS = 'td,[role=gridcell],button,a,span,div,abbr,time,p,li,b,strong';
  const WEEK = /week(?![-_]?(?:end|day))/i;
  const DATED = ['datetime', 'data-iso-date', 'data-date', 'data-day', 'data-value', 'aria-label', 'title'];
  const MARKED = '[aria-selected=true],[aria-pressed=true],[class*=selected i],[class*=current-day i],.active,.ui-state-active';
  const OFF = '[aria-disabled=true],[disabled],[class*=disabled i]';
  const ARROWS = { next: /next|forward|\bright\b|[›→]/i, previous: /prev|backward|\bleft\b|[‹←]/i };
  const MEANT = ['data-action', 'data-handler', 'data-direction', 'slot'];
  const FARTHER = /year|decade|double|super|fast|d-arrow/i;
  const LEAST_DAYS = 28;
  const GRID_UP = 6;
  const AROUND_UP = 5;
  const ARROW_PX = 160;
  /** In a header that names more there is a list of all. */
  const NAMED_MOST = 2;

  /** @type {import('./agent').Calendars['dayOf']} */
  const dayOf = (text) => {
    const [, year, month, day] = (DAY.exec(text.trim()) ?? []).map(Number);
    const date = new Date(Date.UTC(year, month - 1, day));
    return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? { year, month, day } : null;
  };

  const monthsTo = (/** @type {{year: number, month: number}} */ from, /** @type {Day} */ to) => (to.year - from.year) * 12 + to.month - from.month;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    const saidBy = (/** @type {Element} */ element) => (element.textContent ?? '').trim();

    /** Of a cell that says nothing else, too; a row may be called a week for its days. */
    const classesOf = (/** @type {Element} */ each) =>
      [each, each.parentElement].map((at) => (at && saidBy(at) === saidBy(each) ? at.getAttribute('class') : '')).join(' ');

    const isDay = (/** @type {Element} */ each) => NUMBER.test(saidBy(each)) && [...each.children].every((child) => saidBy(child) === '')
      && !WEEK.test(classesOf(each)) && dom.isVisible(each);

    const daysIn = (/** @type {Document | Element} */ root) => dom.queryAll(root, CELLS).filter(isDay);

    /** What holds the days of one month. */
    const gridOf = (/** @type {Element} */ first, /** @type {Element[]} */ days) => {
      let at = dom.parentOf(first);
      for (let up = 0; at && up < GRID_UP; at = dom.parentOf(at), up += 1) {
        if (days.filter((each) => dom.contains(/** @type {Element} */ (at), each)).length >= LEAST_DAYS) return at;
      }
      return null;
    };

    /** @type {import('./agent').Calendars['shown']} */
    const shown = () => {
      const days = daysIn(document);
      if (days.length < LEAST_DAYS) return new Set();
      const grids = days.filter((each) => saidBy(each) === '1').map((each) => gridOf(each, days));
      return new Set(grids.filter((each) => each !== null));
    };

    /** @type {Map<string, {month: number, name: string}[]>} */
    const known = new Map();

    const namesIn = (/** @type {string} */ language, /** @type {'long' | 'short'} */ length) => {
      const { format } = new Intl.DateTimeFormat(language, { month: length, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, month) => ({ month: month + 1, name: format(Date.UTC(2026, month)).toLowerCase().replace(/\.$/, '') }));
    };

    const isLanguage = (/** @type {string} */ tag) => {
      try {
        return Intl.getCanonicalLocales(tag).length > 0;
      } catch {
        return false;
      }
    };

    /** Where the page is written, which many spell with an underscore, and where the browser is at home. */
    const languages = () => [(document.documentElement.getAttribute('lang') ?? '').replace(/_/g, '-'), navigator.language, 'en'].filter(isLanguage);

    /** @type {import('./agent').Calendars['written']} */
    const written = ({ year, month, day }, style) =>
      new Intl.DateTimeFormat(languages()[0], { timeZone: 'UTC', ...style }).format(Date.UTC(year, month - 1, day));

    /** The names of months in all of them. */
    const namesOf = (/** @type {'long' | 'short'} */ length) => {
      const read = languages();
      const key = `${length} ${read}`;
      const names = known.get(key) ?? read.flatMap((language) => namesIn(language, length));
      known.set(key, names);
      return names;
    };

    /** What shows around the days; of a list only what is chosen in it. */
    const wordsAround = (/** @type {Element} */ around, /** @type {Element} */ grid) => {
      const textOf = (/** @type {Element} */ each) => /** @type {HTMLElement} */ (each).innerText ?? each.textContent ?? '';
      let words = textOf(around).replace(textOf(grid), ' ');
      for (const list of around.querySelectorAll('select')) words = words.replace(textOf(list), ` ${list.selectedOptions[0]?.label ?? ''} `);
      return [words, ...[...around.querySelectorAll('input')].map(({ value }) => value)].join(' ').toLowerCase();
    };

    const monthIn = (/** @type {string} */ words) => {
      const year = Number(YEAR.exec(words)?.[0] ?? NaN);
      const long = namesOf('long').filter(({ name }) => words.includes(name)).sort((one, other) => words.indexOf(one.name) - words.indexOf(other.name));
      if (new Set(long.map(({ month }) => month)).size > NAMED_MOST) return { year, month: NaN };
      // Short ones are names of days, too.
      const short = () => namesOf('short').find(({ name }) => words.replace(/[.,\s]+/g, ' ').includes(`${name} ${year}`));
      return { year, month: (long[0] ?? short())?.month ?? NaN };
    };

    /** @type {import('./agent').Calendars['says']} */
    const says = (text, { year, month, day }) => {
      const numbers = (text.match(/\d+/g) ?? []).map(Number);
      if (numbers.length === 0) return null;
      const isNamed = [...namesOf('long'), ...namesOf('short')].some((each) => each.month === month && text.toLowerCase().includes(each.name));
      const isMonth = isNamed || numbers.filter((each) => each === month).length > (month === day ? 1 : 0);
      const isYear = numbers.includes(year) || numbers.includes(year % 100) || numbers.length + (isNamed ? 1 : 0) < 3;
      return numbers.includes(day) && isMonth && isYear;
    };

    /** What a day says of itself, if that is a whole date. @returns {Day | null} */
    const dateOf = (/** @type {Element} */ cell, /** @type {Element} */ grid) => {
      const day = Number(saidBy(cell));
      for (let at = /** @type {Element | null} */ (cell); at && at !== grid; at = dom.parentOf(at)) {
        for (const name of DATED) {
          const said = at.getAttribute(name) ?? '';
          const stamp = dayOf(STAMP.exec(said)?.[0] ?? '');
          if (stamp?.day === day) return stamp;
          const named = { ...monthIn(said.toLowerCase()), day };
          if (!stamp && named.year && named.month && says(said, named)) return named;
        }
      }
      return null;
    };

    const within = (/** @type {Element} */ cell, /** @type {Element} */ grid, /** @type {string} */ selector) => {
      const found = cell.closest(selector);
      return found !== null && found !== grid && dom.contains(grid, found);
    };

    /** What is around the days, without the field, from the inside. */
    const aroundOf = (/** @type {Element} */ grid, /** @type {Element} */ element, most = AROUND_UP) => {
      /** @type {Element[]} */
      const found = [];
      for (let at = /** @type {Element | null} */ (grid); at && at !== document.body && found.length < most && !dom.contains(at, element); at = dom.parentOf(at)) found.push(at);
      return found;
    };

    /** @type {import('./agent').Calendars['read']} */
    const read = (grid, element) => {
      /** @type {Element[]} */
      const days = [];
      for (const each of daysIn(grid)) if (Number(saidBy(each)) === days.length + 1) days.push(each);
      const dated = days[14] ? dateOf(days[14], grid) : null;
      for (const around of aroundOf(grid, element)) {
        const { year, month } = dated ?? monthIn(wordsAround(around, grid));
        if (year && month && (arrowOf(around, grid, 'next') ?? arrowOf(around, grid, 'previous'))) return { grid, around, days, year, month };
      }
      return null;
    };

    const arrowOf = (/** @type {Element} */ around, /** @type {Element} */ grid, /** @type {'next' | 'previous'} */ way) => {
      const deeds = parts.get('deeds');
      const all = dom.queryAll(around, '*').filter((each) => {
        if (dom.contains(each, grid) || dom.contains(grid, each) || each.matches('select,option,input')) return false;
        const label = each.getAttribute('aria-label') ?? each.getAttribute('title') ?? saidBy(each).slice(0, 40);
        const said = [label, each.getAttribute('class'), ...MEANT.map((name) => each.getAttribute(name))].join(' ');
        const isWay = deeds.is(label, way) || (ARROWS[way].test(said) && !ARROWS[way === 'next' ? 'previous' : 'next'].test(said));
        return isWay && !FARTHER.test(said) && !within(each, around, OFF) && each.getBoundingClientRect().width <= ARROW_PX && dom.isVisible(each);
      });
      // What is drawn around several takes no click for one of them.
      const found = all.filter((each) => !all.some((other) => other !== each && dom.contains(each, other)));
      return found.find((each) => /month/i.test(`${each.getAttribute('aria-label')} ${each.getAttribute('class')}`)) ?? found[0] ?? null;
    };

    /** @type {import('./agent').Calendars['isOff']} */
    const isOff = (cell, grid) => within(cell, grid, OFF);

    /** @type {import('./agent').Calendars['marked']} */
    const marked = ({ days, grid }) => days.filter((each) => within(each, grid, MARKED));

    return { dayOf, monthsTo, says, written, shown, read, dateOf, arrowOf, aroundOf, isOff, marked };
  };

  agent.part('calendars', make);
})();
