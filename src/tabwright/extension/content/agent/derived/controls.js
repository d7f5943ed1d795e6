/**
 * Everything a person can press, gathered once per introspection pass for all who make tools of it: what stands alone,
 * what belongs to repeated rows, which dialog lies over the page. Also how a control is found again after a page
 * re-rendered, and how pressing it is reported.
 *
 * Touching an element from script is what costs, not finding it, so a long list is stepped over in one leap, and all
 * bounds are counts: the same page gives the same answer on a slow machine.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const CLICKABLE = 'a[href],button,summary,input,[role],[onclick],[tabindex]';
  const DIALOGS = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';
  const LANDMARKS = ['nav', 'header', 'table', 'dialog', 'ul', 'ol', 'tbody'];
  const LANDMARK_TAGS = `${LANDMARKS.join(',')},[aria-modal=true]`;
  const LANDMARKS_WITHIN = `${LANDMARK_TAGS},[role]`;
  const LANDMARK_ROLES = new Set(
    'dialog alertdialog navigation banner tablist menubar table grid treegrid list listbox rowgroup'.split(' '),
  );
  const LANDMARKS_MOST = 400;
  // Navigation has its own tool; below the fold of a page's footer nothing is an action; the rest is not for pressing.
  const SKIPPED = 'nav,[role=navigation],[role=contentinfo],[role=tablist],[role=menubar],[aria-hidden=true],[inert],'
    + 'footer:not(:is(main,section,article,aside,dialog,[role=main],[role=dialog]) footer)';
  const CONSENT = /cookie|consent|gdpr|onetrust|didomi|usercentrics|cookiebot/i;
  const VISITED_MAX = 1000;
  const PLACES_UP = 4;
  const PLACES_WITHIN = 40;
  const MARK_MAX = 200;
  const UNFOLDED_MOST = 30;
  const FOLDS_MOST = 4;
  const BUTTON_TYPES = new Set(['submit', 'button', 'image', 'reset']);
  const BUTTON_ROLES = new Set(['button', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'switch']);
  const KEYS = ':scope kbd,:scope [class*=shortcut i]';
  const ROW_ROLES = new Set(['option', 'row', 'treeitem', 'listitem']);

  agent.part('controls', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const wording = agent.get('wording');
    /** @type {WeakMap<import('./derived').IntrospectionContext, import('./derived').ControlMap>} */
    const maps = new WeakMap();

    /** @type {import('./derived').Controls['kindOf']} */
    const kindOf = (control) => {
      const element = bare(control);
      const role = element.getAttribute('role');
      if (role) {
        if (BUTTON_ROLES.has(role)) return 'button';
        if (role === 'link') return 'link';
        if (role === 'checkbox') return 'box';
        if (ROW_ROLES.has(role)) return 'row';
      }
      switch (element.localName) {
        case 'a': return element.hasAttribute('href') ? 'link' : 'button';
        case 'button':
        case 'summary': return role === 'tab' || role === 'combobox' ? null : 'button';
        case 'input': {
          const { type } = /** @type {HTMLInputElement} */ (element);
          if (type === 'checkbox') return 'box';
          return BUTTON_TYPES.has(type) ? 'button' : null;
        }
        case 'textarea':
        case 'select':
        case 'iframe': return null;
        default: {
          if (element.hasAttribute('onclick')) return 'button';
          // Made of a button inside it, that one counts.
          if (/-button$/.test(element.localName)) return dom.shadowOf(control)?.querySelector('button,[role=button]') ? null : 'button';
          const isReached = !role && Number(element.getAttribute('tabindex') ?? -1) >= 0;
          return isReached && !/** @type {HTMLElement} */ (element).isContentEditable ? 'row' : null;
        }
      }
    };

    const isConsent = (/** @type {Element} */ element) => {
      const marks = ['id', 'class', 'aria-label'].map((mark) => bare(element).getAttribute(mark) ?? '').join(' ');
      return CONSENT.test(marks) || CONSENT.test(dom.textOf(element, 160));
    };

    /** Lists of one tag are kept by Chrome itself; a selector of many parts would be tried on every element. */
    const landmarksOf = (/** @type {Document} */ page) => {
      /** @type {Element[]} */
      const found = [];
      const isLandmark = (/** @type {Element} */ each) => LANDMARK_ROLES.has(bare(each).getAttribute('role') ?? '');
      for (const root of dom.roots(page)) {
        if (root !== page) {
          const within = [...bare(root).querySelectorAll(LANDMARKS_WITHIN)];
          found.push(...within.filter((each) => bare(each).matches(LANDMARK_TAGS) || isLandmark(each)));
          continue;
        }
        for (const tag of LANDMARKS) {
          const all = page.getElementsByTagName(tag);
          for (let index = 0; index < all.length && index < LANDMARKS_MOST; index += 1) found.push(all[index]);
        }
        found.push(...dom.marked(root, 'role').slice(0, LANDMARKS_MOST * 5).filter(isLandmark));
        found.push(...dom.marked(root, 'aria-modal').filter((each) => bare(each).getAttribute('aria-modal') === 'true'));
      }
      return [...new Set(found)].sort((one, other) =>
        (bare(one).compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    };

    /** The first control that begins after an element ends; controls stand in document order. */
    const after = (/** @type {NodeListOf<Element>} */ all, /** @type {number} */ from, /** @type {Element} */ element) => {
      let low = from;
      for (let high = all.length; low < high;) {
        const middle = (low + high) >> 1;
        const place = bare(element).compareDocumentPosition(/** @type {Element} */ (all[middle]));
        const within = place === 0 || place & Node.DOCUMENT_POSITION_CONTAINED_BY || place & Node.DOCUMENT_POSITION_PRECEDING;
        if (within) low = middle + 1;
        else high = middle;
      }
      return Math.max(low, from + 1);
    };

    /** @type {(context: import('./derived').IntrospectionContext) => import('./derived').ControlMap} */
    const gather = (context) => {
      const landmarks = landmarksOf(context.root);
      const dialogs = landmarks.filter((each) => bare(each).matches(DIALOGS)).filter((each) => context.isVisible(each)
        || [...bare(each).children].some((child) => context.isVisible(child)));
      const modal = context.modal ?? dialogs.findLast((each) => bare(each).matches(':modal')) ?? null;
      const scope = modal ?? context.root;
      const inScope = modal ? landmarks.filter((each) => dom.contains(modal, each)) : landmarks;
      const found = agent.get('lists').search(context, scope, inScope);
      /** @type {Element[]} */
      const loose = [];
      /** @type {Element[]} */
      const skips = [];
      let visited = 0;
      /** @type {Map<Element | null, Element | null>} */
      const regions = new Map();
      const regionOf = (/** @type {Element} */ element) => {
        const parent = dom.parentOf(element);
        let region = regions.get(parent);
        if (region === undefined) regions.set(parent, region = parent && dom.closest(parent, SKIPPED));
        return region;
      };
      for (const root of dom.roots(scope)) {
        const all = bare(root).querySelectorAll(CLICKABLE);
        for (let index = 0; index < all.length && visited < VISITED_MAX; visited += 1) {
          const element = /** @type {Element} */ (all[index]);
          const skipped = regionOf(element);
          if (skipped && skipped !== scope && !bare(skipped).contains(modal)) {
            skips.push(skipped);
            index = after(all, index, skipped);
            continue;
          }
          const kind = kindOf(element);
          const list = kind && found.around(element, kind);
          if (list) {
            // A row of its own shadow root is found from each of its controls.
            index = bare(list.last).getRootNode() === bare(root).getRootNode() ? after(all, index, list.last) : index + 1;
            continue;
          }
          if (kind && kind !== 'row' && kind !== 'box' && bare(element).getAttribute('aria-hidden') !== 'true') loose.push(element);
          index += 1;
        }
      }
      const lists = found.all();
      return {
        scope, modal, dialogs, lists, landmarks: inScope,
        // A row that hears clicks itself was met before the list was known by what is in it.
        loose: [...loose.filter((each) => !lists.some(({ members }) => members.has(each))), ...lists.flatMap(unfolded)],
        places: placesOf([...loose, ...lists.map(({ row }) => row)], skips),
      };
    };

    /** What surrounds the controls, found from them: asking the whole document by parts of class names is far dearer. */
    const placesOf = (/** @type {Element[]} */ from, /** @type {Element[]} */ skips) => {
      /** @type {Map<Element, string>} */
      const found = new Map();
      const add = (/** @type {Element} */ place) => {
        const marks = ['id', 'class', 'aria-label'].map((mark) => bare(place).getAttribute(mark) ?? '');
        found.set(place, marks.map((mark) => mark.slice(0, MARK_MAX)).join(' '));
      };
      for (const control of from) {
        let at = bare(control).parentElement;
        for (let up = 0; at && up < PLACES_UP && !found.has(at); at = bare(at).parentElement, up += 1) add(at);
      }
      for (const skip of skips) {
        if (!bare(skip).matches('nav,[role=navigation]')) continue;
        add(skip);
        for (const each of [...bare(skip).querySelectorAll('ul,ol,div,section')].slice(0, PLACES_WITHIN)) add(each);
      }
      return found;
    };

    /** What an unfolded row shows is there to be used, and no longer a matter of rows. */
    const unfolded = (/** @type {import('./derived').List} */ { container, rows }) => {
      const folds = [...bare(container).querySelectorAll('[aria-expanded=true]:not([aria-haspopup]),details[open]>summary')];
      return folds.slice(0, FOLDS_MOST).flatMap((fold) => {
        const row = rows.find((each) => bare(each).contains(fold));
        if (!row || fold === row) return [];
        // The buttons beside the one that unfolds are those of every row.
        const head = bare(fold).parentElement;
        return [...bare(row).querySelectorAll(CLICKABLE)].slice(0, UNFOLDED_MOST)
          .filter((each) => kindOf(each) === 'button' && !bare(fold).contains(each) && !bare(head)?.contains(bare(each).parentElement));
      });
    };

    /** "Rename F2": the keys that do the same stand beside it, mostly in menus. */
    const withoutKeys = (/** @type {Element} */ control, /** @type {string} */ label) => {
      const keys = bare(bare(control).querySelector(KEYS))?.textContent?.trim() ?? '';
      return keys && label.length > keys.length && label.endsWith(` ${keys}`) ? label.slice(0, -keys.length).trim() : label;
    };

    /** @type {import('./derived').Controls['labelOf']} */
    const labelOf = (control) => {
      // A picture and its caption say the same twice.
      const named = withoutKeys(control, agent.get('snapshot_text').joined(control, dom.nameOf(control))).replace(/^(.{3,}) \1$/s, '$1');
      // An icon font writes its icons' names, or signs of its own, as text.
      const isText = /\p{L}{2}/u.test(named) && !/[\uE000-\uF8FF]/.test(named);
      if (isText) return named;
      // Inside a web component the name often belongs to its host.
      const root = bare(control).getRootNode();
      const host = root instanceof ShadowRoot && /button/.test(root.host.localName) ? labelOf(root.host) : '';
      if (host) return host;
      const pictures = [control, ...bare(control).querySelectorAll('svg,i,span,use,img')].slice(0, 4);
      const tokens = pictures.map((each) => ['data-testid', 'data-action', 'data-icon', 'data-command', 'href', 'class']
        .map((attribute) => bare(each).getAttribute(attribute) ?? '').filter((value) => value.length < 120).join(' ')).join(' ');
      return wording.picture(tokens.replace(/https?:\S+/g, ' ')) || named;
    };

    /** @type {import('./derived').Controls['handle']} */
    const handle = (control, label = labelOf(control)) => {
      const tag = bare(control).localName;
      const isSame = (/** @type {Element | null} */ each) =>
        each !== null && bare(each).isConnected && labelOf(each) === label;
      return {
        label,
        find() {
          if (isSame(control)) return control;
          const alike = dom.queryAll(document, tag).filter((each) => isSame(each) && dom.isVisible(each));
          return alike.length === 1 ? alike[0] ?? null : null;
        },
      };
    };

    const doubleClick = (/** @type {Element} */ control) => {
      const { left, top, width, height } = bare(control).getBoundingClientRect();
      bare(control).dispatchEvent(new MouseEvent('dblclick', {
        bubbles: true, cancelable: true, composed: true, view: window, detail: 2, clientX: left + width / 2, clientY: top + height / 2,
      }));
    };

    /**
     * Tells later whether what was pressed has been marked as chosen and no more: it says so itself, or nothing in the
     * page changed but looks.
     */
    const marking = (/** @type {Element} */ control) => {
      const isChosen = () => dom.closest(control, '[aria-selected=true]') !== null;
      const [was, url] = [isChosen(), location.href];
      let isMore = false;
      const observer = new MutationObserver(() => {
        isMore = true;
      });
      for (const root of dom.roots(document)) observer.observe(root, { subtree: true, childList: true, characterData: true });
      return () => {
        observer.disconnect();
        return location.href === url && (!isMore || (!was && isChosen()));
      };
    };

    /** @type {import('./derived').Controls['press']} */
    const press = async (control, { label, done = `Pressed "${label}".`, twice = false }) => {
      if (!control) {
        return { isError: true, text: `"${label}" is no longer on the page. Ask for the page's tools again.` };
      }
      if (!dom.isEnabled(control)) return { isError: true, text: `"${label}" is disabled now; something else must be done first.` };
      const settle = agent.get('settle');
      const isMarked = twice ? marking(control) : () => false;
      let { lines, changed } = await settle.after(() => agent.get('act').click(control));
      // File lists select on the first click and open on the second.
      const isOnlyMarked = isMarked() || !changed;
      if (twice && isOnlyMarked && kindOf(control) !== 'link' && bare(control).isConnected) {
        ({ lines } = await settle.after(async () => doubleClick(control)));
      }
      return { text: [done, ...lines].join('\n') };
    };

    return {
      of(context) {
        let map = maps.get(context);
        if (!map) maps.set(context, map = gather(context));
        return map;
      },
      kindOf, labelOf, handle, press, isConsent,
    };
  });
})();
