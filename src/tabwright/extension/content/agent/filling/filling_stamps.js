/**
 * Dates and times for a field that wants them written in its own way: in other words, and with the key that takes over what
 * was typed, until what it shows says what was asked for. A day that no words bring about is chosen in the calendar.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const PICKER = /picker|date|time|calendar/i;
  const CLOCK = /(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap])?/i;
  const WIDGET_UP = 6;
  const ENTERED_MS = 60;
  /** Some close, and drop it, only once nobody can have come back. */
  const LEFT_MS = 300;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { read } = parts.get('filling_dates');
    const keys = parts.get('keys');
    const { pause } = parts.get('rest');
    const { write, moveFocus, taken } = parts.get('writing');

    /** Elsewhere Enter may do something that nobody asked for. */
    const isPicker = (/** @type {Element} */ element) => {
      let at = /** @type {Element | null} */ (element);
      for (let up = 0; at && up < WIDGET_UP && !at.matches('form,fieldset,body'); at = at.parentElement, up += 1) {
        if (PICKER.test(at.getAttribute('class') ?? '')) return true;
      }
      return false;
    };

    /** @type {import('./filling').FillingStamps['says']} */
    const says = (held, text) => {
      const asked = read(text);
      if (!asked) return false;
      const { year, month, day, hour, minute, second } = asked;
      const date = year ? { year: Number(year), month: Number(month), day: Number(day) } : null;
      if (date && parts.get('calendars').says(held, date) !== true) return false;
      if (hour === undefined) return true;
      const [, hours, minutes, seconds, half] = CLOCK.exec(held) ?? [];
      const isHalf = half === undefined || /p/i.test(half) === Number(hour) >= 12;
      const isHour = Number(hours) === (half === undefined ? Number(hour) : Number(hour) % 12 || 12);
      return isHour && isHalf && minutes === minute && (seconds === undefined || seconds === (second ?? '00'));
    };

    /** @type {import('./filling').FillingStamps['spellings']} */
    const spellings = (text) => {
      const { year, month, day, hour, minute, second } = read(text) ?? {};
      const two = (/** @type {string | undefined} */ number) => String(number).padStart(2, '0');
      const date = { year: Number(year), month: Number(month), day: Number(day) };
      const local = year ? parts.get('calendars').written(date, { year: 'numeric', month: '2-digit', day: '2-digit' }) : '';
      if (hour === undefined) return [local];
      const twelve = `${two(String(Number(hour) % 12 || 12))}:${minute} ${Number(hour) < 12 ? 'AM' : 'PM'}`;
      const clocks = [`${two(hour)}:${minute}:${second}`, ...(second === '00' ? [`${two(hour)}:${minute}`, twelve] : [])];
      const days = year ? [`${year}-${two(month)}-${two(day)} `, `${local} `] : [''];
      return days.flatMap((each) => clocks.map((clock) => `${each}${clock}`));
    };

    /** @type {import('./filling').FillingStamps['enter']} */
    const enter = async (element, text) => {
      moveFocus(element, 'focus');
      write(element, text);
      await pause(0);
      if (isPicker(element)) keys.press(element, 'Enter');
      await pause(ENTERED_MS);
    };

    /** @type {import('./filling').FillingStamps['kept']} */
    const kept = async (element, text, outcome, was) => {
      if (!(element instanceof HTMLInputElement) || element.type !== 'text' || !read(text)) return outcome;
      const day = parts.get('calendars').dayOf(text);
      // Nothing but a picker wants it in other words.
      if (!isPicker(element)) return outcome;
      const isDropped = () => !says(element.value, text);
      if (outcome.ok && !(await taken(isDropped, LEFT_MS))) return outcome;
      for (const each of spellings(text)) {
        await enter(element, each);
        moveFocus(element, 'blur');
        if (!(await taken(isDropped, LEFT_MS))) return { ok: true, value: element.value };
      }
      const calendar = parts.get('filling_calendar');
      const picked = day && (await calendar.pick(element, day, await calendar.others(element)));
      if (picked?.ok) return picked;
      const shown = element.value;
      await enter(element, was);
      moveFocus(element, 'blur');
      return { ok: false, value: shown, problem: picked?.problem ?? `does not take ${JSON.stringify(text)} and made ${JSON.stringify(shown)} of it. Click it with computer and choose there` };
    };

    return { says, spellings, enter, kept };
  };

  agent.part('filling_stamps', make);
})();
