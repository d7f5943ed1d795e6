/** A form made of a JSON Schema: a field for each property, JSON for what has no simple one. */

import { make } from './elements.js';
import { kindOf } from './schema.js';

/**
 * @typedef {{element: HTMLElement, read: () => {value?: unknown, wrong?: string}, control: HTMLElement}} Field
 *   without a value where nothing was given
 */

const UNSET = '';
let ids = 0;

/**
 * @param {any} schema @param {string} name
 * @returns {{element: HTMLElement, read: () => Record<string, unknown> | null}} null: something is wrong, and said so
 */
export function formOf(schema, name) {
  const properties = schema?.properties;
  const needed = new Set(Array.isArray(schema?.required) ? schema.required : []);
  const simple = typeof properties === 'object' && properties !== null && Object.keys(properties).length <= 40;
  const entries = simple ? Object.entries(properties) : [];
  if (!entries.length && !simple) return whole(name);
  /** @type {[string, Field][]} */
  const fields = entries.map(([key, each]) => [key, field(key, each ?? {}, needed.has(key))]);
  const none = make('p.quiet', {}, 'It takes nothing.');
  return {
    element: make('div.fields', {}, ...(fields.length ? fields.map(([, { element }]) => element) : [none])),
    read: () => gather(fields),
  };
}

/** @param {[string, Field][]} fields */
function gather(fields) {
  /** @type {Record<string, unknown>} */
  const given = {};
  /** @type {HTMLElement | undefined} */
  let first;
  for (const [key, each] of fields) {
    const { value, wrong } = each.read();
    tellWrong(each, wrong);
    if (wrong) first ??= each.control;
    else if (value !== undefined) given[key] = value;
  }
  first?.focus();
  return first ? null : given;
}

/** @param {Field} field @param {string} [wrong] */
function tellWrong({ element, control }, wrong) {
  const place = /** @type {HTMLElement} */ (element.querySelector('.wrong'));
  place.textContent = wrong ?? '';
  control.setAttribute('aria-invalid', String(Boolean(wrong)));
}

/** All arguments as JSON. @param {string} name */
function whole(name) {
  const made = dressed('Arguments as JSON', {}, true, jsonControl('{}', 'object'));
  made.control.setAttribute('aria-label', `Arguments of ${name} as JSON`);
  return {
    element: made.element,
    read: () => {
      const { value, wrong } = made.read();
      const other =
        wrong ?? (typeof value === 'object' && value !== null && !Array.isArray(value) ? '' : 'Write an object: { … }');
      tellWrong(made, other);
      return other ? null : /** @type {Record<string, unknown>} */ (value);
    },
  };
}

/** @param {string} key @param {any} schema @param {boolean} needed @returns {Field} */
function field(key, schema, needed) {
  return dressed(key, schema, needed, control(schema, needed));
}

/** @param {any} schema @param {boolean} needed */
function control(schema, needed) {
  if (Array.isArray(schema.enum)) return choiceControl(schema.enum, schema.default, needed);
  switch (schema.type) {
    case 'boolean':
      return choiceControl([true, false], schema.default, needed);
    case 'integer':
    case 'number':
      return numberControl(schema, needed);
    case 'string':
      return textControl(schema, needed);
    default:
      return jsonControl(schema.default === undefined ? '' : JSON.stringify(schema.default), kindOf(schema), needed);
  }
}

/** @param {unknown[]} values @param {unknown} usual @param {boolean} needed */
function choiceControl(values, usual, needed) {
  const words = (/** @type {unknown} */ value) =>
    typeof value === 'string' ? value : ({ true: 'yes', false: 'no' }[String(value)] ?? JSON.stringify(value));
  const select = /** @type {HTMLSelectElement} */ (
    make(
      'select',
      {},
      ...(needed ? [] : [make('option', { value: UNSET }, 'not given')]),
      ...values.map((value, index) =>
        make('option', { value: `${index}`, selected: value === usual && usual !== undefined }, words(value)),
      ),
    )
  );
  return { control: select, read: () => (select.value === UNSET ? {} : { value: values[Number(select.value)] }) };
}

/** @param {any} schema @param {boolean} needed */
function numberControl(schema, needed) {
  const whole = schema.type === 'integer';
  const input = /** @type {HTMLInputElement} */ (
    make('input', {
      type: 'number',
      step: whole ? 1 : 'any',
      min: schema.minimum,
      max: schema.maximum,
      value: schema.default,
    })
  );
  return {
    control: input,
    read: () => {
      if (input.validity.badInput || !input.validity.valid)
        return { wrong: input.validationMessage || 'Write a number.' };
      if (input.value === '') return needed ? { wrong: 'Write a number.' } : {};
      return { value: Number(input.value) };
    },
  };
}

/** @param {any} schema @param {boolean} needed */
function textControl(schema, needed) {
  const long =
    schema.format === undefined &&
    (schema.maxLength === undefined
      ? /text|body|message|content/i.test(schema.description ?? '')
      : schema.maxLength > 200);
  const input = /** @type {HTMLInputElement} */ (
    make(long ? 'textarea' : 'input', long ? { rows: 3 } : { type: 'text', autocomplete: 'off' })
  );
  if (schema.default !== undefined) input.value = String(schema.default);
  return {
    control: input,
    read: () => {
      if (input.value !== '') return { value: input.value };
      return needed ? { wrong: 'This is required.' } : {};
    },
  };
}

/** @param {string} text @param {string} kind @param {boolean} [needed] */
function jsonControl(text, kind, needed = true) {
  const area = /** @type {HTMLTextAreaElement} */ (
    make('textarea.json', { rows: 3, spellcheck: 'false', placeholder: kind.startsWith('list') ? '[ … ]' : '{ … }' })
  );
  area.value = text;
  return {
    control: area,
    read: () => {
      if (!area.value.trim()) return needed ? { wrong: 'Write JSON.' } : {};
      try {
        return { value: JSON.parse(area.value) };
      } catch (problem) {
        return { wrong: `This is not JSON: ${/** @type {Error} */ (problem).message}` };
      }
    },
  };
}

/**
 * A control with its label, its hint and a place for what is wrong.
 * @param {string} key @param {any} schema @param {boolean} needed
 * @param {{control: HTMLElement, read: Field['read']}} made
 * @returns {Field}
 */
function dressed(key, schema, needed, { control, read }) {
  const id = `field-${++ids}`;
  const hint = typeof schema.description === 'string' ? schema.description : '';
  control.id = id;
  control.setAttribute('data-field', key);
  control.setAttribute('aria-describedby', `${id}-hint ${id}-wrong`);
  if (needed) control.setAttribute('aria-required', 'true');
  const element = make(
    'div.field',
    {},
    make(
      'label',
      { for: id },
      make('code', {}, key),
      make('span.quiet', {}, ` ${kindOf(schema)}${needed ? ', required' : ''}`),
    ),
    control,
    make('p.hint', { id: `${id}-hint` }, hint),
    make('p.wrong', { id: `${id}-wrong` }),
  );
  return { element, control, read };
}
