/**
 * The service `around`: what stands around a few elements, as a person would say which of several alike is meant. The
 * unit an element belongs to (row, card, list item) with its place among its like, the words right before the element,
 * the heading above it and that of its column, its picture, its colour, and the kind of part of the page it is in by its classes.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ASKED_MOST = 400;
  const UNITS = 'tr,li,article,dl > div,[role=row],[role=listitem],[role=article],[role=option],[role=treeitem]';
  const HEAD = 'th,[role=columnheader]';
  const CELL = 'td,[role=cell],[role=gridcell]';
  const PLACES = /(?:^|[\s_-])(breadcrumb|sidebar|sidenav|toolbar|navbar|modal|dialog|pagination|pager)s?(?=$|[\s_-])/gi;
  const LETTERS = /[\p{L}\p{N}]/u;
  const UP_MOST = 12;
  const LIKE_MOST = 2000;
  const CLASS_TEXT = 300;
  const UNIT_TEXT = 240;
  const BEFORE_TEXT = 60;

  const make = () => {
    const dom = agent.get('dom');
    const { bare, parentOf, textOf, isRendered } = dom;
    const { iconOf } = agent.get('roles');
    const { titleOf, isHeadRow: isHead } = agent.get('columns');

    const kindOf = (/** @type {Element} */ element) => `${bare(element).localName}.${(bare(element).getAttribute('class') ?? '').trim().split(/\s+/)[0] ?? ''}`;

    /** @type {WeakMap<Element, Element[]>} */
    const known = new WeakMap();
    /** Those of its kind beside it. @type {(unit: Element) => Element[]} */
    const likesOf = (unit) => {
      const first = known.get(unit);
      if (first) return first;
      const parent = /** @type {ParentNode & Node | null} */ (bare(unit).parentNode);
      if (!parent) return [unit];
      const isNamed = bare(unit).matches(UNITS);
      const kind = kindOf(unit);
      const likes = [...bare(parent).children].slice(0, LIKE_MOST).filter((each) =>
        bare(each).matches(UNITS) === isNamed && (isNamed ? bare(each).localName === bare(unit).localName : kindOf(each) === kind) && !isHead(each) && isRendered(each));
      for (const each of likes) known.set(each, likes);
      return likes;
    };

    /** The tags from an element up to one that holds it. @type {(from: Element, to: Element) => string} */
    const chain = (from, to) => {
      const tags = [];
      for (let at = /** @type {Element | null} */ (from); at && at !== to; at = bare(at).parentElement) tags.push(CSS.escape(bare(at).localName));
      return tags.reverse().join(' > ');
    };

    /** What it is a part of and there are several of: by its mark-up, else what repeats with the same inside. */
    const unitOf = (/** @type {Element} */ element) => {
      const named = dom.closest(element, UNITS);
      // The title of a column, and what sorts or filters by it, is the column's: the row has the titles of all.
      const column = named && isHead(named) ? dom.closest(element, HEAD) : null;
      if (named && column && dom.contains(named, column)) return column;
      /** @type {Element | null} */
      let best = null;
      /** @type {Element | null} */
      let near = null;
      let most = 1;
      for (let at = parentOf(element), up = 0; at && up < UP_MOST && at !== document.body && at !== named; at = parentOf(at), up += 1) {
        const inside = bare(at).contains(element) ? chain(element, at) : '';
        const likes = likesOf(at);
        if (likes.length < 2 || !inside) continue;
        if (!near && bare(at).hasAttribute('class') && LETTERS.test(textOf(at, BEFORE_TEXT))) near = at;
        const alike = likes.filter((each) => bare(each).querySelector(`:scope > ${inside}`) !== null).length;
        if (alike > most) [best, most] = [at, alike];
      }
      // A list item that holds a whole part of the page is no unit of the things in it.
      if (named && (!best || likesOf(named).length > 1)) return named;
      // A part that only this one of several has: an answer under one of the posts.
      return best ?? (likesOf(element).length > 1 ? element : near);
    };

    const isTitles = (/** @type {Element} */ element) => bare(element).localName === 'thead' || isHead(element);

    /** The words right before it: not those of a unit before its own, nor the titles of all columns. @type {(element: Element, likes: readonly Element[]) => string} */
    const wordsBefore = (element, likes) => {
      for (let at = /** @type {Element | null} */ (element), up = 0; at && up < 4; at = bare(at).parentElement, up += 1) {
        for (let node = at.previousSibling, back = 0; node && back < 3; node = node.previousSibling, back += 1) {
          // What its makers noted beside it nobody sees.
          if (node instanceof Comment || (node instanceof Element && (known.get(node) === likes || isTitles(node)))) continue;
          const text = node instanceof Element ? (isRendered(node) ? textOf(node, BEFORE_TEXT) : '') : dom.cut(dom.collapse(node.textContent ?? ''), BEFORE_TEXT);
          if (LETTERS.test(text)) return text;
        }
      }
      return '';
    };

    /** What the column of a cell is called. */
    const columnOf = (/** @type {Element} */ element) => {
      const cell = dom.closest(element, CELL);
      return cell ? titleOf(cell) : '';
    };

    /** Bread crumbs, side bars and the like that are so only by their classes. */
    const placesOf = (/** @type {Element} */ element) => {
      /** @type {Set<string>} */
      const found = new Set();
      for (let at = parentOf(element), up = 0; at && up < UP_MOST && at !== document.body; at = parentOf(at), up += 1) {
        const called = `${bare(at).getAttribute('class') ?? ''} ${bare(at).id}`.slice(0, CLASS_TEXT);
        for (const match of called.matchAll(PLACES)) found.add((match[1] ?? '').toLowerCase());
      }
      return [...found].join(' ');
    };

    const isClear = (/** @type {string} */ colour) => colour === 'transparent' || /^rgba\(.*,\s*0\)$|\/\s*0\)$/.test(colour);

    const colourOf = (/** @type {Element} */ element) => {
      const style = getComputedStyle(element);
      const shown = isClear(style.backgroundColor) ? style.color : style.backgroundColor;
      return (shown.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => Math.round(Number(part)));
    };

    /** @type {Map<Element, number>} */
    const units = new Map();
    const numberOf = (/** @type {Element} */ unit) => {
      if (!units.has(unit)) units.set(unit, units.size + 1);
      return /** @type {number} */ (units.get(unit));
    };

    return (/** @type {Element} */ element) => {
      const unit = unitOf(element);
      const likes = unit ? likesOf(unit) : [];
      return {
        unit: unit ? numberOf(unit) : 0,
        family: likes[0] ? numberOf(likes[0]) : 0,
        nth: unit ? likes.indexOf(unit) + 1 : 0,
        of: likes.length,
        text: unit ? textOf(unit, UNIT_TEXT) : '',
        before: wordsBefore(element, likes),
        heading: dom.headingOf(element),
        column: columnOf(element),
        icon: iconOf(element),
        places: placesOf(element),
        colour: colourOf(element),
      };
    };
  };

  /** @type {(params: {numbers: number[]}) => object} */
  const around = ({ numbers }) => {
    const refs = agent.get('refs');
    const describe = make();
    /** @type {[number, object][]} */
    const told = [];
    for (const number of numbers.slice(0, ASKED_MOST)) {
      try {
        told.push([number, describe(refs.resolve({ agent: refs.agent, number, path: '', role: '', name: '' }))]);
      } catch {
        // It went since the page was looked at.
      }
    }
    return { told };
  };

  agent.serve('around', around);
})();
