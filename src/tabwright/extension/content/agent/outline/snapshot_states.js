/** What is told of an element beside its role and name: its states, what stands in it, what can be chosen there. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const VALUE_MAX = 120;
  /** Of a choice, so many are told; the others are counted. */
  const OPTIONS_MAX = 60;
  const SECRET = '•••';
  const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
  /** Where `readonly` means nothing. */
  const WRITABLE = new Set(['checkbox', 'radio', 'range', 'color']);
  /** Others have their text as their name. */
  const HOLDS_TEXT = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { bare } = parts.get('snapshot_tree');
    const { textOf, collapse, cut } = parts.get('texts');
    const secrets = parts.get('secrets');
    const codes = parts.get('code_boxes');

    const said = (/** @type {Element} */ element, /** @type {string} */ name) => bare(element).getAttribute(`aria-${name}`);
    const isSaid = (/** @type {Element} */ element, /** @type {string} */ name) => {
      const value = said(element, name);
      return value !== null && value !== 'false' && value !== '';
    };

    /** Where a web component tells its state to the browser alone: by the box in it, or by what its style asks for. */
    const drawnIn = (/** @type {Element} */ element) => {
      if (!bare(element).localName.includes('-')) return null;
      const drawn = parts.get('snapshot_tree').shadowOf(element)?.querySelector('input[type=checkbox],input[type=radio],.checked') ?? null;
      const isOn = drawn instanceof HTMLInputElement ? drawn.checked : drawn !== null || bare(element).matches('[checked],:state(checked)');
      return String(isOn);
    };

    /** @returns {string} */
    const checkedOf = (/** @type {any} */ element) => {
      if (element instanceof HTMLInputElement) return element.indeterminate ? 'mixed' : element.checked ? 'checked' : '';
      const value = said(element, 'checked') ?? drawnIn(element);
      return value === 'true' ? 'checked' : value === 'mixed' ? 'mixed' : '';
    };

    /** Open or closed, where it can be either. */
    const expandedOf = (/** @type {Element} */ element) => {
      const value = said(element, 'expanded');
      if (value === 'true') return 'expanded';
      if (value === 'false') return 'collapsed';
      const { localName, parentElement } = bare(element);
      if (localName === 'summary' && parentElement instanceof HTMLDetailsElement) return parentElement.open ? 'expanded' : 'collapsed';
      return '';
    };

    /** By a column, at its title; where something in the title sorts, that is what is told. @param {Element} element @param {string} role */
    const sortedOf = (element, role) => {
      const inTitle = role === 'button' || role === 'link' || role === 'generic';
      const head = role === 'columnheader' ? bare(element) : inTitle ? bare(element).closest('[aria-sort]') : null;
      const sorted = head?.getAttribute('aria-sort') ?? '';
      const isOnly = !inTitle || head?.querySelector('a[href],button,[role=button],[tabindex]') === element;
      return isOnly && (sorted === 'ascending' || sorted === 'descending') ? sorted : '';
    };

    const FIELD = new Set(['input', 'select', 'textarea']);

    /** @returns {string[]} */
    const fieldStates = (/** @type {any} */ field) => {
      const states = [];
      if (field.required) states.push('required');
      if (field.readOnly && !WRITABLE.has(field.type)) states.push('readonly');
      if (bare(field).matches(':user-invalid')) states.push('invalid');
      const boxes = codes.of(field);
      if (boxes && boxes[0] === field) states.push(`first of ${boxes.length} boxes that take one code`);
      return states;
    };

    /** @type {import('./outline').SnapshotStates['statesOf']} */
    const statesOf = (element, role, focused) => {
      const own = bare(element);
      /** @type {string[]} */
      const states = [];
      const add = (/** @type {string} */ state) => { if (state && !states.includes(state)) states.push(state); };
      const tag = own.localName;
      if (CHECKABLE.has(role)) add(checkedOf(tag === 'label' ? /** @type {any} */ (element).control ?? element : element));
      // A cell may be ticked without a box in it.
      else if (own.hasAttribute('aria-checked')) add(checkedOf(element) || (role === 'gridcell' ? 'unchecked' : ''));
      if (FIELD.has(tag)) fieldStates(element).forEach(add);
      if ((FIELD.has(tag) || tag === 'button' || tag.includes('-')) && own.matches(':disabled')) add('disabled');
      if ((role === 'tab' || role === 'option') && tag.includes('-') && own.matches('[active],[selected],:state(selected)')) add('selected');
      add(expandedOf(element));
      add(sortedOf(element, role));
      if (element === focused) add('focused');
      for (const name of own.getAttributeNames()) {
        if (!name.startsWith('aria-')) continue;
        const word = name.slice(5);
        if (word === 'selected' || word === 'disabled' || word === 'required' || word === 'invalid' || word === 'readonly'
          || word === 'busy' || word === 'pressed' || word === 'current') {
          if (isSaid(element, word)) add(word === 'pressed' && said(element, word) === 'mixed' ? 'mixed' : word);
        }
      }
      return states;
    };

    const chosen = (/** @type {HTMLSelectElement} */ select) =>
      [...select.selectedOptions].slice(0, 5).map((option) => collapse(option.label)).join(', ');

    /** The label that a list draws in itself, perhaps once where it rests and once where it floats, is not chosen. @param {Element} element @param {string} role @param {string} held */
    const withoutLabel = (element, role, held) => {
      const name = role === 'combobox' && held ? parts.get('roles').nameOf(element) : '';
      if (!name || !held.startsWith(name)) return held;
      const isDrawn = parts.get('tree').queryAll(element, '*').some((each) => bare(each).childElementCount === 0 && collapse(bare(each).textContent ?? '').replace(/[\s*]+$/, '') === name);
      let left = held;
      while (isDrawn && (left === name || left.startsWith(`${name} `))) left = left.slice(name.length).trim();
      return left;
    };

    /** @type {import('./outline').SnapshotStates['valueOf']} */
    const valueOf = (/** @type {any} */ element, role) => {
      if (element instanceof HTMLSelectElement) return cut(chosen(element), VALUE_MAX);
      if (element instanceof HTMLInputElement) {
        if (CHECKABLE.has(role) || role === 'button') return undefined;
        if (element.type === 'file') return [...(element.files ?? [])].map(({ name }) => name).join(', ');
        // Asked of empty ones too: by the time something stands in it, the page may show it.
        if (secrets.isSecret(element)) return element.value === '' ? '' : SECRET;
        const value = element.value === '' && role === 'combobox' ? parts.get('shown_values').shownValue(element) : element.value;
        return cut(collapse(value.slice(0, VALUE_MAX * 4)), VALUE_MAX);
      }
      if (element instanceof HTMLTextAreaElement) {
        return secrets.isSecret(element) && element.value !== '' ? SECRET : cut(collapse(element.value.slice(0, VALUE_MAX * 4)), VALUE_MAX);
      }
      if (element instanceof HTMLProgressElement || element instanceof HTMLMeterElement) return String(element.value);
      const spoken = said(element, 'valuetext') ?? said(element, 'valuenow');
      if (spoken !== null) return cut(collapse(spoken), VALUE_MAX);
      // Of a slider that says nothing its place tells how far it is.
      if (role === 'slider') return /^[\d.]+%$/.exec(element.style?.left || element.style?.bottom)?.[0];
      if (!HOLDS_TEXT.has(role)) return undefined;
      const typedInto = role === 'combobox' ? bare(element).querySelector('input[role=combobox]') : null;
      if (typedInto) return valueOf(typedInto, role);
      const editors = parts.get('filling_editors');
      if (editors.isDrawn(element)) return cut(collapse(editors.current(element)), VALUE_MAX);
      if (parts.get('filling_rich').isBlank(element)) return '';
      const held = withoutLabel(element, role, parts.get('snapshot_text').joined(element, textOf(element, VALUE_MAX)));
      return secrets.isSecret(element) && held !== '' ? SECRET : held;
    };

    /** @type {import('./outline').SnapshotStates['optionsOf']} */
    const optionsOf = (element) => element instanceof HTMLSelectElement
      ? [...element.options].slice(0, OPTIONS_MAX).map((option) => cut(collapse(option.label), 60))
      : [];

    /** @type {import('./outline').SnapshotStates['levelOf']} */
    const levelOf = (element) => {
      const given = Number.parseInt(said(element, 'level') ?? '', 10);
      return given > 0 ? given : Number(/^h([1-6])$/.exec(bare(element).localName)?.[1] ?? 2);
    };

    /** @type {import('./outline').SnapshotStates['focused']} */
    const focused = () => {
      let at = document.activeElement;
      if (at === document.body || at === document.documentElement) return null;
      for (let inner = at && parts.get('snapshot_tree').shadowOf(at)?.activeElement; inner; inner = parts.get('snapshot_tree').shadowOf(inner)?.activeElement) at = inner;
      return at;
    };

    return { statesOf, withoutLabel, valueOf, optionsOf, levelOf, focused };
  };

  agent.part('snapshot_states', make);
})();
