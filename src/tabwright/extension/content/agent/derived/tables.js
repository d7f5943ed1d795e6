/**
 * Tables with column headers: `read_employees_table(columns?, limit?)` gives the rows as data, `sort_by(column)` presses
 * a header that sorts. Tables without headers are layout and stay out.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const TABLES = 'table,[role=table],[role=grid],[role=treegrid]';
  const LAYOUT = '[role=presentation],[role=none]';
  const MOST = 3;
  const LOOKED_AT = 20;
  /** Among so many is one that is no row of filters. */
  const FIRST_MOST = 4;
  const CELL_MAX = 200;
  const LIMIT = 50;
  const LIMIT_MAX = 1000;
  const HEADS = 'th,[role=columnheader]';
  const CELLS = '[role=gridcell],[role=cell],[role=rowheader]';
  const COLUMNS_MAX = 60;
  const FIELDS = 'input,select,textarea';
  const COLUMN = 'aria-colindex';
  const PRESSED = 'a[href],button,[role=button],[onclick]';
  /** What the page tells of it too. */
  const TOLD_SORTED = /\n(?:No longer sorted|Sorted) by “[^\n]*/g;
  // Buttons that only sort, and what is written beside a title to say that it is sorted.
  const SORTING = /^(?:toggle |remove from )?sort/i;
  const SORTED = /[▲▼△▽▴▾▵▿↑↓⇅⇵⯅⯆⬆⬇]+|[,(]?\s*\b(?:sorted|sort)(?: by| in)?(?: column)? (?:ascending|descending)(?: order)?\)?/giu;

  agent.part('tables', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const names = agent.get('names');
    const wording = agent.get('wording');
    const controls = agent.get('controls');
    const { partsOf } = agent.get('split_rows');

    const failed = (/** @type {string} */ text) => ({ isError: true, text });

    /** @typedef {{name: string, cell: Element, at: number}} Column */

    /** What a column is called, without the signs and numbers that say how the table is sorted now. */
    const titleOf = (/** @type {Element} */ cell) => {
      const said = dom.textOf(cell, 60);
      const pressed = new Set([...bare(cell).querySelectorAll(PRESSED)]
        .map((each) => dom.textOf(each, 60)).filter((text) => /\p{L}{2}/u.test(text) && !SORTING.test(text)));
      const [only] = pressed;
      if (only !== undefined && pressed.size === 1 && said.includes(only)) return only;
      return dom.collapse(said.replace(SORTED, ' ')) || said;
    };

    /** The heads of a table that stand in one of their own, so that the rows can scroll below them. @param {Element} table */
    const headsAbove = (table) => {
      const [row] = shownRows(table, 1);
      const cells = row instanceof HTMLTableRowElement ? [...row.cells] : [...row?.querySelectorAll(CELLS) ?? []];
      return cells.slice(0, COLUMNS_MAX).map((cell) => agent.get('columns').headOf(cell));
    };

    /** In the order of the columns where they say it; what stands in a head is none, whatever it says. @param {Element} table */
    const headsIn = (table) => {
      const heads = dom.queryAll(table, '[role=columnheader]').slice(0, COLUMNS_MAX).filter((each) => !bare(bare(each).parentElement)?.closest('[role=columnheader]'));
      const isNumbered = heads.length > 0 && heads.every((each) => each.hasAttribute(COLUMN));
      return isNumbered ? heads.sort((one, other) => Number(one.getAttribute(COLUMN)) - Number(other.getAttribute(COLUMN))) : heads;
    };

    /** @type {(table: Element) => Column[]} */
    const columnsOf = (table) => {
      const native = table instanceof HTMLTableElement;
      const rows = native ? [...table.tHead?.rows ?? table.rows].slice(0, 4) : [];
      // Where headers take several rows, the last one names the columns; a row of filters says nothing.
      const head = rows.findLast((row) => row.cells.length > 1 && row.ariaHidden !== 'true' && dom.textOf(row, 5)
        && [...row.cells].every((cell) => cell.localName === 'th' || (!dom.textOf(cell, 5) && !cell.querySelector(FIELDS))));
      const own = native && head ? [...head.cells] : headsIn(table);
      const cells = own.length > 0 ? own : headsAbove(table);
      /** @type {Column[]} */
      const columns = [];
      const seen = new Map();
      /** @type {Map<string, Column>} */
      const placed = new Map();
      let at = 0;
      for (const cell of cells) {
        if (!cell) {
          at += 1;
          continue;
        }
        const text = dom.cut(titleOf(cell) || cell.getAttribute('aria-label') || cell.getAttribute('title') || '', 40);
        const place = cell.getAttribute(COLUMN);
        // A head that stays while the rest scrolls is drawn twice, later on top.
        const under = placed.get(`${place} ${text}`);
        if (place && under) {
          under.cell = cell;
          continue;
        }
        const times = (seen.get(text) ?? 0) + 1;
        seen.set(text, times);
        const name = times > 1 ? `${text} ${times}` : text;
        const column = { name, cell, at: !native && place ? Number(place) - 1 : at };
        placed.set(`${place} ${text}`, column);
        if (/[\p{L}\p{N}]/u.test(text)) columns.push(column);
        at += native && cell instanceof HTMLTableCellElement ? cell.colSpan : 1;
      }
      return columns;
    };

    /** Beside the titles, where the rows are elsewhere: a row of filters, if it says nothing. @type {(table: Element, rows: Element[]) => Element[]} */
    const withoutFilters = (table, rows) => {
      const heads = new Set(columnsOf(table).map(({ cell }) => cell.closest('tr,[role=row]')?.parentNode));
      const body = rows.filter((row) => !heads.has(row.parentNode) || dom.textOf(row, 5) !== '');
      return body.some((row) => !heads.has(row.parentNode)) ? body : rows;
    };

    /** @type {(table: Element, max: number) => Element[]} */
    const shownRows = (table, max) => {
      /** @type {Element[]} */
      const found = [];
      const all = table instanceof HTMLTableElement ? table.rows : dom.queryAll(table, '[role=row]');
      for (let index = 0; index < all.length && found.length < max; index += 1) {
        const row = /** @type {Element} */ (all[index]);
        if (row.querySelector(':scope > td,[role=gridcell],[role=cell]') && dom.isRendered(row)) found.push(row);
      }
      return found;
    };

    /** @type {(table: Element, max: number) => Element[]} */
    const rowsOf = (table, max) => {
      if (table instanceof HTMLTableElement) return agent.get('lists').inOrder(shownRows(table, max));
      const found = new Set(withoutFilters(table, shownRows(table, max)));
      // Of a row that is drawn in parts, the first stands for all.
      return agent.get('lists').inOrder([...found].filter((row) => partsOf(row).find((part) => found.has(part)) === row));
    };

    /** The cell of a column, counting cells that span several. @type {(row: Element, at: number) => Element | null} */
    const cellAt = (row, at) => {
      if (!(row instanceof HTMLTableRowElement)) {
        const cells = partsOf(row).flatMap((part) => [...part.querySelectorAll(CELLS)]);
        // Columns that are scrolled out of sight may not be drawn at all.
        return cells.some((cell) => cell.hasAttribute(COLUMN)) ? cells.find((cell) => Number(cell.getAttribute(COLUMN)) === at + 1) ?? null : cells[at] ?? null;
      }
      let reached = 0;
      for (const cell of row.cells) {
        if (at < reached + cell.colSpan) return cell;
        reached += cell.colSpan;
      }
      return null;
    };

    const valueOf = (/** @type {Element | null} */ cell) => {
      if (!cell) return '';
      const text = dom.textOf(cell, CELL_MAX);
      if (text) return text;
      // Django and many others show yes and no as pictures, or as boxes.
      const box = cell.querySelector('input[type=checkbox],[role=checkbox]');
      if (box) return (box instanceof HTMLInputElement ? box.checked : box.getAttribute('aria-checked') === 'true') ? 'yes' : 'no';
      const field = cell.querySelector('input,select,textarea');
      if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.text ?? '';
      return /** @type {HTMLInputElement | null} */ (field)?.value ?? '';
    };

    const captionOf = (/** @type {Element} */ table) =>
      (table instanceof HTMLTableElement && table.caption && dom.textOf(table.caption, 60))
      || dom.referred(table, 'aria-labelledby') || bare(table).getAttribute('aria-label') || dom.headingOf(table);

    /** @type {(table: Element, path: string, columns: Column[], args: Record<string, unknown>) => import('./derived').RunResult} */
    const read = (table, path, columns, args) => {
      const now = bare(table).isConnected ? table : dom.byPath(path);
      const there = now ? columnsOf(now) : [];
      if (!now || there.length === 0) return failed('The table is no longer on the page. Ask for the page\'s tools again.');
      const asked = Array.isArray(args.columns) ? args.columns.map(String) : [];
      const wanted = asked.length > 0 ? asked : columns.map(({ name }) => name);
      const missing = wanted.find((name) => !there.some((column) => column.name === name));
      if (missing !== undefined) return failed(`No column "${missing}": columns are ${there.map(({ name }) => name).join(', ')}.`);
      const chosen = wanted.map((name) => /** @type {Column} */ (there.find((column) => column.name === name)));
      const limit = Math.min(LIMIT_MAX, Math.max(1, Number(args.limit ?? LIMIT) || LIMIT));
      const all = rowsOf(now, 100_000);
      const rows = all.slice(0, limit)
        .map((row) => Object.fromEntries(chosen.map(({ name, at }) => [name, valueOf(cellAt(row, at))])));
      const lines = rows.map((row) => wanted.map((name) => row[name] ?? '').join(' | '));
      const rest = all.length > rows.length ? [`(${all.length - rows.length} more rows; raise limit)`] : [];
      return { text: [wanted.join(' | '), ...lines, ...rest].join('\n'), structured: { columns: wanted, rows, total: all.length } };
    };

    /** What sorts by a column when pressed; a menu beside the title does other things. */
    const sorterOf = (/** @type {Element} */ cell) => {
      const text = titleOf(cell);
      const inside = [...cell.querySelectorAll(PRESSED)].find((each) => {
        const said = dom.textOf(each, 60) || bare(each).getAttribute('aria-label') || '';
        return said !== '' && (said === text || titleOf(each) === text || SORTING.test(said));
      });
      if (inside) return inside;
      const isSorter = cell.hasAttribute('aria-sort') || cell.hasAttribute('onclick')
        || /(^|[\s_-])sort(able|ing|er)?([\s_-]|$)/i.test(cell.getAttribute('class') ?? '');
      return isSorter || getComputedStyle(cell).cursor === 'pointer' ? cell : null;
    };

    /** The words of a title, where a person presses: some grids hear it there only. */
    const wordsOf = (/** @type {Element | null} */ sorter) => {
      if (!sorter?.matches(HEADS)) return sorter;
      const walker = document.createTreeWalker(sorter, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const holder = walker.currentNode.parentElement;
        if (holder && /[\p{L}\p{N}]/u.test(walker.currentNode.nodeValue ?? '') && dom.isRendered(holder)) return holder;
      }
      return sorter;
    };

    /** @type {(table: Element, path: string, args: Record<string, unknown>) => Promise<import('./derived').RunResult>} */
    const sort = async (table, path, args) => {
      const column = String(args.column);
      const find = () => {
        const now = bare(table).isConnected ? table : dom.byPath(path);
        return now ? columnsOf(now).find(({ name }) => name === column)?.cell ?? null : null;
      };
      const stateOf = () => find()?.getAttribute('aria-sort') ?? '';
      const press = () => controls.press(wordsOf(sorterOf(find() ?? document.body)), { label: column, done: `Sorted by "${column}".` });
      const wanted = args.direction;
      if (wanted && stateOf() === wanted) return { text: `The table is already sorted by "${column}", ${wanted}.` };
      let told = await press();
      // Headers go round: unsorted, ascending, descending.
      for (let tries = 0; tries < 2 && wanted && !told.isError && stateOf() && stateOf() !== wanted; tries += 1) told = await press();
      const state = stateOf();
      if (told.isError || !state) return told;
      if (wanted && state !== wanted) return failed(`"${column}" was pressed, but the table says of it: sorted ${state}.`);
      return { text: told.text.replace(TOLD_SORTED, '').replace(/^.*/, state === 'none' ? `Pressed "${column}"; the table is not sorted by it now.` : `Sorted by "${column}", ${state}.`) };
    };

    return {
      find(context) {
        const all = controls.of(context).landmarks.filter((each) => bare(each).matches(TABLES)).slice(0, LOOKED_AT);
        const tables = all.filter((table) => !bare(table).matches(LAYOUT)
          && !bare(table).closest('nav,[role=navigation],aside') && context.isVisible(table) && !bare(table).querySelector(`table:not(${LAYOUT})`));
        /** @type {import('./derived').Candidate[]} */
        const found = [];
        let place = 0;
        for (const table of tables) {
          if (place >= MOST) break;
          const columns = columnsOf(table);
          const [first] = rowsOf(table, FIRST_MOST);
          // A grid of questions has nothing to read but its boxes, and a calendar its days.
          if (columns.length < 2 || !first || agent.get('lists').isWeek(first) || !columns.some(({ at }) => dom.textOf(cellAt(first, at) ?? first, 5))) continue;
          const caption = wording.plain(captionOf(table));
          const said = wording.phrase(caption).split(' ').filter((word) => word !== 'table');
          // A sentence is no name for a table; what its rows are called is.
          const thing = said.length > 3 || !caption
            ? agent.get('row_parts').thingOf({ container: bare(first).parentElement ?? table, row: first }, null, context.root) : '';
          const about = thing && thing !== 'item' ? thing : said.slice(0, 4).join(' ');
          const path = dom.pathOf(table);
          const title = `the table${caption ? ` "${caption}"` : ''}`;
          const enumeration = columns.map(({ name }) => name).slice(0, 60);
          found.push({
            name: names.verb(`read ${about} table`, 'read_table'),
            description: `Read ${title} as data. Columns: ${dom.cut(enumeration.join(', '), 200)}.`,
            inputSchema: {
              type: 'object',
              properties: {
                columns: { type: 'array', items: { type: 'string', enum: enumeration }, description: 'Which columns; all if left out' },
                limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT, description: 'At most this many rows' },
              },
              additionalProperties: false,
            },
            annotations: { readOnlyHint: true },
            score: 0.58 - place * 0.06,
            element: table,
            run: async (args) => read(table, path, columns, args),
          });
          const sortable = columns.filter(({ cell }) => sorterOf(cell));
          if (sortable.length > 0) {
            const tells = sortable.some(({ cell }) => cell.hasAttribute('aria-sort'));
            found.push({
              name: place === 0 || !about ? 'sort_by' : names.verb(`sort ${about} by`),
              description: `Sort ${title} by a column.`,
              inputSchema: {
                type: 'object',
                properties: {
                  column: { type: 'string', enum: sortable.map(({ name }) => name) },
                  ...tells ? { direction: { type: 'string', enum: ['ascending', 'descending'] } } : {},
                },
                required: ['column'],
                additionalProperties: false,
              },
              annotations: {},
              score: 0.5 - place * 0.06,
              element: table,
              run: (args) => sort(table, path, args),
            });
          }
          place += 1;
        }
        return found;
      },
    };
  });
})();
