/**
 * What a person reads: the text of an element, its name, a field's label, the heading above. Bounded, so that naming a
 * whole article costs no more than naming a button.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAME_MAX = 80;
  const SEEN = { visibilityProperty: true };
  /** Fonts draw it by the word that it holds. */
  const ICON = ':is(i,[class*=icon i])[aria-hidden=true]';
  // Text is gathered from at most this many nodes, so that naming a whole article costs no more than a button.
  const NODES_MAX = 400;
  const TEXTLESS = new Set([
    'script',
    'style',
    'noscript',
    'template',
    'iframe',
    'object',
    'canvas',
    'video',
    'audio',
    'input',
    'textarea',
    'select',
    'datalist',
    'option',
  ]);
  // Around all others a reader sees a gap, whatever the mark-up says; these may stand inside a word.
  const INLINE = new Set([
    'b',
    'i',
    'em',
    'strong',
    'mark',
    'u',
    's',
    'sup',
    'sub',
    'wbr',
    'font',
    'bdi',
    'slot',
    'abbr',
  ]);
  const HEADING_TAGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'legend', 'caption'];
  const HEADINGS = [...HEADING_TAGS, '[role=heading]'].join(',');
  const SECTIONS =
    'article,aside,nav,main,section,footer,form,fieldset,table,li,dialog,details,[role=dialog],[role=form],[role=search]';
  const REFUSED = '[aria-invalid=true],.invalid,.is-invalid,.error,.has-error';
  const BOXES = 'input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]';
  const HIDDEN_UP = 8;
  const ENCLOSING =
    'form,fieldset,body,main,section,table,tbody,li,tr,[role=row],[role=listitem],[role=option],[role=treeitem]';
  const CELLS = 'td,th,[role=cell],[role=gridcell],[role=columnheader]';
  const NAMED_SECTIONS = 'form,section,dialog,[role=dialog],[role=form],[role=region],[role=group],[role=search]';

  // Soft hyphens, joiners, marks of direction and tags: a person sees none of them.
  const RESTING = 'label,[id=label i],[id$=-label i],[id$=_label i],[class*=floating-label i]';
  const INVISIBLE =
    /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]/gu;

  const collapse = (/** @type {string} */ text) =>
    text.replace(INVISIBLE, '').replace(/[\s\p{Cc}]+/gu, ' ').trim();

  const cut = (/** @type {string} */ text, /** @type {number} */ max) =>
    text.length <= max ? text : `${text.slice(0, max - 1).replace(/\s+\S{0,15}$/, '')}…`;

  /** The headings found in this turn of the event loop. */
  /** @type {Map<Node, Element[]> | undefined} */
  let turn;
  const cache = () => {
    if (!turn) {
      turn = new Map();
      queueMicrotask(() => {
        turn = undefined;
      });
    }
    return turn;
  };

  const { bare, shadowOf, isBoxless, taggedIn } = agent.get('tree');

  /**
   * @param {Node} node
   * @param {string[]} out
   * @param {{left: number, length: number, max: number, marks: boolean, icons: boolean, check: boolean, shown?: Element | undefined}} budget
   */
  const gather = (node, out, budget) => {
    if (budget.left-- <= 0 || budget.length > budget.max) return;
    if (node instanceof Text) {
      const text = node.data.slice(0, budget.max * 4);
      out.push(text);
      budget.length += text.trim().length;
      return;
    }
    if (node instanceof Element) {
      const own = bare(node);
      const tag = own.localName;
      if (TEXTLESS.has(tag) || node === budget.shown) return;
      if (!budget.marks && own.getAttribute('aria-hidden') === 'true') return;
      if (!budget.icons && own.matches(ICON) && /\p{L}/u.test(own.textContent ?? '')) return;
      if (
        budget.check &&
        tag !== 'slot' &&
        own.hasAttributes() &&
        !own.checkVisibility({ visibilityProperty: true }) &&
        !isBoxless(node)
      )
        return;
      if (tag === 'img') out.push(' ', node.getAttribute('alt') ?? '', ' ');
      if (tag === 'svg') {
        out.push(' ', node.querySelector(':scope > title')?.textContent ?? '', ' ');
        return;
      }
      const gap = !INLINE.has(tag);
      if (gap) out.push(' ');
      const within = tag === 'slot' ? /** @type {HTMLSlotElement} */ (node).assignedNodes({ flatten: true }) : [];
      const shadow = shadowOf(node);
      for (const child of within.length ? within : (shadow ?? own).childNodes) gather(child, out, budget);
      if (gap) out.push(' ');
      return;
    }
    for (const child of node.childNodes) gather(child, out, budget);
  };

  /** @param {Node} node @param {number} max @param {{marks?: boolean, icons?: boolean, but?: Element}} [how] */
  const read = (node, max, { marks = true, icons = true, but } = {}) => {
    /** @type {string[]} */
    const out = [];
    // Text that names something may itself be hidden; inside something shown, only what is shown counts.
    const check = node instanceof Element && bare(node).checkVisibility({ visibilityProperty: true });
    gather(node, out, { left: Math.max(NODES_MAX, max), length: 0, max: max + 40, marks, icons, check, shown: but });
    return cut(collapse(out.join('')), max);
  };

  /** @type {import('./agent').Texts['textOf']} */
  const textOf = (element, max = 200) => read(element, max);

  const attribute = (/** @type {Element} */ element, /** @type {string} */ name) =>
    cut(collapse(bare(element).getAttribute(name) ?? ''), NAME_MAX);

  /** The text of the elements whose ids an attribute lists. @type {import('./agent').Texts['referred']} */
  const referred = (element, name, max = NAME_MAX) => {
    const ids = bare(element).getAttribute(name)?.split(/\s+/).filter(Boolean) ?? [];
    const root = /** @type {Document | ShadowRoot} */ (bare(element).getRootNode());
    const texts = ids.slice(0, 5).map((id) => {
      const target = root.getElementById?.(id);
      // Lists drawn by hand are often labelled by what is chosen in them, some by a label that rests where that will be.
      const isValue = target && bare(element).matches('[role=combobox]') && bare(element).contains(target) && !bare(target).matches(RESTING);
      // What is referred to is called as it says itself; groups of fields name each by itself and by the group.
      return target && !isValue ? attribute(target, 'aria-label') || read(target, max, { marks: false }) : '';
    });
    return cut(collapse([...new Set(texts)].join(' ')), max);
  };

  const ariaName = (/** @type {Element} */ element) =>
    referred(element, 'aria-labelledby') || attribute(element, 'aria-label');

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

  /** What holds controls of its own, such as a tool bar, is no label; one button may be its help. */
  const isBusy = (/** @type {Element} */ element) =>
    element.querySelector('input,select,textarea,[role=menubar],[role=toolbar]') !== null ||
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
        if (own && (own.matches('input:not([type=hidden]),select,textarea,button,form,hr') || isBusy(own))) return '';
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

  /** @type {import('./agent').Texts['wordsBefore']} */
  const wordsBefore = (element) => tidy(textBeside(element, 'previousSibling'));

  const tidy = (/** @type {string} */ label) =>
    collapse(label.replace(/\((?:required|optional)\)|[*＊†:：]+\s*$|^\s*[*＊]+/gi, ' ').replace(/[\s:：*]+$/, ''));

  const hostLabel = (/** @type {Element} */ field) =>
    collapse(agent.get('snapshot_tree').labelsOf(field).map((label) => read(label, NAME_MAX)).join(' '));

  /** @type {import('./agent').Texts['labelText']} */
  const labelText = (label, field) => read(label, NAME_MAX, { icons: false, ...(field ? { but: field } : {}) }) || attribute(label, 'aria-label');

  /** @type {import('./agent').Texts['rawLabelOf']} */
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

  /** @type {import('./agent').Texts['labelOf']} */
  const labelOf = (field) => tidy(rawLabelOf(field));

  /** @type {import('./agent').Texts['nameOf']} */
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

  /** @type {import('./agent').Texts['headings']} */
  const headings = (root) => {
    const known = cache();
    let found = known.get(root);
    if (!found) {
      const tree = /** @type {Document | ShadowRoot} */ (root);
      known.set(root, (found = taggedIn(tree, HEADING_TAGS, ['[role=heading]'])));
    }
    return found;
  };

  /** Whether something with a heading is one of several alike. */
  const isCard = (/** @type {Element} */ box) => {
    const own = bare(box);
    const isAlike = (/** @type {Element | null} */ other) =>
      other !== null &&
      bare(other).localName === own.localName &&
      bare(other).getAttribute('class') === own.getAttribute('class') &&
      bare(other).querySelector(HEADINGS) !== null;
    return isAlike(own.previousElementSibling) || isAlike(own.nextElementSibling);
  };

  /** Whether a heading that stands before an element is about it, not about a section that ended in between. */
  const isOver = (/** @type {Element} */ heading, /** @type {Element} */ element) => {
    let section = heading.parentElement;
    for (let up = 0; section && !bare(section).contains(element); up += 1, section = bare(section).parentElement) {
      if (up > 2 || bare(section).matches(SECTIONS)) return false;
      // A card of its own has more than its heading, or others beside it; the head of a section may have a field.
      const isHead = bare(section).matches('header,[class*=header i]');
      if (bare(section).querySelector(isHead ? 'p ~ p,li,table' : 'input,select,textarea,p ~ p,li,table')) return false;
      if (isCard(section)) return false;
    }
    return section !== null;
  };

  /** Whether who sees the element sees the heading too: in a panel that is shut neither shows. */
  const isHeld = (/** @type {Element} */ heading, /** @type {Element} */ element) =>
    heading.checkVisibility() && (heading.checkVisibility(SEEN) || !bare(element).checkVisibility(SEEN));

  /** @type {import('./agent').Texts['headingOf']} */
  const headingOf = (element) => {
    const root = bare(element).getRootNode();
    const section = bare(bare(element).parentElement)?.closest(NAMED_SECTIONS);
    const all = headings(root);
    let low = 0;
    for (let high = all.length; low < high;) {
      const middle = (low + high) >> 1;
      if (all[middle].compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) low = middle + 1;
      else high = middle;
    }
    for (let index = low - 1; index >= 0 && index >= low - 6; index -= 1) {
      const heading = all[index];
      if (section && !bare(section).contains(heading) && ariaName(section)) break;
      if (heading.contains(element) || !isOver(heading, element) || !isHeld(heading, element)) continue;
      const text = read(heading, NAME_MAX, { marks: false });
      if (text) return text;
    }
    if (section && ariaName(section)) return ariaName(section);
    return root instanceof ShadowRoot ? ariaName(root.host) || headingOf(root.host) : '';
  };

  agent.part('texts', () => ({
    textOf,
    referred,
    labelText,
    rawLabelOf,
    labelOf,
    wordsBefore,
    nameOf,
    headings,
    headingOf,
    collapse,
    cut,
  }));
})();
