/**
 * Ranges of days or times, whose two ends a page takes only together: in two fields of one widget, or in one field that
 * shows both. Days are chosen in the calendar that it opens, times are typed.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const BETWEEN = /\s+(?:-|–|—|to|until)\s+|\s*[~→,]\s*|\//i;
  const TYPED = 'input:is([type=text],:not([type]))';
  const RANGE = /range/i;
  const WIDGET_UP = 6;
  const LEFT_MS = 300;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const stamps = parts.get('filling_stamps');
    const { read: readOne } = parts.get('filling_dates');
    const { moveFocus, taken } = parts.get('writing');

    /** The two fields of the widget that a field is in; null where it stands alone. @returns {[HTMLInputElement, HTMLInputElement] | null} */
    const endsOf = (/** @type {Element} */ element) => {
      let at = element instanceof HTMLInputElement ? dom.parentOf(element) : null;
      for (let up = 0; at && up < WIDGET_UP && !at.matches('form,fieldset,body'); at = dom.parentOf(at), up += 1) {
        const found = /** @type {HTMLInputElement[]} */ (dom.queryAll(at, TYPED).filter(dom.isVisible));
        if (found.length > 1) return found.length === 2 ? [found[0], found[1]] : null;
      }
      return null;
    };

    /** The ends of what calls itself a range. Elsewhere each of two fields is for itself. */
    const rangeOf = (/** @type {Element} */ element) => {
      const ends = endsOf(element);
      if (!ends) return null;
      let at = dom.parentOf(element);
      while (at && !(dom.contains(at, ends[0]) && dom.contains(at, ends[1]))) at = dom.parentOf(at);
      return RANGE.test(at?.getAttribute('class') ?? '') ? ends : null;
    };

    /** @type {import('./filling').FillingRanges['isEnd']} */
    const isEnd = (element) => rangeOf(element) !== null;

    /** @type {import('./filling').FillingRanges['shown']} */
    const shown = (element) => endsOf(element)?.map(({ value }) => value).join(' – ') ?? parts.get('filling_calendar').heldBy(element);

    /** @type {import('./filling').FillingRanges['read']} */
    const read = (element, value) => {
      const said = Array.isArray(value) ? value.map(String) : String(value).split(BETWEEN);
      const ends = said.length === 1 && readOne(said[0]) ? rangeOf(element) : null;
      const [from, to, ...more] = ends ? ends.map((end) => (end === element ? said[0] : end.value)) : said;
      const isRange = to !== undefined && more.length === 0 && readOne(from) !== null && readOne(to) !== null;
      // Of one that would end before it begins a page makes something else.
      return isRange && (!ends || from.trim() <= to.trim()) ? [from.trim(), to.trim()] : null;
    };

    /** One after the other, as typed with Enter, which leads from the first to the second. @returns {Promise<Outcome>} */
    const type = async (/** @type {[HTMLInputElement, HTMLInputElement]} */ ends, /** @type {[string, string]} */ wanted) => {
      const holds = () => ends.every((each, at) => stamps.says(each.value, wanted[at]));
      const texts = wanted.map((each) => [each, ...stamps.spellings(each)]);
      for (const [round] of texts[0].entries()) {
        for (const isAlone of [false, true]) {
          for (const [at, end] of ends.entries()) {
            await stamps.enter(end, texts[at][round] ?? wanted[at]);
            // Some take an end only when it is left.
            if (isAlone || at === 1) moveFocus(end, 'blur');
          }
          if (!(await taken(() => !holds(), LEFT_MS))) return { ok: true, value: shown(ends[0]) };
        }
      }
      return { ok: false, value: shown(ends[0]), problem: `did not take both ends and shows ${JSON.stringify(shown(ends[0]))}. Click it with computer and choose there` };
    };

    /** @type {import('./filling').FillingRanges['set']} */
    const set = async (element, wanted) => {
      const calendar = parts.get('filling_calendar');
      const { dayOf } = parts.get('calendars');
      const ends = endsOf(element);
      const [first, last] = wanted.map(dayOf);
      if (!first || !last) return ends ? type(ends, wanted) : null;
      const both = ends ?? /** @type {[HTMLElement, HTMLElement]} */ ([element, element]);
      const picked = await calendar.pickBoth(both, [first, last], await calendar.others(both[0]));
      return picked || !ends ? picked : type(ends, wanted);
    };

    return { read, isEnd, shown, set };
  };

  /** @typedef {import('./filling').Outcome} Outcome */

  agent.part('filling_ranges', make);
})();
