/**
 * Parts of a date or a time that are typed into one by one: spin buttons that are edited in place. They hear each letter,
 * draw what they make of it, and go on to the next part by themselves once no letter more would make sense.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const SEGMENT = '[role=spinbutton]:is([contenteditable=""],[contenteditable=true],[contenteditable=plaintext-only])';
  const TAKEN_MS = 600;
  const STEP_MS = 30;
  const ROUNDS = 2;
  const SEVERAL = /\d\D+\d/;
  /** Marks of direction and of width that are drawn beside the letters. */
  const UNSEEN = /[\u200b-\u200f\u2060-\u2069\ufeff]/g;

  const fold = (/** @type {string} */ text) => text.replace(UNSEEN, '').trim().toLowerCase().replace(/^([ap])\.?\s?m\.?$/, '$1m');

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const rich = parts.get('filling_rich');
    const dates = parts.get('filling_dates');
    const { pause } = parts.get('rest');

    /** @type {import('./filling').FillingSegments['is']} */
    const is = (element) => element.matches(SEGMENT);

    /** @type {import('./filling').FillingSegments['whole']} */
    const whole = (element) => {
      const all = is(element) ? dates.partsOf(element, SEGMENT) : [];
      const shape = all.length > 1 ? dates.shapeOf(all) : null;
      return shape && { parts: all, shape };
    };

    /** @type {import('./filling').FillingSegments['current']} */
    const current = (element) => (element.hasAttribute('aria-valuenow') ? (element.textContent ?? '').replace(UNSEEN, '').trim() : '');

    /** "3" of twelve is typed as 03: a part that could still become 30 would wait for more. */
    const asTyped = (/** @type {Element} */ element, /** @type {string} */ text) =>
      (/^\d+$/.test(text) ? text.padStart((element.getAttribute('aria-valuemax') ?? '').length, '0') : text);

    const holds = (/** @type {Element} */ element, /** @type {string} */ text) => {
      const shown = current(element);
      const said = [shown, element.getAttribute('aria-valuetext') ?? ''].map(fold);
      if (text === '') return shown === '';
      const isNumber = /^\d+$/.test(text) && [shown, element.getAttribute('aria-valuenow')].some((each) => each !== '' && Number(each) === Number(text));
      return shown !== '' && (isNumber || said.includes(fold(text)));
    };

    /** One that is too large would be taken for two, and the second for the next part. */
    const bounds = (/** @type {Element} */ element, /** @type {string} */ text) => {
      const [least, most] = ['aria-valuemin', 'aria-valuemax'].map((name) => element.getAttribute(name));
      const isOutside = /^\d+$/.test(text) && least !== null && most !== null && (Number(text) < Number(least) || Number(text) > Number(most));
      return isOutside ? `It takes ${least} to ${most}.` : '';
    };

    /** Some give up all they hold at once, others digit by digit. */
    const type = async (/** @type {HTMLElement} */ element, /** @type {string} */ text) => {
      element.focus({ preventScroll: true });
      // It takes the focus for the person's, and may put its own selection there.
      await rich.frame();
      for (const letter of text === '' ? Array(current(element).length).fill('') : asTyped(element, text)) {
        await rich.type(element, letter);
        await rich.frame();
      }
      for (let waited = 0; waited < TAKEN_MS && !holds(element, text); waited += STEP_MS) await pause(STEP_MS);
      return holds(element, text);
    };

    /** @returns {Promise<import('./filling').Outcome>} */
    const put = async (/** @type {HTMLElement} */ element, /** @type {string} */ text) => {
      let ok = false;
      for (let round = 0; round < ROUNDS && !ok; round += 1) {
        // What was typed there before is forgotten with the focus.
        element.blur();
        ok = await type(element, text);
      }
      if (ok) return { ok, value: current(element) };
      if (/^\d+$/.test(text)) return parts.get('filling_widgets').step(element, Number(text));
      return { ok, value: current(element), problem: `It shows ${JSON.stringify((element.textContent ?? '').trim())}. Click it with computer and type.` };
    };

    /** A date or time that one part cannot hold goes to all of them. @returns {Promise<import('./filling').Outcome>} */
    const putAll = async (/** @type {HTMLElement} */ element, /** @type {string} */ text) => {
      const all = dates.partsOf(element, SEGMENT);
      const value = dates.read(text);
      const each = text === '' ? all.map((part) => ({ part, text })) : value && dates.spread(all, value);
      if (!each) {
        return { ok: false, value: current(element), problem: `It is one of ${all.length} parts, which do not take ${JSON.stringify(text)}. Give each its own value, or any of them a date as 2026-03-14, a time as 09:30.` };
      }
      for (const { part, text: wanted } of each) {
        const outcome = await put(/** @type {HTMLElement} */ (part), wanted);
        if (!outcome.ok) return { ...outcome, isPartly: true, problem: `The parts show ${all.map(current).join(' ')}.` };
      }
      return { ok: true, value: current(element), problem: `All parts together show ${all.map(current).join(' ')}` };
    };

    /** @type {import('./filling').FillingSegments['set']} */
    const set = async (given, wanted, isWhole = false) => {
      const [element, text] = [/** @type {HTMLElement} */ (given), wanted.trim()];
      if ((SEVERAL.test(text) || isWhole) && dates.partsOf(element, SEGMENT).length > 1) return putAll(element, text);
      const problem = bounds(element, text);
      return problem ? { ok: false, value: current(element), problem } : put(element, text);
    };

    return { is, whole, current, set };
  };

  agent.part('filling_segments', make);
})();
