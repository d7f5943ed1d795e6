/**
 * Numbers by which the gateway means elements of this document. An element keeps its number for life, and a number is
 * never given to a second element that stands beside the first. Where the extension was reloaded a fresh agent has
 * given no numbers yet: it takes an element only if role and name of what is at the remembered place are exactly those
 * remembered.
 *
 * A page may draw a part of itself anew, with an element just like the one that went. It takes over the number if all
 * of this holds, else the number is stale:
 * - one element, and only one, is at the remembered path, and it has exactly the same role and the same, not empty name;
 * - in the path nothing was added to its like or taken away: at every level, from the element up to the document, there
 *   are as many siblings of the same tag as when the number was last told;
 * - it is the only one of its kind in its lists: none of its siblings, and at no level above a sibling of the same tag,
 *   is or holds an element of that role and name;
 * - it is in no table row, list item, article or option: a list of one may show another one now;
 * - only a small part was drawn anew: what holds it, at most three levels up, is what held it before, and the address of
 *   the page is the same.
 * So "Delete" of one row never becomes "Delete" of another: where there are other rows with such a button, or a row came
 * or went, nothing is taken over.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** A page with more beside the element is not searched for its like. */
  const SEARCHED_MAX = 20_000;
  /** Of elements so many are known; the first are forgotten first, as the gateway does. */
  const KNOWN_MAX = 100_000;
  /** How many levels, the element's own included, may have been drawn anew. */
  const REDRAWN_MAX = 3;
  const ROWS = 'tr,li,article,option,[role=row],[role=listitem],[role=article],[role=option],[role=treeitem]';

  /**
   * Where an element was: how many of its tag its parent held, and where that parent was.
   * @typedef {{element: WeakRef<Element>, tag: string, alike: number, above: Spot | undefined, address: string}} Spot
   */

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const own = crypto.getRandomValues(new Uint32Array(2)).join('-');
    /** @type {WeakMap<Element, number>} */
    const numbers = new WeakMap();
    /** @type {Map<number, Spot>} */
    const spots = new Map();
    let last = 0;

    const stale = () =>
      parts.refusal('It is not on the page any more. Look at the page again.', -32016, 'stale_ref');

    /** What was looked at. @type {() => {counts: Map<Node, Map<string, number>>, spots: Map<Element, Spot>}} */
    const looked = tree.eachTurn(() => ({ counts: new Map(), spots: new Map() }));

    /** @param {Node} parent */
    const countsIn = (parent) => {
      const { counts } = looked();
      let known = counts.get(parent);
      if (known) return known;
      counts.set(parent, (known = new Map()));
      for (const child of /** @type {ParentNode & Node} */ (tree.bare(parent)).children ?? []) {
        const tag = tree.bare(child).localName;
        known.set(tag, (known.get(tag) ?? 0) + 1);
      }
      return known;
    };

    /** How many of its tag stand beside it, itself included. @param {Element} element */
    const alikeOf = (element) => {
      const parent = tree.bare(element).parentNode;
      return parent ? (countsIn(parent).get(tree.bare(element).localName) ?? 0) : 1;
    };

    /** @param {Element} element @returns {Spot} */
    const spotOf = (element) => {
      const known = looked().spots.get(element);
      if (known) return known;
      const above = tree.parentOf(element);
      const spot = {
        element: new WeakRef(element), tag: tree.bare(element).localName, alike: alikeOf(element),
        above: above ? spotOf(above) : undefined, address: location.href,
      };
      looked().spots.set(element, spot);
      return spot;
    };

    /** @type {import('./agent').Refs['numberOf']} */
    const numberOf = (element) => {
      let number = numbers.get(element);
      if (number === undefined) numbers.set(element, (number = last += 1));
      // Anew at the end: what was told last is forgotten last.
      spots.delete(number);
      spots.set(number, spotOf(element));
      if (spots.size > KNOWN_MAX) spots.delete(/** @type {number} */ (spots.keys().next().value));
      return number;
    };

    /** What is at the remembered place, if it is what was there. @param {import('./agent').Target} target */
    const again = ({ path, role, name }) => {
      const element = tree.byPath(path);
      if (!element || !isLike(element, role, name)) throw stale();
      return element;
    };

    /** @param {Element} element @param {string} role @param {string} name */
    const isLike = (element, role, name) =>
      parts.get('roles').roleOf(element) === role && parts.get('roles').nameOf(element) === name;

    /** The lists it is in are as long as they were. @param {Element} element @param {Spot} was @returns {boolean} */
    const isSamePlace = (element, was) => {
      if (tree.bare(element).localName !== was.tag || alikeOf(element) !== was.alike) return false;
      const above = tree.parentOf(element);
      return above && was.above ? isSamePlace(above, was.above) : !above && !was.above;
    };

    /** All that held it but for the nearest is what held it before. @param {Element} element @param {Spot} was */
    const isSmallPart = (element, was) => {
      let at = /** @type {Element | null} */ (element);
      let spot = /** @type {Spot | undefined} */ (was);
      for (let level = 0; at && spot && level <= REDRAWN_MAX; level += 1) {
        if (spot.element.deref() === at) return location.href === was.address && !tree.closest(element, ROWS);
        [at, spot] = [tree.parentOf(at), spot.above];
      }
      return false;
    };

    /** Its siblings, and siblings of the same tag of what it is in. @param {Element} element @param {string} [tag] @returns {Element[]} */
    const besides = (element, tag) => {
      const parent = /** @type {(ParentNode & Node) | null} */ (tree.bare(element).parentNode);
      const siblings = (parent ? [...tree.bare(parent).children] : [])
        .filter((each) => each !== element && (tag === undefined || tree.bare(each).localName === tag));
      const above = tree.parentOf(element);
      return above ? [...siblings, ...besides(above, tree.bare(above).localName)] : siblings;
    };

    /** @param {Element} element @param {import('./agent').Target} target */
    const isOnlyOne = (element, { role, name }) => {
      let left = SEARCHED_MAX;
      for (const branch of besides(element)) {
        const inside = [branch, ...tree.queryAll(branch, '*')];
        left -= inside.length;
        if (left < 0 || inside.some((each) => isLike(each, role, name))) return false;
      }
      return true;
    };

    /** What was drawn in place of an element that went. @param {import('./agent').Target} target @param {Spot} was */
    const successor = (target, was) => {
      const element = again(target);
      // An id that stands twice leads to the first, whichever was meant.
      const isCertain = target.name !== '' && tree.pathOf(element) === target.path && isSmallPart(element, was);
      if (!isCertain || !isSamePlace(element, was) || !isOnlyOne(element, target)) throw stale();
      if (!numbers.has(element)) numbers.set(element, target.number);
      spots.set(target.number, spotOf(element));
      return element;
    };

    /** @type {import('./agent').Refs['resolve']} */
    const resolve = (target) => {
      if (target.agent !== own) return again(target);
      const was = spots.get(target.number);
      if (!was) throw stale();
      const element = was.element.deref();
      return element && tree.bare(element).isConnected ? element : successor(target, was);
    };

    /** @type {import('./agent').Refs['elementOf']} */
    const elementOf = (number) => spots.get(number)?.element.deref();

    return { agent: own, numberOf, elementOf, resolve };
  };

  agent.part('refs', make);
})();
