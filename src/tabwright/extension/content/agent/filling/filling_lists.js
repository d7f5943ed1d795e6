/**
 * Choosing from the list that a field opens: which options show, which of them is meant, and whether the list went away
 * again. Which lists are the field's own is not decided here.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {{label: string, element: Element}} Option */

  const LIST_MS = 1200;
  const NO_LIST_MS = 350;
  /** Suggestions that somebody else is asked for, or that come once nobody types any more. */
  const LATE_LIST_MS = 1500;
  const CLOSED_MS = 300;
  const SOON_MS = 150;
  const STEP_MS = 30;
  const WALK_STEP_MS = 10;
  const OFFERED_MAX = 12;
  const DROP_MS = 6000;
  const OPTIONS = '[role=option],[role=treeitem],[role^=menuitem],li';
  const DEAF = '[role=treeitem],li:not([role]),li[role=none]';
  const BLOCKS = ':not(b,strong,em,i,u,mark)';
  const MANY = '[aria-multiselectable=true]';
  const BOXES = 'input[type=checkbox],[role=checkbox]';
  const BRANCHING = '[role=tree],[role=menu],[role=treeitem],[class*=cascad i]';
  const SQUARES = '[role=grid],table';
  const PATH = /\s*[/>›»]\s*/;
  const HIGHLIT = /(?:^|[-_\s])(?:highlight(?:ed)?|focused|hovered)(?:\s|$)/i;
  // Where several may be chosen, some call those so.
  const ACTIVE = /(?:^|[-_\s])active(?:\s|$)/i;
  const SELECTED = /(?:^|[-_\s])(?:selected|checked)(?:\s|$)/i;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const act = parts.get('act');
    const keys = parts.get('keys');
    const popups = parts.get('filling_popups');
    const { walker, isWhole } = parts.get('filling_walk');
    const trees = parts.get('filling_trees');
    const { pause } = parts.get('rest');

    const fold = (/** @type {string} */ text) => dom.collapse(text).toLowerCase();

    /** @type {import('./filling').FillingLists['pick']} */
    const pick = (choices, wanted) => {
      const text = fold(wanted);
      const only = (/** @type {typeof choices} */ found) => (found.length === 1 ? found[0] : undefined);
      return (
        choices.find((choice) => choice.label === wanted) ??
        choices.find((choice) => fold(choice.label) === text) ??
        choices.find((choice) => choice.shown !== undefined && fold(choice.shown) === text) ??
        choices.find((choice) => choice.value === wanted) ??
        only(choices.filter((choice) => fold(choice.label).startsWith(text))) ??
        only(choices.filter((choice) => fold(choice.label).includes(text)))
      );
    };

    /** @type {import('./filling').FillingLists['offered']} */
    const offered = (choices) => {
      const labels = [...new Set(choices.map((choice) => choice.label))];
      const shown = labels.slice(0, OFFERED_MAX).join(', ');
      return labels.length > OFFERED_MAX ? `${shown} and ${labels.length - OFFERED_MAX} more` : shown;
    };

    const isTyped = (/** @type {Element} */ element) => parts.get('fields').kindOf(element) === 'combobox';

    const isExpanded = (/** @type {Element} */ element) => element.getAttribute('aria-expanded') === 'true';

    /** A web component's list shows options that its user wrote. */
    const slotted = (/** @type {Element} */ list) =>
      [...list.querySelectorAll('slot'), ...(list instanceof HTMLSlotElement ? [list] : [])]
        .flatMap((slot) => slot.assignedElements({ flatten: true }))
        .filter((each) => each.matches(OPTIONS));

    const saysItself = (/** @type {Element} */ element) => [...element.childNodes].some((each) => each instanceof Text && each.data.trim() !== '');

    /** Nothing is in it but words, of which some may be marked as those that were looked for. */
    const isWording = (/** @type {Element} */ element) =>
      element.childElementCount === 0 || (saysItself(element) && element.querySelector(BLOCKS) === null);

    /** The innermost elements that say something, in a list whose options have no role. */
    const plainOptions = (/** @type {Element} */ popup, /** @type {Element} */ list) => {
      const worded = dom.queryAll(popup, 'div,span,a,li,td').filter((each) =>
        (popup === list || !list.contains(each)) && isWording(each) && each.textContent?.trim());
      return worded.filter((each) => each.parentElement === null || !worded.includes(each.parentElement));
    };

    /** @returns {Option[]} */
    const shownOptions = (/** @type {Element} */ element, /** @type {Set<Element>} */ before) => {
      const named = popups.named(element);
      return popups.open(element, before)
        .flatMap((list) => {
          const hidden = named.find((each) => each !== list && list.contains(each) && !dom.isVisible(each));
          const marked = hidden ? [] : [...dom.queryAll(list, OPTIONS), ...slotted(list)];
          return marked.length ? marked : plainOptions(list, hidden ?? list);
        })
        .filter((option) => dom.isVisible(option) && !dom.contains(option, element))
        .map((option) => ({ label: dom.nameOf(option), element: option }))
        .filter(({ label }) => label !== '');
    };

    const isSelected = (/** @type {Element} */ option) => {
      const said = option.getAttribute('aria-selected') ?? option.getAttribute('aria-checked');
      const around = option.matches(OPTIONS) ? [option] : [option, option.parentElement];
      return said === 'true' || around.some((each) => SELECTED.test(each?.getAttribute('class') ?? ''));
    };

    /** Keys have got there, which some lists mark as if it were chosen. */
    const isReached = (/** @type {Element} */ option) => {
      const root = /** @type {Document | ShadowRoot} */ (option.getRootNode());
      if (option.id !== '' && root.querySelector(`[aria-activedescendant="${CSS.escape(option.id)}"]`) !== null) return true;
      const named = option.getAttribute('class') ?? '';
      return HIGHLIT.test(named) || (ACTIVE.test(named) && option.closest(MANY) === null);
    };

    /** What a field shows as chosen; what is typed into it is not. */
    const saidBy = (/** @type {Element} */ element) => {
      const { chosen, shownValue } = parts.get('shown_values');
      const isSearched = element instanceof HTMLInputElement && isTyped(element) && element.value !== '';
      return [...chosen(element).map(({ label }) => label), ...(isSearched ? [] : shownValue(element).split(/[,;]/))].map(fold);
    };

    /** Whether an option is chosen; of one that keys have got to, what the field shows tells. */
    const isTaken = (/** @type {Element} */ element, /** @type {Element} */ option) => {
      if (!isSelected(option)) return false;
      if (!isReached(option) || SELECTED.test(option.getAttribute('class') ?? '')) return true;
      const label = fold(dom.nameOf(option));
      return element instanceof HTMLInputElement ? saidBy(element).includes(label) : fold(dom.textOf(element, 1000)).includes(label);
    };

    /** Beside its words a row of a tree holds what opens it, and is often deaf itself, as a plain item of a list may be. @type {import('./filling').FillingLists['wordsOf']} */
    const wordsOf = (option) => {
      if (option.matches('li') && saysItself(option)) return option;
      const said = (/** @type {Element} */ each) => each.textContent?.trim().length ?? 0;
      // What is below a row in a tree may say more than the row.
      const isWithin = (/** @type {Element} */ each, /** @type {string} */ row) => !option.matches(row) || each.closest(row) === option;
      const isOwn = (/** @type {Element} */ each) => each.childElementCount === 0 && !each.matches('button,[role=button]') && isWithin(each, 'li') && isWithin(each, '[role=treeitem]');
      const leaves = option.matches(DEAF) ? dom.queryAll(option, '*').filter(isOwn) : [];
      return leaves.reduce((most, each) => (said(each) > 0 && (most === option || said(each) > said(most)) ? each : most), option);
    };

    /** Clicks it, and the box in it where the option itself is deaf. */
    const press = async (/** @type {Element} */ option) => {
      const box = option.querySelector(BOXES);
      const isBoxOn = () => box instanceof HTMLInputElement ? box.checked : box?.getAttribute('aria-checked') === 'true';
      const [was, wasOn] = [option.getAttribute('aria-selected'), isBoxOn()];
      await act.click(wordsOf(option));
      const isDeaf = () => option.isConnected && dom.isVisible(option) && option.getAttribute('aria-selected') === was && isBoxOn() === wasOn;
      if (!box || was === null) return;
      for (let waited = 0; waited < CLOSED_MS && isDeaf(); waited += STEP_MS) await pause(STEP_MS);
      if (isDeaf()) await act.click(box);
    };

    /**
     * Waits for an option and clicks it, unless it is chosen already. What is not in sight is looked for by whoever asks,
     * in the `search` of the list, scrolled to, or found in the branches of a tree. One that has its own below it is opened
     * only, where there is a way to do that. `above` are those it is below.
     * @type {(element: Element, wanted: string, how: {before: Set<Element>, isMany: boolean, keep: boolean, isAwaited?: (() => boolean) | undefined, first?: string | undefined, above?: Option[], hasBelow?: boolean}) => Promise<{choice?: Option, choices: Option[], search?: HTMLInputElement, isBranch?: boolean}>}
     */
    const clickOption = async (element, wanted, { before, first, above = [], ...how }) => {
      const start = performance.now();
      /** @type {Map<string, Option>} */
      const seen = new Map();
      const [walk, unfold] = [walker(), trees.opener()];
      for (;;) {
        const choices = above.reduce(trees.below, shownOptions(element, before));
        const isNew = choices.some(({ label }) => !seen.has(label));
        for (const each of choices) seen.set(each.label, each);
        const choice = pick(choices, wanted);
        const opened = choice && how.hasBelow ? await trees.open(choice.element) : null;
        if (choice && opened) return { choice, choices, isBranch: opened === 'below' };
        if (choice) {
          const mayStay = how.isMany || (how.keep && !isTyped(element)) || isMany(element, before);
          if (!mayStay || !isTaken(element, choice.element)) await press(choice.element);
          await pause(STEP_MS);
          return { choice, choices: [...seen.values()] };
        }
        const waited = performance.now() - start;
        // The first step of a way: the rest comes after it.
        if (first && waited > SOON_MS && pick(choices, first)) return { choices };
        const search = isTyped(element) ? null : popups.searchOf(element, before);
        if (search && search.value !== wanted && waited > SOON_MS) return { choices: [...seen.values()], search };
        const mayWalk = waited > (search ? NO_LIST_MS : first ? SOON_MS : STEP_MS * 2);
        const isWalked = mayWalk && !(await unfold(choices)) && !walk(choices, isNew);
        const isNone = choices.length === 0 && !isExpanded(element);
        const isOver = isNone ? waited > NO_LIST_MS : isWalked && waited > LIST_MS;
        if (isOver && (waited > LATE_LIST_MS || !how.isAwaited?.()))
          return { choices: [...seen.values()] };
        await pause(mayWalk && !isWalked ? WALK_STEP_MS : STEP_MS);
      }
    };

    const holds = (/** @type {Element} */ element, /** @type {Set<Element>} */ before, /** @type {string} */ what) =>
      popups.open(element, before).some((list) => list.matches(what) || list.querySelector(what) !== null);

    /** Whether one option may open others. In a list of suggestions for what is typed freely none does. */
    const mayBranch = (/** @type {Element} */ element, /** @type {Set<Element>} */ before) =>
      !isTyped(element) || holds(element, before, BRANCHING);

    /** Whether it is a calendar: a date written with slashes is no way through its days. */
    const isCalendar = (/** @type {Element} */ element, /** @type {Set<Element>} */ before) =>
      holds(element, before, SQUARES) && !holds(element, before, BRANCHING);

    /** One step after another, where a list opens the next: "Italy / Rome". @type {import('./filling').FillingLists['choose']} */
    const choose = async (element, wanted, { before, ...how }) => {
      const { isMany: many = false, keep = false, isAwaited } = how;
      const steps = mayBranch(element, before) ? wanted.split(PATH).filter(Boolean) : [];
      const whole = await clickOption(element, wanted, { before, isMany: many, keep, isAwaited, first: steps.length > 1 ? steps[0] : undefined });
      if (whole.choice || whole.search || steps.length < 2 || whole.choices.length === 0 || isCalendar(element, before)) return whole;
      /** @type {Awaited<ReturnType<typeof clickOption>>} */
      let found = whole;
      /** @type {Option[]} */
      let above = [];
      for (const [at, step] of steps.entries()) {
        found = await clickOption(element, step, { before, isMany: many, keep, isAwaited, above, hasBelow: at < steps.length - 1 });
        if (!found.choice) break;
        above = found.isBranch ? [...above, found.choice] : [];
      }
      return found;
    };

    /** @type {import('./filling').FillingLists['changes']} */
    const changes = async (element, before, choices) => {
      const known = choices.map(({ label }) => label).join('\n');
      const isOther = () => shownOptions(element, before).map(({ label }) => label).join('\n') !== known;
      for (let waited = 0; waited < SOON_MS * 2 && !isOther(); waited += STEP_MS) await pause(STEP_MS);
      return isOther();
    };

    /** @type {import('./filling').FillingLists['isMany']} */
    const isMany = (element, before) => {
      if (popups.open(element, before).some((list) => list.matches(MANY) || list.querySelector(MANY) !== null)) return true;
      const shown = shownOptions(element, before).map((each) => each.element);
      if (shown.some((option) => option.matches('[role=menuitemcheckbox]') || option.querySelector(BOXES) !== null)) return true;
      // While one is typed into, what keys have got to may look chosen.
      return isExpanded(element) && !isTyped(element) && shown.filter((option) => isSelected(option) && !isReached(option)).length > 1;
    };

    /** @type {import('./filling').FillingLists['labels']} */
    const labels = (element, before) => shownOptions(element, before).map(({ label }) => label);

    /** @type {import('./filling').FillingLists['marked']} */
    const marked = (element, before) => shownOptions(element, before).filter((each) => isTaken(element, each.element)).map(({ label }) => label);

    /** What opens others is marked for what is chosen below it. */
    const isBranch = (/** @type {Element} */ option) => option.matches('[role=treeitem][aria-expanded]');

    /** @type {import('./filling').FillingLists['drop']} */
    const drop = async (element, isKept, { before, open }) => {
      /** What is chosen, what was clicked and need not be again, what was offered. @type {Set<string>[]} */
      const [held, clicked, seen] = [new Set(), new Set(), new Set()];
      const walk = walker();
      for (const start = performance.now(); performance.now() - start < DROP_MS;) {
        await open();
        const shown = shownOptions(element, before);
        const chosen = shown.filter((each) => isTaken(element, each.element) && !isBranch(each.element));
        const other = chosen.find(({ label }) => !isKept(label) && !clicked.has(label));
        if (other) {
          clicked.add(other.label);
          await press(other.element);
          for (let waited = 0; waited < LIST_MS && marked(element, before).includes(other.label); waited += STEP_MS) await pause(STEP_MS);
          continue;
        }
        for (const { label } of chosen) held.add(label);
        const isNew = shown.some(({ label }) => !seen.has(label));
        for (const { label } of shown) seen.add(label);
        if (isWhole(shown) || !walk(shown, isNew)) break;
        await pause(WALK_STEP_MS);
      }
      return { marked: [...held], offered: [...seen] };
    };

    /** @type {import('./filling').FillingLists['close']} */
    const close = async (element, before) => {
      if (!isExpanded(element)) return;
      // Keys go to the list where that took the focus.
      keys.down(shownOptions(element, before)[0]?.element ?? element, 'Escape');
      await pause(STEP_MS);
      if (element.isConnected && isExpanded(element)) keys.down(element, 'Escape');
      for (let waited = 0; waited < CLOSED_MS && element.isConnected && isExpanded(element); waited += STEP_MS) await pause(STEP_MS);
    };

    /** @type {import('./filling').FillingLists['gone']} */
    const gone = async (element, before) => {
      // While it fades it would be taken for one that was there before.
      for (let waited = 0; waited < CLOSED_MS && element.isConnected && !isExpanded(element); waited += STEP_MS) {
        if (popups.open(element, before).length === 0) return;
        await pause(STEP_MS);
      }
    };

    /** @type {import('./filling').FillingLists['furtherThan']} */
    const furtherThan = (element, choices, before) => {
      const known = new Set(choices.map((each) => each.label));
      return isExpanded(element) ? shownOptions(element, before).filter((each) => !known.has(each.label)) : [];
    };

    return { pick, offered, isSelected, wordsOf, choose, changes, isMany, labels, marked, drop, close, gone, furtherThan };
  };

  agent.part('filling_lists', make);
})();
