/**
 * Forms and search boxes as tools: `search_flights(from, to, departDate, returnDate?, passengers = 1)`. A call fills
 * in what it was given, leaves the rest alone, presses the button and tells what came of it.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./derived').FormUnit} FormUnit */
  /** @typedef {import('./derived').IntrospectionContext} Context */
  /** @typedef {import('./derived').FormSlot} Slot */

  const BUTTONS_MAX = 6;
  const HEADINGS_MAX = 40;
  const ADDRESS_MAX = 120;
  const OPENERS = 'summary,button[aria-expanded=true],[role=button][aria-expanded=true]';
  // Choices of what to do with ticked rows, even where there is no row to tick.
  const BULK = /^(?:bulk |batch |mass )?actions?$|\b(?:with )?selected\b/i;
  const ROW = 'li,tr,article,[role=row],[role=listitem],[class*=card],[class*=item],[class*=product]';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const names = parts.get('names');
    const wording = parts.get('wording');
    const fields = parts.get('fields');
    const units = parts.get('form_units');
    const { isTyped, onlyReads } = parts.get('form_purpose');
    const { describe } = parts.get('field_schema');
    const { send } = parts.get('form_run');

    const firstOf = (/** @type {import('../agent').Field} */ field) => (Array.isArray(field) ? field[0] : field);

    /** Headings that name this form, the nearest first. */
    const headingsOf = (/** @type {FormUnit} */ { container, fields: own, purpose, section: headed }) => {
      if (headed) return [dom.textOf(headed, 80)];
      const bare = dom.bare(container);
      const isField = bare.matches(fields.SELECTOR);
      const label = isField
        ? ''
        : dom.referred(container, 'aria-labelledby') || bare.getAttribute('aria-label') || '';
      // Of a form in steps the headings of the others are hidden.
      const inside = [...bare.querySelectorAll('h1,h2,h3,h4,h5,h6,[role=heading],legend')]
        .slice(0, HEADINGS_MAX)
        .filter((heading) => heading.checkVisibility())
        .slice(0, 5)
        .filter((heading) =>
          own.every((field) => heading.compareDocumentPosition(firstOf(field)) & Node.DOCUMENT_POSITION_FOLLOWING),
        );
      const own1 = inside
        .filter((heading) => heading.localName !== 'legend' || own.every((field) => heading.parentElement?.contains(firstOf(field))))
        .map((heading) => dom.textOf(heading, 80));
      const above = dom.headingOf(container);
      // A search box often stands above the heading of what it searches.
      const section =
        purpose === 'search' && !above
          ? dom.closest(container, 'main,section,article,header,[role=main],[role=banner],aside,nav,body')
          : null;
      const below = section
        ? dom.headings(document).find((each) => each.localName === 'h1' && dom.bare(section).contains(each))
        : null;
      const near =
        below && dom.closest(below, 'main,section,article,header,[role=main],[role=banner],aside,nav,body') === section
          ? dom.textOf(below, 80)
          : '';
      // The page's title names what its one form does, where the nearest heading names the thing: "Change user", "ann".
      const title = dom.closest(container, 'header,footer,nav,aside')
        ? null
        : dom.headings(document).find((each) => each.localName === 'h1');
      const deed = title && title.checkVisibility() ? dom.textOf(title, 80) : '';
      const opener = openerOf(container);
      return [
        opener ? dom.nameOf(opener) : '',
        own1[0] ?? '',
        label,
        above,
        names.words(near).length <= 2 ? near : '',
        /^(?:add|change|edit|create|new|update|modify)\b/i.test(deed) ? deed : '',
      ].filter(Boolean);
    };

    /** The header that opened the part of the page this form is in, as in an accordion. */
    const openerOf = (/** @type {Element} */ container) => {
      for (let at = /** @type {Element | null} */ (container), up = 0; at && up < 4; at = dom.bare(at).parentElement, up += 1) {
        if (at !== container && dom.bare(at).matches('form,main,body,[role=main],[role=dialog]')) break;
        const before = dom.bare(at).previousElementSibling;
        if (before instanceof HTMLFormElement) break;
        const opener = before?.matches(OPENERS) ? before : before?.querySelector(`:scope > :is(${OPENERS})`);
        if (opener) return opener;
      }
      return null;
    };

    /** A field that works by Enter alone: `new-todo` says more than "What needs to be done?". */
    const loneName = (/** @type {Element} */ element, /** @type {string} */ label) => {
      const marks = [element.id, element.getAttribute('name') ?? '', ...element.classList];
      for (const mark of marks) {
        const match = /^(?:new|add|create)[-_]?([a-z][\w-]*)$/i.exec(mark);
        if (match) return names.verb(`add ${match[1].replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_]/g, ' ')}`);
      }
      const words = names.words(label);
      if (words.length === 0 || words.length > 4) return 'enter_text';
      if (/^(?:add|new|enter|type|write|send|post)$/.test(words[0])) return names.verb(label);
      return names.verb(`${/^(?:message|comment|reply|chat)$/.test(words[0]) ? 'send' : 'enter'} ${label}`);
    };

    /** The ticks of a table's or list's rows. */
    const isOfRows = (/** @type {import('../agent').Field} */ field) =>
      Array.isArray(field) && fields.kindOf(field) === 'checks' && field[0].closest('tr,li') !== null;

    const nameOf = (/** @type {FormUnit} */ unit, /** @type {string[]} */ headings, /** @type {Slot[]} */ slots) => {
      const { container, form, purpose, buttons } = unit;
      // What follows is advice: "Rich Text Area. Press ALT-0 for help."
      const labels = slots.map((slot) => slot.label.split(/[.!?]\s/, 1)[0] ?? '');
      if (purpose === 'set')
        return slots.length === 1 ? names.verb(`set ${labels[0]}`) : names.verb(`change ${headings[0] ?? 'settings'}`);
      const isLone = buttons.length === 0 && !form;
      if (isLone && purpose !== 'search') return loneName(container, labels[0]);
      // A choice of what to do with ticked rows is named after the choice.
      const choice = unit.fields.find((field) => fields.kindOf(field) === 'select');
      const said = choice ? fields.labelOf(choice) : '';
      if (choice && (BULK.test(said) || unit.fields.some(isOfRows))) return names.verb(`run ${said || 'action'}`);
      return names.form({
        submit: buttons[0] ? dom.nameOf(buttons[0]) : '',
        headings,
        labels,
        purpose,
        ids: ['aria-label', 'name', 'id'].map((mark) => dom.bare(container).getAttribute(mark) ?? '').filter(Boolean),
      });
    };

    /** What tells the street of one address from that of another. */
    const legendOf = (/** @type {Element} */ field) => {
      const group = dom.closest(field, 'fieldset,[role=group]');
      const legend = dom.bare(group)?.querySelector(':scope > legend');
      return group ? dom.referred(group, 'aria-labelledby') || dom.bare(group).getAttribute('aria-label') || (legend ? dom.textOf(legend, 80) : '') : '';
    };

    /** @returns {Slot[]} */
    const slotsOf = (/** @type {FormUnit} */ { fields: own, purpose }) => {
      const isLoneSearch = purpose === 'search' && own.length === 1;
      const described = own.flatMap((field) => {
        const told = describe(field, isLoneSearch);
        // What was searched for last is no default for the next search.
        if (isLoneSearch && told) delete told.schema.default;
        return told ? [{ ...told, field }] : [];
      });
      for (const each of described) {
        const isAlone = described.filter(({ property }) => property === each.property).length === 1;
        const group = isAlone ? '' : legendOf(firstOf(each.field));
        if (group) each.schema.description = `${group}: ${each.schema.description ?? each.label}`;
      }
      const unique = names.unique(described.map((each) => each.property));
      return described.map((each, index) => ({ ...each, property: unique[index] }));
    };

    const schemaOf = (/** @type {FormUnit} */ unit, /** @type {Slot[]} */ slots) => {
      /** @type {Record<string, import('../agent').JsonSchema>} */
      const properties = {};
      if (unit.repeats.length) {
        properties.index = {
          type: 'integer',
          minimum: 0,
          maximum: unit.repeats.length - 1,
          description: whichOf(unit),
        };
      }
      for (const { property, schema } of slots) properties[property] = schema;
      const labels = buttonLabels(unit);
      if (labels.length > 1 && !('press' in properties)) {
        properties.press = {
          type: 'string',
          enum: labels,
          default: labels[0],
          description: 'The button to send it with.',
        };
      }
      const required = [
        ...(unit.repeats.length ? ['index'] : []),
        ...slots.filter((slot) => slot.required).map((slot) => slot.property),
      ];
      if (unit.purpose === 'login') {
        for (const { field, property } of slots)
          if (isTyped(field) && !required.includes(property)) required.push(property);
      }
      // A search without a word to search for is no search, and a field alone is there to be filled in.
      const isLone = slots.length === 1 && (unit.purpose === 'search' || (unit.form === null && unit.buttons.length === 0));
      if (isLone && !required.includes(slots[0].property)) required.push(slots[0].property);
      return { type: 'object', properties, ...(required.length ? { required } : {}), additionalProperties: false };
    };

    const buttonLabels = (/** @type {FormUnit} */ unit) => [
      ...new Set(
        unit.buttons
          .slice(0, BUTTONS_MAX)
          .map((button) => dom.nameOf(button))
          .filter(Boolean),
      ),
    ];

    /** What an editor holds is no name for it: that changes with every call. */
    const whichOf = (/** @type {FormUnit} */ { repeats, fields: own }) => {
      const isCode = own.some((field) => fields.isCode(field));
      const items = repeats.slice(0, 8).map((each) => (isCode ? dom.headingOf(each) : itemOf(each)));
      if (new Set(items).size < items.length && isCode) return 'Which one, counted from 0 at the top.';
      return `Which one: ${items.map((item, index) => `${index} = ${item}`).join('; ')}`;
    };

    const itemOf = (/** @type {Element} */ container) => {
      const row = dom.closest(container, ROW) ?? container;
      const named = dom.bare(row).querySelector('h1,h2,h3,h4,h5,h6,[role=heading],th,a[href]');
      return dom.textOf(named ?? row, 40) || dom.textOf(row, 40);
    };

    const leftOut = (/** @type {Element} */ container) => {
      const files = [...dom.bare(container).querySelectorAll('input[type=file]')]
        .slice(0, 3)
        .filter(dom.isRendered)
        .map((file) => dom.labelOf(file) || 'a file');
      return files.length ? ` Files are left out: ${files.join(', ')}.` : '';
    };

    const descriptionOf = (/** @type {FormUnit} */ unit, /** @type {string} */ heading) => {
      const button = unit.buttons[0] ? dom.nameOf(unit.buttons[0]) : '';
      if (unit.repeats.length) {
        const how = button ? ` and presses “${button}”` : unit.purpose === 'set' ? '' : ' and presses Enter';
        return `Fills in one of ${unit.repeats.length} such forms${how}.`;
      }
      const about = heading ? ` “${heading}”` : '';
      if (unit.purpose === 'set') return `Changes${about || ' the field'} on this page at once.`;
      if (!button)
        return `${unit.purpose === 'search' ? 'Searches' : `Fills in${about || ' the field'}`} and presses Enter.`;
      const what = unit.purpose === 'search' ? `Searches${about && ` (${about.trim()})`}` : `Fills in the form${about}`;
      return `${what} and presses “${button}”.${addressOf(unit)}${leftOut(unit.container)}`;
    };

    /** Where the page says the form goes: another address makes another tool of it, however alike the two look. */
    const addressOf = (/** @type {FormUnit} */ { form, buttons }) => {
      const said = buttons[0]?.getAttribute('formaction') || dom.bare(form)?.getAttribute('action');
      if (!said || !URL.canParse(said, document.baseURI)) return '';
      const { origin, protocol, pathname } = new URL(said, document.baseURI);
      if (!/^https?:$/.test(protocol)) return '';
      return ` Address: “${dom.cut(origin === location.origin ? pathname : origin + pathname, ADDRESS_MAX)}”.`;
    };

    const scoreOf = (/** @type {FormUnit} */ unit) => {
      const { container, purpose, buttons, fields: own } = unit;
      let score = { search: 0.88, login: 0.95, set: 0.45, '': 0.7 }[purpose] + Math.min(own.length, 6) * 0.02;
      if (buttons.length === 0 && unit.form === null && purpose !== 'set') score -= 0.1;
      if (dom.closest(container, 'dialog,[role=dialog]')) score += 0.1;
      if (dom.closest(container, 'footer,aside,nav,[role=contentinfo],[role=complementary],[role=navigation]'))
        score -= 0.3;
      return Math.min(1, Math.max(0.1, score));
    };

    /** @returns {import('./derived').RunResult} */
    const refuse = (/** @type {string} */ text) => ({ text, isError: true });

    const checkArguments = (
      /** @type {import('../agent').JsonSchema} */ schema,
      /** @type {Record<string, unknown>} */ args,
    ) => {
      const known = Object.keys(/** @type {object} */ (schema.properties));
      const strange = Object.keys(args).filter((key) => !known.includes(key));
      if (strange.length) return `Unknown argument ${strange.join(', ')}. Known: ${known.join(', ')}.`;
      const missing = /** @type {string[]} */ (schema.required ?? []).filter((key) => args[key] === undefined);
      return missing.length ? `Missing: ${missing.join(', ')}.` : '';
    };

    /** @returns {import('./derived').Candidate | null} */
    const candidate = (/** @type {FormUnit} */ unit, /** @type {Context} */ context) => {
      const slots = slotsOf(unit);
      if (slots.length === 0) return null;
      const headings = headingsOf(unit);
      const name = nameOf(unit, headings, slots);
      const inputSchema = schemaOf(unit, slots);
      const deed = unit.buttons[0] ? dom.nameOf(unit.buttons[0]) : '';
      const annotations = wording.isDestructive(deed) ? { destructiveHint: true } : {};
      // Switches are buttons as well, and so is whatever hears a click.
      for (const pressed of [...unit.buttons, ...unit.fields.flat(), openerOf(unit.container)]) if (pressed) context.taken?.add(pressed);
      return {
        name,
        inputSchema,
        score: scoreOf(unit),
        element: unit.container,
        ...(unit.purpose === 'set' ? { sets: unit.fields.flat(), without: (isOther) => without(unit, isOther, context) } : {}),
        description: descriptionOf(unit, headings[0] ?? ''),
        annotations: onlyReads(unit) ? { readOnlyHint: true } : annotations,
        alternatives: headings.map((heading) =>
          names.verb([...new Set([...name.split('_'), ...names.words(heading)])].join(' ')),
        ),
        run: async (args) => {
          const problem = checkArguments(inputSchema, args);
          if (problem) return refuse(problem);
          if (unit.repeats.length === 0) return send(unit, slots, args);
          const container = unit.repeats[Number(args.index)];
          if (!dom.bare(container)?.isConnected)
            return refuse(`There is no ${String(args.index)}; index goes from 0 to ${unit.repeats.length - 1}.`);
          const again = units.again(container, { ...context, isVisible: dom.isVisible });
          const one = { ...again, purpose: unit.purpose };
          return send(one, slotsOf(one), args);
        },
      };
    };

    /** @returns {import('./derived').Candidate | null} */
    const without = (/** @type {FormUnit} */ unit, /** @type {(box: Element) => boolean} */ isOther, /** @type {Context} */ context) =>
      candidate({ ...unit, fields: unit.fields.filter((field) => ![field].flat().some(isOther)) }, context);

    /** @type {import('./derived').Introspector['find']} */
    const find = (context) => {
      // Forms that the page itself offers as tools are listed from there.
      for (const form of dom.queryAll(context.root, 'form[toolname]'))
        for (const button of dom.queryAll(form, 'button,input')) context.taken?.add(button);
      /** @type {import('./derived').Candidate[]} */
      const found = [];
      for (const unit of units.find(context)) {
        try {
          const made = candidate(unit, context);
          if (made) found.push(made);
        } catch {
          // A form too strange to describe: it alone is lost.
        }
      }
      return found;
    };

    return { find };
  };

  agent.part('forms', make);
})();
