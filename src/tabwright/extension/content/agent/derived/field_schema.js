/**
 * Fields as JSON Schema properties.
 *
 * What the page had put into a field when it was first seen is its default, and stays it: frameworks write what is
 * typed back into the attributes, and a tool whose definition changed with every key would be stale all the time.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Field} Field */

  const ENUM_MAX = 50;
  const EXAMPLES = 5;
  const TEXT_MAX = 140;
  /** @type {Record<string, {pattern?: string, format?: string, hint?: string}>} */
  const KINDS = {
    date: { format: 'date', hint: 'YYYY-MM-DD' },
    time: { pattern: '^\\d{2}:\\d{2}(:\\d{2})?$', hint: 'HH:MM' },
    'datetime-local': { pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?$', hint: 'YYYY-MM-DDTHH:MM' },
    month: { pattern: '^\\d{4}-\\d{2}$', hint: 'YYYY-MM' },
    week: { pattern: '^\\d{4}-W\\d{2}$', hint: 'YYYY-Www' },
    color: { pattern: '^#[0-9a-fA-F]{6}$', hint: '#rrggbb' },
    email: { format: 'email' },
    url: { format: 'uri' },
    password: { format: 'password' },
  };

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const names = parts.get('names');
    const codes = parts.get('code_boxes');
    const { isAsking, kindOf, labelOf, options, currentValue, takesMany, poolOf, isCode } = parts.get('fields');
    const { groupOf, isDay } = parts.get('field_groups');
    const { isSecret } = parts.get('secrets');
    /** @type {WeakMap<Element, unknown>} */
    const firstSeen = new WeakMap();
    /** What the person typed into; for a closed shadow root its host. @type {WeakSet<EventTarget>} */
    const edited = new WeakSet();
    addEventListener(
      'input',
      (event) => {
        const [target] = event.composedPath();
        if (event.isTrusted && target) edited.add(target);
      },
      { capture: true, passive: true },
    );

    const first = (/** @type {Field} */ field) => (Array.isArray(field) ? field[0] : field);
    const host = (/** @type {Element} */ element) => {
      const root = element.getRootNode();
      return root instanceof ShadowRoot ? root.host : null;
    };

    /** @param {Element | null} around */
    const isComponent = (around) => {
      const shadow = around && dom.shadowOf(around);
      return shadow !== null && shadow.querySelectorAll('input:not([type=hidden]),select,textarea').length === 1;
    };

    /**
     * What the page put into a field, not what the person typed: that is theirs, and it would make the tool another one
     * whenever the agent is loaded anew.
     */
    const initial = (/** @type {Field} */ field) => {
      const element = /** @type {any} */ (first(field));
      const isInitial = (/** @type {any} */ choice) => choice.defaultSelected === true || choice.defaultChecked === true;
      switch (kindOf(field)) {
        case 'checkbox':
          return element.defaultChecked ?? currentValue(field);
        case 'checks':
        case 'multiple':
          if (poolOf(element)) return currentValue(field);
          return options(field).flatMap((choice) => (isInitial(choice.element) ? [choice.label] : []));
        case 'radios':
        case 'select': {
          const chosen = options(field).find((choice) => isInitial(choice.element));
          if (chosen || element.defaultChecked !== undefined) return chosen?.label ?? '';
          if (!(element instanceof HTMLSelectElement)) return currentValue(field);
          // nothing marked: the browser takes the first, unless that is only there to ask for a choice
          return options(field).find((choice) => choice.element === element.options[0])?.label ?? '';
        }
        case 'stepped':
          return currentValue(field);
        case 'number':
          return [element.defaultValue, element.getAttribute('aria-valuenow') ?? '']
            .map((text) => (text === '' ? NaN : Number(text)))
            .find(Number.isFinite) ?? '';
        default:
          return element.defaultValue ?? '';
      }
    };

    /** Frameworks write what a person types into the attribute, where it looks like the page's own. */
    const isEdited = (/** @type {Field} */ field) => {
      if (!['text', 'combobox', 'editable'].includes(kindOf(field))) return false;
      const element = first(field);
      // Typed before anyone listened. Later a refused submission marks every field so, typed into or not.
      if (!firstSeen.has(element) && element.matches(':user-valid,:user-invalid')) edited.add(element);
      for (let at = /** @type {Element | null} */ (element); at; at = host(at)) if (edited.has(at)) return true;
      return false;
    };

    const original = (/** @type {Field} */ field) => {
      const element = first(field);
      if (!firstSeen.has(element)) {
        const value = initial(field);
        firstSeen.set(element, typeof value === 'string' && value.length > 200 ? `${value.slice(0, 200)}…` : value);
      }
      return firstSeen.get(element);
    };

    /** Says what the property's name does not: label, help, an example. */
    const describeText = (
      /** @type {Field} */ field,
      /** @type {string} */ label,
      /** @type {string} */ property,
      /** @type {string[]} */ more,
    ) => {
      const element = first(field);
      const same =
        names.words(label).join('') ===
        names.words(property.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' ')).join('');
      const help =
        Array.isArray(field) || element.getAttribute('aria-invalid') === 'true'
          ? ''
          : dom.referred(element, 'aria-describedby', TEXT_MAX);
      const placeholder = dom.collapse(element.getAttribute('placeholder') ?? '');
      const hint =
        placeholder && placeholder !== label && !isAsking(placeholder) ? `Like: ${placeholder}` : '';
      return [same ? '' : label, help === label ? '' : help, hint, ...more]
        .filter(Boolean)
        .map((part) => dom.cut(part, TEXT_MAX).replace(/[.…?!。？！]?$/, (end) => end || '.'))
        .join(' ');
    };

    const limits = (/** @type {HTMLInputElement} */ input) => {
      /** @type {import('../agent').JsonSchema} */
      const found = {};
      if (input.minLength > 0) found.minLength = input.minLength;
      if (input.maxLength > 0 && input.maxLength < 100_000) found.maxLength = input.maxLength;
      const { pattern } = input;
      if (pattern && pattern.length <= 200) {
        try {
          void new RegExp(pattern, 'v');
          found.pattern = `^(?:${pattern})$`;
        } catch {
          // Browsers ignore a pattern they cannot read, so do we.
        }
      }
      return found;
    };

    const range = (/** @type {HTMLInputElement} */ input) => {
      /** @type {import('../agent').JsonSchema} */
      const found = {};
      const unsaid = /** @type {Record<string, string>} */ (input.type === 'range' ? { min: '0', max: '100' } : {});
      const said = ['min', 'max', 'step'].map((name) => input.getAttribute(name) ?? input.getAttribute(`aria-value${name}`) ?? unsaid[name] ?? '');
      const [low, high, step] = said.map((text) => (text.trim() === '' ? NaN : Number(text)));
      if (Number.isFinite(low)) found.minimum = low;
      if (Number.isFinite(high)) found.maximum = high;
      // Steps count from the minimum in HTML and from zero in JSON Schema.
      if (Number.isInteger(step) && step > 1 && (!Number.isFinite(low) || low % step === 0)) found.multipleOf = step;
      return found;
    };

    const listed = (/** @type {import('../agent').Choice[]} */ choices) => ({
      labels: choices.map((choice) => choice.label),
      examples: `One of ${choices.length}, such as ${choices
        .slice(0, EXAMPLES)
        .map((choice) => choice.label)
        .join(', ')}`,
    });

    /** @type {(field: Field, kind: import('../agent').FieldKind) => {schema: import('../agent').JsonSchema, more: string[]}} */
    const typed = (field, kind) => {
      const input = /** @type {HTMLInputElement} */ (first(field));
      if (kind === 'checkbox') return { schema: { type: 'boolean' }, more: [] };
      if (kind === 'number' || kind === 'stepped') return { schema: { type: 'number', ...range(input) }, more: [] };
      if (kind === 'select' || kind === 'radios' || kind === 'multiple' || kind === 'checks') {
        const { labels, examples } = listed(options(field));
        const few = labels.length <= ENUM_MAX;
        const one = few ? { type: 'string', enum: labels } : { type: 'string' };
        const many = kind === 'multiple' || kind === 'checks';
        return { schema: many ? { type: 'array', items: one, uniqueItems: true } : one, more: few ? [] : [examples] };
      }
      if ((kind === 'picker' || kind === 'combobox') && takesMany(input))
        return { schema: { type: 'array', items: { type: 'string' }, uniqueItems: true }, more: ['Opens a list; give the texts of the options'] };
      if (kind === 'picker' && isDay(input)) return { schema: { type: 'string', format: 'date' }, more: [] };
      if (kind === 'picker') return { schema: { type: 'string' }, more: ['Opens a list; give the text of the option'] };
      const whole = parts.get('filling_segments').whole(input);
      if (kind === 'editable' && !whole) return { schema: { type: 'string' }, more: [] };
      const { hint, ...shape } = input.matches('[type=email][multiple]') ? { hint: 'Several with commas' } : KINDS[whole?.shape ?? input.type] ?? {};
      const more = hint && !shape.format ? [hint] : [];
      if (shape.format === 'date' && (input.min || input.max)) {
        more.push([input.min && `from ${input.min}`, input.max && `to ${input.max}`].filter(Boolean).join(' '));
      }
      const choices = options(field);
      if (choices.length)
        more.push(
          `Suggestions: ${choices
            .slice(0, EXAMPLES)
            .map((choice) => choice.label)
            .join(', ')}`,
        );
      return { schema: { type: 'string', ...(whole ? {} : limits(input)), ...shape }, more };
    };

    /** A name for a field whose label has no letter of ours. */
    const wordFor = (/** @type {Field} */ field) => {
      const element = first(field);
      const told = (element.getAttribute('autocomplete') ?? '').split(' ').at(-1) ?? '';
      if (/^[a-z]{3,}(?:-[a-z]+)*$/.test(told) && !/^o(?:n|ff)$/.test(told))
        return told.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
      if (isCode(field)) return 'code';
      const type = element.getAttribute('type') ?? '';
      return KINDS[type] || type === 'tel' || type === 'number'
        ? type.replace(/-.*/, '')
        : element.matches('select')
          ? 'choice'
          : 'text';
    };

    /** What a list that nothing else names asks for by itself: "Select country". */
    const askedBy = (/** @type {Element} */ element) => {
      const said = element instanceof HTMLSelectElement ? dom.collapse(element.options[0]?.label ?? '').replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '') : '';
      if (!said || !isAsking(said)) return '';
      const [asks] = parts.get('deeds').words('select').filter((each) => said.toLowerCase().startsWith(`${each} `)).sort((one, other) => other.length - one.length);
      return asks ? said.slice(asks.length).trim().replace(/^(?:an?|the|your|eine?n?|une?|una?|o|a)\s+/i, '') : '';
    };

    /** One field for all boxes; what stands in them is nobody's default. @param {HTMLInputElement[]} boxes */
    const describeCode = (boxes) => {
      const [name, id] = ['name', 'id'].map((each) => codes.stemOf(boxes[0].getAttribute(each) ?? ''));
      const label = codes.labelOf(boxes);
      const property = names.property({ name, id, label }, 'code');
      const size = boxes.length;
      const told = describeText(boxes[0], label, property, [`${size} characters, one for each box`]);
      const required = boxes.some((each) => each.required || each.getAttribute('aria-required') === 'true');
      return { property, schema: { type: 'string', minLength: size, maxLength: size, description: told }, required, label: label || property };
    };

    /** @type {import('./derived').FieldSchema['describe']} */
    const describe = (field, search = false) => {
      const element = first(field);
      const boxes = Array.isArray(field) ? null : codes.of(element);
      if (boxes) return describeCode(boxes);
      const kind = kindOf(field);
      // What stands in the middle of a section by itself is what the section is about.
      const isText = element.matches('textarea') || (kind === 'editable' && !isCode(field));
      const label = labelOf(field) || (isText ? dom.headingOf(element) : askedBy(element));
      const around = Array.isArray(field) && !element.hasAttribute('name') ? groupOf(element) : host(element);
      // What is called so within a component of one field is called so in all of its kind.
      const inner = !Array.isArray(field) && isComponent(around) ? null : element;
      const attribute = (/** @type {string} */ name) => inner?.getAttribute(name) || dom.bare(around)?.getAttribute(name) || '';
      // A widget that is drawn in the place of a field makes its id of the field's.
      const id = Array.isArray(field) || (kind === 'picker' && /-(?:button|trigger)$/.test(attribute('id'))) ? '' : attribute('id');
      const property = names.property(
        { name: attribute('name'), id, label, search },
        wordFor(field),
      );
      const { schema, more } = typed(field, kind);
      if ((kind === 'select' || kind === 'radios') && Array.isArray(schema.enum) && schema.enum.length === 0)
        return null;
      const told = describeText(field, label, property, more);
      if (told) schema.description = told;
      const isPrivate = isSecret(field) || isEdited(field);
      const held = original(field);
      const isHeld = Array.isArray(held) ? held.length > 0 : held !== '' && held !== false;
      const every = Array.isArray(field) ? field : [field];
      const required =
        every.some(
          (each) => /** @type {any} */ (each).required === true || each.getAttribute('aria-required') === 'true',
        ) ||
        (/^\s*[*＊]|[*＊]\s*$/.test(dom.rawLabelOf(element)) && !Array.isArray(field));
      // A box that must be ticked has no default worth keeping.
      if (!isPrivate && (isHeld || (kind === 'checkbox' && !required))) schema.default = held;
      return { property, schema, required: required && !isHeld, label: label || property };
    };

    return { describe };
  };

  agent.part('field_schema', make);
})();
