/**
 * What a field is called, and a button: by its label, by attributes, or by what stands beside it where nobody wrote a label.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAME_MAX = 80;
  const REFUSED = '[aria-invalid=true],.invalid,.is-invalid,.error,.has-error';
  const BOXES = 'input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]';
  const HIDDEN_UP = 8;
  const ENCLOSING =
    'form,fieldset,body,main,section,table,tbody,li,tr,[role=row],[role=listitem],[role=option],[role=treeitem]';
  const CELLS = 'td,th,[role=cell],[role=gridcell],[role=columnheader]';

  const { bare } = agent.get('tree');
  const { textOf: read, attribute, ariaName, collapse } = agent.get('texts');

  /** Those of the list behind one that is drawn by hand, too; and labels that name what cannot have any. @param {Element} field */
  const labelElements = (field) => {
    const own = bare(field);
    const labelled = bare(agent.get('fields').behind(own) ?? own);
    // Chrome looks for labels in the whole page.
    if (!labelled.id && !labelled.closest('label')) return [];
    const { labels } = /** @type {HTMLInputElement} */ (labelled);
    if (labels || !own.id) return [...(labels ?? [])];
    const root = /** @type {Document | ShadowRoot} */ (own.getRootNode());
    return [...(root.querySelectorAll?.(`label[for="${CSS.escape(own.id)}"]`) ?? [])];
  };

  /** A cell may hold a name and, below it, its type and notes. @param {Node} node */
  const firstLine = (node) => {
    const own = node instanceof Element ? bare(node) : null;
    const isStack =
      own !== null &&
      own.childElementCount > 1 &&
      [...own.childNodes].every(
        (child) =>
          child instanceof HTMLDivElement || child instanceof HTMLParagraphElement || !bare(child).textContent?.trim(),
      );
    const line = isStack ? [...own.children].find((child) => bare(child).textContent?.trim()) : undefined;
    return read(line ?? node, NAME_MAX, { marks: false });
  };

  /** A count such as "2 left" changes with what is counted, so it names nothing. */
  const asLabel = (/** @type {string} */ text) =>
    text.length < 60 && /\p{L}/u.test(text) && !/^\d[\d.,]*\s+\p{L}/u.test(text) ? text : '';

  /** In a grid of questions the first cell of a row asks, and each column is an answer. @param {Element} radio */
  const columnAbove = (radio) => {
    const cell = bare(radio).matches('[type=radio],[role=radio]') ? radio.closest('td') : null;
    const row = cell?.parentElement;
    if (!cell || !row || row.querySelectorAll('td>[type=radio],td>[role=radio],td>label>[type=radio]').length < 2) return '';
    const table = row.closest('table');
    const head = [...table?.tHead?.rows ?? []].at(-1) ?? table?.rows[0];
    const above = head === row ? undefined : head?.cells[cell.cellIndex];
    return above && !above.querySelector('input') ? firstLine(above).slice(0, NAME_MAX) : '';
  };

  /** In a table the label stands in the cell to the left. @param {Element} field */
  const cellBefore = (field) => {
    const own = field.closest('td');
    const cell = own?.previousElementSibling;
    if (!cell || cell.querySelector('input,select,textarea,button')) return '';
    // Boxes that begin a row have their words to the right, and so have the others in it.
    if (bare(field).matches(BOXES) && own.parentElement?.firstElementChild?.querySelector(BOXES)) return '';
    // Of several in one cell it names all, and what follows each names that.
    if (bare(field).matches(BOXES) && own.querySelectorAll(BOXES).length > 1 && wordsBeside(field, own)) return '';
    return asLabel(firstLine(cell));
  };

  /** Pickers hide the field that the label is for and draw another for people, where no other shows. @param {Element} field */
  const labelOfHidden = (field) => {
    const root = /** @type {Document | ShadowRoot} */ (bare(field).getRootNode());
    for (let at = field.parentElement, up = 0; at && up < HIDDEN_UP && !bare(at).matches(ENCLOSING); at = bare(at).parentElement, up += 1) {
      const others = [...bare(at).querySelectorAll('input,select,textarea')].filter((each) => each !== field);
      if (others.some((each) => each.checkVisibility())) return '';
      const hidden = others.filter((each) => each.id && !each.matches('[type=checkbox],[type=radio],[type=file]'));
      const label = hidden.map((each) => root.querySelector(`label[for="${CSS.escape(each.id)}"]`)).find((each) => each?.checkVisibility());
      if (label) return read(label, NAME_MAX, { marks: true });
    }
    return '';
  };

  /** What shows in a list that opens is chosen in it, and no word for the field beside it. */
  const CHOSEN = '[role=combobox],[aria-haspopup=listbox]';

  /** What is said before it is about something else; a field that a slider keeps for itself is nothing. @param {Element} element */
  const isParting = (element) => element.matches(`input:not([type=hidden]),select,textarea,button,form,hr,${CHOSEN}`) && (!element.matches('input[tabindex="-1"]') || element.checkVisibility());

  /** What holds controls of its own, such as a tool bar, is no label; one button may be its help. */
  const isBusy = (/** @type {Element} */ element) =>
    element.querySelector(`input,select,textarea,[role=menubar],[role=toolbar],${CHOSEN}`) !== null ||
    element.querySelectorAll('button,[role=button]').length > 1;

  /**
   * What stands beside a field in its row, cell or line, where nobody wrote a label. Never in the next row: what is
   * said there is about another field.
   * @param {Element} field
   * @param {'previousSibling' | 'nextSibling'} side
   * @param {Element | null} [within] and no further
   */
  const textBeside = (field, side, within) => {
    for (let at = field, up = 0, out = 0; up < 3 && out < 8; out += 1) {
      for (let node = at[side], far = 0; node && far < 3; node = bare(node)[side], far += 1) {
        const own = node instanceof Element ? bare(node) : null;
        if (own && (isParting(own) || isBusy(own))) return '';
        const text = firstLine(node);
        if (text) return asLabel(text);
      }
      const parent = at.parentElement;
      if (!parent || parent === within || bare(parent).matches(ENCLOSING)) return '';
      // What wraps only one thing leads no further away.
      if (bare(parent).childElementCount > 1) up += 1;
      at = parent;
    }
    return '';
  };

  /** In "Yes [ ] No [ ]" a box is the last thing of its line. @param {Element} box */
  const isLast = (box) => {
    const line = box.parentElement;
    const last = line && [...bare(line).childNodes].findLast((node) => !(node instanceof Text) || node.data.trim());
    return last instanceof Element && bare(last).matches(BOXES) && last.previousSibling !== null;
  };

  /** The words of a box or a radio follow it; those of other fields come first. @param {Element} field @param {Element | null} [within] */
  const wordsBeside = (field, within) => {
    const follow = bare(field).matches(BOXES) && !isLast(field);
    return (follow ? textBeside(field, 'nextSibling', within) : '') || textBeside(field, 'previousSibling', within);
  };

  /** Where the rows above and below have text, a field is that text while it is edited. @param {Element} cell */
  const isEdited = (cell) => {
    const row = cell.parentElement;
    const place = row ? [...bare(row).children].indexOf(cell) : -1;
    return [bare(row)?.previousElementSibling, bare(row)?.nextElementSibling].some((each) => {
      const other = bare(bare(each)?.children[place]);
      return other?.matches(CELLS) === true && !other.querySelector('input,select,textarea') && bare(other).textContent?.trim();
    });
  };

  /** By the title of its column, where a field is in a table with titles. @param {Element | null} cell */
  const columnOf = (cell) => (cell ? agent.get('columns').titleOf(cell) : '');

  /** @param {Element} field */
  const editedColumn = (field) => {
    const cell = bare(field).closest(CELLS);
    return cell && isEdited(cell) ? columnOf(cell) : '';
  };

  /** What stands beside a field in its cell, then what its column is called. What is beside the cell of a title names another column. @param {Element} field */
  const wordsAround = (field) => {
    const cell = bare(field).closest(CELLS);
    const row = bare(cell)?.closest('tr,[role=row]');
    const isInHead = row != null && agent.get('columns').isHeadRow(row);
    return (cell ? wordsBeside(field, cell) || columnOf(cell) : '') || (isInHead ? '' : wordsBeside(field));
  };

  /** @type {import('./agent').Labels['wordsBefore']} */
  const wordsBefore = (element) => tidy(textBeside(element, 'previousSibling'));

  const tidy = (/** @type {string} */ label) =>
    collapse(label.replace(/\((?:required|optional)\)|[*＊†:：]+\s*$|^\s*[*＊]+/gi, ' ').replace(/[\s:：*]+$/, ''));

  const hostLabel = (/** @type {Element} */ field) =>
    collapse(agent.get('snapshot_tree').labelsOf(field).map((label) => read(label, NAME_MAX)).join(' '));

  /** @type {import('./agent').Labels['labelText']} */
  const labelText = (label, field) => read(label, NAME_MAX, { icons: false, ...(field ? { but: field } : {}) }) || attribute(label, 'aria-label');

  /** @type {import('./agent').Labels['rawLabelOf']} */
  const rawLabelOf = (field) => {
    const labels = labelElements(field)
      .map((label) => labelText(label, field))
      .join(' ');
    if (collapse(labels)) return collapse(labels);
    const named = ariaName(field) || attribute(field, 'label');
    if (named) return named;
    // Made of other elements, a box or switch often carries its own text.
    const own = bare(field).matches('[role=checkbox],[role=switch],[role=radio]')
      ? read(field, NAME_MAX, { marks: false })
      : '';
    if (own) return own;
    const root = bare(field).getRootNode();
    // Inside a web component the label often belongs to its host.
    const host = root instanceof ShadowRoot ? ariaName(root.host) || attribute(root.host, 'label') || hostLabel(field) : '';
    return (
      host ||
      labelOfHidden(field) ||
      columnAbove(field) ||
      editedColumn(field) ||
      cellBefore(field) ||
      attribute(field, 'placeholder') ||
      attribute(field, 'aria-placeholder') ||
      attribute(field, 'data-placeholder') ||
      // Where it comes and goes it says what is wrong, not what the field is.
      (bare(field).matches(REFUSED) ? '' : attribute(field, 'title')) ||
      // An editor fills a place of its own; what stands above it is a title, or the editor before.
      (bare(field).matches('[aria-multiline=true]') ? '' : wordsAround(field))
    );
  };

  /** @type {import('./agent').Labels['labelOf']} */
  const labelOf = (field) => tidy(rawLabelOf(field));

  /** @type {import('./agent').Labels['nameOf']} */
  const nameOf = (element) => {
    const named = ariaName(element);
    if (named) return named;
    if (element instanceof HTMLInputElement) {
      if (['submit', 'button', 'reset'].includes(element.type)) {
        return collapse(element.value) || attribute(element, 'title') || (element.type === 'submit' ? 'Submit' : '');
      }
      return element.type === 'image' ? attribute(element, 'alt') : labelOf(element);
    }
    if (bare(element).matches('textarea,select,[contenteditable],[role=textbox],[role=combobox],[role=slider],[role=spinbutton],button[role=switch]')) return labelOf(element);
    return (
      read(element, NAME_MAX, { marks: false }) ||
      attribute(element, 'alt') ||
      attribute(element, 'title') ||
      attribute(element, 'placeholder') ||
      read(element, NAME_MAX)
    );
  };

  agent.part('labels', () => ({ labelText, rawLabelOf, labelOf, wordsBefore, nameOf }));
})();
