/**
 * Filling in and sending a form: what was given is filled in, what was not is left alone, then its button is pressed,
 * and the answer tells what came of it or what the form complains about.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./derived').FormUnit} FormUnit */
  /** @typedef {import('./derived').FormSlot} Slot */
  /** @typedef {import('./derived').RunResult} RunResult */

  const ENABLED_MS = 600;
  const STEP_MS = 30;
  const REFUSED = '.invalid,.is-invalid,.error,.has-error';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const fill = parts.get('fill');
    const act = parts.get('act');
    const settle = parts.get('settle');
    const { pause } = parts.get('rest');

    const firstOf = (/** @type {import('../agent').Field} */ field) => (Array.isArray(field) ? field[0] : field);

    /** @returns {RunResult} */
    const refuse = (/** @type {string} */ text) => ({ text, isError: true });

    /** Frameworks may have drawn a field anew since it was found. */
    const present = (/** @type {Element} */ element, /** @type {string} */ path) =>
      element.isConnected ? element : dom.byPath(path);

    const enabled = async (/** @type {() => Element | null} */ find) => {
      for (let waited = 0; waited < ENABLED_MS; waited += STEP_MS) {
        const button = find();
        if (button && dom.isEnabled(button)) return button;
        await pause(STEP_MS);
      }
      return null;
    };

    /** Some take what is typed away and show it beside the field. @type {(element: HTMLInputElement, value: unknown) => boolean} */
    const isDropped = (element, value) =>
      typeof value === 'string' && value.trim() !== '' && element.value === '' &&
      parts.get('fields').kindOf(element) === 'text' && !parts.get('secrets').isSecret(element) && parts.get('shown_values').shownValue(element) === '';

    /** A search that has nothing to send it with and nowhere to send it to: it may answer while one types. */
    const isLive = (/** @type {FormUnit} */ { purpose, form, buttons, fields: own }) =>
      purpose === 'search' && form !== null && buttons.length === 0 && own.length === 1 && !dom.bare(form).getAttribute('action');

    /** @returns {Promise<import('./derived').RunResult>} */
    const run = async (
      /** @type {FormUnit} */ unit,
      /** @type {Slot[]} */ slots,
      /** @type {Record<string, unknown>} */ args,
    ) => {
      const given = slots.filter((slot) => args[slot.property] !== undefined);
      const paths = given.map(({ field }) => (Array.isArray(field) ? field : [field]).map((each) => dom.pathOf(each)));
      const button = unit.buttons.find((each) => dom.nameOf(each) === args.press) ?? unit.buttons[0] ?? null;
      const buttonPath = button ? dom.pathOf(button) : '';
      // Read before it is pressed: many say "Saving…" then.
      const buttonLabel = button ? dom.nameOf(button) : '';
      const isLone = button === null && unit.form === null;
      /** @type {string[]} */
      const notes = [];
      const fillIn = async () => {
        for (const [index, { field, property, label }] of given.entries()) {
          const found = (Array.isArray(field) ? field : [field]).map((each, place) =>
            present(each, paths[index][place]),
          );
          if (found.some((each) => each === null)) return `The field ${label} is gone. List the page's tools again.`;
          const now = /** @type {Element[]} */ (found);
          const outcome = await fill.set(Array.isArray(field) ? now : now[0], args[property], {
            plain: unit.purpose === 'search' && slots.length === 1,
            stay: (isLone || isLive(unit)) && index === given.length - 1,
          });
          if (!outcome.ok) return `${label} ${outcome.problem}.`;
          if (outcome.problem) notes.push(`${label}: ${outcome.problem}.`);
        }
        return '';
      };
      /** What was typed and taken may be dropped once the field is left. */
      const dropped = async () => {
        await pause(0);
        const lost = given.find(({ field, property }, index) => {
          const element = Array.isArray(field) ? null : present(field, paths[index][0]);
          return element instanceof HTMLInputElement && isDropped(element, args[property]);
        });
        return lost ? `${lost.label} did not keep ${JSON.stringify(args[lost.property])} and is empty. Write it as the field wants it, or fill it in with computer.` : '';
      };
      if (unit.purpose === 'set') {
        let problem = '';
        const settled = await settle.after(
          async () => {
            problem = await fillIn();
          },
          { form: unit.container },
        );
        return problem ? refuse(problem) : answer('Changed.', settled, notes);
      }
      if (isLive(unit)) {
        let problem = '';
        const typed = await settle.after(async () => { problem = await fillIn(); }, { form: unit.container });
        if (problem) return refuse(`${problem} Nothing was sent.`);
        // To send it would load the page anew, without what was found.
        if (!parts.get('settle_signs').isCalm(typed.lines) || typed.navigated) return answer('Typed.', typed, notes);
      }
      // One that filters as one types has answered before Enter.
      const isFilter = isLone && unit.purpose === 'search';
      let problem = isLive(unit) || isFilter ? '' : (await fillIn()) || (await dropped());
      if (problem) return refuse(`${problem} Nothing was sent.`);
      const ready = button ? await enabled(() => present(button, buttonPath)) : null;
      if (button && !ready)
        return refuse(
          `Filled in, but “${buttonLabel}” stays disabled. Perhaps a field is missing or not accepted.`,
        );
      const last = given.at(-1);
      const settled = await settle.after(
        async () => {
          if (isFilter) problem = await fillIn();
          if (problem) return;
          if (ready || unit.form) await act.submit(/** @type {Element} */ (unit.form ?? unit.container), ready);
          else if (last) await act.pressEnter(firstOf(last.field));
        },
        { form: unit.container },
      );
      if (problem) return refuse(`${problem} Nothing was sent.`);
      const errors = settled.errors.length > 0 || settled.navigated ? settled.errors : refusals(given, paths);
      return answer(ready ? `Pressed “${buttonLabel}”.` : 'Pressed Enter.', { ...settled, errors }, notes);
    };

    /** What fields say that were marked as wrong by their looks alone; the reason is often their tooltip. */
    const refusals = (/** @type {Slot[]} */ given, /** @type {string[][]} */ paths) =>
      given.flatMap(({ field, label }, index) => {
        const element = present(firstOf(field), paths[index][0]);
        if (!element?.matches(REFUSED) || !dom.isVisible(element)) return [];
        const reason = dom.collapse(element.getAttribute('title') ?? '');
        return [`${label}: ${reason || 'is not accepted'}`];
      });

    /** @returns {import('./derived').RunResult} */
    const answer = (
      /** @type {string} */ did,
      /** @type {import('../agent').Settled} */ { lines, errors },
      /** @type {string[]} */ notes,
    ) => {
      if (errors.length === 0) return { text: [did, ...notes, ...lines].join('\n') };
      const text = [
        `${did} The form was not accepted:`,
        ...errors.map((error) => `- ${error}`),
        ...notes,
        ...lines,
      ].join('\n');
      return { text, isError: true, structured: { errors } };
    };

    /** What was typed into secret fields never comes back. */
    const withoutSecrets = (
      /** @type {import('./derived').RunResult} */ result,
      /** @type {Slot[]} */ slots,
      /** @type {Record<string, unknown>} */ args,
    ) => {
      const given = slots.map(({ field, property }) => ({ field, value: args[property] }));
      const text = parts.get('secrets').withoutSecrets(result.text, given);
      return text === result.text ? result : { text, isError: result.isError ?? false };
    };

    /** @type {import('./derived').FormRun['send']} */
    const send = async (unit, slots, args) => withoutSecrets(await run(unit, slots, args), slots, args);

    return { send };
  };

  agent.part('form_run', make);
})();
