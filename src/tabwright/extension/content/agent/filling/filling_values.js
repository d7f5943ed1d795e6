/**
 * What a field takes: a value as its kind spells it, or a refusal that says what is wanted. Nothing is touched here.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const DATE = String.raw`\d{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
  const TIME = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?`;
  const ZONE = String.raw`(?:Z|[+-]\d{2}:?\d{2})?`;
  /** Per type: what is looked for in the value, and how it is wanted. @type {Record<string, {shape: RegExp, wanted: string}>} */
  const SHAPES = {
    date: { shape: new RegExp(`^(${DATE})(?:[T ]${TIME}${ZONE})?$`), wanted: 'a date like 2026-03-31' },
    time: { shape: new RegExp(`^(?:${DATE}[T ])?(${TIME})${ZONE}$`), wanted: 'a time like 14:30' },
    'datetime-local': { shape: new RegExp(`^(${DATE}[T ]${TIME})$`), wanted: 'a date and time like 2026-03-31T14:30, without a zone' },
    month: { shape: new RegExp(String.raw`^(\d{4,6}-(?:0[1-9]|1[0-2]))(?:-\d{2})?$`), wanted: 'a month like 2026-03' },
    week: { shape: /^(\d{4,6}-W(?:0[1-9]|[1-4]\d|5[0-3]))$/i, wanted: 'a week like 2026-W13' },
  };
  const YES = /^(?:true|yes|on|1|checked)$/i;
  const NO = /^(?:false|no|off|0|unchecked|)$/i;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const fields = parts.get('fields');
    const codes = parts.get('code_boxes');

    const refuse = (/** @type {string} */ problem) => parts.refusal(problem, -32602, 'invalid_arguments');

    /** A colour in any of CSS's spellings, as the input spells it. */
    const colour = (/** @type {string} */ text) => {
      const context = CSS.supports('color', text) ? new OffscreenCanvas(1, 1).getContext('2d') : null;
      if (context) context.fillStyle = text;
      const hex = context ? String(context.fillStyle) : '';
      if (!/^#[0-9a-f]{6}$/.test(hex)) throw refuse('It takes a colour like #1a2b3c.');
      return hex;
    };

    /** @type {(input: HTMLInputElement, text: string) => string} */
    const number = (input, text) => {
      const value = text.trim() === '' ? NaN : Number(text);
      if (Number.isFinite(value)) return text.trim();
      if (text.trim() === '' && input.type === 'number') return '';
      const [low, high] = input.type === 'range' ? [input.min || '0', input.max || '100'] : [input.min, input.max];
      const bounds = [low && `from ${low}`, high && `to ${high}`].filter(Boolean).join(' ');
      throw refuse(`It takes a number${bounds && ` ${bounds}`}.`);
    };

    /** @type {(input: HTMLInputElement, text: string) => string} */
    const typed = (input, text) => {
      const boxes = text.length > 1 ? codes.of(input) : null;
      if (boxes) {
        const { length } = codes.charactersOf(text);
        if (length === boxes.length) return text;
        throw refuse(`It takes ${boxes.length} characters, one for each of its boxes; these are ${length}.`);
      }
      const known = SHAPES[input.type];
      if (known) {
        const found = text.trim() === '' ? '' : known.shape.exec(text.trim())?.[1];
        if (found === undefined) throw refuse(`It takes ${known.wanted}.`);
        return found.replace(' ', 'T').toUpperCase();
      }
      if (input.type === 'color') return colour(text.trim());
      if (input.type === 'number' || input.type === 'range') return number(input, text);
      // Typing ends there for a person; a script could go on, and the site would have what it does not expect.
      if (input.maxLength >= 0 && text.length > input.maxLength) {
        throw refuse(`It takes at most ${input.maxLength} characters; these are ${text.length}.`);
      }
      if (input instanceof HTMLInputElement && /[\r\n]/.test(text)) throw refuse('It takes a single line.');
      return text;
    };

    /** @type {import('./filling').FillingValues['isYes']} */
    const isYes = (value) => {
      if (YES.test(String(value))) return true;
      if (NO.test(String(value))) return false;
      throw refuse('It takes true or false.');
    };

    /** @type {import('./filling').FillingValues['fit']} */
    const fit = (field, value) => {
      const kind = fields.kindOf(field);
      if (kind === 'checks' || kind === 'multiple') return Array.isArray(value) ? value.map(String) : value === '' ? [] : [String(value)];
      if (Array.isArray(value)) {
        if (value.length !== 1) throw refuse('It takes one value, not a list.');
        return fit(field, value[0]);
      }
      if (kind === 'checkbox') return isYes(value);
      if (typeof value === 'boolean' && kind !== 'select' && kind !== 'radios') throw refuse('It takes text, not true or false.');
      const element = Array.isArray(field) ? field[0] : field;
      const isTyped = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const plain = kind === 'text' || kind === 'number' || kind === 'combobox';
      return isTyped && plain ? typed(/** @type {HTMLInputElement} */ (element), String(value)) : String(value);
    };

    return { fit, isYes };
  };

  agent.part('filling_values', make);
})();
