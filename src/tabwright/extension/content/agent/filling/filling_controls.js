/**
 * From the element a ref names to the control it is about: a label leads to its field, a wrapper to the one inside, a
 * radio to its group. Says why a control cannot be filled in, and what to do instead.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NATIVE = 'input,select,textarea';
  const EDITABLE = '[contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only]';
  const STEPPED = '[role=slider],[role=spinbutton]';
  const PRESSED = '[aria-pressed],[role=menuitemcheckbox],[role=menuitemradio]';
  const TICKED = '[role=checkbox][aria-checked],[role=switch][aria-checked]';
  const LISTBOX = '[role=listbox]';
  const OPENS = '[aria-haspopup=listbox],[aria-haspopup=tree],[aria-haspopup=grid],[aria-haspopup=dialog]:is([role=combobox])';
  const OPENS_CALENDAR = ':is(button,[role=button]):not([type=submit]):is([aria-haspopup]:not([aria-haspopup=false]),[aria-expanded])';
  /** Where a list writes what is chosen. */
  const SHOWN = '[role=textbox][aria-readonly=true]';
  const BUTTONS = new Set(['submit', 'button', 'reset', 'image']);
  const RADIO = 'input[type=radio],[role=radio]';
  // What can be selected, as rows and cells can, opens nothing.
  const SELECT_LIKE = /(?:^|[-_\s])(?:select(?!able)|dropdown|combo-?box|picker|chooser)/i;
  const SHOWN_MOST = 8;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const fields = parts.get('fields');
    const editors = parts.get('filling_editors');

    const refuse = (/** @type {string} */ problem) => parts.refusal(problem, -32602, 'invalid_arguments');
    const first = (/** @type {import('../agent').Field} */ field) => (Array.isArray(field) ? field[0] : field);

    /** All radios of the one that was named. */
    const radiosOf = (/** @type {Element} */ radio) => {
      const { name, form } = /** @type {HTMLInputElement} */ (radio);
      const root = /** @type {Document} */ (radio.getRootNode());
      if (radio instanceof HTMLInputElement && name) {
        return [...root.querySelectorAll(`input[type=radio][name="${CSS.escape(name)}"]`)]
          .filter((each) => /** @type {HTMLInputElement} */ (each).form === form);
      }
      const group = parts.get('field_groups').groupOf(radio);
      return group ? dom.queryAll(group, RADIO) : [radio];
    };

    const looksLikeSelect = (/** @type {Element} */ element) => {
      for (let at = /** @type {Element | null} */ (element), up = 0; at && up < 2; at = dom.parentOf(at), up += 1) {
        const said = `${at.getAttribute('class') ?? ''} ${at.id} ${at.localName.includes('-') ? at.localName : ''}`;
        if (SELECT_LIKE.test(said)) return true;
      }
      return false;
    };

    /** What kind of thing an element is by itself; null where it only surrounds or names one. */
    const ownKind = (/** @type {Element} */ element) => {
      if (editors.isEditor(element)) return 'code';
      if (element.matches(NATIVE)) return 'field';
      if (element.matches(PRESSED)) return 'pressed';
      // What it says itself is what shows; a hidden box in it often says nothing.
      if (element.matches(TICKED) && !dom.queryAll(element, `${NATIVE},${TICKED}`).some((each) => each !== element && dom.isVisible(each))) return 'field';
      // A list or a slider drawn by hand keeps the field it stands for to itself.
      const isDrawn = (/** @type {Element} */ each) => !element.matches(`[role=combobox],${STEPPED}`) || (dom.isVisible(each) && !each.matches('select[tabindex="-1"]'));
      const isAround = [...element.querySelectorAll(NATIVE)].some(isDrawn) || dom.shadowOf(element) !== null;
      if (isAround) return null;
      if (parts.get('filling_segments').is(element)) return 'segment';
      if (element.matches(STEPPED) || parts.get('roles').roleOf(element) === 'slider') return 'stepped';
      if (element.matches(LISTBOX)) return 'listbox';
      if (element.matches(OPENS) && fields.kindOf(element) !== 'picker') return 'opens';
      return element.matches(fields.SELECTOR) || element.matches(EDITABLE) ? 'field' : null;
    };

    /** @type {(element: Element) => Element | null} */
    const named = (element) => {
      const label = element instanceof HTMLLabelElement ? element : element.closest('label');
      if (label?.control) return label.control;
      const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
      const id = (label ?? element).id;
      return id ? root.querySelector(`[aria-labelledby~="${CSS.escape(id)}"]`) : null;
    };

    /** @type {(element: Element) => import('./filling').Control | null} */
    const inside = (element) => {
      const all = dom.queryAll(element, `${fields.SELECTOR},${STEPPED},${PRESSED}`)
        .filter((each) => /** @type {HTMLInputElement} */ (each).type !== 'hidden');
      const editor = editors.inside(element);
      if (editor && all.every((each) => dom.contains(editor, each))) return { kind: 'code', field: editor };
      const collected = fields.collect(all, dom.isVisible);
      // What is drawn is what takes the choice, not the list that it stands for.
      const isBehind = (/** @type {import('../agent').Field} */ each) => each instanceof HTMLSelectElement && (!dom.isVisible(each) || each.matches('[role=combobox] select[tabindex="-1"]'));
      const found = collected.length > 1 ? collected.filter((each) => !isBehind(each)) : collected;
      if (found.length > 1) {
        const labels = found.slice(0, SHOWN_MOST).map((each) => `"${fields.labelOf(each) || fields.kindOf(each)}"`);
        throw refuse(`It holds ${found.length} fields (${labels.join(', ')}). Take the ref of one of them from read_page or find.`);
      }
      if (found[0]) return lead(first(found[0]), found[0]);
      return all[0] ? lead(all[0]) : null;
    };

    /** @type {(element: Element, field?: import('../agent').Field) => import('./filling').Control} */
    const lead = (element, field = element) => {
      if (element.matches(RADIO)) return { kind: 'field', field: radiosOf(element), radio: Array.isArray(field) && field.length > 1 ? null : element };
      const kind = ownKind(element);
      if (kind !== null) return { kind, field };
      throw refuse('It is no field.');
    };

    /** @type {import('./filling').FillingControls['of']} */
    const of = (element, isDated = false) => {
      if (element instanceof HTMLOptionElement) {
        const select = element.closest('select');
        if (select) return { kind: 'field', field: select, option: element };
      }
      const list = element.matches(SHOWN) ? element.parentElement?.closest('[role=combobox]') : null;
      if (list) return of(list);
      const editor = editors.around(element);
      if (editor) return { kind: 'code', field: editor };
      const native = fields.behind(element);
      // One that loads what it offers has only what was chosen.
      if (native && fields.options(native).length > 1) return { kind: 'field', field: native };
      if (element.matches(RADIO) || ownKind(element) !== null) return lead(element);
      const host = element.closest(EDITABLE);
      if (host) return { kind: 'field', field: host };
      const control = named(element);
      if (control && control !== element) return of(control);
      const found = inside(element);
      if (found) return found;
      if (isDated && element.matches(OPENS_CALENDAR)) return { kind: 'opens', field: element };
      if (element.matches('a[href],[type=submit]') || !looksLikeSelect(element)) {
        throw refuse('It is no field, and there is none in it. Click it with computer, or take the ref of a field from read_page or find.');
      }
      return { kind: 'opens', field: element };
    };

    /** @type {(element: Element) => boolean} */
    const isShown = (element) => {
      if (dom.isVisible(element) || editors.isEditor(element) || element.matches('.select2-hidden-accessible')) return true;
      if (parts.get('boxes').isUnderLabel(element)) return true;
      if (!element.matches(`select,[type=checkbox],[type=radio],[type=range],[role=combobox],button,${parts.get('boxes').PICKED}`)) return false;
      // Drawn by something else: what a person clicks is its label or the box around it.
      const labels = [...(/** @type {HTMLInputElement} */ (element).labels ?? [])];
      if (labels.some(dom.isVisible) || (element.parentElement !== null && dom.isVisible(element.parentElement))) return true;
      // Hidden as a single pixel, in a box of that size.
      return element.matches(parts.get('boxes').PICKED) && parts.get('locate').drawnAround(element) !== null;
    };

    const covering = (/** @type {Element} */ element) => {
      const modal = [...document.querySelectorAll('dialog:modal')].at(-1);
      return modal && !dom.contains(modal, element) ? modal : null;
    };

    /** @type {(element: Element, isPicked: boolean) => string} */
    const problemOf = (element, isPicked) => {
      const { type } = /** @type {HTMLInputElement} */ (element);
      if (element instanceof HTMLInputElement) {
        if (type === 'file') return 'It takes files. Use file_upload with its ref.';
        if (type === 'hidden') return 'It is a hidden input. Fill in the field that the page shows for it.';
        if (BUTTONS.has(type)) return 'It is a button and holds no value. Click it with computer.';
      }
      if (!dom.isEnabled(element)) return 'It is disabled. Something else on the page has to be done first.';
      const over = covering(element);
      if (over) return `A dialog lies over it ("${dom.cut(dom.textOf(over, 60), 60)}"). Answer or close that first.`;
      if (!isPicked && fields.isReadOnly(element)) {
        return 'It is read-only. If it opens a picker, click it with computer and choose there.';
      }
      return isShown(element) ? '' : 'It is not shown. Open the part of the page that holds it, then try again.';
    };

    /** @type {import('./filling').FillingControls['check']} */
    const check = ({ field, radio }, isPicked = false) => {
      const every = Array.isArray(field) ? (radio ? [radio] : field) : [field];
      const problems = every.map((each) => problemOf(each, isPicked));
      // Of a group one that can be chosen is enough.
      if (problems.every(Boolean)) throw refuse(problems[0] ?? '');
    };

    return { of, check };
  };

  agent.part('filling_controls', make);
})();
