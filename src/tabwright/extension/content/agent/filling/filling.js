/**
 * Filling in a field that the gateway names by a ref: `fill` sets it, `held` says what it holds now. Both lead from the
 * ref to its control in the same way, so what is told is about the control that was set.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./filling').Control} Control */
  /** @typedef {import('./filling').Outcome} Outcome */

  const STEP_MS = 30;
  const CHANGED_MS = 300;
  const TOLD_MOST = 1000;
  const HALF = 'it is one end of a range, and a page may drop it without the other. Give both at once, as [start, end]';
  const CASCADE = /(?:^|[-_\s])cascad/i;
  const CASCADE_UP = 5;
  const CELL = 'td,[role=gridcell],[role=cell]';

  const parts = () => ({
    dom: agent.get('dom'),
    fields: agent.get('fields'),
    values: agent.get('filling_values'),
    controls: agent.get('filling_controls'),
    editors: agent.get('filling_editors'),
    segments: agent.get('filling_segments'),
    calendar: agent.get('filling_calendar'),
    widgets: agent.get('filling_widgets'),
    act: agent.get('act'),
    pause: agent.get('rest').pause,
  });

  const refuse = (/** @type {string} */ problem) => agent.refusal(problem, -32602, 'invalid_arguments');
  const first = (/** @type {import('../agent').Field} */ field) => (Array.isArray(field) ? field[0] : field);
  const fold = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim().toLowerCase();

  const isSecret = (/** @type {import('../agent').Field} */ field) => agent.get('secrets').isSecret(field);

  const isPressed = (/** @type {Element} */ element) =>
    (element.getAttribute('aria-pressed') ?? element.getAttribute('aria-checked')) === 'true';

  const isOn = (/** @type {Element} */ element) =>
    /** @type {HTMLInputElement} */ (element).checked === true || element.getAttribute('aria-checked') === 'true';

  /** @type {(control: Control) => unknown} */
  const current = ({ kind, field }) => {
    const { dom, fields, editors, segments, widgets } = parts();
    const element = first(field);
    if (kind === 'code') return editors.current(element);
    if (kind === 'pressed') return isPressed(element);
    if (kind === 'segment') return segments.current(element);
    if (kind === 'stepped') return Number(element.getAttribute('aria-valuenow'));
    if (kind === 'listbox') return widgets.selected(element);
    if (kind === 'opens') return dom.textOf(element, TOLD_MOST);
    const held = fields.currentValue(field, true);
    // The option that asks to choose is no value, but it is what shows.
    if (element instanceof HTMLSelectElement && held === '') return element.selectedOptions[0]?.label.trim() ?? '';
    return held;
  };

  /** @type {(radio: Element, value: unknown) => Promise<Outcome>} */
  const setRadio = async (radio, value) => {
    const { fields, values, pause } = parts();
    if (!values.isYes(value)) throw refuse('A radio button is not switched off. Choose another one of its group.');
    const [choice] = fields.options([radio]);
    const outcome = await agent.get('fill').set([radio], [choice?.label ?? '']);
    for (let waited = 0; waited < CHANGED_MS && !isOn(radio); waited += STEP_MS) await pause(STEP_MS);
    return isOn(radio) ? outcome : { ok: false, value: false, problem: 'It did not change. Click it with computer.' };
  };

  /** @type {(control: Control, value: unknown) => Promise<Outcome>} */
  const set = async (control, value) => {
    const { fields, values, editors, segments, widgets, act, pause } = parts();
    const { kind, field, radio, option } = control;
    const element = first(field);
    const texts = Array.isArray(value) ? value.map(String) : [String(value)];
    if (kind === 'code') return editors.set(element, texts.join('\n'));
    if (kind === 'opens') return openList(element, value);
    if (kind === 'segment') return segments.set(element, texts[0] ?? '');
    if (kind === 'listbox') return widgets.select(element, texts);
    if (kind === 'stepped') {
      if (!Number.isFinite(Number(value)) || texts[0]?.trim() === '') throw refuse('It takes a number.');
      return widgets.step(element, Number(value));
    }
    if (kind === 'pressed') {
      const on = values.isYes(value);
      if (isPressed(element) !== on) await act.click(element);
      for (let waited = 0; waited < CHANGED_MS && isPressed(element) !== on; waited += STEP_MS) await pause(STEP_MS);
      return isPressed(element) === on ? { ok: true, value: on } : { ok: false, value: !on, problem: 'It did not change.' };
    }
    if (radio && isFlag(value)) return setRadio(radio, value);
    const wanted = option && value === true ? option.label : placeholderOf(element, value);
    const isList = Array.isArray(field) ? false : ['combobox', 'picker'].includes(fields.kindOf(field));
    const isTyped = element instanceof HTMLInputElement && !isList && fields.kindOf(field) === 'text' && !isSecret(field);
    const entered = isTyped && Array.isArray(value) ? await agent.get('filling_many').enter(element, texts) : null;
    if (entered) return entered;
    const was = element instanceof HTMLInputElement ? element.value : '';
    const outcome = await (isList ? widgets.choose(element, value) : agent.get('fill').set(field, values.fit(field, wanted)));
    if (isSecret(field) || Array.isArray(value)) return outcome;
    const kept = await agent.get('filling_stamps').kept(element, texts[0] ?? '', outcome, was);
    const isHalf = kept.ok && !kept.problem && agent.get('filling_dates').read(texts[0] ?? '') !== null && agent.get('filling_ranges').isEnd(element);
    return isHalf ? { ...kept, problem: HALF } : kept;
  };

  /** The two ends for a field that takes a range. @type {(control: Control, value: unknown) => [string, string] | null} */
  const bothEnds = ({ kind, field }, value) => {
    const element = /** @type {HTMLElement} */ (first(field));
    const isTyped = kind === 'field' && element instanceof HTMLInputElement && element.type === 'text' && !isSecret(field);
    return isTyped || kind === 'opens' ? agent.get('filling_ranges').read(element, value) : null;
  };

  /** The day for a field that nobody can type into, as many that open a calendar are. @type {(control: Control, value: unknown) => import('../agent').Day | null} */
  const pickedDay = ({ kind, field }, value) => {
    const { fields } = parts();
    const element = first(field);
    const isClosed = element instanceof HTMLInputElement ? fields.isReadOnly(element) && !isSecret(field) : agent.get('field_groups').isDay(element);
    return kind === 'opens' || (kind === 'field' && isClosed) ? agent.get('calendars').dayOf(String(value)) : null;
  };

  /** Whether it looks as if a press on it opens what it takes: nobody can type into it, or it calls itself a cascade. @type {(control: Control, value: unknown) => boolean} */
  const opensList = ({ kind, field }, value) => {
    const element = first(field);
    const isText = kind === 'field' && element instanceof HTMLInputElement && parts().dom.isEnabled(element) && !isSecret(field) && parts().fields.kindOf(element) === 'text';
    if (!isText || value === '') return false;
    return (element.readOnly && getComputedStyle(element).cursor === 'pointer') || isCascade(element);
  };

  /** @type {(element: Element) => boolean} */
  const isCascade = (element) => {
    let at = /** @type {Element | null} */ (element);
    for (let up = 0; at && up < CASCADE_UP; at = at.parentElement, up += 1) if (CASCADE.test(at.getAttribute('class') ?? '')) return true;
    return false;
  };

  /** @type {(control: Control, value: unknown) => Promise<Outcome>} */
  const chooseFrom = async (control, value) => {
    const element = first(control.field);
    const outcome = await parts().widgets.press(element, value);
    // What only shows something says so.
    if (!outcome.ok && outcome.isBlank) parts().controls.check(control);
    return outcome;
  };

  /** Null where it has become one that can be typed into. @type {(control: Control, day: import('../agent').Day) => Promise<Outcome | null>} */
  const pick = async (control, day) => {
    const { controls, calendar } = parts();
    const element = /** @type {HTMLElement} */ (first(control.field));
    const outcome = await calendar.pick(element, day, await calendar.others(element));
    // It opens none.
    if (!outcome) controls.check(control);
    return outcome;
  };

  /** A button that opens a list, or something that only looks like one. @type {(element: Element, value: unknown) => Promise<Outcome>} */
  const openList = async (element, value) => {
    const { widgets } = parts();
    if (element.matches('button[aria-haspopup=listbox]')) return widgets.choose(element, value);
    if (Array.isArray(value) && value.length !== 1) throw refuse('It takes one value, not a list.');
    return widgets.open(element, String(value));
  };

  /** "Choose one" is no choice, but to choose it means to choose nothing. @type {(element: Element, value: unknown) => unknown} */
  const placeholderOf = (element, value) => {
    if (!(element instanceof HTMLSelectElement) || element.multiple) return value;
    const { isAsking } = agent.get('fields');
    const empty = [...element.options].find((each) => each.value === '' && fold(each.label) === fold(String(value)));
    return empty && isAsking(empty.label) ? '' : value;
  };

  /** What the control is called; what stands in an editor does not name it. @type {(control: Control) => string} */
  const labelOf = ({ kind, field, radio }) => {
    const { dom, fields } = parts();
    const element = first(field);
    if (radio) return dom.labelOf(radio);
    if (kind === 'code') return dom.referred(element, 'aria-labelledby') || element.getAttribute('aria-label') || dom.headingOf(element);
    return (kind === 'field' && fields.labelOf(field)) || dom.labelOf(element) || dom.nameOf(element);
  };

  /** @type {(control: Control, isSwitch: boolean) => object} */
  const told = (control, isSwitch) => {
    const { dom } = parts();
    const element = /** @type {HTMLInputElement} */ (first(control.field));
    const secret = isSecret(control.field);
    const value = isSwitch && control.radio ? isOn(control.radio) : current(control);
    return {
      secret,
      filled: value !== '' && value !== false,
      value: secret ? null : typeof value === 'string' ? dom.cut(value, TOLD_MOST) : value,
      invalid: element.willValidate && !element.validity.valid ? dom.cut(element.validationMessage, 200) : '',
    };
  };

  /** The control that a ref leads to now; `isBoth`: with the other end of its range. @type {(target: any, isSwitch: boolean, how?: {isBoth?: boolean, isDated?: boolean}) => object} */
  const held = (target, isSwitch, { isBoth = false, isDated = false } = {}) => {
    const control = parts().controls.of(agent.get('refs').resolve(target), isDated);
    const now = told(control, isSwitch);
    return isBoth ? { ...now, value: agent.get('filling_ranges').shown(/** @type {HTMLElement} */ (first(control.field))) } : now;
  };

  /** Whether a field is gone that a cell had only while somebody wrote into it. @type {(control: Control, cell: Element) => boolean} */
  const isLeft = ({ field }, cell) =>
    cell.isConnected && !first(field).isConnected && cell.querySelector(agent.get('fields').SELECTOR) === null;

  /** What a cell shows once its field has gone. @type {(cell: Element) => object} */
  const shownBy = (cell) => {
    const value = parts().dom.textOf(cell, TOLD_MOST);
    return { secret: false, filled: value !== '', value, invalid: '' };
  };

  /** @type {(value: unknown) => boolean} */
  const isFlag = (value) => typeof value === 'boolean' || /^(?:true|false)$/i.test(String(value));

  agent.serve('fill', async ({ target, value }) => {
    const { dom, fields, controls } = parts();
    const element = /** @type {HTMLElement} */ (agent.get('refs').resolve(target));
    const isDated = agent.get('calendars').dayOf(String(value)) !== null || agent.get('filling_ranges').read(element, value) !== null;
    const control = controls.of(element, isDated);
    const day = pickedDay(control, value);
    const ends = bothEnds(control, value);
    const isList = day === null && ends === null && opensList(control, value);
    controls.check(control, day !== null || ends !== null || isList);
    // What opens while it is filled in may become a part of the label.
    const label = dom.cut(labelOf(control), 80);
    const cell = isSecret(control.field) || isFlag(value) ? null : dom.closest(first(control.field), CELL);
    const ranged = ends && (await agent.get('filling_ranges').set(/** @type {HTMLElement} */ (first(control.field)), ends));
    if (ends && !ranged) controls.check(control);
    const isBoth = Boolean(ranged);
    const picked = ranged ?? (day && (await pick(control, day)));
    // A button that opens something else is no field.
    if (!picked && isDated) controls.of(element);
    const outcome = picked ?? (await (isList ? chooseFrom : set)(control, value));
    const hide = (/** @type {string} */ text) => (isSecret(control.field) ? agent.get('secrets').withoutSecrets(text, [{ field: control.field, value }]) : text);
    if (!outcome.ok) {
      const said = hide(outcome.problem ?? 'did not take the value');
      const problem = /^It |^The /.test(said) ? said : `It ${said}.`;
      throw outcome.isPartly ? agent.refusal(problem, -32602, 'partly_filled') : refuse(problem);
    }
    // Pickers made of other elements hold no value that could be read back; what is typed into can.
    const isReadBack = isSecret(control.field) || (control.kind === 'field' && fields.kindOf(control.field) === 'text');
    const chosen = isReadBack && !isBoth && !Array.isArray(value) ? null : outcome.value;
    agent.get('settle').reread(() => (cell && isLeft(control, cell) ? shownBy(cell) : held(target, isFlag(value), { isBoth, isDated })));
    return { ...told(control, isFlag(value)), label, chosen, note: hide(outcome.problem ?? '') };
  });

  agent.serve('held', ({ target, flag }) => held(target, flag === true));
})();
