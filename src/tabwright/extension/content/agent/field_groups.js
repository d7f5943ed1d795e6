/**
 * Controls that are one field together: radios and boxes of one group, rows of questions, the parts of a date. Which belong
 * together, and what the group is called. What each of them is by itself is left to `fields`.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const DRAWN_RADIO = '[role=radio]:not(input)';
  const BOX = 'input[type=checkbox],[role=checkbox]';
  const CONTROL = 'input:not([type=hidden]),select,textarea,[role=checkbox],[role=radio],[role=switch],[role=combobox],[role=slider]';
  /** What opens a calendar shows its day, or asks for one. */
  const CALENDAR = 'button[aria-haspopup=dialog]:not([role])';
  const DATED = /\b(?:date|day|datum|fecha|data|dato|dag|jour)\b|birth|geburt|naissance|nacimiento|дата|日付|日期|날짜|\b(?:19|20)\d\d\b/i;
  const APART = 'form,main,body,table';
  const HOLDER_UP = 3;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    /** Stars of a rating are often drawn as radios that nothing says to be a group. @param {Element} element */
    const holderOf = (element) => {
      if (!element.matches(DRAWN_RADIO)) return null;
      for (let at = dom.parentOf(element), up = 0; at && up < HOLDER_UP && !dom.bare(at).matches(APART); at = dom.parentOf(at), up += 1)
        if (dom.queryAll(at, DRAWN_RADIO).length > 1) return at;
      return null;
    };

    /** By the role of what is around them, or a web component named for it. @type {import('./agent').FieldGroups['groupOf']} */
    const groupOf = (element) =>
      dom.closest(element, '[role=radiogroup],[role=group],fieldset') ??
      (dom.bare(element.parentElement)?.localName.includes('radio') ? element.parentElement : holderOf(element));

    /** What it says itself that it is called. @param {Element} group */
    const nameOf = (group) => {
      const own = dom.bare(group);
      const legend = own.querySelector(':scope > legend');
      const root = /** @type {Document | ShadowRoot} */ (own.getRootNode());
      const label = own.id ? root.querySelector(`label[for="${CSS.escape(own.id)}"]`) : null;
      const named = legend ?? label;
      const said = dom.referred(group, 'aria-labelledby') || own.getAttribute('aria-label') || own.getAttribute('label');
      return dom.collapse(said || (named ? dom.textOf(named, 80) : '')).replace(/[\s:*]+$/, '');
    };

    /** Boxes without names of their own belong together where they alone fill a group that is called something. @type {import('./agent').FieldGroups['boxesAround']} */
    const boxesAround = (box) => {
      const group = dom.bare(box).closest('[role=group]');
      if (!group || !dom.bare(box).matches(BOX) || nameOf(group) === '') return null;
      const controls = dom.queryAll(group, CONTROL).filter((each) => !each.parentElement?.closest(BOX));
      return controls.length > 1 && controls.every((each) => each.matches(BOX)) ? group : null;
    };

    /** What the row of a grid of questions asks. @param {Element[]} all */
    const questionOf = (all) => {
      const row = all[0].closest('tr');
      const cell = row?.firstElementChild;
      if (!cell || all.length < 2 || cell.querySelector('input') || !all[0].matches('[type=radio],[role=radio]')) return '';
      return all.every((each) => each.closest('tr') === row) ? dom.textOf(cell, 80) : '';
    };

    /** @type {import('./agent').FieldGroups['labelOf']} */
    const labelOf = (all) => {
      const asked = questionOf(all);
      if (asked) return asked;
      const group = groupOf(all[0]);
      const isWhole = group !== null && all.every((each) => dom.contains(group, each));
      const named = isWhole ? nameOf(group) : '';
      if (named) return named;
      // Boxes in the rows of a list are about their rows, not about what stands above them.
      if (all[0].closest('tr,li') && !(isWhole && group.matches(':not(fieldset)') && all[0].matches(DRAWN_RADIO))) return '';
      const label = dom.closest(all[0], 'label');
      const before = label && !all.slice(1).some((each) => label.contains(each)) ? dom.wordsBefore(label) : '';
      return before || (isWhole && !group.matches('fieldset') ? dom.wordsBefore(group) : '') || dom.headingOf(all[0]);
    };

    /** @type {import('./agent').FieldGroups['listLabelOf']} */
    const listLabelOf = (button) => {
      const own = dom.bare(button);
      const root = /** @type {Document | ShadowRoot} */ (own.getRootNode());
      const named = (own.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean).map((id) => root.getElementById?.(id));
      const labels = [...(/** @type {HTMLButtonElement} */ (button).labels ?? []), ...named].filter((each) => each && !own.contains(each));
      const said = [...new Set(labels)].map((each) => dom.textOf(/** @type {Element} */ (each), 80)).join(' ');
      // What it shows is its choice, which some say once more in its label.
      const label = said || own.getAttribute('aria-label') || dom.wordsBefore(button);
      const shown = dom.textOf(button, 80);
      return dom.collapse(shown && label.endsWith(shown) ? label.slice(0, -shown.length) : label).replace(/[\s:*,]+$/, '');
    };

    /** @type {import('./agent').FieldGroups['isDay']} */
    const isDay = (button) => {
      if (!button.matches(CALENDAR)) return false;
      // An arrow beside a field that is typed into shows nothing.
      const shown = dom.textOf(button, 80);
      return shown !== '' && DATED.test(`${shown} ${listLabelOf(button)}`);
    };

    /** @type {import('./agent').FieldGroups['isFurtherPart']} */
    const isFurtherPart = (element) => {
      const whole = parts.get('filling_segments').whole(element);
      return whole !== null && whole.parts[0] !== element;
    };

    /** @type {import('./agent').FieldGroups['dateLabelOf']} */
    const dateLabelOf = (part) => {
      const group = dom.closest(part, '[role=group]');
      return group ? nameOf(group) : '';
    };

    return { groupOf, boxesAround, labelOf, listLabelOf, isDay, isFurtherPart, dateLabelOf };
  };

  agent.part('field_groups', make);
})();
