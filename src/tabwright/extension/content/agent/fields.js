/**
 * The fields of a page: which a person could fill in, what kind each is, what it is called, what it offers and holds.
 * A field is one control, or the radios or checkboxes that belong together.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./agent').Field} Field */

  const TAGS = ['input', 'select', 'textarea'];
  /** A list of which a button shows the choice. */
  const OPENS = 'button[aria-haspopup=listbox]';
  const CALENDAR = 'button[aria-haspopup=dialog]:not([role])';
  const MARKS = [
    '[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only]',
    '[role=textbox],[role=searchbox],[role=combobox],[role=checkbox],[role=switch],[role=radio]',
    OPENS,
    CALENDAR,
  ];
  // Of a slider drawn around a field the field counts, and parts of a date are typed into.
  const STEPPED = '[role]:is([role=slider],[role=spinbutton]):not(input,[contenteditable],:has(input))[aria-valuenow]';
  const NATIVE = TAGS.join(',');
  const TICKED = '[role=checkbox],[role=switch],[role=radio]';
  const SELECTOR = [...TAGS, ...MARKS].join(',');
  const TYPED = 'textarea,input:not([type=checkbox],[type=radio],[type=range],[role=combobox],[aria-autocomplete])';
  const NOT_FILLED = new Set(['hidden', 'submit', 'button', 'reset', 'image', 'file']);
  // Shown where choices differ or none is made.
  const NO_CHOICE = /^\s*(?:[-–—]+|…|\.{3})\s*$/;
  // Editors in which Enter begins a line.
  const CODE = '.cm-editor,.CodeMirror,.monaco-editor,.ace_editor,[data-language][contenteditable]';
  const MANY = /(?:^|[-_\s])(?:(?:is-?)?multi(?:ple|-?select)?|tags-?input)(?:[-_\s]|$)/i;
  const LISTS = 'input[role=combobox],input[aria-autocomplete]';
  const COUNTS = 'input[type=number],input[role=spinbutton],input[inputmode=numeric],input[inputmode=decimal]';
  /** The arrows of a number. */
  const STEPS = /^(?:in|de)cre(?:ase|ment)\b/i;
  const SIGN = /^[-+−–＋－]$/;
  const CHIPS = ':scope > [class*=chip i]:has([class*=delete i],[class*=remove i],[class*=close i],button)';
  const COUNTED = /(?<=\S)\s+\(\d[\d.,]*[km+]?\)$/i;
  const WIDGET_DEEP = 3;
  const MANY_UP = 6;
  /** `readonly` means nothing to some fields, and to others only that a choice is not typed. */
  const READ_ONLY = `[aria-readonly=true],
    [readonly]:not([role=combobox],[aria-haspopup=listbox],[aria-haspopup=tree],[type=checkbox],[type=radio],[type=range],[type=color])`;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    const deeds = parts.get('deeds');
    const codes = parts.get('code_boxes');
    const together = parts.get('field_groups');

    /** @type {import('./agent').Fields['isAsking']} */
    const isAsking = (text) => !/[\p{L}\p{N}]/u.test(text) || deeds.says(text, 'select');

    const first = (/** @type {Field} */ field) => (Array.isArray(field) ? field[0] : field);
    /** @type {import('./agent').Fields['kindOf']} */
    const kindOf = (field) => {
      const element = first(field);
      const role = element.getAttribute('role') ?? '';
      if (Array.isArray(field)) return element.matches('[type=checkbox],[role=checkbox]') ? 'checks' : 'radios';
      if (element instanceof HTMLSelectElement) return element.multiple ? 'multiple' : 'select';
      if (element instanceof HTMLInputElement) {
        if (element.type === 'checkbox') return 'checkbox';
        if (element.type === 'radio') return 'radios';
        if (element.type === 'number' || element.type === 'range') return codes.of(element) ? 'text' : 'number';
        if (role === 'spinbutton') return 'number';
      }
      if (role === 'checkbox' || role === 'switch') return 'checkbox';
      if (element.matches(STEPPED)) return 'stepped';
      // A list that looks like a field shows its choice in one that nobody can type into.
      const isList = role === 'combobox' || element.matches(`${OPENS},${CALENDAR}`) || element.matches('input:is([aria-haspopup=listbox],[aria-haspopup=tree])');
      const text = element.matches('input:not([readonly]),textarea') || (!isList && element.matches('input'));
      if (isList || (text && /list|both/.test(element.getAttribute('aria-autocomplete') ?? ''))) {
        return text ? 'combobox' : 'picker';
      }
      return text ? 'text' : 'editable';
    };

    /** @type {import('./agent').Fields['behind']} */
    const behind = (element) => {
      const drawn = element.closest('.select2-container');
      const [before, after] = [drawn?.previousElementSibling, drawn?.nextElementSibling];
      // Older ones are drawn before their list, which then stands before the next one that is drawn.
      if (after instanceof HTMLSelectElement && !after.checkVisibility() && !before?.matches('.select2-hidden-accessible')) return after;
      return before instanceof HTMLSelectElement ? before : null;
    };

    /** Whether it is drawn by something else that follows it, and has what that offers. */
    const isDrawnOver = (/** @type {Element} */ element) =>
      element instanceof HTMLSelectElement &&
      element.nextElementSibling?.matches('.select2-container') === true &&
      options(element).length > 0;

    /** The widgets of Django: two boxes, and buttons that move options from one to the other. */
    const boxesOf = (/** @type {Element} */ element) => {
      const around = element.matches('select[multiple][id$=_from],select[multiple][id$=_to],input') ? element.closest('.selector') : null;
      const [pool, chosen] = ['_from', '_to'].map((end) => around?.querySelector(`select[multiple][id$=${end}]`));
      return pool instanceof HTMLSelectElement && chosen instanceof HTMLSelectElement ? { pool, chosen } : null;
    };

    /** @type {import('./agent').Fields['poolOf']} */
    const poolOf = (element) => {
      const boxes = boxesOf(element);
      return boxes && boxes.chosen === element ? boxes.pool : null;
    };

    /** Lists that show each choice as a chip of its own; empty ones look like any other. @type {WeakSet<Element>} */
    const chipped = new WeakSet();

    /** @type {import('./agent').Fields['takesMany']} */
    const takesMany = (element) => {
      if (element.matches(LISTS) && dom.bare(element.parentElement)?.querySelector(CHIPS)) chipped.add(element);
      if (chipped.has(element)) return true;
      for (let at = /** @type {Element | null} */ (element), up = 0; at && up < MANY_UP; at = dom.parentOf(at), up += 1) {
        if (at !== element && dom.bare(at).matches('form,fieldset,td,li')) break;
        if (MANY.test(dom.bare(at).getAttribute('class') ?? '')) return true;
        if (at !== element && dom.bare(at).matches('label')) break;
      }
      return false;
    };

    /** @type {import('./agent').Fields['isPart']} */
    const isPart = (button) => {
      const isArrow = STEPS.test(dom.nameOf(button)) || SIGN.test(dom.textOf(button, 3));
      if (!isArrow && !dom.bare(button).matches('[tabindex="-1"]')) return false;
      let at = dom.bare(button).parentElement;
      for (let up = 0; at && up < WIDGET_DEEP; at = dom.bare(at).parentElement, up += 1)
        if (dom.bare(at).querySelector(isArrow ? COUNTS : LISTS)) return !dom.bare(at).matches('form,main,body');
      return false;
    };

    /** @type {import('./agent').Fields['isCode']} */
    const isCode = (field) => first(field).closest(CODE) !== null;

    // Borders keep a field of one pixel from being one pixel large.
    const isRoomy = (/** @type {Element} */ element) => {
      const { width, height } = element.getBoundingClientRect();
      return width >= 12 && height >= 9;
    };

    /** A list may hide the field that holds its choice: what a person clicks is drawn around it. */
    const isDrawnAround = (/** @type {Element} */ element, /** @type {(element: Element) => boolean} */ isVisible) => {
      for (let at = element.parentElement, up = 0; at && up < WIDGET_DEEP && at.querySelectorAll(NATIVE).length === 1; at = at.parentElement, up += 1)
        if (isVisible(at) && isRoomy(at)) return true;
      return false;
    };

    /** Transparent over what is drawn for it, it still takes the clicks. */
    const isOver = (/** @type {Element} */ element) => element.checkVisibility({ visibilityProperty: true }) && isRoomy(element);

    const shows = (/** @type {Element} */ element, /** @type {(element: Element) => boolean} */ isVisible) => {
      if (isVisible(element)) return !element.matches(TYPED) || isRoomy(element);
      const { PICKED, isUnderLabel } = parts.get('boxes');
      if (element.matches(PICKED) && isDrawnAround(element, isVisible)) return true;
      if (!element.matches('select,[type=checkbox],[type=radio],[type=range]')) return isUnderLabel(element, isVisible);
      // Styled choices hide the control itself; what a person clicks is its label or the widget drawn around it.
      const labels = [...(/** @type {HTMLInputElement} */ (element).labels ?? [])];
      return (
        labels.some(isVisible) ||
        (element.matches('input') &&
          element.parentElement !== null &&
          (dom.bare(element.parentElement).childElementCount <= 3 || isOver(element)) &&
          isVisible(element.parentElement))
      );
    };

    /** @type {import('./agent').Fields['isReadOnly']} */
    const isReadOnly = (element) => element.matches(READ_ONLY);

    /** What is drawn as a box or a switch may keep a native one out of sight, for the form alone. */
    const holdsField = (/** @type {Element} */ element, /** @type {(element: Element) => boolean} */ isVisible) => {
      const own = [...element.querySelectorAll(NATIVE)];
      return element.matches(TICKED) ? own.some((each) => isFillable(each, isVisible)) : own.length > 0;
    };

    /** Whether a person could fill it in: traps for robots, hidden, disabled and read-only ones are left out. */
    const isFillable = (/** @type {Element} */ element, /** @type {(element: Element) => boolean} */ isVisible) => {
      if (element instanceof HTMLInputElement && NOT_FILLED.has(element.type)) return false;
      if (element.matches(':disabled,[aria-disabled=true]') || isReadOnly(element)) return false;
      // Without a label it is a button that opens something.
      if (element.matches(OPENS) && labelOf(element) === '') return false;
      if (element.matches(CALENDAR) && !together.isDay(element)) return false;
      const native = behind(element);
      if (native && isDrawnOver(native)) return false;
      if (isDrawnOver(element)) return !dom.closest(element, '[inert]') && isVisible(/** @type {Element} */ (element.nextElementSibling));
      // The box with the options not chosen, and the fields that narrow what the two show.
      if (![undefined, element].includes(boxesOf(element)?.chosen)) return false;
      if (dom.closest(element, '[aria-hidden=true],[inert]')) return false;
      // "Select all" ticks other boxes.
      if (element.matches('thead [type=checkbox],th [type=checkbox]')) return false;
      // The box around an input, or the list around a search field, is no field of its own.
      if (
        !element.matches(NATIVE) &&
        (holdsField(element, isVisible) || dom.bare(element.parentElement)?.closest('[contenteditable=true]'))
      ) {
        return false;
      }
      return shows(element, isVisible);
    };

    /** @type {import('./agent').Fields['within']} */
    const within = (root, max) => dom.tagged(root, TAGS, [...MARKS, STEPPED], max);

    /** The tick of a row, where all rows can be ticked at once: one row left is a list of one. */
    const isTick = (/** @type {Element} */ box) =>
      box.matches('[type=checkbox]') && box.closest('td') !== null && (box.closest('table')?.querySelector('thead [type=checkbox],th [type=checkbox]') ?? null) !== null;

    /** @type {import('./agent').Fields['collect']} */
    const collect = (elements, isVisible) => {
      /** @type {Field[]} */
      const found = [];
      /** @type {Map<string, Element[]>} */
      const groups = new Map();
      for (const element of elements) {
        if (!isFillable(element, isVisible) || ![undefined, element].includes(codes.of(element)?.[0]) || together.isFurtherPart(element)) continue;
        const input = /** @type {HTMLInputElement} */ (element);
        const isRadio = input.type === 'radio' || element.getAttribute('role') === 'radio';
        const isCheck = input.type === 'checkbox' && Boolean(input.name);
        const around = input.name ? null : isRadio ? together.groupOf(element) : together.boxesAround(element);
        if ((!isRadio && !isCheck && !around) || (isRadio && !input.name && !around)) {
          if (!isRadio) found.push(element);
          continue;
        }
        const key = around ? dom.pathOf(around) : `${input.type}:${input.name}`;
        const group = groups.get(key);
        if (group) group.push(element);
        else {
          const fresh = [element];
          groups.set(key, fresh);
          found.push(fresh);
        }
      }
      // A checkbox that shares its name with no other is a yes or no.
      return found.map((field) =>
        Array.isArray(field) && field.length === 1 && !field[0].matches('[type=radio],[role=radio]') && !isTick(field[0])
          ? field[0]
          : field,
      );
    };

    /** @type {import('./agent').Fields['labelOf']} */
    const labelOf = (field) => {
      if (Array.isArray(field)) return together.labelOf(field);
      const boxes = codes.of(field);
      if (boxes) return codes.labelOf(boxes);
      if (field.matches(OPENS)) return together.listLabelOf(field);
      // What it shows changes with what is chosen.
      if (field.matches(CALENDAR)) return together.listLabelOf(field) || 'Date';
      return (parts.get('filling_segments').whole(field) ? together.dateLabelOf(field) : '') || dom.labelOf(field);
    };

    /** "Select this user: ann", "Select this user: bob" say only ann and bob. */
    const withoutPrefix = (/** @type {import('./agent').Choice[]} */ choices) => {
      if (choices.length < 3) return choices;
      let common = choices[0].label;
      for (const { label } of choices) while (!label.startsWith(common)) common = common.slice(0, -1);
      const cutAt = common.lastIndexOf(' ') + 1;
      return cutAt < 8 ? choices : choices.map((choice) => ({ ...choice, label: choice.label.slice(cutAt) }));
    };

    /** "Nike (12)" and "Puma (3)" say how many there are now, which changes with every choice. */
    const withoutCounts = (/** @type {import('./agent').Choice[]} */ choices) => {
      const plain = choices.map(({ label }) => label.replace(COUNTED, ''));
      const isCounted = choices.filter(({ label }) => COUNTED.test(label)).length > 1 && new Set(plain).size === plain.length;
      return isCounted ? choices.map((choice, index) => ({ ...choice, label: plain[index], shown: choice.label })) : choices;
    };

    /** @type {import('./agent').Fields['options']} */
    const options = (field) => {
      /** @type {import('./agent').Choice[]} */
      let found = [];
      if (Array.isArray(field)) {
        const choices = field.map((element) => ({
          label: dom.labelOf(element) || dom.nameOf(element),
          value: element.getAttribute('value') ?? '',
          element,
        }));
        found = withoutCounts(withoutPrefix(choices));
      } else if (field instanceof HTMLSelectElement) {
        const pool = poolOf(field);
        const all = [...(pool?.options ?? []), ...field.options];
        // They change places as they are moved, which makes no other field of it.
        if (pool) all.sort((one, other) => (one.label < other.label ? -1 : 1));
        const isSaid = all.some(({ label }) => /[\p{L}\p{N}]/u.test(label));
        // "Select country" above the countries, without a value of its own.
        const isHead = (/** @type {HTMLOptionElement} */ option) => option === field.options[0] && !option.hasAttribute('value') && deeds.says(option.label, 'select') && all.length > 2;
        const isNothing = (/** @type {HTMLOptionElement} */ option, { label, value } = option) =>
          isAsking(label) && (value === '' || (isSaid && NO_CHOICE.test(label) && NO_CHOICE.test(value)) || isHead(option));
        found = all
          .filter((option) => !option.disabled && !isNothing(option))
          .map((option) => ({ label: dom.cut(dom.collapse(option.label), 80), value: option.value, element: option }));
        found = withoutCounts(found);
      } else if (field instanceof HTMLInputElement && field.list) {
        found = [...field.list.options].map((option) => ({
          label: dom.collapse(option.value || option.label),
          value: option.value,
          element: option,
        }));
      }
      /** @type {Map<string, number>} */
      const seen = new Map();
      for (const { label } of found) seen.set(label, (seen.get(label) ?? 0) + 1);
      return found.map((choice, index) =>
        choice.label && seen.get(choice.label) === 1
          ? choice
          : {
              ...choice,
              // What says nothing at all is told by its place.
              label: choice.label ? `${choice.label} (${dom.cut(choice.value, 40) || index + 1})` : dom.cut(choice.value, 80) || String(index + 1),
            },
      );
    };

    const isChosen = (/** @type {Element} */ element) =>
      /** @type {any} */ (element).checked === true ||
      /** @type {any} */ (element).selected === true ||
      element.getAttribute('aria-checked') === 'true';

    /** @type {import('./agent').Fields['currentValue']} */
    const currentValue = (field, isShown = false) => {
      const element = first(field);
      const said = (/** @type {import('./agent').Choice} */ { label, shown }) => (isShown ? shown ?? label : label);
      switch (kindOf(field)) {
        case 'checkbox':
          return isChosen(element);
        case 'radios':
        case 'select':
          return options(field).filter((choice) => isChosen(choice.element)).map(said)[0] ?? '';
        case 'checks':
        case 'multiple':
          return options(field)
            .filter((choice) => (poolOf(element) ? element.contains(choice.element) : isChosen(choice.element)))
            .map(said);
        case 'number': {
          const { value, type } = /** @type {HTMLInputElement} */ (element);
          // One that writes numbers in a way of its own says what it shows.
          return value === '' || !/^(?:number|range)$/.test(type) ? value : Number(value);
        }
        case 'stepped':
          return Number(element.getAttribute('aria-valuenow'));
        case 'picker':
        case 'combobox':
          return parts.get('shown_values').shownValue(element);
        case 'editable':
          return parts.get('filling_rich').isBlank(element) ? '' : dom.textOf(element, 1000);
        default: {
          const boxes = codes.of(element);
          return boxes ? codes.valueOf(boxes) : /** @type {HTMLInputElement} */ (element).value;
        }
      }
    };

    return {
      SELECTOR,
      isAsking,
      isReadOnly,
      isTick,
      within,
      collect,
      kindOf,
      labelOf,
      options,
      currentValue,
      takesMany,
      isPart,
      behind,
      poolOf,
      isCode,
    };
  };

  agent.part('fields', make);
})();
