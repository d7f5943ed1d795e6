/**
 * The tree of the page, shadow roots included: walking, searching, visibility, and paths that find an element again.
 * It only reads, so one pass costs at most one style and layout update.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  // Looking at every element from a script costs 10 ms where this selector costs 2: it leaves custom elements, and the
  // plain ones that usually carry a shadow root, which are empty. Those near the top are looked at one by one.
  const HOSTS = `:not(div,span,td,a,li,p,tr,button,input,b,i,path,g,svg,img,option,label,th,ul,ol,em,strong,small,code,pre,
    h1,h2,h3,h4,h5,h6,use,circle,rect,line,script,style,link,meta,br,hr,section,article,header,footer,select,textarea,form,
    fieldset,tbody,thead,table,nav,aside,main,dl,dt,dd,figure,picture,source,iframe,title,template,html,head,body),
    :is(div,span,section,article,aside,main):empty`;
  const HOSTS_MAX = 4000;
  const TOP_MAX = 100;

  /** @type {import('./agent').Tree['eachTurn']} */
  const eachTurn = (make) => {
    /** @type {ReturnType<typeof make> | undefined} */
    let made;
    return () => {
      if (made === undefined) {
        made = make();
        queueMicrotask(() => {
          made = undefined;
        });
      }
      return made;
    };
  };

  /** The shadow roots. @type {() => Map<Node, (Document | ShadowRoot | Element)[]>} */
  const knownRoots = eachTurn(() => new Map());
  /** Elements by attribute, then by the tree they are in. @type {() => Map<string, Map<Node, Element[]>>} */
  const attributes = eachTurn(() => new Map());

  /** @type {WeakMap<HTMLFormElement, any>} */
  const bared = new WeakMap();
  /** @type {ProxyHandler<{form: HTMLFormElement}>} */
  const members = {
    get({ form }, name) {
      const member = Reflect.get(HTMLFormElement.prototype, name, form);
      return typeof member === 'function' ? member.bind(form) : member;
    },
  };

  /**
   * Fields named `children` or `matches` hide what a form itself calls so; here its own members are read. Only for
   * reading: what it returns is no node.
   * @type {import('./agent').Tree['bare']}
   */
  const bare = (node) => {
    if (!(node instanceof HTMLFormElement)) return node;
    let own = bared.get(node);
    if (!own) bared.set(node, (own = new Proxy({ form: node }, members)));
    return own;
  };

  /** Nothing, or the blanks around a shadow root that was written into the page. @type {import('./agent').Tree['isHollow']} */
  const isHollow = (element) => {
    const only = element.firstChild;
    return only === null || (only === element.lastChild && only instanceof Text && !/\S/.test(only.data));
  };

  const shadowOf = (/** @type {Element} */ element) => {
    // A form can have none.
    if (element instanceof HTMLFormElement) return null;
    if (element.shadowRoot) return element.shadowRoot;
    // Asking Chrome for closed roots is dearer; almost only custom elements and empty ones have one.
    const mayBeClosed = element.localName.includes('-') || (element.localName === 'div' && isHollow(element));
    return mayBeClosed ? agent.adapter.openOrClosedShadowRoot(element) : null;
  };

  /** @type {import('./agent').Tree['walk']} */
  const walk = (root, visit) => {
    for (const child of /** @type {ParentNode & Node} */ (bare(root)).children ?? []) {
      if (visit(child) === false) continue;
      const shadow = shadowOf(child);
      if (shadow) walk(shadow, visit);
      walk(child, visit);
    }
  };

  /** The root itself and all shadow roots below it. @type {import('./agent').Tree['roots']} */
  const roots = (root) => {
    const known = knownRoots();
    const found = known.get(root);
    if (found) return found;
    // Most documents have no shadow root at all: then no part of them needs to be searched.
    if (root !== document && bare(root).getRootNode() === document && roots(document).length === 1) return [root];
    /** @type {(Document | ShadowRoot | Element)[]} */
    const all = [root];
    const own = root instanceof Element ? shadowOf(root) : null;
    if (own) all.push(...roots(own));
    const hosts = bare(root).querySelectorAll(HOSTS);
    /** @type {Set<ShadowRoot>} */
    const shadows = new Set();
    const look = (/** @type {Element} */ element) => {
      const shadow = shadowOf(element);
      if (shadow) shadows.add(shadow);
    };
    if (root === document) topmost().forEach(look);
    for (let index = 0; index < Math.min(hosts.length, HOSTS_MAX); index += 1) look(hosts[index]);
    for (const shadow of shadows) all.push(...roots(shadow));
    known.set(root, all);
    return all;
  };

  /** Where applications begin. */
  const topmost = () => {
    const outer = [...(document.body?.children ?? [])].slice(0, TOP_MAX);
    return [...outer, ...outer.flatMap((each) => [...bare(each).children].slice(0, TOP_MAX))];
  };

  /** Lists in document order as one, of which only so many are needed. */
  const merged = (/** @type {ArrayLike<Element>[]} */ lists, /** @type {number} */ max) => {
    const left = lists.filter((list) => list.length > 0);
    /** @type {Element[]} */
    const all = [];
    if (left.length < 2) {
      // Only what is needed: a copy of all takes longer than finding them did.
      for (let index = 0; left[0] && index < left[0].length && index < max; index += 1) all.push(left[0][index]);
      return all;
    }
    const at = left.map(() => 0);
    while (all.length < max) {
      let first = -1;
      for (let index = 0; index < left.length; index += 1) {
        const next = left[index][at[index]];
        if (!next) continue;
        if (first < 0 || bare(left[first][at[first]]).compareDocumentPosition(next) & Node.DOCUMENT_POSITION_PRECEDING) first = index;
      }
      if (first < 0) break;
      const chosen = left[first][at[first]];
      at[first] += 1;
      if (all.at(-1) !== chosen) all.push(chosen);
    }
    return all;
  };

  /** @type {import('./agent').Tree['taggedIn']} */
  const taggedIn = (root, tags, marks = [], max = Infinity) => {
    // One simple selector at a time takes Chrome a tenth of the time that it takes for a list of them.
    /** @type {ArrayLike<Element>[]} */
    const lists = tags.map((tag) => bare(root).querySelectorAll(tag));
    for (const mark of marks) {
      const known = marked(root, /** @type {string} */ (/\w[\w-]*/.exec(mark)?.[0]));
      lists.push(known.length > 0 ? known.filter((one) => bare(one).matches(mark)) : known);
    }
    return merged(lists, max);
  };

  /** @type {import('./agent').Tree['tagged']} */
  const tagged = (root, tags, marks = [], max = Infinity) => {
    const selector = [...tags, ...marks].join(',');
    /** @type {Element[]} */
    const all = [];
    for (const each of roots(root)) {
      // Of shadow roots there may be hundreds, all of them small.
      const found = each === document ? taggedIn(each, tags, marks, max) : bare(each).querySelectorAll(selector);
      if (found.length > 0) all.push(...found);
    }
    return all.slice(0, max);
  };

  /** @type {import('./agent').Tree['marked']} */
  const marked = (root, attribute) => {
    const known = attributes();
    let of = known.get(attribute);
    if (!of) known.set(attribute, (of = new Map()));
    let found = of.get(root);
    if (!found) of.set(root, (found = [...bare(root).querySelectorAll(`[${attribute}]`)]));
    return found;
  };

  /** @type {import('./agent').Tree['queryAll']} */
  const queryAll = (root, selector) => roots(root).flatMap((each) => [...bare(each).querySelectorAll(selector)]);

  const rootOf = (/** @type {Node} */ node) => bare(node).getRootNode();

  const parentOf = (/** @type {Node} */ node) => {
    const parent = bare(node).parentElement;
    if (parent) return parent;
    const root = rootOf(node);
    return root instanceof ShadowRoot ? root.host : null;
  };

  /** @type {import('./agent').Tree['closest']} */
  const closest = (element, selector) => {
    for (let from = /** @type {Element | null} */ (element); from;) {
      const hit = bare(from).closest(selector);
      if (hit) return hit;
      const root = rootOf(from);
      from = root instanceof ShadowRoot ? root.host : null;
    }
    return null;
  };

  /** @type {import('./agent').Tree['contains']} */
  const contains = (outer, inner) => {
    for (
      let node = /** @type {Node | null} */ (inner);
      node;
      node = rootOf(node) instanceof ShadowRoot ? /** @type {ShadowRoot} */ (rootOf(node)).host : null
    ) {
      if (bare(outer).contains(node)) return true;
    }
    return false;
  };

  // Elements of `display: contents` have no box of their own and count as invisible to Chrome; their children show.
  const isBoxless = (/** @type {Element} */ element) =>
    bare(element).childElementCount > 0 && getComputedStyle(element).display === 'contents';

  /** @type {import('./agent').Tree['isRendered']} */
  const isRendered = (element) =>
    bare(element).isConnected &&
    (bare(element).checkVisibility({ visibilityProperty: true, opacityProperty: true }) ||
      (isBoxless(element) && [...bare(element).children].some(isRendered)));

  /** @type {import('./agent').Tree['around']} */
  const around = (element) => bare(element).assignedSlot ?? parentOf(element);

  /** @type {import('./agent').Tree['clippers']} */
  const clippers = (element) => {
    /** @type {Element[]} */
    const found = [];
    let position = getComputedStyle(element).position;
    for (let at = around(element); at && at !== document.documentElement; at = around(at)) {
      if (position === 'fixed') break;
      const style = getComputedStyle(at);
      // Without a box of its own there is nothing that could cut, whatever its style says.
      if (style.display === 'contents') continue;
      const isPast = position === 'absolute' && style.position === 'static' && style.transform === 'none';
      if (!isPast && at !== document.scrollingElement && style.display !== 'inline' && /auto|scroll|hidden|clip|overlay/.test(style.overflowX + style.overflowY)) found.push(at);
      if (!isPast) position = style.position;
    }
    return found;
  };

  /** @type {import('./agent').Tree['isBeyond']} */
  const isBeyond = (element, box) => {
    const isAbove = (/** @type {number} */ up) => box.bottom + scrollY + up <= 0;
    const isBeside = (/** @type {number} */ left) => box.right + scrollX + left <= 0 && document.documentElement.dir !== 'rtl';
    if (!isAbove(0) && !isBeside(0)) return false;
    // What a part of the page has scrolled away can be scrolled back.
    const scrolled = clippers(element).map((each) => bare(each));
    return isAbove(scrolled.reduce((sum, { scrollTop }) => sum + scrollTop, 0))
      || isBeside(scrolled.reduce((sum, { scrollLeft }) => sum + scrollLeft, 0));
  };

  /** @type {import('./agent').Tree['isVisible']} */
  const isVisible = (element) => {
    if (!isRendered(element)) return false;
    const box = bare(element).getBoundingClientRect();
    // One pixel is how text for screen readers, skip links and traps for robots are hidden.
    if (box.width <= 1 || box.height <= 1) {
      // An inline link around a block has no size of its own.
      const child = bare(element).firstElementChild;
      return box.width + box.height < 1 && child !== null && child === bare(element).lastElementChild && isVisible(child);
    }
    return !isBeyond(element, box);
  };

  /** @type {import('./agent').Tree['isEnabled']} */
  const isEnabled = (element) => !bare(element).matches(':disabled, [aria-disabled=true]') && !closest(element, '[inert]');

  /** @type {import('./agent').Tree['pathOf']} */
  const pathOf = (element) => {
    /** @type {string[]} */
    const steps = [];
    for (let at = element; ;) {
      const parent = bare(at).parentNode;
      const id = bare(at).getAttribute('id') ?? '';
      if (/^[A-Za-z][\w-]*$/.test(id) && !/\d{2,}/.test(id)) {
        const root = /** @type {Document | ShadowRoot | Element} */ (rootOf(at));
        if (bare(root).querySelectorAll(`#${id}`).length === 1) {
          steps.push(`#${id}`);
          if (!(root instanceof ShadowRoot)) break;
          steps.push('^');
          at = root.host;
          continue;
        }
      }
      const tag = bare(at).localName;
      const place = parent
        ? [.../** @type {ParentNode & Node} */ (bare(parent)).children]
            .filter((each) => bare(each).localName === tag)
            .indexOf(at)
        : 0;
      steps.push(`${tag}:${place}`);
      if (parent instanceof ShadowRoot) {
        steps.push('^');
        at = parent.host;
      } else if (parent instanceof Element) at = parent;
      else break;
    }
    return steps.reverse().join('/');
  };

  /** @type {import('./agent').Tree['byPath']} */
  const byPath = (path) => {
    /** @type {(ParentNode & Node) | null} */
    let at = document;
    for (const step of path.split('/')) {
      if (!at) return null;
      if (step === '^') at = shadowOf(/** @type {Element} */ (at));
      else if (step.startsWith('#')) at = bare(at).querySelector(step);
      else {
        const [tag, place] = step.split(':');
        at = [...bare(at).children].filter((each) => bare(each).localName === tag)[Number(place)] ?? null;
      }
    }
    return at instanceof Element ? at : null;
  };

  agent.part('tree', () => ({
    bare,
    shadowOf,
    isHollow,
    walk,
    roots,
    queryAll,
    tagged,
    taggedIn,
    marked,
    parentOf,
    closest,
    contains,
    isBoxless,
    around,
    clippers,
    isBeyond,
    isRendered,
    isVisible,
    isEnabled,
    pathOf,
    byPath,
    eachTurn,
  }));
})();
