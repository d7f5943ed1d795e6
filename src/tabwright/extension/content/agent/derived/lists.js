/**
 * Repeated rows, however they are marked up: list items, table rows, ARIA rows, cards in nameless boxes. A list is found
 * from a control inside it: climbing up, the first element whose siblings look like it is a row. Nothing here knows what
 * becomes of rows; that is for `rows`.
 *
 * Of a very long list only the first rows are looked at; the rest is counted, and met when a tool is run.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LOOKED_AT = 300;
  const ALL = 50_000;
  const CLIMB = 10;
  const SAMPLE = 5;
  const TOOLBAR_MOST = 6;
  // So many kinds of children, and none of them rows: the rest will not be either.
  const KINDS_MOST = 8;
  const PRESSED_MOST = 30;
  const SILENT_MOST = 40;
  const PRESSABLE = 'a[href],button,[role=button],[role=link],[role=menuitem],summary,input[type=button],input[type=submit],[onclick]';
  const SEMANTIC = 'li,tr,article,[role=row],[role=listitem],[role=option],[role=article],[role=treeitem]';
  const CONTAINERS = 'ul,ol,tbody,[role=list],[role=listbox],[role=grid],[role=rowgroup]';
  const FOLDS = '[aria-expanded]:not([aria-haspopup]),summary';
  const UNFOLDED = '[aria-expanded=true]:not([aria-haspopup]),details[open]';
  const NO_LIST = 'nav,[role=navigation],[role=tablist],[role=menubar],[role=menu],[role=toolbar],[role=radiogroup],select,footer,'
    + ':is(ul,ol):is([class~=pagination],[class*=-pagination i],[class*=pager i],[class~=nav-tabs],[class~=nav-pills],[class~=navbar-nav])';
  const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]';
  const TEXT = 'p,span,td,th,dd,label,figcaption,h1,h2,h3,h4,h5,h6';
  const DAY = /^\s*(?:[1-9]|[12]\d|3[01])?\s*$/;
  // Cells, text and the frame of a page repeat too, and are no rows.
  const NEVER = new Set(('html body main form header footer nav table tbody thead tfoot td th p span label fieldset legend dd dt '
    + 'h1 h2 h3 h4 h5 h6 em strong b i code small sup svg g path option colgroup col').split(' '));
  const NEVER_ROLES = new Set(['gridcell', 'cell', 'columnheader', 'rowheader', 'main', 'navigation', 'tab', 'radio', 'group']);

  agent.part('lists', () => {
    const dom = agent.get('dom');
    const { bare } = dom;

    const pressablesIn = (/** @type {Element} */ row) => dom.queryAll(row, PRESSABLE);

    /** @type {import('./derived').Lists['isWeek']} */
    const isWeek = (row) => bare(row).childElementCount === 7
      && [...bare(row).children].every((day) => DAY.test(bare(day).textContent ?? ''));

    /** The rows of a web component stand right below its shadow root. */
    const parentOf = (/** @type {Element} */ row) => /** @type {(ParentNode & Node) | null} */ (bare(row).parentNode);

    const roleOf = (/** @type {Element} */ element) => bare(element).getAttribute('role') ?? '';

    /** The first and last row of a table with a body, where boxes for all rows may be. */
    const isEdge = (/** @type {Element} */ row) =>
      bare(row).parentElement?.matches('thead,tfoot') === true && bare(row).closest('table')?.querySelector(':scope > tbody > tr') !== null;

    const isHead = (/** @type {Element} */ row) => bare(row).localName === 'tr'
      ? isEdge(row) || !row.querySelector(':scope > td,:scope > [role=gridcell]')
      : roleOf(row) === 'row' && bare(row).querySelector('[role=columnheader]') !== null;

    /** A span around a block is a box like any other. */
    const isWrapper = (/** @type {Element} */ row) =>
      bare(row).localName === 'span' && bare(row.firstElementChild)?.matches('div,section,article') === true;

    /** Fewer than three children; counting them all is what takes time. */
    const isFew = (/** @type {Element} */ row) =>
      !bare(bare(bare(parentOf(row))?.firstElementChild)?.nextElementSibling)?.nextElementSibling;

    /** The siblings that look like a row, itself included. */
    const alike = (/** @type {Element} */ row, /** @type {number} */ max) => {
      const tag = bare(row).localName;
      const role = roleOf(row);
      const classes = [...bare(row).classList];
      const semantic = bare(row).matches(SEMANTIC);
      const size = bare(row).childElementCount;
      /** @type {Element[]} */
      const same = [];
      /** @type {Element[]} */
      const marked = [];
      let unlike = 0;
      let next = bare(parentOf(row))?.firstElementChild ?? null;
      for (let seen = 0; next && seen < max; seen += 1) {
        const each = next;
        const own = bare(each);
        next = own.nextElementSibling;
        if (own.localName !== tag || roleOf(each) !== role || ((tag === 'tr' || role === 'row') && isHead(each))) continue;
        same.push(each);
        const isMarked = classes.length === 0 ? !semantic || own.classList.length === 0 : classes.some((name) => own.classList.contains(name));
        if (isMarked) marked.push(each);
        else if (own.childElementCount !== size) unlike += 1;
      }
      // Rows marked unread or odd are rows all the same; rows built otherwise, as the second line of each entry, are not.
      return semantic && !(marked.length >= 3 && unlike > (same.length - marked.length) / 2) ? same : marked;
    };

    /** Virtual lists put rows anywhere in the document and in place by style or by number. */
    const inOrder = (/** @type {Element[]} */ rows) => {
      const [first] = rows;
      if (!first || rows.length < 2) return rows;
      for (const number of ['aria-rowindex', 'aria-posinset']) {
        if (bare(first).hasAttribute(number)) {
          return [...rows].sort((one, other) =>
            Number(bare(one).getAttribute(number)) - Number(bare(other).getAttribute(number)));
        }
      }
      if (rows.length > LOOKED_AT || getComputedStyle(first).position !== 'absolute') return rows;
      const tops = new Map(rows.map((row) => [row, bare(row).getBoundingClientRect()]));
      return [...rows].sort((one, other) => {
        const a = /** @type {DOMRect} */ (tops.get(one));
        const b = /** @type {DOMRect} */ (tops.get(other));
        return a.top - b.top || a.left - b.left;
      });
    };

    /** @type {import('./derived').Lists['rowsOf']} */
    const rowsOf = (like, max = ALL) => inOrder(alike(like, max).filter((row) => dom.isRendered(row)));

    /** Fewer rows make a list where the page says it is one. */
    const fewest = (/** @type {Element} */ row) => {
      if (!bare(row).matches(SEMANTIC)) return 3;
      if (bare(row).localName === 'tr') return row.closest('table')?.querySelector('th') ? 1 : 3;
      // An item with a box of its own is an entry, even the last one left.
      return ['li', 'article'].includes(bare(row).localName) && !roleOf(row) && !bare(row).querySelector('input[type=checkbox]') ? 2 : 1;
    };

    /** Whether a control can be a row by itself: buttons side by side are a toolbar, links in a line are text. */
    const isRow = (/** @type {Element} */ control, /** @type {import('./derived').ControlKind} */ kind) => kind === 'row'
      || (kind === 'link' && !bare(bare(control).parentElement)?.matches(TEXT) && !getComputedStyle(control).display.startsWith('inline'));

    /** A few buttons in list items, and nothing else, are a toolbar written as a list. */
    const isToolbar = (/** @type {Element[]} */ rows) => rows.length <= TOOLBAR_MOST && rows.every((row) => {
      const pressed = bare(row).querySelectorAll(`${PRESSABLE},input`);
      const visible = [...pressed].filter((each) => !each.matches('input[type=hidden]'));
      return visible.length === 1 && !visible[0]?.matches('a,input')
        && (bare(row).textContent ?? '').trim() === (visible[0]?.textContent ?? '').trim();
    });

    /** In lists made for the keyboard only the row that has the focus is marked as a button; the others look like it. */
    const isRoving = (/** @type {Element} */ container, /** @type {Element[]} */ sample) => {
      // Any row may have it, not just one of the first.
      const [name] = bare(container).querySelector('[role=button][tabindex="0"][class]')?.classList ?? [];
      return name !== undefined && sample.every((row) => bare(row).getElementsByClassName(name).length === 1);
    };

    /** The title, content and buttons of a dialog are built alike and are no rows. */
    const isFrame = (/** @type {Element} */ container) => {
      const dialog = dom.closest(container, DIALOGS);
      if (!dialog || dialog === container) return dialog !== null;
      const [id] = bare(dialog).getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
      return id !== undefined && id !== '' && bare(container).querySelector(`#${CSS.escape(id)}`) !== null;
    };

    /** Cards of one kind hold about as much as one another; sections of a page do not. What is unfolded holds more. */
    const isUneven = (/** @type {Element[]} */ rows) => {
      const folds = rows.every((row) => bare(row).querySelector(FOLDS) !== null);
      const counts = rows.filter((row) => !folds || bare(row).querySelector(UNFOLDED) === null)
        .map((row) => pressablesIn(row).length);
      if (counts.length === 0) return false;
      return Math.max(...counts) > Math.min(...counts) * 2 + 2 || Math.min(...counts) > PRESSED_MOST;
    };

    const texts = (/** @type {Iterable<Element>} */ elements) =>
      new Set([...elements].slice(0, 12).map((each) => (bare(each).textContent ?? '').trim()));

    /** Whether the inner list is the same in every outer row: then it holds the rows' buttons. */
    const isRepeated = (/** @type {import('./derived').List} */ inner, /** @type {import('./derived').List} */ outer) => {
      const other = outer.rows.find((row) => !bare(row).contains(inner.container));
      if (!other) return false;
      const ours = texts(inner.rows);
      const theirs = texts(bare(other).querySelectorAll(bare(inner.row).localName));
      return [...ours].filter((text) => theirs.has(text)).length >= ours.size * 0.6;
    };

    /** Whether its rows are parts of the other's, which have more to press or come first. @type {(list: import('./derived').List, other: import('./derived').List) => boolean} */
    const isPartOf = (list, other) => {
      if (!agent.get('split_rows').partsOf(list.row).some((part) => part !== list.row && other.members.has(part))) return false;
      const more = other.pressed - list.pressed;
      return more > 0 || (more === 0 && (bare(other.row).compareDocumentPosition(list.row) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0);
    };

    /** @type {import('./derived').Lists['search']} */
    const search = (context, scope, landmarks) => {
      /** @type {Map<Element, import('./derived').List[]>} */
      const known = new Map();
      /** @type {Map<Element, Set<string>>} */
      const refused = new Map();
      /** @type {Set<import('./derived').List>} */
      const chosen = new Set();

      /** @type {(row: Element, kind: import('./derived').ControlKind | null) => import('./derived').List | null} */
      const make = (row, kind) => {
        const container = dom.parentOf(row);
        if (!container || (NEVER.has(bare(row).localName) && !isWrapper(row)) || NEVER_ROLES.has(roleOf(row))) return null;
        if ((isFew(row) && !bare(row).matches(SEMANTIC)) || kind === 'button') return null;
        const there = known.get(container)?.find((list) => list.members.has(row));
        if (there) return there;
        const key = `${bare(row).localName}|${roleOf(row)}|${bare(row).getAttribute('class') ?? ''}|${kind ?? ''}`;
        let no = refused.get(container);
        if (no && (no.has(key) || no.size >= KINDS_MOST)) return null;
        if (!no) refused.set(container, no = new Set());
        no.add(key);
        if (kind && !isRow(row, kind)) return null;
        const members = alike(row, LOOKED_AT);
        if (members.length < fewest(row) || members.slice(0, SAMPLE).every(isWeek)) return null;
        const rows = inOrder(members.filter((each) => dom.isRendered(each)));
        const sample = rows.slice(0, SAMPLE).filter((each) => context.isVisible(each));
        if (sample.length < Math.min(fewest(row), SAMPLE)) return null;
        if (!kind && isToolbar(rows)) return null;
        const pressable = kind ? sample.length : sample.filter((each) => pressablesIn(each).length > 0).length;
        const roves = pressable < sample.length * 0.6;
        if (roves && !isRoving(container, sample)) return null;
        // Rows that hold tables may be the page itself, laid out as one.
        const isSaid = bare(row).matches(SEMANTIC) && !sample.some((each) => bare(each).querySelector('table'));
        if (!kind && !isSaid && (isUneven(sample) || isFrame(container))) return null;
        const beyond = Math.max(0, (bare(parentOf(row))?.childElementCount ?? 0) - LOOKED_AT);
        const end = bare(parentOf(row))?.lastElementChild;
        const list = {
          container, row, rows, members: new Set(members), count: rows.length + beyond,
          last: beyond && end ? end : /** @type {Element} */ (members[members.length - 1]), itself: kind !== null || roves,
          pressed: pressablesIn(row).length,
        };
        known.set(container, [...known.get(container) ?? [], list]);
        return list;
      };

      /** @type {Map<Element, import('./derived').List[]>} */
      const chains = new Map();
      /**
       * The lists that an element is, or is in, a row of; the innermost first.
       * @type {(row: Element | null, up: number) => import('./derived').List[]}
       */
      const chain = (row, up) => {
        if (!row || row === scope || up >= CLIMB) return [];
        let found = chains.get(row);
        if (!found) {
          const list = make(row, null);
          const outer = chain(dom.parentOf(row), up + 1);
          chains.set(row, found = list ? [list, ...outer] : outer);
        }
        return found;
      };

      /** @type {import('./derived').ListSearch['around']} */
      const around = (control, kind) => {
        if (isBarred(control)) return null;
        const itself = kind === 'box' ? null : make(control, kind);
        const lists = [...itself ? [itself] : [], ...chain(dom.parentOf(control), 0)];
        /** @type {import('./derived').List | null} */
        let best = null;
        for (const list of lists) {
          if (!best || isRepeated(best, list) || (list.count >= best.count && list.pressed <= PRESSED_MOST)) best = list;
        }
        if (best) chosen.add(best);
        return best;
      };

      /** @type {Map<Element | null, boolean>} */
      const barred = new Map();
      const isBarred = (/** @type {Element} */ control) => {
        const parent = dom.parentOf(control);
        let is = barred.get(parent);
        if (is === undefined) {
          const region = parent && dom.closest(parent, NO_LIST);
          barred.set(parent, is = region ? !dom.contains(region, scope) : false);
        }
        return is;
      };

      /** Lists whose items hear clicks by script alone show it by the pointer's shape only. */
      const silent = () => {
        for (const container of landmarks.filter((each) => bare(each).matches(CONTAINERS)).slice(0, SILENT_MOST)) {
          const row = bare(container).firstElementChild;
          if (!row || known.has(container) || bare(container).closest(NO_LIST) || !bare(row).matches(SEMANTIC)) continue;
          const like = isHead(row) ? bare(row).nextElementSibling : row;
          if (!like || getComputedStyle(like).cursor !== 'pointer' || bare(like).querySelector('input,select,textarea')) continue;
          const list = make(like, 'row');
          if (list) chosen.add(list);
        }
      };

      return {
        around,
        all() {
          silent();
          const lists = [...chosen];
          const isInRow = (/** @type {import('./derived').List} */ list) =>
            lists.some((other) => other !== list && other.rows.some((row) => bare(row).contains(list.container)));
          return lists.filter((list) => !isInRow(list) && !lists.some((other) => isPartOf(list, other)));
        },
      };
    };

    return { search, rowsOf, inOrder, isWeek };
  });
})();
