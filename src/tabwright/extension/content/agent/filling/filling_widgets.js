/**
 * Fields that are made of other elements: sliders moved by keys, lists whose options show, lists that open. They take a
 * value as a person would give it, and what they say afterwards is what is told.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./filling').Outcome} Outcome */

  const TAKEN_MS = 300;
  const OPENED_MS = 1200;
  const STEP_MS = 30;
  const STEPS_MOST = 400;
  const FRAME_MS = 8;
  const DRAWN_MS = 64;
  const TOLD_MOST = 1000;
  const OFFERED_MOST = 12;

  const fold = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim().toLowerCase();

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const fields = parts.get('fields');
    const values = parts.get('filling_values');
    const act = parts.get('act');
    const keys = parts.get('keys');
    const { pause } = parts.get('rest');

    const optionsIn = (/** @type {Element} */ list) => {
      return dom.queryAll(list, '[role=option]').map((element) => ({ element, label: dom.nameOf(element) }));
    };
    const isSelected = (/** @type {Element} */ option) =>
      (option.getAttribute('aria-selected') ?? option.getAttribute('aria-checked')) === 'true';

    /** @type {import('./filling').FillingWidgets['selected']} */
    const selected = (list) => {
      const chosen = optionsIn(list).filter((each) => isSelected(each.element)).map((each) => each.label);
      return list.getAttribute('aria-multiselectable') === 'true' ? chosen : chosen[0] ?? '';
    };

    /** Sliders drawn by hand move by the keys that they promise. @type {(element: Element, wanted: number) => Promise<Outcome>} */
    const step = async (element, wanted) => {
      const now = () => Number(element.getAttribute('aria-valuenow') ?? NaN);
      if (Number.isNaN(now())) return { ok: false, value: '', problem: 'It does not tell its value as a number. Drag it with computer, or focus it and press arrow keys.' };
      const heard = element.hasAttribute('tabindex') ? element : element.querySelector('[tabindex="0"]') ?? element;
      /** Whether it does not move, as far as its page has drawn. */
      const stays = async (/** @type {number} */ before) => {
        await pause(0);
        for (let waited = 0; waited < DRAWN_MS && now() === before; waited += FRAME_MS) await pause(FRAME_MS);
        return now() === before;
      };
      /** @type {HTMLElement} */ (heard).focus?.({ preventScroll: true });
      // Of two thumbs the one with the focus is meant, which its page may note a moment later.
      await pause(FRAME_MS);
      for (let count = 0; count < STEPS_MOST && now() !== wanted; count += 1) {
        const before = now();
        keys.press(heard, wanted > before ? 'ArrowUp' : 'ArrowDown');
        if (await stays(before)) keys.press(heard, wanted > before ? 'ArrowRight' : 'ArrowLeft');
        if (now() === before) await stays(before);
        // It does not move, or it jumps over what is wanted.
        if (now() === before || (now() > wanted) !== (before > wanted)) break;
      }
      const value = now();
      return value === wanted ? { ok: true, value }
        : { ok: false, value, problem: `It stopped at ${value}. Drag it with computer, or focus it and press arrow keys.` };
    };

    /** @type {(list: Element, wanted: string[]) => Promise<Outcome>} */
    const select = async (list, wanted) => {
      const all = optionsIn(list);
      const missing = wanted.find((text) => !all.some((each) => fold(each.label) === fold(text)));
      if (missing !== undefined) return unknown(missing, all.map((each) => each.label));
      const isMany = list.getAttribute('aria-multiselectable') === 'true';
      for (const { element, label } of all) {
        const on = wanted.some((text) => fold(text) === fold(label));
        if (isSelected(element) !== on && (on || isMany)) await act.click(element);
        await pause(0);
      }
      return { ok: true, value: selected(list) };
    };

    const unknown = (/** @type {string} */ wanted, /** @type {string[]} */ offered) => {
      const listed = offered.slice(0, OFFERED_MOST).join(', ') + (offered.length > OFFERED_MOST ? ` and ${offered.length - OFFERED_MOST} more` : '');
      return { ok: false, value: '', problem: `It has no option ${JSON.stringify(wanted)}; it offers ${listed || 'none'}.` };
    };

    /** The innermost elements in sight that say no more than a few words. */
    const sayings = () => {
      return dom.queryAll(document, 'li,a,button,div,span,td,[role]').filter((each) => {
        if (each.childElementCount > 2 || (each.textContent ?? '').length > 200) return false;
        return dom.isVisible(each) && ![...each.children].some((child) => fold(child.textContent ?? '') === fold(each.textContent ?? ''));
      });
    };

    /**
     * A list made of plain elements: what appears when it is opened is what it offers. `before` is what showed before
     * anybody opened it; it may be open by now.
     * @type {(element: Element, wanted: string, before?: Set<Element>) => Promise<Outcome>}
     */
    const open = async (element, wanted, before = new Set(sayings())) => {
      const fresh = () => sayings().filter((each) => !before.has(each) && each.textContent?.trim());
      let shown = fresh();
      if (shown.length === 0) await act.click(element);
      for (let waited = 0; waited < OPENED_MS; waited += STEP_MS) {
        shown = fresh();
        const choice = shown.find((each) => fold(each.textContent ?? '') === fold(wanted) || each.getAttribute('data-value') === wanted);
        if (choice) {
          await act.click(choice);
          await pause(STEP_MS);
          return { ok: true, value: dom.textOf(element, TOLD_MOST) || wanted };
        }
        await pause(STEP_MS);
      }
      keys.down(element, 'Escape');
      if (shown.length === 0) return { ok: false, value: '', isBlank: true, problem: 'It opened no list. Click it with computer and look.' };
      return unknown(wanted, shown.map((each) => dom.textOf(each, 40)));
    };

    /** As one of those that can be taken away again: no longer offered, it would only be typed. */
    const isChosen = (/** @type {Element} */ element, /** @type {string} */ text) =>
      parts.get('shown_values').chosen(element).some(({ label, remover }) => remover !== null && fold(label) === fold(text));

    /** Lists that open; a list of values is all that is to be chosen. @type {(element: Element, value: unknown) => Promise<Outcome>} */
    const choose = async (element, value) => {
      const fill = parts.get('fill');
      const wanted = Array.isArray(value) ? value.map(String) : [String(value)];
      const all = wanted.map((each) => values.fit(element, each));
      if (wanted.length !== 1 || fields.takesMany(element) || isChosen(element, wanted[0])) return fill.set(element, all);
      const [text] = wanted;
      const before = fields.kindOf(element) === 'combobox' ? null : new Set(sayings());
      const outcome = await fill.set(element, Array.isArray(value) && !isDateLike(element) ? all : all[0], { plain: isDateLike(element) });
      if (outcome.ok && isDateLike(element)) return committed(element, text, outcome);
      // Lists that draw only what is in sight often have no roles on what they draw.
      return !outcome.ok && before && outcome.isBlank ? open(element, text, before) : outcome;
    };

    /** @type {import('./filling').FillingWidgets['press']} */
    const press = async (element, value) => {
      const before = new Set(sayings());
      if (Array.isArray(value)) return parts.get('filling_many').set(element, value.map(String));
      const outcome = await parts.get('fill').one(element, String(value), {});
      return outcome.ok || !outcome.isBlank ? outcome : open(element, String(value), before);
    };

    const isRefused = (/** @type {Element} */ element) => element.getAttribute('aria-invalid') === 'true';

    /** A picker that stays open takes what was typed when Enter is pressed. */
    const enter = async (/** @type {Element} */ element) => {
      keys.down(element, 'Enter');
      for (let waited = 0; waited < TAKEN_MS && element.getAttribute('aria-expanded') === 'true'; waited += STEP_MS) await pause(STEP_MS);
    };

    const localDate = (/** @type {string} */ text) => {
      const { dayOf, written } = parts.get('calendars');
      const day = dayOf(text);
      return day ? written(day) : '';
    };

    /** Whether a field holds another time than was asked for, as some do that want one with seconds. @param {Element} element @param {string} text */
    const isOtherTime = (element, text) => {
      const [asked, held] = [text, heldBy(element)].map(parts.get('filling_dates').read);
      return asked?.hour !== undefined && held?.hour !== undefined && (Number(held.hour) !== Number(asked.hour) || held.minute !== asked.minute);
    };

    const heldBy = (/** @type {Element} */ element) => (element instanceof HTMLInputElement ? element.value : '');

    /** @type {(element: Element, text: string, outcome: Outcome) => Promise<Outcome>} */
    const committed = async (element, text, outcome) => {
      const isOpened = element.getAttribute('aria-expanded') === 'true';
      if (isOpened) await enter(element);
      const inOtherWords = isOpened && isRefused(element) ? localDate(text) : isOtherTime(element, text) ? `${text}:00` : '';
      if (inOtherWords) {
        await parts.get('fill').set(element, inOtherWords, { plain: true });
        await enter(element);
      }
      if (isOtherTime(element, text)) return { ok: false, value: '', problem: `It made ${JSON.stringify(heldBy(element))} of that. Write it that way, or click it with computer and choose there.` };
      if (text !== '' && heldBy(element) === '' && parts.get('shown_values').shownValue(element) === '') {
        return { ok: false, value: '', problem: 'It dropped that when it was left; of two ends of a range it may take none alone. Give both, as [start, end], or click it with computer and choose there.' };
      }
      return isOpened && isRefused(element) ? { ok: false, value: '', problem: `It does not take ${JSON.stringify(text)} as a date. Click it with computer and choose there.` } : outcome;
    };

    /** Date pickers call themselves comboboxes; their pop-up is no list of suggestions. */
    const isDateLike = (/** @type {Element} */ element) => element.matches('input[aria-haspopup=dialog],input[aria-haspopup=grid]');

    return { selected, step, select, open, press, choose };
  };

  agent.part('filling_widgets', make);
})();
