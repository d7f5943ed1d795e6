/**
 * Setting a field so that whoever owns the page notices: the browser's own setters, which frameworks cannot have
 * replaced, then the events of a person typing or choosing. Afterwards it looks at what stuck.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {{ok: boolean, value: unknown, problem?: string}} Outcome */

  const LIST_MS = 1200;
  const NO_LIST_MS = 350;
  const STEP_MS = 30;
  const TAKEN_MS = 600;
  // Of a long text an editor draws only what is in sight.
  const COMPARED = 80;
  const OFFERED_MAX = 12;
  const LISTS = '[role=listbox],[role=tree],[role=grid],.ui-autocomplete,.select2-results__options';
  const OPTIONS = '[role=option],[role=treeitem],li';

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const fields = parts.get('fields');
    const act = parts.get('act');
    const { pause } = parts.get('settle');

    const event = (/** @type {Element} */ element, /** @type {string} */ type, composed = true) =>
      element.dispatchEvent(new Event(type, { bubbles: true, composed }));

    /** In a window that has not the focus Chrome moves it silently; then the events are made by hand. */
    const moveFocus = (/** @type {Element} */ element, /** @type {'focus' | 'blur'} */ type) => {
      let told = false;
      element.addEventListener(
        type,
        () => {
          told = true;
        },
        { once: true, capture: true },
      );
      /** @type {HTMLElement} */ (element)[type]?.({ preventScroll: true });
      if (told) return;
      element.dispatchEvent(new FocusEvent(type, { composed: true }));
      element.dispatchEvent(
        new FocusEvent(type === 'focus' ? 'focusin' : 'focusout', { bubbles: true, composed: true }),
      );
    };

    const setter = (/** @type {Element} */ element) => {
      const owner =
        element instanceof HTMLTextAreaElement
          ? HTMLTextAreaElement
          : element instanceof HTMLSelectElement
            ? HTMLSelectElement
            : HTMLInputElement;
      return Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set;
    };

    const write = (/** @type {Element} */ element, /** @type {string} */ text) => {
      const init = { key: text.at(-1) ?? 'Backspace', bubbles: true, cancelable: true, composed: true };
      element.dispatchEvent(new KeyboardEvent('keydown', init));
      setter(element)?.call(element, text);
      element.dispatchEvent(
        new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: text }),
      );
      element.dispatchEvent(new KeyboardEvent('keyup', init));
    };

    /** @returns {Promise<Outcome>} */
    const setText = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text) => {
      moveFocus(element, 'focus');
      write(element, text);
      // Change does not leave a shadow root by itself, as when a person types.
      event(element, 'change', false);
      await null;
      // Who checks what is typed may put it back in a moment.
      await taken(() => text === '' || element.value !== '');
      const value = element.value;
      if (text !== '' && value === '') {
        const told = fields.isSecret(element) ? 'the value' : JSON.stringify(dom.cut(text, 60));
        return { ok: false, value, problem: `does not accept ${told}` };
      }
      return { ok: true, value };
    };

    /** @returns {Promise<Outcome>} */
    const setEditable = async (/** @type {Element} */ element, /** @type {string} */ text) => {
      moveFocus(element, 'focus');
      getSelection()?.selectAllChildren(element);
      // The one way to type that editors with a model of their own believe.
      const typed = document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
      if (!typed && element.getAttribute('contenteditable') !== null) {
        element.textContent = text;
        element.dispatchEvent(
          new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: text }),
        );
      }
      const wanted = squeezed(text).slice(0, COMPARED);
      // Editors with a model of their own draw anew what was typed, in a later task; long texts only in part.
      const stuck = await taken(() => squeezed(element.textContent ?? '').includes(wanted));
      const value = dom.cut(element.textContent ?? '', 1000);
      return stuck ? { ok: true, value } : { ok: false, value, problem: 'did not take the text' };
    };

    /** Editors colour words by elements of their own and write spaces and lines in their own way. */
    const squeezed = (/** @type {string} */ text) => text.normalize('NFC').replace(/[\s\u200b\ufeff]+/g, '');

    const taken = async (/** @type {() => boolean} */ isTaken) => {
      await null;
      for (let waited = 0; waited < TAKEN_MS && !isTaken(); waited += STEP_MS) await pause(STEP_MS);
      return isTaken();
    };

    const fold = (/** @type {string} */ text) => dom.collapse(text).toLowerCase();

    /** @template {{label: string, value?: string}} T @param {T[]} choices @param {string} wanted @returns {T | undefined} */
    const pick = (choices, wanted) => {
      const text = fold(wanted);
      const only = (/** @type {T[]} */ found) => (found.length === 1 ? found[0] : undefined);
      return (
        choices.find((choice) => choice.label === wanted) ??
        choices.find((choice) => fold(choice.label) === text) ??
        choices.find((choice) => choice.value === wanted) ??
        only(choices.filter((choice) => fold(choice.label).startsWith(text))) ??
        only(choices.filter((choice) => fold(choice.label).includes(text)))
      );
    };

    const offered = (/** @type {{label: string}[]} */ choices) => {
      const shown = choices
        .slice(0, OFFERED_MAX)
        .map((choice) => choice.label)
        .join(', ');
      return choices.length > OFFERED_MAX ? `${shown} and ${choices.length - OFFERED_MAX} more` : shown;
    };

    const unknown = (/** @type {unknown} */ value, /** @type {{label: string}[]} */ choices) => ({
      ok: false,
      value,
      problem: `has no option ${JSON.stringify(value)}; it offers ${offered(choices)}`,
    });

    /** @returns {Promise<Outcome>} */
    const choose = async (/** @type {import('./agent').Field} */ field, /** @type {unknown[]} */ wanted) => {
      const choices = fields.options(field);
      const chosen = new Set();
      for (const each of wanted) {
        const choice = pick(choices, String(each));
        if (!choice) return unknown(each, choices);
        chosen.add(choice.element);
      }
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

    const isOn = (/** @type {Element} */ element) =>
      /** @type {any} */ (element).checked === true || element.getAttribute('aria-checked') === 'true';

    // A hidden control has no place to point at; its own click is what its label would cause.
    const press = (/** @type {Element} */ element) => /** @type {HTMLElement} */ (element).click();

    /** @returns {Promise<Outcome>} */
    const toggle = async (/** @type {Element} */ element, /** @type {boolean} */ on) => {
      if (isOn(element) !== on) press(element);
      await pause(0);
      return isOn(element) === on ? { ok: true, value: on } : { ok: false, value: !on, problem: 'did not change' };
    };

    /** A web component's list shows options that its user wrote. */
    const slotted = (/** @type {Element} */ list) =>
      [...list.querySelectorAll('slot'), ...(list instanceof HTMLSlotElement ? [list] : [])]
        .flatMap((slot) => slot.assignedElements({ flatten: true }))
        .filter((each) => each.matches(OPTIONS));

    /** The options a control shows now: those of the list it names, else of any list in sight. */
    const shownOptions = (/** @type {Element} */ element) => {
      const root = /** @type {Document} */ (element.getRootNode());
      const ids = ['aria-controls', 'aria-owns'].flatMap((name) => element.getAttribute(name)?.split(/\s+/) ?? []);
      const named = ids.map((id) => root.getElementById(id)).filter((list) => list !== null);
      const lists = named.some(dom.isVisible) ? named : dom.queryAll(document, LISTS);
      return lists
        .filter((list) => !dom.contains(list, element) && dom.isVisible(list))
        .flatMap((list) => [...dom.queryAll(list, OPTIONS), ...slotted(list)])
        .filter(dom.isVisible)
        .map((option) => ({ label: dom.nameOf(option), element: option }));
    };

    const chooseFromList = async (/** @type {Element} */ element, /** @type {string} */ wanted) => {
      const start = performance.now();
      for (;;) {
        const choices = shownOptions(element);
        const choice = pick(choices, wanted);
        if (choice) {
          await act.click(choice.element);
          await pause(STEP_MS);
          return { choice, choices };
        }
        const waited = performance.now() - start;
        if (waited > LIST_MS || (choices.length === 0 && waited > NO_LIST_MS)) return { choices };
        await pause(STEP_MS);
      }
    };

    /** Types, waits for the option, chooses it. Without a fitting option the text stays as typed. */
    const setCombobox = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text) => {
      moveFocus(element, 'focus');
      point(element);
      write(element, text);
      if (text === '') return { ok: true, value: '' };
      const { choice, choices } = await chooseFromList(element, text);
      if (!choice) event(element, 'change', false);
      const note =
        choice || choices.length === 0
          ? {}
          : { problem: `none of its suggestions fits; it offers ${offered(choices)}` };
      return { ok: true, value: element.value || choice?.label || '', ...note };
    };

    const point = (/** @type {Element} */ element) => {
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
        element.dispatchEvent(
          new (type.startsWith('pointer') ? PointerEvent : MouseEvent)(type, {
            bubbles: true,
            composed: true,
            cancelable: true,
          }),
        );
      }
    };

    const setPicker = async (/** @type {Element} */ element, /** @type {string} */ text) => {
      if (element.getAttribute('aria-expanded') !== 'true') await act.click(element);
      const { choice, choices } = await chooseFromList(element, text);
      if (choice) return { ok: true, value: choice.label };
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, composed: true }));
      return unknown(text, choices);
    };

    const asTrue = (/** @type {unknown} */ value) => value === true || /^(?:true|yes|on|1)$/i.test(String(value));
    const asList = (/** @type {unknown} */ value) =>
      Array.isArray(value) ? value : value === '' || value === null ? [] : [value];

    /** @type {import('./agent').Fill['set']} */
    const set = async (field, value, { plain = false, stay = false } = {}) => {
      const element = Array.isArray(field) ? field[0] : field;
      const text = value === null || value === undefined ? '' : String(value);
      const kind = fields.kindOf(field);
      /** @type {Outcome} */
      let outcome;
      if (kind === 'checkbox') outcome = await toggle(element, asTrue(value));
      else if (kind === 'select' || kind === 'radios' || kind === 'multiple' || kind === 'checks')
        outcome = await choose(field, asList(value));
      else if (kind === 'picker') outcome = await setPicker(element, text);
      else if (kind === 'editable') outcome = await setEditable(element, text);
      else if (kind === 'combobox' && !plain)
        outcome = await setCombobox(/** @type {HTMLInputElement} */ (element), text);
      else outcome = await setText(/** @type {HTMLInputElement} */ (element), text);
      if (!stay && element.isConnected) moveFocus(element, 'blur');
      await null;
      return outcome;
    };

    return { set };
  };

  agent.part('fill', make);
})();
