/**
 * Setting a field, whatever it is: text, boxes, lists, sliders, calendars. What is written is told as a person's typing
 * would be (`writing.js`); afterwards it looks at what stuck.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./filling').Outcome} Outcome */

  const STEP_MS = 30;
  const FORMATTED = 'input[role=spinbutton]:not([type=number])';
  const OPENS = 'button[aria-haspopup=listbox]';
  // Lists that drop what is no option of theirs do so soon after they were left.
  const LEFT_MS = 120;
  const DATE = /\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./-])\d{1,2}\1\d{2,4}/;
  const TIME = /^\d{1,2}:\d{2}/;
  // With the time of the day.
  const DATED_MOST = 30;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const fields = parts.get('fields');
    const secrets = parts.get('secrets');
    const values = parts.get('shown_values');
    const act = parts.get('act');
    const codes = parts.get('code_boxes');
    const lists = parts.get('filling_lists');
    const popups = parts.get('filling_popups');
    const { hiderOf, handleOf, bring } = parts.get('boxes');
    const segments = parts.get('filling_segments');
    const { pause } = parts.get('rest');
    const { event, moveFocus, write, point, isAlike, squeezed, taken } = parts.get('writing');

    /** @returns {Promise<Outcome>} */
    const setText = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text) => {
      const was = element.value;
      moveFocus(element, 'focus');
      write(element, text);
      // Change does not leave a shadow root by itself, as when a person types.
      event(element, 'change', false);
      // Who checks what is typed may put it back in a moment, and who notes it may do so in a later task.
      await pause(0);
      await taken(() => text === '' || element.value !== '');
      const value = element.value;
      const told = secrets.isSecret(element) ? 'the value' : JSON.stringify(dom.cut(text, 60));
      const isPutBack = value === was && value !== text && !secrets.isSecret(element) && !isAlike(value, text);
      // Some believe nothing but keys.
      if (((text !== '' && value === '') || isPutBack) && (await parts.get('filling_letters').type(element, text))) return { ok: true, value: element.value };
      if (text !== '' && value === '') {
        if (was !== '') write(element, was);
        return { ok: false, value, problem: `does not accept ${told}. Write it as the field wants it, or click it with computer and type` };
      }
      return isPutBack ? putBack(text, value) : { ok: true, value };
    };

    /** Into each box its own character, as if typed there. @returns {Promise<Outcome>} */
    const setCode = async (/** @type {HTMLInputElement[]} */ boxes, /** @type {string} */ text) => {
      const letters = codes.charactersOf(text);
      let around = boxes[0].parentElement;
      while (around && !around.contains(boxes[1])) around = around.parentElement;
      // Drawn anew with each letter, they are others by now.
      const shown = () => (boxes[0].isConnected ? boxes : codes.of(around?.querySelector('input') ?? boxes[0]) ?? boxes);
      for (const [index, letter] of letters.entries()) {
        const box = shown()[index];
        if (box.isConnected && box.value !== letter) await setText(box, letter);
      }
      const now = shown();
      const value = codes.valueOf(now);
      // A page that sends the code with its last letter may take the boxes away.
      if (!now[0].isConnected) return { ok: true, value };
      moveFocus(now[now.length - 1], 'blur');
      return value === letters.join('') ? { ok: true, value } : { ok: false, value, problem: 'did not take all characters. Click the first box with computer and type' };
    };

    /** @returns {Outcome} */
    const putBack = (/** @type {string} */ text, /** @type {string} */ value) =>
      ({ ok: false, value, problem: `did not take ${JSON.stringify(dom.cut(text, 60))} and still holds ${JSON.stringify(dom.cut(value, 60))}. Click it with computer, press ctrl+a and type` });

    /** A calendar that comes with the field may want dates written in a way that only it knows. @returns {Promise<Outcome & {was?: string}>} */
    const setDated = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text) => {
      const calendar = parts.get('filling_calendar');
      const isDated = element.type === 'text' && !secrets.isSecret(element) && text.length <= DATED_MOST && DATE.test(text);
      if (!isDated) return setText(element, text);
      const [was, before] = [element.value, await calendar.others(element)];
      const isAwaited = parts.get('turns').timerSince();
      const outcome = await setText(element, text);
      const day = parts.get('calendars').dayOf(text);
      if (day === null) return calendar.come(before, isAwaited).then(() => outcome);
      return (await calendar.agree(element, day, { was, before, isAwaited })) ?? { ...outcome, was };
    };

    /** @returns {Promise<Outcome>} */
    const setDay = async (/** @type {HTMLElement} */ button, /** @type {string} */ text) => {
      const day = parts.get('calendars').dayOf(text);
      if (day === null) return { ok: false, value: '', problem: `takes a date as 2026-03-14, not ${JSON.stringify(dom.cut(text, 60))}` };
      const calendar = parts.get('filling_calendar');
      const picked = await calendar.pick(button, day, await calendar.others(button));
      return picked ?? { ok: false, value: '', problem: 'opened no calendar. Click it with computer and look' };
    };

    /**
     * Who hides a range and draws a slider may count only what is moved by a drag or by keys: the last step is a key.
     * @returns {Promise<Outcome>}
     */
    const slide = async (/** @type {HTMLInputElement} */ range, /** @type {string} */ text) => {
      const wanted = Number(text);
      const by = Number(range.step) || 1;
      const isUp = wanted - by >= Number(range.min || 0);
      await setText(range, String(isUp ? wanted - by : wanted + by));
      parts.get('keys').press(range, isUp ? 'ArrowUp' : 'ArrowDown');
      await pause(LEFT_MS);
      return Number(range.value) === wanted ? { ok: true, value: range.value } : setText(range, text);
    };

    /** @returns {Promise<Outcome>} */
    const setEditable = async (/** @type {Element} */ element, /** @type {string} */ text) => {
      moveFocus(element, 'focus');
      return parts.get('filling_rich').set(element, text);
    };

    const unknown = (/** @type {unknown} */ value, /** @type {{label: string}[]} */ choices, /** @type {Element | undefined} */ search = undefined) => ({
      ok: false,
      value,
      problem: `has no option ${JSON.stringify(value)}${choices.length ? `; it offers ${lists.offered(choices)}` : ', and shows no options'}`
        + (search ? '. Its list has a search box, which finds nothing for that' : choices.length ? '' : '. Click it with computer, and choose or type there'),
      isBlank: choices.length === 0,
    });

    /** @returns {Promise<Outcome>} */
    const choose = async (/** @type {import('../agent').Field} */ field, /** @type {unknown[]} */ wanted) => {
      const choices = fields.options(field);
      const chosen = new Set();
      for (const each of wanted) {
        const choice = lists.pick(choices, String(each));
        if (!choice) return unknown(each, choices);
        chosen.add(choice.element);
      }
      const pool = field instanceof HTMLSelectElement ? fields.poolOf(field) : null;
      if (pool) return moveOptions(/** @type {HTMLSelectElement} */ (field), pool, chosen);
      if (field instanceof HTMLSelectElement) {
        moveFocus(field, 'focus');
        for (const option of field.options) option.selected = chosen.has(option);
        if (chosen.size === 0 && !field.multiple) field.value = '';
        event(field, 'input');
        event(field, 'change', false);
      } else {
        const isMany = fields.kindOf(field) === 'checks';
        for (const { element } of choices) {
          if (isMany ? isOn(element) !== chosen.has(element) : chosen.has(element) && !isOn(element)) press(element);
        }
      }
      await null;
      return { ok: true, value: fields.currentValue(field) };
    };

    /** Chosen is what stands in the second box: options are marked, then a button moves them. @returns {Promise<Outcome>} */
    const moveOptions = async (
      /** @type {HTMLSelectElement} */ box,
      /** @type {HTMLSelectElement} */ pool,
      /** @type {Set<unknown>} */ wanted,
    ) => {
      const around = box.closest('.selector');
      const values = [...wanted].map((option) => /** @type {HTMLOptionElement} */ (option).value);
      const move = async (/** @type {HTMLSelectElement} */ from, /** @type {string} */ button, /** @type {boolean} */ isWanted) => {
        const moved = [...from.options].filter((option) => values.includes(option.value) === isWanted);
        if (moved.length === 0) return;
        for (const option of from.options) option.selected = moved.includes(option);
        event(from, 'change', false);
        await pause(0);
        const mover = around?.querySelector(button);
        if (mover) await act.click(mover);
      };
      await move(box, '.selector-remove', false);
      await move(pool, '.selector-add', true);
      const isMoved = () => {
        const held = [...box.options].map((option) => option.value);
        return held.length === values.length && values.every((value) => held.includes(value));
      };
      const ok = await taken(isMoved);
      const value = fields.currentValue(box);
      return ok ? { ok, value } : { ok, value, problem: 'did not move all options; use its buttons' };
    };

    const isOn = (/** @type {Element} */ element) =>
      /** @type {any} */ (element).checked === true || element.getAttribute('aria-checked') === 'true';

    // A hidden control has no place to point at; its own click is what its label would cause.
    const press = (/** @type {Element} */ element) => /** @type {HTMLElement} */ (element).click();

    /** @returns {Promise<Outcome>} */
    const toggle = async (/** @type {Element} */ element, /** @type {boolean} */ on) => {
      if (isOn(element) !== on) press(handleOf(element));
      // Drawn by hand it changes when its page draws anew, perhaps after its server has answered.
      return (await taken(() => isOn(element) === on)) ? { ok: true, value: on } : { ok: false, value: !on, problem: 'did not change' };
    };

    /** Whether a text typed into a list is still there once the list was left. */
    const isKept = (/** @type {HTMLInputElement} */ element, /** @type {string} */ text) =>
      squeezed(`${element.value} ${values.shownValue(element)}`).toLowerCase().includes(squeezed(text).toLowerCase());

    /** Some lists look for what is typed in places that nobody sees; then the whole list is looked through. */
    const chooseTyped = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text, /** @type {{before: Set<Element>, isMany: boolean, isAwaited: () => boolean}} */ how) => {
      const found = await lists.choose(element, text, how);
      if (found.choice || !element.matches('[aria-haspopup=listbox],[aria-expanded=true]') || element.value === '') return found;
      write(element, '');
      // One that offers the same whatever is typed has been looked through.
      const all = (await lists.changes(element, how.before, found.choices)) ? await lists.choose(element, text, how) : found;
      if (!all.choice) write(element, text);
      return all.choices.length ? all : found;
    };

    /** Tells, whenever it is called, whether something may come of what happens from now on: the page waits by the clock, or for an answer. */
    const awaited = () => {
      const [hasTimed, since] = [parts.get('turns').timerSince(), performance.now()];
      return () => hasTimed() || parts.get('network').pending() > 0 || parts.get('talks').since(since).isAwaited;
    };

    /**
     * Types, waits for the option, chooses it. Without a fitting option the text stays as typed.
     * @type {(element: HTMLInputElement, text: string, how?: import('./filling').Choosing) => Promise<Outcome & {choices?: {label: string}[], was?: string}>}
     */
    const setCombobox = async (element, text, { before = popups.inSight(element), many = false, keep = false } = {}) => {
      const was = element.value;
      await bring(element);
      moveFocus(element, 'focus');
      point(element);
      const isAwaited = awaited();
      write(element, text);
      if (text === '') return { ok: true, value: '' };
      const { choice, choices } = await chooseTyped(element, text, { before, isMany: many, isAwaited });
      if (choice) {
        const isMany = keep && lists.isMany(element, before);
        if (!isMany && !many) await lists.gone(element, before);
        return { ok: true, value: element.value || choice.label, label: choice.label, isMany };
      }
      event(element, 'change', false);
      const note = choices.length === 0 ? {} : { problem: `none of its suggestions fits; it offers ${lists.offered(choices)}` };
      return { ok: true, value: element.value, ...note, choices, was };
    };

    /** What was chosen before may have gone with what was typed over it. */
    const restore = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ was) => {
      if (was === '' || element.value === was) return;
      const before = popups.inSight(element);
      moveFocus(element, 'focus');
      point(element);
      const isAwaited = awaited();
      write(element, was);
      await lists.choose(element, was, { before, isAwaited });
      await lists.close(element, before);
      if (element.isConnected) moveFocus(element, 'blur');
    };

    const isDayIn = (/** @type {string} */ held, /** @type {string} */ text) => {
      const { dayOf, says } = parts.get('calendars');
      const day = dayOf(text);
      return isAlike(held, text) || (day !== null && says(held, day) !== false);
    };

    /** What was only typed counts if it stays: lists that take nothing but their options drop it. @returns {Promise<Outcome>} */
    const checked = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text, /** @type {Outcome & {choices?: {label: string}[], was?: string}} */ { choices, was = '', ...outcome }) => {
      if (!choices && was !== '' && outcome.ok && !isDayIn(was, text) && (await taken(() => element.value === was, LEFT_MS))) return putBack(text, was);
      if (!choices || !element.isConnected) return outcome;
      await pause(LEFT_MS);
      if (isKept(element, text)) return outcome;
      await restore(element, was);
      return unknown(text, choices);
    };

    /** What does not show is looked for where the list has a field for that. */
    const chooseShown = async (/** @type {Element} */ element, /** @type {string} */ text, /** @type {{before: Set<Element>, isMany: boolean, keep: boolean}} */ how) => {
      const first = await lists.choose(element, text, how);
      if (!first.search) return first;
      write(first.search, text);
      const found = await lists.choose(element, text, how);
      if (found.choice) return found;
      // What it offers without that.
      write(first.search, '');
      return lists.choose(element, text, how);
    };

    /** A hidden field may be deaf to clicks: then what is drawn around it is what people click. */
    const openList = async (/** @type {Element} */ element, /** @type {Set<Element>} */ before) => {
      const isAwaited = awaited();
      await act.click(element);
      const drawn = dom.isVisible(element) && !hiderOf(element) ? null : parts.get('locate').drawnAround(element);
      const isOpen = () => element.getAttribute('aria-expanded') === 'true' || lists.labels(element, before).length > 0;
      if (drawn && !(await taken(isOpen, LEFT_MS)) && !(isAwaited() && (await taken(isOpen)))) await act.click(drawn);
    };

    /** @type {(element: Element, text: string, how?: import('./filling').Choosing) => Promise<Outcome>} */
    const setPicker = async (element, text, { before = popups.inSight(element), many = false, keep = false } = {}) => {
      await bring(element);
      if (element.getAttribute('aria-expanded') !== 'true' && (!many || !lists.labels(element, before).length)) await openList(element, before);
      const { choice, choices, search } = await chooseShown(element, text, { before, isMany: many, keep });
      const further = choice && !many && !lists.isMany(element, before) ? lists.furtherThan(element, choices, before) : [];
      const isDeaf = choice !== undefined && !many && further.length === 0 && !(await taken(() => showsChoice(element, choice)));
      if (choice && (many || (keep && lists.isMany(element, before)))) return { ok: true, value: choice.label, label: choice.label, isMany: true };
      if (!many || !choice) await lists.close(element, before);
      if (!many) await lists.gone(element, before);
      if (!choice) return unknown(text, choices, search);
      if (isDeaf) return { ok: false, value: '', problem: `shows no sign of ${JSON.stringify(choice.label)}. Click it with computer and choose there` };
      if (further.length === 0 || isShown(element, choice.label)) return { ok: true, value: choice.label };
      return { ok: false, value: '', problem: `opens more at ${JSON.stringify(choice.label)}; give the way there, such as ${JSON.stringify(`${choice.label} / ${further[0].label}`)}` };
    };

    /** It closed, marked the option or shows it. */
    const showsChoice = (/** @type {Element} */ element, /** @type {{label: string, element: Element}} */ choice) =>
      !element.isConnected || element.getAttribute('aria-expanded') !== 'true' || lists.isSelected(choice.element) || isShown(element, choice.label);

    const isShown = (/** @type {Element} */ element, /** @type {string} */ label) =>
      squeezed(values.shownValue(element)).includes(squeezed(label));

    /** @type {import('./filling').Fill['one']} */
    const one = async (element, text, how) => {
      if (fields.kindOf(element) !== 'combobox') return setPicker(element, text, how);
      const outcome = await setCombobox(/** @type {HTMLInputElement} */ (element), text, how);
      // What a list of several does not offer it drops sooner or later.
      return how.many && outcome.choices ? unknown(text, outcome.choices) : outcome;
    };

    const asTrue = (/** @type {unknown} */ value) => value === true || /^(?:true|yes|on|1)$/i.test(String(value));
    const asList = (/** @type {unknown} */ value) =>
      Array.isArray(value) ? value : value === '' || value === null ? [] : [value];

    /** Calendars and clocks beside a field take what was typed, and go, when Tab leads out of it. */
    const leave = (/** @type {Element} */ element, /** @type {string} */ text) => {
      if ((DATE.test(text) || TIME.test(text)) && element.matches('input')) parts.get('keys').down(element, 'Tab');
      moveFocus(element, 'blur');
    };

    /** @returns {Promise<Outcome>} */
    const stepTo = async (/** @type {Element} */ element, /** @type {number} */ wanted) => {
      const outcome = await parts.get('filling_widgets').step(element, wanted);
      return outcome.ok ? outcome : { ...outcome, problem: `stopped at ${String(outcome.value)}. Drag it with computer` };
    };

    /** Who writes decimals with a comma may make another number of what is typed. @returns {Promise<Outcome>} */
    const counted = async (/** @type {Element} */ element, /** @type {string} */ text, /** @type {string | null} */ was, /** @type {Outcome} */ outcome) => {
      const wanted = Number(text);
      const now = () => (element.isConnected ? element.getAttribute('aria-valuenow') : null);
      // Not every page keeps it up to date.
      const isSo = () => now() === null || now() === was || Number(now()) === wanted;
      if (text.trim() === '' || Number.isNaN(wanted) || (await taken(isSo, LEFT_MS))) return outcome;
      return { ok: false, value: outcome.value, problem: `made ${now()} of ${text}. Write it as the field wants it, or fill it in with computer` };
    };

    /** @type {import('./filling').Fill['set']} */
    const set = async (field, value, { plain = false, stay = false } = {}) => {
      const element = Array.isArray(field) ? field[0] : field;
      const text = value === null || value === undefined ? '' : String(value);
      const boxes = text.length > 1 && !Array.isArray(field) ? codes.of(element) : null;
      if (boxes) return setCode(boxes, text);
      const kind = fields.kindOf(field);
      const told = element.getAttribute('aria-valuenow');
      const kept = kind === 'editable' && !stay ? parts.get('filling_keepers').watch(element) : null;
      /** @type {Outcome & {was?: string}} */
      let outcome;
      if (kind === 'checkbox') outcome = await toggle(element, asTrue(value));
      else if (kind === 'select' || kind === 'radios' || kind === 'multiple' || kind === 'checks')
        outcome = await choose(field, asList(value));
      else if ((kind === 'picker' || kind === 'combobox' || element.matches(OPENS)) && Array.isArray(value))
        outcome = await parts.get('filling_many').set(element, value.map(String));
      else if (parts.get('field_groups').isDay(element)) outcome = await setDay(/** @type {HTMLElement} */ (element), text);
      else if (kind === 'picker' || element.matches(OPENS)) outcome = await setPicker(element, text);
      else if (kind === 'stepped') return stepTo(element, Number(value));
      else if (segments.whole(element)) outcome = await segments.set(element, text, true);
      else if (kind === 'editable') outcome = await setEditable(element, text);
      else if (kind === 'combobox' && !plain)
        outcome = await setCombobox(/** @type {HTMLInputElement} */ (element), text);
      else if (element.matches('[type=range]') && hiderOf(element))
        outcome = await slide(/** @type {HTMLInputElement} */ (element), text);
      else outcome = await setDated(/** @type {HTMLInputElement} */ (element), text);
      // Who writes numbers in a way of its own may note what was typed a moment later, and as it is left writes what it knows.
      if (!stay && element.matches(FORMATTED)) await pause(STEP_MS);
      if (!stay && element.isConnected) leave(element, text);
      if (!stay && kind === 'number' && element.matches(FORMATTED) && outcome.ok) outcome = await counted(element, text, told, outcome);
      await kept?.();
      return stay ? outcome : checked(/** @type {HTMLInputElement} */ (element), text, outcome);
    };

    return { set, one };
  };

  agent.part('fill', make);
})();
