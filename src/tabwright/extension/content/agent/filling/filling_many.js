/**
 * Choosing exactly these of a list that takes several: what is wanted is added, then what else is chosen is taken away,
 * one after the other, since a page may draw all anew, or ask its server, after each. What is told is what shows then.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./filling').Outcome} Outcome */

  const STEP_MS = 30;
  const CHANGED_MS = 1500;
  const OPENED_MS = 1200;
  const ENTERED_MS = 300;
  const REMOVED_MOST = 100;
  const TAGS = /chip|(?:^|[-_\s])(?:tag|token|pill)s?(?:[-_\s]|$)/i;
  const TAGS_UP = 5;

  /** Spaces and marks that nobody sees make no difference. */
  const fold = (/** @type {string} */ text) => text.normalize('NFC').replace(/[\s\u200b\ufeff]+/g, '').toLowerCase();
  const quote = (/** @type {string[]} */ labels) => labels.map((label) => JSON.stringify(label)).join(', ');

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const fields = parts.get('fields');
    const values = parts.get('shown_values');
    const act = parts.get('act');
    const lists = parts.get('filling_lists');
    const popups = parts.get('filling_popups');
    const { pause } = parts.get('rest');

    const until = async (/** @type {() => boolean} */ is, /** @type {number} */ most) => {
      await null;
      for (let waited = 0; waited < most && !is(); waited += STEP_MS) await pause(STEP_MS);
      return is();
    };

    const chips = (/** @type {Element} */ element) => values.chosen(element).map(({ label }) => label);

    const takesMany = (/** @type {Element} */ element) =>
      fields.takesMany(element) || values.chosen(element).some(({ remover }) => remover !== null);

    /** What is typed to find something else would hide what is chosen. */
    const unfilter = (/** @type {Element} */ element, /** @type {Set<Element>} */ before) => {
      const typed = fields.kindOf(element) === 'combobox' ? element : popups.searchOf(element, before);
      // In an empty field Backspace would take back the choice before.
      if (typed instanceof HTMLInputElement && typed.value !== '') parts.get('writing').write(typed, '');
    };

    /** Opens the list if it is not, and waits for its options. */
    const open = async (/** @type {Element} */ element, /** @type {Set<Element>} */ before) => {
      if (lists.labels(element, before).length) return;
      if (element.getAttribute('aria-expanded') !== 'true') await act.click(element);
      await until(() => lists.labels(element, before).length > 0, OPENED_MS);
    };

    /** Takes chips away. @returns {Promise<void>} */
    const removeChips = async (/** @type {Element} */ element, /** @type {(label: string) => boolean} */ isKept) => {
      for (let count = 0; count < REMOVED_MOST; count += 1) {
        const remover = values.chosen(element).find((each) => each.remover && !isKept(each.label))?.remover;
        if (!remover) return;
        const was = chips(element).join('\n');
        await act.click(remover);
        if (!(await until(() => chips(element).join('\n') !== was, CHANGED_MS))) return;
      }
    };

    /** Who offers nothing may take what is typed as a tag, by Enter: then it stands beside the field, and no longer in it. */
    const enters = async (/** @type {Element} */ element, /** @type {string} */ text) => {
      if (!(element instanceof HTMLInputElement) || element.readOnly) return false;
      if (fold(element.value) !== fold(text)) parts.get('writing').write(element, text);
      parts.get('keys').press(element, 'Enter');
      return until(() => element.value === '' && chips(element).some((label) => fold(label) === fold(text)), ENTERED_MS);
    };

    /** Adds what is wanted, each once what came by the one before shows. @returns {Promise<Outcome | null>} what went wrong */
    const add = async (/** @type {Element} */ element, /** @type {string[]} */ wanted, /** @type {Set<Element>} */ before, /** @type {Set<string>} */ kept) => {
      let isFree = false;
      for (const text of wanted) {
        const had = chips(element);
        // Many lists no longer offer what is chosen.
        if (had.some((label) => fold(label) === fold(text))) {
          kept.add(fold(text));
          continue;
        }
        // To wait for what it offers, again for each, would take seconds.
        if (isFree && lists.labels(element, before).length === 0 && (await enters(element, text))) {
          kept.add(fold(text));
          continue;
        }
        const outcome = await parts.get('fill').one(element, text, { before, many: true });
        // Nothing to choose from is left either where what was offered does not fit.
        isFree = !outcome.ok && (outcome.isBlank === true || lists.labels(element, before).length === 0) && (await enters(element, text));
        if (!outcome.ok && !isFree) return outcome;
        const isTold = () => chips(element).length > had.length || isIn(told(element, before), outcome.label ?? text);
        await until(isTold, CHANGED_MS);
        // A chip may say it in other words than the option, which may have offered to add it.
        const came = chips(element).filter((label) => !had.includes(label)).map(fold);
        for (const label of came.includes(fold(text)) ? came : [fold(outcome.label ?? text), ...came]) kept.add(label);
      }
      return null;
    };

    /** All that says what is chosen; what is typed to find it does not. */
    const told = (/** @type {Element} */ element, /** @type {Set<Element>} */ before) => {
      const shown = fields.kindOf(element) === 'combobox' && element instanceof HTMLInputElement && element.value !== '' ? [] : [values.shownValue(element)];
      return [...shown, ...lists.marked(element, before)];
    };

    const isIn = (/** @type {string[]} */ said, /** @type {string} */ text) => said.some((each) => fold(each).includes(fold(text)));

    /** @type {(element: Element, problem: string, was: string, now: string[]) => Outcome} */
    const failed = (element, problem, was, now) => {
      const isPartly = values.shownValue(element) !== was;
      return { ok: false, value: '', isPartly, problem: isPartly ? `${problem}. Chosen now: ${quote(now) || 'nothing'}` : problem };
    };

    /** Takes away what else is chosen. @returns {Promise<{marked: string[], offered: string[]}>} what the list says then */
    const drop = async (/** @type {Element} */ element, /** @type {Set<string>} */ kept, /** @type {Set<Element>} */ before) => {
      const isKept = (/** @type {string} */ label) => kept.has(fold(label));
      const isDrawn = chips(element).length > 0;
      await removeChips(element, isKept);
      // Drawn beside the field, the choices are all known; others are only marked in the list.
      if (isDrawn && chips(element).every(isKept)) return { marked: [], offered: [] };
      await open(element, before);
      return lists.drop(element, isKept, { before, open: () => open(element, before) });
    };

    /** @type {import('./filling').FillingMany['set']} */
    const set = async (element, wanted) => {
      const before = popups.inSight(element);
      const was = values.shownValue(element);
      /** @type {Set<string>} */
      const kept = new Set();
      if (wanted.length === 1 && !takesMany(element)) {
        const outcome = await parts.get('fill').one(element, wanted[0], { before, keep: true });
        if (!outcome.isMany) return outcome;
        kept.add(fold(outcome.label ?? wanted[0]));
      } else {
        const wrong = await add(element, wanted, before, kept);
        if (wrong) {
          unfilter(element, before);
          await lists.close(element, before);
          return failed(element, wrong.problem ?? '', was, chips(element).length ? chips(element) : [values.shownValue(element)].filter(Boolean));
        }
      }
      unfilter(element, before);
      const left = await drop(element, kept, before);
      await lists.close(element, before);
      await lists.gone(element, before);
      return checked(element, { kept, ...left, wanted, was });
    };

    /** Elsewhere Enter may do something that nobody asked for. */
    const isForTags = (/** @type {Element} */ element) => {
      let at = /** @type {Element | null} */ (element);
      for (let up = 0; at && up < TAGS_UP && !at.matches('form,fieldset,body'); at = at.parentElement, up += 1) if (TAGS.test(at.getAttribute('class') ?? '')) return true;
      return false;
    };

    /** @type {import('./filling').FillingMany['enter']} */
    const enter = async (element, wanted) => {
      if (!isForTags(element) || (wanted.length === 1 && chips(element).length === 0)) return null;
      const was = values.shownValue(element);
      const kept = new Set(wanted.map(fold));
      for (const text of wanted) {
        if (chips(element).some((label) => fold(label) === fold(text)) || (await enters(element, text))) continue;
        // It may have taken it, and in an empty field Backspace would take that back.
        if (element.value === '') return { ok: false, value: '', isPartly: true, problem: `does not show ${JSON.stringify(text)}, which was entered. Look, and enter the others with computer` };
        parts.get('writing').write(element, '');
        return failed(element, `did not take ${JSON.stringify(text)}`, was, chips(element));
      }
      await removeChips(element, (label) => kept.has(fold(label)));
      const extra = chips(element).filter((label) => !kept.has(fold(label)));
      return extra.length ? failed(element, `still holds ${quote(extra)}. Take that away with computer`, was, chips(element)) : { ok: true, value: chips(element).join(', ') };
    };

    /** @type {(element: Element, what: {kept: Set<string>, marked: string[], offered: string[], wanted: string[], was: string}) => Promise<Outcome>} */
    const checked = async (element, { kept, marked, offered, wanted, was }) => {
      /** Options that the field shows by their names alone. */
      const named = () => {
        const said = values.shownValue(element);
        return offered.filter((label) => [said, ...said.split(/[,;]/)].some((each) => fold(each) === fold(label)));
      };
      const all = () => [...new Set([...chips(element), ...marked, ...named()])];
      const extra = () => all().filter((label) => !kept.has(fold(label)));
      const missing = () => [...kept].find((label) => !isIn([values.shownValue(element), ...all()], label));
      await until(() => extra().length === 0 && missing() === undefined, CHANGED_MS);
      const shown = values.shownValue(element);
      const now = all().length ? all() : [shown].filter(Boolean);
      if (extra().length) return failed(element, `still holds ${quote(extra())}. Take that away with computer`, was, now);
      const lost = wanted.find((text) => fold(text) === missing()) ?? missing();
      if (lost !== undefined && now.length) return failed(element, `did not take ${JSON.stringify(lost)}`, was, now);
      if (shown || wanted.length === 0) return { ok: true, value: shown };
      if (marked.length) return { ok: true, value: marked.join(', ') };
      return { ok: true, value: '', problem: 'it does not show what is chosen; look whether it took all' };
    };

    return { set, enter };
  };

  agent.part('filling_many', make);
})();
