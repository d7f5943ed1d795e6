/**
 * What a person could click, drag, drop on, point at or type into: controls by tag, role or focus; anything with a
 * handler, be it written in the mark-up or noted by `page/listeners.js` in the page's own world; what libraries mark as
 * theirs to drag; heads of menus that a style opens; and what looks clickable, where the looks begin.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ASK = 'tabwright:listened';
  /** For what the page listens, as `page/listeners.js` tells it. */
  const [CLICK, PRESS, DRAG, DROP, COME] = [1, 2, 4, 8, 16];
  const ROLES = new Set(`button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option textbox searchbox
    combobox slider spinbutton treeitem scrollbar file color date time datetime month week`.split(/\s+/));
  /** Says no more than that the browser's menu is not wanted. */
  const NO_MENU = /^\s*(?:(?:window\.)?event\.preventDefault\(\)|return(?:\s+false)?|[;\s])*$/;
  const HANDLED = '[onclick],[onmousedown],[onpointerdown],[ondblclick],[onmouseup],[onpointerup],[ontouchstart],[ontouchend]';
  const NATIVE = new Set(['a', 'area', 'button', 'input', 'select', 'textarea', 'summary', 'label', 'option', 'html', 'body']);
  const FIELDS = 'input:not([type=hidden],[type=checkbox],[type=radio]),select,textarea';
  const PAGE = new Set(['html', 'body', 'main']);
  /** Below so many elements a listener is about what is clicked in them, not about the whole. */
  const WHOLE_MAX = 60;
  const ALIKE_MIN = 3;
  /** What is sure to be an item of something, two of which are enough. */
  const ITEMS = new Set(['li', 'tr']);
  const DRAGGED = `[draggable=true],[aria-grabbed],[aria-roledescription*=drag i],[aria-roledescription=sortable i],.ui-draggable-handle,.ui-sortable-handle,
    .cdk-drag,[data-rbd-draggable-id],[data-rfd-draggable-id]`;
  const DROPPED = `[ondrop],[ondragover],[aria-dropeffect]:not([aria-dropeffect=none]),.ui-droppable,.ui-sortable,
    .cdk-drop-list,[data-rbd-droppable-id],[data-rfd-droppable-id]`;
  const DROP_ZONE = /(?:^|[\s_-])(?:drop[-_]?(?:zone|target|area)|droppable)(?:\s|$)/i;
  const GRABBED = /^(?:grab|move|all-scroll|(?:col|row|[nsew]{1,4})-resize)$/;
  /** In a list only one item is reached by Tab, the others by arrow keys from it; so far apart they may lie. */
  const ROVING_UP = 3;
  const HEADS = ':is([class*=headeritem i],[class*=header-item i],[class*=headercell i],[class*=header-cell i],[role=columnheader])';
  const HEADS_NEAR = ['', '* > ', '* > * > '].map((between) => `:scope > ${between}${HEADS}`).join(',');
  const EDITED = '[contenteditable]:not([contenteditable=false]),[role=textbox]';
  /** The rail and the marks around it are parts of it. */
  const SLID = 'input[type=range],[role=slider]';
  const HEADS_MAX = 60;
  /** A bar is little higher than what stands in it. */
  const BAR_HIGH = 2;
  const BAR_LEAST = 2;
  /** What starts no drag of its own, and lets that of what it is in begin on it. */
  const CARRIED = 'button,[role=button],[role=option],[role=menuitem],[role=tab]';
  const BY_ITSELF = '[aria-label],[aria-labelledby],[aria-multiselectable=true]';
  const DRAWN = 'img,svg,canvas,video,picture,object';
  const CELL = 'td,[role=gridcell],[role=cell]';
  const RULER = /(?:^|[-_\s])resiz(?:e|er|able|ing)(?:[-_\s]|$)/i;
  const RULED = /^(?:col|row|ew|ns)-resize$/;
  /** From a cell to what hears it. */
  const GRID_DEEP = 14;
  const GRID_AROUND = 3;
  /** Between the parts of a date, with marks of the direction that it is read in. */
  const SEPARATOR = /^[\s\p{Cf}/:.,–-]+$/u;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { bare } = parts.get('snapshot_tree');
    const { CONTROLS, all: menuHeads, opensBeside } = parts.get('menu_heads');

    /** Elements that the page listens on, and for what. @returns {Map<Element, number>} */
    const listened = () => {
      const found = new Map();
      const name = parts.unguessable();
      const hear = (/** @type {Event} */ event) => {
        const { data } = /** @type {InputEvent} */ (event);
        for (const { startContainer } of /** @type {InputEvent} */ (event).getTargetRanges()) found.set(startContainer, Number(data));
      };
      window.addEventListener(name, hear);
      window.dispatchEvent(new MessageEvent(ASK, { data: name }));
      window.removeEventListener(name, hear);
      return found;
    };

    /** Clicks on the rows, cells or colours of something are heard by what holds them: each of them is meant. */
    const alikeIn = (/** @type {Element} */ holder) => {
      const own = bare(holder);
      // The cells of a row are one row, the lines of an editor one text.
      if (own.matches('tr,[role=row]') || own.closest(EDITED)) return [];
      let inner = own;
      // What only wraps the one holder of them all says nothing.
      while (inner.childElementCount === 1 && inner.firstElementChild?.childElementCount) {
        if (isOne(inner.firstElementChild)) return [];
        inner = bare(inner.firstElementChild);
      }
      const cells = own.localName === 'table' || own.localName === 'tbody' ? [...own.querySelectorAll('td')] : [...inner.children];
      const first = cells[0];
      if (!first || !cells.every((each) => bare(each).localName === bare(first).localName)) return [];
      return cells.length >= ALIKE_MIN || (cells.length > 1 && ITEMS.has(bare(first).localName)) ? cells : [];
    };

    const isSmall = (/** @type {Element} */ element) => bare(element).getElementsByTagName('*').length <= WHOLE_MAX;

    /** Titles of columns above a list that hears clicks on all it holds. */
    const headsIn = (/** @type {Element} */ holder) => {
      const own = bare(holder);
      if (PAGE.has(own.localName)) return [];
      // What hears a whole application is not about its lists.
      const heads = [...own.querySelectorAll(HEADS_NEAR)].slice(0, HEADS_MAX);
      const isHead = (/** @type {Element} */ each) => isSmall(each) && !bare(each).querySelector(CONTROLS)
        && !bare(each).parentElement?.closest(HEADS)
        && heads.some((other) => other !== each && bare(other).parentElement === bare(each).parentElement);
      return heads.filter(isHead);
    };

    const shapeOf = (/** @type {Element} */ element) => {
      const own = bare(element);
      const mark = own.classList[0] ?? own.getAttribute('role');
      return mark ? `${own.localName} ${mark}` : '';
    };

    /** Each of them something else, and a field among them; or signs beside the one word of what is dragged: what one control is drawn with, not a list. @param {Element} holder @param {Element[]} parts */
    const isComposed = (holder, parts) => {
      const shapes = new Set(parts.map(shapeOf));
      if (bare(holder).matches(DRAGGED)) return shapes.size > 1 && parts.filter((each) => bare(each).textContent?.trim()).length === 1;
      return shapes.size === parts.length && !shapes.has('') && parts.some((each) => bare(each).querySelector(CONTROLS));
    };

    /** A control, and what it is drawn with no control of its own; but in an item of a tree one part may unfold it. @param {Element} element */
    const isOne = (element) => {
      const role = parts.get('roles').roleOf(element);
      return ROLES.has(role) && role !== 'treeitem';
    };

    /** @param {Element} holder @returns {Element[]} */
    const partsOf = (holder) => {
      if (PAGE.has(bare(holder).localName) || bare(holder).querySelector(SLID) || isOne(holder)) return [];
      const alike = alikeIn(holder);
      return isComposed(holder, alike) ? [] : alike.filter((each) => isSmall(each) && bare(each).getAttribute('aria-hidden') !== 'true' && !bare(each).querySelector(CONTROLS));
    };

    /** Nothing is said or drawn in an element but by these. @param {Element} element @param {Element[]} controls */
    const isOnly = (element, controls) => {
      const said = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (said.nextNode()) if (said.currentNode.nodeValue?.trim() && !controls.some((each) => each.contains(said.currentNode))) return false;
      return [...bare(element).querySelectorAll(DRAWN)].every((each) => controls.some((control) => control.contains(each)));
    };

    /** Nothing but controls side by side, which hears for them what is pressed. @param {Element} element */
    const isBar = (element) => {
      const controls = [...bare(element).querySelectorAll(CONTROLS)];
      const highest = Math.max(...controls.map((each) => bare(each).getBoundingClientRect().height));
      return controls.length >= BAR_LEAST && bare(element).getBoundingClientRect().height <= highest * BAR_HIGH && isOnly(element, controls);
    };

    /** The one control that something to drag is made of: by it, it is clicked and dragged. @param {Element} element */
    const carriedBy = (element) => {
      const [control, ...others] = bare(element).querySelectorAll(`${CONTROLS},${CARRIED}`);
      return control && others.length === 0 && bare(control).matches(CARRIED) && isOnly(element, [control]) ? control : null;
    };

    /** A label is its control's, be that one drawn by hand. */
    const leadsElsewhere = (/** @type {Element} */ element) => {
      const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
      if (element instanceof HTMLLabelElement) {
        if (element.control) return element.control.checkVisibility();
        const named = element.id ? root.querySelector?.(`[role][aria-labelledby~="${CSS.escape(element.id)}"]`) : null;
        return named?.checkVisibility() === true;
      }
      const id = element.localName.endsWith('-label') ? element.getAttribute('for') : null;
      return id !== null && root.getElementById?.(id)?.checkVisibility() === true;
    };

    /** What a label draws for its control, as the two halves of a switch, or all that it says of the field beside it. */
    const isOfLabel = (/** @type {Element} */ element) => {
      const label = parts.get('snapshot_tree').closest(element, 'label');
      // Before the field that it is for only to the eye, it may look pressed as others are.
      if (label === element && !(/** @type {HTMLLabelElement} */ (label).control)) {
        const next = bare(element).nextElementSibling;
        return next !== null && (bare(next).matches(FIELDS) || bare(next).querySelector(FIELDS) !== null);
      }
      const control = label instanceof HTMLLabelElement && label !== element ? label.control : null;
      return control !== null && bare(control).matches(`button,${parts.get('boxes').CHOICES}`) && control.checkVisibility();
    };

    /** A list by itself, which one fills in by its options; what a field has opened is that field's. @param {Element} list */
    const isChosenFrom = (list) => {
      if (!bare(list).matches(BY_ITSELF)) return false;
      const root = /** @type {Document | ShadowRoot} */ (list.getRootNode());
      const id = bare(list).id ? CSS.escape(bare(list).id) : '';
      const isOpened = id !== '' && root.querySelector(`[aria-controls~="${id}"],[aria-owns~="${id}"]`) !== null;
      return !isOpened && bare(list).querySelector('[role=option]') !== null;
    };

    const isFocusable = (/** @type {Element} */ own) => {
      const given = own.getAttribute('tabindex');
      return given !== null && Number.parseInt(given, 10) >= 0;
    };

    const begin = () => {
      const all = listened();
      const listens = (/** @type {Element} */ element, /** @type {number} */ what) => ((all.get(element) ?? 0) & what) !== 0;
      const heard = new Set([...all.keys()].filter((each) => listens(each, CLICK | PRESS)));
      const heads = menuHeads();
      for (const each of all.keys()) if (listens(each, COME) && isSmall(each) && opensBeside(each)) heads.add(each);
      /** Items of a list that hears presses and drops, but no clicks, are there to be sorted. @type {Set<Element>} */
      const sorted = new Set();
      for (const each of heard) {
        const isSorted = listens(each, PRESS) && listens(each, DROP) && !listens(each, CLICK) && !PAGE.has(bare(each).localName);
        if (isSorted) for (const item of bare(each).children) sorted.add(item);
      }
      /** @type {Set<Element>} */
      const parted = new Set();
      for (const holder of heard) for (const each of [...partsOf(holder), ...headsIn(holder)]) parted.add(each);

      /** What Tab reaches in each holder, by its looks. @type {Map<Element, Set<string>>} */
      const reached = new Map();
      const reachedIn = (/** @type {Element} */ holder) => {
        let shapes = reached.get(holder);
        if (!shapes) reached.set(holder, (shapes = new Set([...bare(holder).querySelectorAll('[tabindex="0"]')].map(shapeOf))));
        return shapes;
      };

      /** One of several alike, of which another is reached by Tab now. */
      const isRoving = (/** @type {Element} */ element) => {
        const shape = bare(element).getAttribute('tabindex') === '-1' ? shapeOf(element) : '';
        let holder = shape ? bare(element).parentElement : null;
        for (let up = 0; holder && up < ROVING_UP && !PAGE.has(bare(holder).localName); up += 1) {
          if (reachedIn(holder).has(shape)) return true;
          holder = bare(holder).parentElement;
        }
        return false;
      };

      const opensMenu = (/** @type {Element} */ element) => {
        const handler = bare(element).getAttribute('oncontextmenu');
        return handler !== null && !NO_MENU.test(handler);
      };

      /** Heard by the element, and about it: not by the root of a whole page or list. */
      const isHeard = (/** @type {Element} */ element) => {
        if (parted.has(element)) return true;
        if ((!heard.has(element) && !opensMenu(element)) || PAGE.has(bare(element).localName)) return false;
        return isSmall(element) && alikeIn(element).length === 0 && (!heard.has(element) || !isBar(element));
      };

      /** Whether something hears presses on the cells below: what holds them, up to a little outside of their grid. @type {Map<Element, boolean>} */
      const hearing = new Map();
      const hearsCells = (/** @type {Element} */ holder) => {
        let known = hearing.get(holder);
        if (known === undefined) {
          let beyond = 0;
          known = false;
          for (let at = /** @type {Element | null} */ (holder), up = 0; at && up < GRID_DEEP && beyond <= GRID_AROUND && !PAGE.has(bare(at).localName); up += 1) {
            if (heard.has(at)) known = true;
            if (beyond > 0 || bare(at).matches('[role=grid],[role=treegrid]')) beyond += 1;
            at = bare(at).parentElement;
          }
          hearing.set(holder, known);
        }
        return known;
      };

      /** The hand begins here: what is above it has another cursor. */
      const looksSo = (/** @type {Element} */ element, /** @type {CSSStyleDeclaration} */ style) => {
        // What lies over a box and lets clicks through, as its mark does, is that box.
        if (style.cursor !== 'pointer' || style.pointerEvents === 'none') return false;
        const above = parts.get('snapshot_tree').parentOf(element);
        return !above || getComputedStyle(above).cursor !== 'pointer' || bare(above).localName === 'body';
      };

      const isNative = (/** @type {Element} */ element, /** @type {string} */ tag, /** @type {string} */ role) =>
        (ROLES.has(role) && tag !== 'option') || tag === 'select' || (role === 'listbox' && isChosenFrom(element)) ||
        ((tag === 'video' || tag === 'audio') && bare(element).hasAttribute('controls'));

      /** Some listen for drags of what cannot be dragged, to end what they draw at a press. */
      const isDragged = (/** @type {Element} */ element) =>
        (bare(element).hasAttributes() && bare(element).matches(DRAGGED)) || sorted.has(element) ||
        (listens(element, DRAG) && element instanceof HTMLElement && element.draggable);

      const isDropZone = (/** @type {Element} */ own) => listens(own, DROP) || own.matches(DROPPED) || DROP_ZONE.test(own.getAttribute('class') ?? '');

      /** Controls that are dragged with what wraps nothing but them. @type {Set<Element>} */
      const carried = new Set();
      const isWrapping = (/** @type {Element} */ element) => {
        const control = carriedBy(element);
        if (control) carried.add(control);
        return control !== null;
      };

      /** The hand that grabs begins here. */
      const isGrabbed = (/** @type {Element} */ element, /** @type {CSSStyleDeclaration} */ style) => {
        if (!GRABBED.test(style.cursor)) return false;
        const above = parts.get('snapshot_tree').parentOf(element);
        return !above || getComputedStyle(above).cursor !== style.cursor;
      };

      /** @type {import('./outline').ClickablesPass['marksOf']} */
      const marksOf = (element, style) => {
        const own = bare(element);
        const marks = heads.has(element) ? ['hover'] : [];
        if (isDragged(element) || carried.has(element) || isGrabbed(element, style)) marks.push('draggable');
        // Into a field any text can be dragged.
        if (isDropZone(own) && !own.matches('input:not([type=file]),textarea')) marks.push('droppable');
        return marks;
      };

      const isSeparator = (/** @type {Element} */ own) =>
        own.firstElementChild === null && SEPARATOR.test(own.textContent ?? '') &&
        (own.getAttribute('aria-hidden') === 'true' || own.parentElement?.querySelector(':scope > [role=spinbutton]') !== null);

      /** Between the cells of every row, what makes a column wider is told once, at its head. */
      const isRuler = (/** @type {Element} */ own, /** @type {CSSStyleDeclaration} */ style) =>
        own.firstElementChild === null && own.textContent === '' && (RULED.test(style.cursor) || RULER.test(own.getAttribute('class') ?? '')) &&
        [own.previousElementSibling, own.nextElementSibling].some((each) => each !== null && bare(each).matches(CELL));

      /** The title of a column that can be sorted by, and says so. */
      const isSorting = (/** @type {Element} */ own, /** @type {string} */ role) => role === 'columnheader' && own.hasAttribute('aria-sort');

      /** @type {import('./outline').ClickablesPass['why']} */
      const why = (element, role, within, style) => {
        const own = bare(element);
        const tag = own.localName;
        if (isNative(element, tag, role)) return 'control';
        if (PAGE.has(tag) || (tag.endsWith('label') && leadsElsewhere(element)) || isSeparator(own)) return '';
        if (own.hasAttributes() && (isFocusable(own) || own.matches(HANDLED) || isRoving(element))) return 'control';
        if (isRuler(own, style)) return '';
        if (heads.has(element) || isDropZone(own)) return 'moved';
        if (isDragged(element)) return isWrapping(element) ? '' : 'moved';
        if ((role === 'gridcell' || isSorting(own, role)) && own.parentElement && hearsCells(own.parentElement)) return 'heard';
        const isFree = within === '' || within === 'heard';
        if (isFree && (!NATIVE.has(tag) || tag === 'label') && looksSo(element, style)) return isOfLabel(element) ? '' : 'looks';
        return isHeard(element) || (isFree && isGrabbed(element, style)) ? 'heard' : '';
      };
      return { why, marksOf };
    };

    return { begin };
  };

  agent.part('clickables', make);
})();
