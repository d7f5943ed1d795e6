/**
 * The parameters of a form with `toolname`: which fields they are, their JSON Schema and the filling of them, as
 * Chromium does it where it has WebMCP. Introspection describes forms in a richer way of its own (`fields`); here a
 * page must get the same tool in every browser.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').JsonSchema} JsonSchema */
  /** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Field */

  const TEXT = new Set(['text', 'search', 'email', 'url', 'tel', 'password']);
  const CLOCK = '([01][0-9]|2[0-3]):[0-5][0-9]';
  /** Chromium puts regular expressions where JSON Schema wants names. @type {Record<string, string>} */
  const FORMATS = {
    date: 'date',
    time: `^${CLOCK}$`,
    'datetime-local': `^[0-9]{4}-(0[1-9]|1[0-2])-[0-9]{2}T${CLOCK}$`,
    month: '^[0-9]{4}-(0[1-9]|1[0-2])$',
    week: '^[0-9]{4}-W(0[1-9]|[1-4][0-9]|5[0-3])$',
    color: '^#[0-9a-zA-Z]{6}$',
  };

  /** A field named `elements` would stand before the form's own member. @param {HTMLFormElement} form */
  const elementsOf = (form) => /** @type {Element[]} */ (
    [...Reflect.get(HTMLFormElement.prototype, 'elements', form)]);

  /** @param {Element} element @returns {element is Field} */
  const isField = (element) => element instanceof HTMLInputElement || element instanceof HTMLSelectElement
    || element instanceof HTMLTextAreaElement;

  /** Where `readonly` means nothing. */
  const ALWAYS_WRITABLE = new Set(['checkbox', 'radio', 'range', 'color']);

  /** @param {Field} field */
  const isOffered = (field) => field.name !== '' && !field.matches(':disabled') && schemaOf([field]) !== undefined
    && (field instanceof HTMLSelectElement || !field.readOnly || ALWAYS_WRITABLE.has(field.type));

  /** Fields by parameter name; check boxes and radio buttons of one name are one. @param {HTMLFormElement} form */
  const parameters = (form) => {
    /** @type {Map<string, Field[]>} */
    const groups = new Map();
    for (const field of elementsOf(form)) {
      if (!isField(field) || !isOffered(field)) continue;
      groups.set(field.name, [...(groups.get(field.name) ?? []), field]);
    }
    return groups;
  };

  /** @param {Field} field */
  const labelOf = (field) => [...(field.labels ?? [])].map((label) => {
    const copy = /** @type {Element} */ (label.cloneNode(true));
    for (const inner of copy.querySelectorAll('button, input, meter, output, progress, select, textarea')) inner.remove();
    return copy.textContent?.trim().replace(/\s+/g, ' ') ?? '';
  }).filter(Boolean).join('; ');

  /** @param {{value: string, title: string}[]} choices */
  const oneOf = (choices) => ({
    type: 'string',
    anyOf: choices.map(({ value, title }) => ({ type: 'string', const: value, ...(title && { title }) })),
    enum: choices.map(({ value }) => value),
  });

  /** @param {Field[]} fields */
  const choicesOf = (fields) => oneOf(fields.map((field) => ({ value: field.value, title: labelOf(field) })));

  /** @param {HTMLInputElement} input */
  const numberSchema = (input) => {
    const isRange = input.type === 'range';
    const numberOf = (/** @type {string} */ attribute) => {
      const value = Number.parseFloat(input.getAttribute(attribute) ?? '');
      return Number.isFinite(value) ? value : undefined;
    };
    const minimum = numberOf('min') ?? (isRange ? 0 : undefined);
    const maximum = numberOf('max') ?? (isRange ? 100 : undefined);
    const step = numberOf('step') ?? 1;
    const base = minimum ?? numberOf('value') ?? 0;
    // Steps count from the base; only from zero are they multiples.
    const isMultiple = input.getAttribute('step') !== 'any' && step > 0 && Number.isInteger(base / step);
    return {
      type: 'number', ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }),
      ...(isMultiple && { multipleOf: step }),
    };
  };

  /**
   * @param {Field[]} fields of one name
   * @returns {JsonSchema | undefined}
   */
  const schemaOf = (fields) => {
    const [field] = fields;
    if (field instanceof HTMLTextAreaElement) return { type: 'string' };
    if (field instanceof HTMLSelectElement) {
      const choices = oneOf([...field.options].map(({ value, text }) => ({ value, title: text })));
      return field.multiple ? { type: 'array', items: choices, uniqueItems: true } : choices;
    }
    if (field.type === 'radio') return choicesOf(fields);
    if (field.type === 'checkbox') {
      return fields.length === 1 ? { type: 'boolean' } : { type: 'array', items: choicesOf(fields), uniqueItems: true };
    }
    if (TEXT.has(field.type)) return { type: 'string', ...(field.pattern && { pattern: field.pattern }) };
    if (field.type === 'number' || field.type === 'range') return numberSchema(field);
    // Hidden fields, files and buttons are not for callers.
    return field.type in FORMATS ? { type: 'string', format: FORMATS[field.type] } : undefined;
  };

  /** @param {HTMLFormElement} form */
  const describe = (form) => {
    /** @type {Record<string, JsonSchema>} */
    const properties = {};
    /** @type {string[]} */
    const required = [];
    for (const [name, fields] of parameters(form)) {
      const [field] = fields;
      const note = field.getAttribute('toolparamdescription')
        || (fields.length === 1 && field.type !== 'radio' ? labelOf(field) : '')
        || field.closest('fieldset[toolparamdescription]')?.getAttribute('toolparamdescription');
      const isDate = field.type === 'date';
      const description = [note, isDate ? "Dates MUST be provided in 'YYYY-MM-DD' format." : ''].filter(Boolean).join(' ');
      properties[name] = { ...schemaOf(fields), ...(description && { description }) };
      if (fields.some((field) => field.required)) required.push(name);
    }
    return { type: 'object', properties, required };
  };

  /** @param {Field} field @param {string} value */
  const isAccepted = (field, value) => {
    if (field instanceof HTMLSelectElement) return [...field.options].some((option) => option.value === value);
    if (field instanceof HTMLTextAreaElement || TEXT.has(field.type) || value === '') return true;
    // The browser empties what the type does not allow.
    const probe = document.createElement('input');
    probe.type = field.type;
    probe.value = value;
    return probe.value !== '';
  };

  /** @param {Field} field */
  const tellPage = (field) => {
    field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  };

  /** @param {Field} field @param {boolean} on */
  const check = (field, on) => {
    // A click, because frameworks listen for that on check boxes.
    if (field instanceof HTMLInputElement && field.checked !== on) HTMLElement.prototype.click.call(field);
  };

  /**
   * What sets one parameter, or undefined if the value does not fit.
   * @param {Field[]} fields
   * @param {unknown} value
   * @returns {(() => void) | undefined}
   */
  const setter = (fields, value) => {
    const [field] = fields;
    const isSimple = ['string', 'number', 'boolean'].includes(typeof value);
    if (field.type === 'checkbox' && fields.length === 1) {
      const on = { true: true, 1: true, false: false, 0: false }[String(value).toLowerCase()];
      return on === undefined ? undefined : () => check(field, on);
    }
    if (field.type === 'checkbox' || field.type === 'select-multiple') {
      const offered = field instanceof HTMLSelectElement ? [...field.options] : fields;
      if (!Array.isArray(value) || !value.every((one) => offered.some((choice) => choice.value === String(one)))) return undefined;
      const wanted = new Set(value.map(String));
      if (!(field instanceof HTMLSelectElement)) return () => { for (const one of fields) check(one, wanted.has(one.value)); };
      return () => {
        for (const option of field.options) option.selected = wanted.has(option.value);
        tellPage(field);
      };
    }
    if (!isSimple) return undefined;
    if (field.type === 'radio') {
      const chosen = fields.find((one) => one.value === String(value));
      return chosen && (() => check(chosen, true));
    }
    if (!isAccepted(field, String(value))) return undefined;
    return () => {
      if (field.value === String(value)) return;
      field.value = String(value);
      tellPage(field);
    };
  };

  /**
   * Fills in all or nothing.
   * @param {HTMLFormElement} form
   * @param {Record<string, unknown>} args
   */
  const fill = (form, args) => {
    const offered = parameters(form);
    const setters = Object.entries(args).map(([name, value]) => {
      const fields = offered.get(name);
      if (!fields) throw new Error(`Input contains a parameter "${name}" but there is no such parameter for the tool`);
      const set = setter(fields, value);
      if (!set) throw new Error(`Invalid value ${JSON.stringify(value)} for parameter ${name}`);
      return set;
    });
    for (const set of setters) set();
  };

  /** What the browser says against sending it, '' if nothing. @param {HTMLFormElement} form */
  const problems = (form) => {
    if (Reflect.get(HTMLFormElement.prototype, 'noValidate', form)) return '';
    return elementsOf(form).filter(isField).filter((field) => field.willValidate && !field.validity.valid)
      .map((field) => `${field.name || 'a field'}: ${field.validationMessage}`).join(' ');
  };

  /** @param {HTMLFormElement} form */
  const submitterOf = (form) => /** @type {HTMLElement | undefined} */ (elementsOf(form).find((element) =>
    element.matches('button:not([type=button]):not([type=reset]):enabled, input[type=submit]:enabled')));

  agent.part('form_schema', () => ({ describe, fill, problems, submitterOf }));
})();
