/**
 * Heads of menus: what shows something to use as soon as it is pointed at, by the rules of the page's style sheets.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const CONTROLS = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],[tabindex]:not([tabindex="-1"])';
  const PAGE = new Set(['html', 'body', 'main']);
  /** So many controls of a head are tried. */
  const TRIED_MAX = 3;
  const SHOWN = { visibilityProperty: true, opacityProperty: true };
  /** Rules of style looked at, and elements that rules show when something is pointed at. */
  const RULES_MAX = 20_000;
  const REVEALED_MAX = 300;
  /** By which a style shows what it hid. */
  const REVEALS = ['display', 'visibility', 'opacity', 'height', 'max-height', 'transform', 'clip-path', 'left', 'top', 'position', 'pointer-events'];
  const POINTED = /((?:\\.|[^\s>+~,():\\]|:(?!hover\b)|\([^()]*\))*):hover\b/;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { bare } = parts.get('snapshot_tree');

    /** What the rules of a sheet show when something is pointed at: selectors, as they are without the pointer. @type {WeakMap<CSSStyleSheet, {count: number, found: {shown: string, head: string}[]}>} */
    const sheets = new WeakMap();

    /** The selectors of a list, each by itself. @param {string} list */
    const selectorsOf = (list) => {
      let depth = 0;
      return list.replace(/[(),]/g, (mark) => {
        depth += mark === '(' ? 1 : mark === ')' ? -1 : 0;
        return mark === ',' && depth === 0 ? '\n' : mark;
      }).split('\n');
    };

    /** @param {CSSRuleList} rules @param {string} parent @param {{shown: string, head: string}[]} found @param {{left: number}} room */
    const gather = (rules, parent, found, room) => {
      for (const rule of /** @type {any} */ (rules)) {
        if ((room.left -= 1) < 0) return;
        const told = typeof rule.selectorText === 'string' ? rule.selectorText.replaceAll('&', `:is(${parent || '*'})`) : parent;
        if (rule.style && told.includes(':hover') && REVEALS.some((name) => rule.style.getPropertyValue(name) !== '')) {
          for (const each of selectorsOf(told)) {
            const head = POINTED.exec(each)?.[1];
            if (head && !head.startsWith('*')) found.push({ shown: each.replace(/:hover\b/g, ''), head });
          }
        }
        if (rule.cssRules?.length) gather(rule.cssRules, told, found, room);
      }
    };

    /** @param {CSSStyleSheet} sheet */
    const pointedIn = (sheet) => {
      /** @type {CSSRuleList | undefined} */
      let rules;
      try {
        rules = sheet.disabled ? undefined : sheet.cssRules;
      } catch {
        // Of another origin.
      }
      const known = sheets.get(sheet);
      if (!rules || known?.count === rules.length) return known?.found ?? [];
      /** @type {{shown: string, head: string}[]} */
      const found = [];
      gather(rules, '', found, { left: RULES_MAX });
      sheets.set(sheet, { count: rules.length, found });
      return found;
    };

    /** What is to be pointed at for something to show that does not now: the control in it, else itself. @param {Element} revealed @param {string} head */
    const headOf = (revealed, head) => {
      const above = bare(revealed).parentElement?.closest(head);
      const beside = [...(bare(revealed).parentElement?.children ?? [])].find((each) => each !== revealed && bare(each).matches(head));
      const found = above ?? beside;
      if (!found || PAGE.has(bare(found).localName)) return undefined;
      const controls = [...bare(found).querySelectorAll(CONTROLS)].slice(0, TRIED_MAX);
      return controls.find((each) => !bare(revealed).contains(each) && bare(each).checkVisibility(SHOWN)) ?? found;
    };

    /** @type {import('./outline').MenuHeads['opensBeside']} */
    const opensBeside = (element) => {
      const own = bare(element);
      if (PAGE.has(own.localName)) return false;
      const near = [...own.children, ...(own.nextElementSibling ? [own.nextElementSibling] : [])];
      return near.some((each) => !bare(each).checkVisibility(SHOWN) && bare(each).querySelector(`${CONTROLS},li`) !== null);
    };

    /** Not drawn, or where nobody can scroll. */
    const isAway = (/** @type {Element} */ element) =>
      !bare(element).checkVisibility(SHOWN) || parts.get('tree').isBeyond(element, bare(element).getBoundingClientRect());

    /** @type {import('./outline').MenuHeads['all']} */
    const all = () => {
      /** @type {Set<Element>} */
      const heads = new Set();
      for (const { shown, head } of [...document.styleSheets, ...document.adoptedStyleSheets].flatMap(pointedIn)) {
        try {
          for (const each of [...document.querySelectorAll(shown)].slice(0, REVEALED_MAX)) {
            // Words that explain something are no menu.
            const isMenu = isAway(each) && (bare(each).matches(CONTROLS) || bare(each).querySelector(`${CONTROLS},li`) !== null);
            const found = isMenu ? headOf(each, head) : undefined;
            if (found && bare(found).checkVisibility(SHOWN)) heads.add(found);
          }
        } catch {
          // A selector that this browser does not know.
        }
      }
      return heads;
    };

    return { CONTROLS, all, opensBeside };
  };

  agent.part('menu_heads', make);
})();
