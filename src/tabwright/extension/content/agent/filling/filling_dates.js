/**
 * A whole date or time for a field of several parts: which part of it is the year and which the hour, and what each is to
 * show. How a part is typed into is left to `filling_segments`. Parts are known by what they take, which is the same in
 * every language.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./filling').DatePart} DatePart */

  const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
  const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s?([ap])\.?m\.?)?$/i;
  const HALF = /^(?:[ap]\.?\s?m\.?|aa|--)$/i;
  /** @type {Partial<Record<DatePart, number>>} */
  const MOST = { month: 12, day: 31, hour: 23, minute: 59, second: 59 };
  const UP_MOST = 4;
  /** The half of the day says what an hour may be, and the month what a day may be. @type {DatePart[]} */
  const ORDER = ['half', 'year', 'month', 'day', 'hour', 'minute', 'second'];

  /** @type {DatePart[]} */
  const DAY = ['year', 'month', 'day'];
  /** @type {DatePart[]} */
  const CLOCK = ['hour', 'minute'];

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    /** @type {import('./filling').FillingDates['partsOf']} */
    const partsOf = (element, selector) => {
      for (let at = dom.parentOf(element), up = 0; at && up < UP_MOST; at = dom.parentOf(at), up += 1) {
        const found = dom.queryAll(at, selector);
        if (found.length > 1) return found;
      }
      return [element];
    };

    /** @returns {DatePart | null} */
    const kindOf = (/** @type {Element} */ part, /** @type {Element | undefined} */ next, /** @type {boolean} */ isAfterMinute) => {
      const mostOf = (/** @type {Element | undefined} */ each) => Number(each?.getAttribute('aria-valuemax') ?? NaN);
      const most = mostOf(part);
      if (HALF.test((part.textContent ?? '').trim())) return 'half';
      if (most > 366) return 'year';
      if (most >= 28 && most <= 31) return 'day';
      if (most === 59) return isAfterMinute ? 'second' : 'minute';
      if (most === 12 && mostOf(next) !== 59) return 'month';
      return most >= 11 && most <= 24 ? 'hour' : null;
    };

    /** @type {import('./filling').FillingDates['read']} */
    const read = (text) => {
      const [first, ...rest] = text.trim().split(/T|\s+(?=\d)/i);
      const date = DATE.exec(first ?? '');
      const said = date ? rest.join(' ') : text.trim();
      const time = TIME.exec(said);
      if ((!date && !time) || (said !== '' && !time)) return null;
      const [, year, month, day] = date ?? [];
      const [, hour, minute, second, half] = time ?? [];
      const hours = half ? (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hour);
      /** @type {Partial<Record<DatePart, string>>} */
      const found = { ...(date ? { year, month, day } : {}), ...(time ? { hour: String(hours), minute, second: second ?? '00' } : {}) };
      const isNoDay = date !== null && new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day);
      return isNoDay || ORDER.some((kind) => Number(found[kind] ?? 0) > (MOST[kind] ?? Infinity)) ? null : found;
    };

    /** What each part is; null where one is unknown or there are two of a kind. @param {Element[]} all */
    const known = (all) => {
      /** @type {Map<DatePart, Element>} */
      const found = new Map();
      for (const [at, part] of all.entries()) {
        const kind = kindOf(part, all[at + 1], found.has('minute'));
        if (kind === null || found.has(kind)) return null;
        found.set(kind, part);
      }
      return found;
    };

    /** @type {import('./filling').FillingDates['shapeOf']} */
    const shapeOf = (all) => {
      const found = known(all);
      const isDate = found !== null && DAY.every((kind) => found.has(kind));
      const isTime = found !== null && CLOCK.every((kind) => found.has(kind));
      // Part of a date, such as month and year, is neither.
      if (!found || found.size !== [isDate ? 3 : 0, isTime ? 2 : 0, Number(found.has('half')), Number(found.has('second'))].reduce((sum, each) => sum + each)) return null;
      if (isDate && isTime) return 'datetime-local';
      return isDate ? 'date' : isTime ? 'time' : null;
    };

    /** @type {import('./filling').FillingDates['spread']} */
    const spread = (all, value) => {
      const found = known(all);
      if (!found) return null;
      /** @type {Partial<Record<DatePart, string>>} */
      const given = { ...value };
      if (found.has('half') && given.hour) {
        given.half = Number(given.hour) < 12 ? 'AM' : 'PM';
        given.hour = String(Number(given.hour) % 12 || 12);
      }
      const isNeeded = (/** @type {DatePart} */ kind) => given[kind] !== undefined && !(kind === 'second' && given.second === '00');
      if (ORDER.some((kind) => (isNeeded(kind) && !found.has(kind)) || (found.has(kind) && given[kind] === undefined))) return null;
      return ORDER.flatMap((kind) => {
        const part = found.get(kind);
        return part ? [{ part, text: given[kind] ?? '' }] : [];
      });
    };

    return { partsOf, read, shapeOf, spread };
  };

  agent.part('filling_dates', make);
})();
