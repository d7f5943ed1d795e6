/**
 * Lists and tables that draw only the rows in view and keep room for the others: whoever reads the page is told that there
 * are more. They are known by what they say of themselves (`aria-rowcount`, `aria-setsize`), or by the room that every such
 * library sets by hand: a height or a padding in the style of an element that is much taller than the rows in it.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ROOMY = '[style*="height"],[style*="padding"]';
  const COUNTED = '[aria-rowcount],[aria-setsize]';
  const ROWS_LEAST = 4;
  const LOOKED_MOST = 3000;
  const LISTS_MOST = 5;
  /** A row that is so much taller than another is of another kind. */
  const TALLER = 4;
  /** Of the room so much has rows where all are drawn. */
  const FILLED = 0.6;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { elementOf } = parts.get('refs');

    const pixels = (/** @type {string} */ length) => (length.endsWith('px') ? Number.parseFloat(length) : 0);
    const roomOf = (/** @type {Element} */ element) => {
      const { style } = /** @type {HTMLElement} */ (element);
      return style ? Math.max(pixels(style.height), pixels(style.minHeight), pixels(style.paddingTop) + pixels(style.paddingBottom)) : 0;
    };

    /** Those in it that are alike and say something. @param {Element} holder */
    const rowsIn = (holder) => {
      const kind = (/** @type {Element} */ each) => `${each.localName}.${each.classList[0] ?? ''}`;
      const said = [...holder.children].slice(0, LOOKED_MOST).filter((each) => each.textContent?.trim());
      const middle = said[said.length >> 1];
      return middle ? said.filter((each) => kind(each) === kind(middle)) : [];
    };

    /** Whether the one lies over the other. @param {Element} one @param {Element} other */
    const isOver = (one, other) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      return a.top < b.bottom && b.top < a.bottom;
    };

    /** What holds the rows that room was made for: itself or what is in it, what it stands among as one of them, or what lies over it. @param {Element} room */
    const holderOf = (room) => {
      const hasRows = (/** @type {Element} */ each) => rowsIn(each).length >= ROWS_LEAST;
      if (room.childElementCount) return [room, ...room.children].slice(0, LOOKED_MOST).find(hasRows);
      // A row of a table has its height from its cell.
      const { parentElement } = room.localName === 'td' ? room.parentElement ?? room : room;
      if (!parentElement) return undefined;
      const isOne = (/** @type {Element} */ row) => row.localName === room.localName || row.localName === 'tr' || isOver(row, room);
      if (hasRows(parentElement) && rowsIn(parentElement).some(isOne)) return parentElement;
      return [...parentElement.children].slice(0, LOOKED_MOST).find((each) => each !== room && hasRows(each) && isOver(each, room));
    };

    const scrollerOf = (/** @type {Element} */ element) => {
      for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) {
        if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
      }
      return document.scrollingElement;
    };

    /** How many rows are drawn and for how many there is room. @param {Element} holder */
    const byRoom = (holder) => {
      const scroller = scrollerOf(holder);
      const boxes = rowsIn(holder).map((row) => row.getBoundingClientRect()).filter(({ height }) => height > 0);
      const heights = boxes.map(({ height }) => height);
      if (!scroller || boxes.length < ROWS_LEAST || Math.max(...heights) > TALLER * Math.min(...heights)) return undefined;
      const drawn = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top));
      if (drawn > scroller.scrollHeight * FILLED || scroller.scrollHeight < scroller.clientHeight * 2) return undefined;
      return [boxes.length, Math.round((scroller.scrollHeight / drawn) * boxes.length)];
    };

    /** The same as the page itself says. @param {Element} element */
    const byCount = (element) => {
      const isTable = element.hasAttribute('aria-rowcount');
      const total = Number(element.getAttribute(isTable ? 'aria-rowcount' : 'aria-setsize'));
      const { parentElement } = element;
      const drawn = isTable ? element.querySelectorAll('tr,[role=row]').length : parentElement?.querySelectorAll(':scope > [aria-setsize]').length ?? 0;
      return drawn > 1 && total > drawn ? [drawn, total] : undefined;
    };

    /** @type {import('./outline').SnapshotUndrawn['undrawn']} */
    const undrawn = (nodes) => {
      /** @type {Map<Element, number[]>} */
      const found = new Map();
      for (const element of [...document.querySelectorAll(COUNTED)].slice(0, LOOKED_MOST)) {
        const holder = element.hasAttribute('aria-rowcount') ? element : element.parentElement;
        const counts = holder && !found.has(holder) ? byCount(element) : undefined;
        if (holder && counts) found.set(holder, counts);
      }
      for (const element of [...document.querySelectorAll(ROOMY)].slice(0, LOOKED_MOST)) {
        const holder = roomOf(element) > innerHeight ? holderOf(element) : undefined;
        const isKnown = holder && [...found.keys()].some((each) => each.contains(holder) || holder.contains(each));
        const counts = holder && !isKnown ? byRoom(holder) : undefined;
        if (holder && counts) found.set(holder, counts);
      }
      return [...found].slice(0, LISTS_MOST).map(([holder, counts]) => {
        const first = nodes.find(({ clickable, number }) => clickable && holder.contains(elementOf(number) ?? null));
        return [first?.number ?? 0, ...counts];
      });
    };

    return { undrawn };
  };

  agent.part('snapshot_undrawn', make);
})();
