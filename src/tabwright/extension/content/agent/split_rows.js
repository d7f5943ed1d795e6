/**
 * Rows that a grid draws in several parts, so that some columns stay while the others scroll: the parts say the same
 * number. And what rows are labelled that is no name of theirs, as how to choose one by the keyboard.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const GRIDS = '[role=grid],[role=treegrid],[role=table]';
  const NUMBER = 'aria-rowindex';
  const COLUMN = 'aria-colindex';

  agent.part('split_rows', (parts) => {
    const { bare, closest, eachTurn } = parts.get('tree');

    /** The rows of a grid that are drawn in parts, by number. @type {() => Map<Element, Map<string, Element[]>>} */
    const known = eachTurn(() => new Map());

    /** Whether each has cells of columns of its own: other grids count their rows anew in every group. */
    const areParts = (/** @type {Element[]} */ rows) => {
      if (rows.some((row) => bare(row).querySelector('[role=columnheader]'))) return false;
      const numbers = rows.flatMap((row) => [...bare(row).querySelectorAll(`[${COLUMN}]`)].map((cell) => cell.getAttribute(COLUMN)));
      return numbers.length >= rows.length && new Set(numbers).size === numbers.length;
    };

    const splitIn = (/** @type {Element} */ grid) => {
      const before = known().get(grid);
      if (before) return before;
      /** @type {Map<string, Element[]>} */
      const rows = new Map();
      for (const row of bare(grid).querySelectorAll(`[role=row][${NUMBER}]`)) {
        const number = bare(row).getAttribute(NUMBER) ?? '';
        rows.set(number, [...rows.get(number) ?? [], row]);
      }
      const found = new Map([...rows].filter(([, same]) => same.length > 1 && areParts(same)));
      known().set(grid, found);
      return found;
    };

    /** @type {import('./agent').SplitRows['partsOf']} */
    const partsOf = (row) => {
      const number = bare(row).getAttribute(NUMBER);
      const grid = number === null || bare(row).getAttribute('role') !== 'row' ? null : closest(row, GRIDS);
      const found = grid && number !== null ? splitIn(grid).get(number) : undefined;
      return found?.includes(row) ? found : [row];
    };

    /** @type {import('./agent').SplitRows['isAdvice']} */
    const isAdvice = (row) => {
      const label = bare(row).getAttribute('aria-label');
      const { previousElementSibling: before, nextElementSibling: after } = bare(row);
      return Boolean(label) && [before, after].some((each) => each && bare(each).getAttribute('aria-label') === label);
    };

    return { partsOf, isAdvice };
  });
})();
