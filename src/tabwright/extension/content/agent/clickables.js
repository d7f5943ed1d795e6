/**
 * What a person could click or type into: controls by tag, role or focus; anything with a handler, be it written in the
 * mark-up or noted by `page/listeners.js` in the page's own world; and what looks clickable, where the looks begin.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ASK = 'tabwright:listened';
  const ROLES = new Set(`button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option textbox searchbox
    combobox slider spinbutton treeitem scrollbar file color date time datetime month week`.split(/\s+/));
  const HANDLED = '[onclick],[onmousedown],[onpointerdown],[ondblclick],[onmouseup],[onpointerup],[ontouchstart],[ontouchend]';
  const NATIVE = new Set(['a', 'area', 'button', 'input', 'select', 'textarea', 'summary', 'label', 'option', 'html', 'body']);
  const CONTROLS = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[tabindex]';
  const PAGE = new Set(['html', 'body', 'main']);
  /** Below so many elements a listener is about what is clicked in them, not about the whole. */
  const WHOLE_MAX = 60;
  const ALIKE_MIN = 3;
  /** In a list only one item is reached by Tab, the others by arrow keys from it; so far apart they may lie. */
  const ROVING_UP = 3;
  const HEADS = ':is([class*=headeritem i],[class*=header-item i],[class*=headercell i],[class*=header-cell i],[role=columnheader])';
  const HEADS_NEAR = ['', '* > ', '* > * > '].map((between) => `:scope > ${between}${HEADS}`).join(',');
  const EDITED = '[contenteditable]:not([contenteditable=false]),[role=textbox]';
  const HEADS_MAX = 60;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const { bare } = parts.get('snapshot_tree');

    /** Elements that the page listens on. @returns {Set<Element>} */
    const listened = () => {
      const found = new Set();
      const name = crypto.randomUUID();
      const hear = (/** @type {Event} */ event) => {
        for (const { startContainer } of /** @type {InputEvent} */ (event).getTargetRanges()) found.add(startContainer);
      };
      window.addEventListener(name, hear, { once: true });
      window.dispatchEvent(new MessageEvent(ASK, { data: name }));
      window.removeEventListener(name, hear);
      return found;
    };

    /** Clicks on the rows, cells or colours of something are heard by what holds them: each of them is meant. */
    const alikeIn = (/** @type {Element} */ holder) => {
      const own = bare(holder);
      // The cells of a row are one row, the lines of an editor one text.
      if (own.matches('tr,[role=row]') || own.closest(EDITED)) return [];
      const cells = own.localName === 'table' || own.localName === 'tbody' ? [...own.querySelectorAll('td')] : [...own.children];
      const first = cells[0];
      return first && cells.length >= ALIKE_MIN && cells.every((each) => bare(each).localName === bare(first).localName) ? cells : [];
    };

    const isSmall = (/** @type {Element} */ element) => bare(element).getElementsByTagName('*').length <= WHOLE_MAX;

    /** @param {Element} holder @returns {Element[]} */
    const partsOf = (holder) => (PAGE.has(bare(holder).localName) ? [] : alikeIn(holder).filter((each) => isSmall(each) && !bare(each).querySelector(CONTROLS)));

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

    /** A label is its control's. */
    const leadsElsewhere = (/** @type {HTMLLabelElement} */ { control }) => control?.checkVisibility() === true;

    const isFocusable = (/** @type {Element} */ own) => {
      const given = own.getAttribute('tabindex');
      return given !== null && Number.parseInt(given, 10) >= 0;
    };

    const begin = () => {
      const heard = listened();
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

      /** Heard by the element, and about it: not by the root of a whole page or list. */
      const isHeard = (/** @type {Element} */ element) => {
        if (parted.has(element)) return true;
        if (!heard.has(element) || PAGE.has(bare(element).localName)) return false;
        return isSmall(element) && alikeIn(element).length === 0;
      };

      /** The hand begins here: what is above it has another cursor. */
      const looksSo = (/** @type {Element} */ element, /** @type {CSSStyleDeclaration} */ style) => {
        if (style.cursor !== 'pointer') return false;
        const above = parts.get('snapshot_tree').parentOf(element);
        return !above || getComputedStyle(above).cursor !== 'pointer' || bare(above).localName === 'body';
      };

      const isNative = (/** @type {Element} */ element, /** @type {string} */ tag, /** @type {string} */ role) =>
        (ROLES.has(role) && tag !== 'option') || tag === 'select' ||
        ((tag === 'video' || tag === 'audio') && bare(element).hasAttribute('controls'));

      /** @type {import('./agent').ClickablesPass['why']} */
      const why = (element, role, within, style) => {
        const own = bare(element);
        const tag = own.localName;
        if (isNative(element, tag, role)) return 'control';
        if (PAGE.has(tag) || (tag === 'label' && leadsElsewhere(/** @type {HTMLLabelElement} */ (element)))) return '';
        if (own.hasAttributes() && (isFocusable(own) || own.matches(HANDLED) || isRoving(element))) return 'control';
        if (!within && (!NATIVE.has(tag) || tag === 'label') && looksSo(element, style)) return 'looks';
        return isHeard(element) ? 'heard' : '';
      };
      return { why };
    };

    return { begin };
  };

  agent.part('clickables', make);
})();
