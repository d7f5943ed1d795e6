/**
 * Where a page leads: links of navigation landmarks and headers become `go_to(section)`, a set of tabs becomes
 * `switch_tab(tab)`, a menu bar `open_menu(menu)`. Choices are what a person reads on them, without counts, and are
 * looked up again on every call. What is shown now is left out: definitions stay the same from call to call.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const MOST = 30;
  const ANCHORS_MOST = 8;
  const LINKS = 'a[href],[role=link],button,[role=menuitem]';
  const LANDMARKS = 'nav,[role=navigation]';
  const HEADERS = 'header:not(:is(main,article,section) header),[role=banner]';
  const MENUS = /(^|[\s_-])(nav|navbar|sidenav|sidebar|menu|main-menu|topnav)([\s_-]|$)/i;
  const NOT_SECTIONS = '[class*=paginat i],[aria-label*=paginat i],[role=tablist],[role=contentinfo],'
    + 'footer:not(:is(main,article,section) footer)';
  const DEEDS = '[data-clipboard-target],[data-clipboard-text],[type=submit],[type=reset],[aria-pressed]';
  const TRAILS = '[aria-label*=breadcrumb i],[class*=breadcrumb i]';

  agent.part('navigation', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const names = agent.get('names');
    const wording = agent.get('wording');
    const controls = agent.get('controls');

    /** @typedef {(element: Element) => boolean} Seen */

    /** What it says without its count: "Reviews (12)", or a number in a badge of its own. "Python 3" stays. */
    const choiceOf = (/** @type {Element} */ element) => {
      const label = controls.labelOf(element).replace(/\s*\((?:[\d.,]+[km+]*|(?:ctrl|alt|shift|cmd)\+.*)\)$/i, '');
      const badge = bare(element.lastElementChild)?.textContent?.slice(0, 20).trim() ?? '';
      const isCount = /^[\d.,]+[km+]*$/i.test(badge) && label.endsWith(badge) && label.length > badge.length;
      return dom.cut(dom.collapse(isCount ? label.slice(0, -badge.length) : label), 48);
    };

    /** A place in this very document, not a route of an application that writes its routes after #. */
    const isAnchor = (/** @type {Element} */ link) => {
      const href = link.getAttribute('href') ?? '';
      const name = href.slice(1);
      return /^#[^/!]/.test(href) && [name, dom.decoded(name)].some((id) => document.getElementById(id) !== null);
    };

    /** Does something here and leads nowhere: "Copy to clipboard". */
    const isDeed = (/** @type {Element} */ element) => element.matches(DEEDS) || /^(?:copy|print|share|download|close|toggle)\b/i.test(controls.labelOf(element));

    const isLink = (/** @type {Element} */ element) => element.matches('a,[role=link]')
      || (!isDeed(element) && !element.hasAttribute('aria-expanded') && !element.hasAttribute('aria-haspopup') && !element.closest('form')
        && element.closest(LANDMARKS) !== null);

    /** @type {(context: import('./derived').IntrospectionContext) => Map<string, Element>} */
    const sections = (context) => {
      const { isVisible } = context;
      const filters = agent.get('filters').regions(context);
      const map = controls.of(context);
      /** @type {Map<string, Element>} */
      const found = new Map();
      /** @type {Map<string, Element[]>} */
      const doubles = new Map();
      /** @type {[string, Element][]} */
      const anchors = [];
      const isElsewhere = (/** @type {Element} */ each) =>
        bare(each).closest(NOT_SECTIONS) !== null || filters.some((place) => bare(place).contains(each));
      const add = (/** @type {Element[]} */ places) => {
        for (const place of places) {
          if (found.size >= MOST || isElsewhere(place) || !bare(place).querySelector(LINKS)) continue;
          for (const link of [...bare(place).querySelectorAll(LINKS)].slice(0, 200)) {
            if (found.size >= MOST) break;
            if (!isLink(link) || isElsewhere(link) || !isVisible(link) || !dom.isEnabled(link)) continue;
            const choice = choiceOf(link);
            if (!/[\p{L}\p{N}]{2}/u.test(choice) || /^skip to/i.test(choice)) continue;
            if (isAnchor(link)) anchors.push([choice, link]);
            else if (!found.has(choice)) found.set(choice, link);
            else if (isOther(link, found.get(choice))) doubles.set(choice, [...doubles.get(choice) ?? [], link]);
          }
        }
      };
      const landmarks = map.landmarks.filter((each) => bare(each).matches(LANDMARKS));
      add(landmarks.filter((place) => !bare(place).matches(TRAILS)));
      add(map.landmarks.filter((each) => bare(each).matches(HEADERS)));
      if (found.size === 0) add([...map.places].filter(([, marks]) => MENUS.test(marks)).map(([place]) => place).slice(0, 5));
      add(landmarks.filter((place) => bare(place).matches(TRAILS)));
      if (found.size + anchors.length <= ANCHORS_MOST) {
        for (const [choice, link] of anchors) if (!found.has(choice)) found.set(choice, link);
      }
      return apart(found, doubles);
    };

    const isOther = (/** @type {Element} */ link, /** @type {Element | undefined} */ known) =>
      link.getAttribute('href') !== null && link.getAttribute('href') !== known?.getAttribute('href');

    /** The row or group a link stands in, by its other link or its heading: "Add" of Groups, "Add" of Users. */
    const placeOf = (/** @type {Element} */ link, /** @type {string} */ choice) => {
      const row = link.closest('tr,li,[role=row],[role=listitem]');
      const other = row ? [...row.querySelectorAll('th,a[href],h1,h2,h3,h4,h5,h6')].find((each) => !bare(each).contains(link)) : null;
      const said = other ? dom.textOf(other, 40) : dom.headingOf(link);
      return said === choice ? '' : said;
    };

    /** Links that say the same and lead elsewhere are told apart by where they stand; if that says nothing, the first counts. */
    const apart = (/** @type {Map<string, Element>} */ found, /** @type {Map<string, Element[]>} */ doubles) => {
      /** @type {Map<string, Element>} */
      const all = new Map();
      for (const [choice, link] of found) {
        const links = [link, ...doubles.get(choice) ?? []];
        const places = links.length > 1 ? links.map((each) => placeOf(each, choice)) : [];
        const isTold = places.length > 1 && new Set(places.filter(Boolean)).size === links.length;
        if (!isTold) all.set(choice, link);
        else for (const [index, each] of links.entries()) all.set(`${choice}: ${places[index]}`, each);
      }
      return all;
    };

    /** @type {(list: Element, selector: string, isVisible: Seen) => Map<string, Element>} */
    const choicesIn = (list, selector, isVisible) => {
      /** @type {Map<string, Element>} */
      const found = new Map();
      for (const each of dom.queryAll(list, selector)) {
        const choice = choiceOf(each);
        if (found.size < MOST && choice && !found.has(choice) && isVisible(each) && dom.isEnabled(each)) found.set(choice, each);
      }
      return found;
    };

    /**
     * @param {{name: string, property: string, description: string, score: number, element: Element, done: string}} tool
     * @param {string[]} choices
     * @param {(choice: string) => Element | undefined} find
     * @returns {import('./derived').Candidate}
     */
    const choosing = ({ name, property, description, score, element, done }, choices, find) => ({
      name,
      description,
      inputSchema: {
        type: 'object',
        properties: { [property]: { type: 'string', enum: choices } },
        required: [property],
        additionalProperties: false,
      },
      annotations: {},
      score,
      element,
      run: (args) => {
        const choice = String(args[property]);
        return controls.press(find(choice) ?? null, { label: choice, done: `${done} "${choice}".` });
      },
    });

    /** @type {(context: import('./derived').IntrospectionContext) => import('./derived').Candidate[]} */
    const goTo = (context) => {
      const found = sections(context);
      const [first] = found.values();
      if (!first || found.size < 2) return [];
      return [{ ...choosing({
        name: 'go_to', property: 'section', score: 0.6, element: first, done: 'Went to',
        description: 'Follow a link of the page\'s navigation.',
      }, [...found.keys()], (choice) => sections({ ...context, now: performance.now() }).get(choice)), leads: new Set(found.values()) }];
    };

    /** @type {(context: import('./derived').IntrospectionContext) => import('./derived').Candidate[]} */
    const tabs = (context) => {
      const sets = controls.of(context).landmarks
        .filter((list) => bare(list).matches('[role=tablist]') && !bare(bare(list).parentElement)?.closest('[role=tablist]') && context.isVisible(list)).slice(0, 6);
      return sets.map((list) => ({ list, found: choicesIn(list, '[role=tab]', context.isVisible) }))
        .filter(({ found }) => found.size > 1).slice(0, 3).map(({ list, found }, place) => {
          const path = dom.pathOf(list);
          const label = dom.referred(list, 'aria-labelledby') || bare(list).getAttribute('aria-label') || '';
          const about = wording.phrase(wording.plain(label)).split(' ').filter((word) => !/^tabs?$/.test(word)).join(' ');
          return choosing({
            name: place === 0 ? 'switch_tab' : names.verb(`switch ${about} tab`, 'switch_tab'),
            property: 'tab',
            score: 0.6 - place * 0.06,
            element: list,
            done: 'Switched to',
            description: `Show another tab${label ? ` of "${label}"` : ''}.`,
          }, [...found.keys()], (choice) => {
            const now = bare(list).isConnected ? list : dom.byPath(path);
            return now ? choicesIn(now, '[role=tab]', dom.isVisible).get(choice) : undefined;
          });
        });
    };

    /** @type {(context: import('./derived').IntrospectionContext) => import('./derived').Candidate[]} */
    const menus = (context) => {
      const bar = controls.of(context).landmarks.find((each) => bare(each).matches('[role=menubar]') && context.isVisible(each));
      const items = '[role=menuitem][aria-haspopup]:not([role=menu] [role=menuitem])';
      const found = bar ? choicesIn(bar, items, context.isVisible) : new Map();
      if (!bar || found.size < 2) return [];
      const path = dom.pathOf(bar);
      return [choosing({
        name: 'open_menu', property: 'menu', score: 0.5, element: bar, done: 'Opened',
        description: 'Open a menu of the menu bar; its entries are offered as tools then, as many as there is room for.',
      }, [...found.keys()], (choice) => {
        const now = bare(bar).isConnected ? bar : dom.byPath(path);
        return now ? choicesIn(now, items, dom.isVisible).get(choice) : undefined;
      })];
    };

    return {
      find(context) {
        return [...goTo(context), ...agent.get('filters').find(context), ...tabs(context), ...menus(context)];
      },
    };
  });
})();
