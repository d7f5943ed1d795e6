/**
 * What the column of a cell is called. Grids draw their head in many ways: as a row of the same table, as a table of its
 * own above the one that scrolls, with a row of filters below it, with cells in any order that say their number. So a
 * title is found by that number, else by its place in its row, else by what stands above the cell.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const HEADS = 'th,[role=columnheader]';
  const HEAD_ROWS = 'tr,[role=row]';
  const TABLES = 'table:not([role=presentation],[role=none]),[role=grid],[role=table],[role=treegrid]';
  const LETTERS = /[\p{L}\p{N}]/u;
  const TITLE_MAX = 60;
  const HEADS_MAX = 400;
  /** How far above its table the head of one that scrolls is. */
  const UP_MOST = 8;
  /** By how many pixels cells below one another may miss. */
  const OFF = 3;

  /** @typedef {{head: Element, title: string, number: string | null, left: number, right: number, bottom: number}} Column */

  agent.part('columns', (parts) => {
    const { bare, closest, parentOf, eachTurn } = parts.get('tree');
    const { textOf } = parts.get('texts');

    /** @type {import('./agent').Columns['isHeadRow']} */
    const isHeadRow = (row) => {
      const own = bare(row);
      if (own.localName === 'tr' && own.closest('thead') !== null) return true;
      if (!own.matches(HEAD_ROWS) || own.querySelector(HEADS) === null) return false;
      return own.querySelector('[role=columnheader]') !== null || own.querySelector('td,[role=cell],[role=gridcell]') === null;
    };

    /** The titles, by what holds them. @type {() => Map<Element, Column[]>} */
    const known = eachTurn(() => new Map());

    /** Those that are called something, from the top. @type {(holder: Element) => Column[]} */
    const columnsIn = (holder) => {
      const first = known().get(holder);
      if (first) return first;
      /** @type {Column[]} */
      const found = [];
      for (const head of [...bare(holder).querySelectorAll(HEADS)].slice(0, HEADS_MAX)) {
        const row = head.closest(HEAD_ROWS);
        // Some only measure by a head that nobody sees.
        const title = row && isHeadRow(row) && row.getAttribute('aria-hidden') !== 'true' ? textOf(head, TITLE_MAX) : '';
        if (!LETTERS.test(title)) continue;
        const { left, right, bottom } = head.getBoundingClientRect();
        found.push({ head, title, number: head.getAttribute('aria-colindex'), left, right, bottom });
      }
      known().set(holder, found);
      return found;
    };

    /** What holds the head of a cell's table, and whether that is the table itself. @type {(cell: Element) => {columns: Column[], isOwn: boolean}} */
    const headsFor = (cell) => {
      const row = bare(cell).closest(HEAD_ROWS);
      const isBeside = (/** @type {Column} */ column) => row === null || !row.contains(column.head);
      const table = closest(cell, TABLES) ?? closest(cell, 'table');
      const own = table ? columnsIn(table).filter(isBeside) : [];
      if (own.length || !table) return { columns: own, isOwn: true };
      for (let at = parentOf(table), up = 0; at && up < UP_MOST; at = parentOf(at), up += 1) {
        const columns = columnsIn(at).filter(isBeside);
        if (columns.length) return { columns, isOwn: false };
      }
      return { columns: [], isOwn: false };
    };

    /** The title in the same place of its row, where both rows have as many cells. @param {Element} cell @param {Column[]} columns */
    const inPlace = (cell, columns) => {
      const cells = [...bare(bare(cell).parentElement)?.children ?? []];
      const place = cells.indexOf(cell);
      return columns.findLast(({ head }) => {
        const heads = bare(head.parentElement)?.children;
        return heads?.length === cells.length && heads[place] === head;
      });
    };

    /** @type {(cell: Element) => Column | undefined} */
    const columnOf = (cell) => {
      const { columns, isOwn } = headsFor(cell);
      if (columns.length === 0) return undefined;
      const number = bare(cell).getAttribute('aria-colindex');
      if (number !== null && columns.some((column) => column.number !== null)) {
        return columns.findLast((column) => column.number === number);
      }
      const { left, right, top } = bare(cell).getBoundingClientRect();
      if (!isOwn) {
        // Another table's head may stand above by chance; that of this one has its edges.
        return columns.findLast((column) => column.bottom <= top + OFF
          && Math.abs(column.left - left) <= OFF && Math.abs(column.right - right) <= OFF);
      }
      const middle = (left + right) / 2;
      return inPlace(cell, columns) ?? columns.findLast((column) => column.left <= middle && middle < column.right);
    };

    /** @type {import('./agent').Columns['titleOf']} */
    const titleOf = (cell) => columnOf(cell)?.title ?? '';

    /** @type {import('./agent').Columns['headOf']} */
    const headOf = (cell) => columnOf(cell)?.head;

    return { titleOf, headOf, isHeadRow };
  });
})();
