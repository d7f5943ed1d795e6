/**
 * A part of the page as lines of plain text: headings, paragraphs, lists, tables, quotes. What a person does not see is
 * left out, and so is what stands in fields.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NODES_MOST = 120_000;
  const CELL_MOST = 400;
  const SPAN_MOST = 50;
  /** Read in a row with what it stands on, it would be another number: 10² is not 102. */
  const POWER = /^[-−+]?[\dn][\dn.,]*$/;
  const SILENT = new Set(`script style noscript template iframe frame object embed canvas video audio head datalist option optgroup
    select input textarea meta link progress meter map area`.split(/\s+/));
  const INLINE = new Set(`a abbr b bdi bdo cite code data dfn em font i ins del kbd label mark q s samp small span strong sub sup
    time u var wbr slot img svg button ruby rt rp`.split(/\s+/));
  const GAPPED = new Set('p blockquote h1 h2 h3 h4 h5 h6 table pre figure dl article section'.split(' '));
  const HEADING = /^h([1-6])$/;
  // Where code is written, what a line begins with is part of it.
  const KEPT = /^(?:pre|pre-wrap|break-spaces)$/;
  const CODE_LINES = '.CodeMirror-line,.view-line';
  const ROWS = '[role=table],[role=grid],[role=treegrid]';

  agent.part('text_blocks', () => {
    const dom = agent.get('dom');
    const lines = agent.get('text_lines');
    const unseen = agent.get('unseen');

    const isShown = (/** @type {Element} */ element) => {
      const own = dom.bare(element);
      if (own.localName === 'slot') return true;
      const isOut = !own.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && getComputedStyle(element).display !== 'contents';
      return !isOut && !unseen.isOutOfSight(element, getComputedStyle(element));
    };

    /** @typedef {{lines: import('./text').TextLines, max: number, skip: (element: Element) => boolean, nodes: number, isKept?: boolean, grounds?: Map<Element, number[] | null>}} State */
    /** @typedef {{depth: number, number: number | null}} Place */

    const childrenOf = (/** @type {Element} */ element) => {
      const own = dom.bare(element);
      const assigned = own.localName === 'slot' ? /** @type {HTMLSlotElement} */ (element).assignedNodes({ flatten: true }) : [];
      return assigned.length > 0 ? assigned : (dom.shadowOf(element) ?? own).childNodes;
    };

    /** A part of the page as one line. @type {(element: Element, state: State) => string} */
    const inOneLine = (element, state) => {
      const inner = { ...state, lines: lines.create(), max: CELL_MOST };
      for (const child of childrenOf(element)) write(child, inner, { depth: 0, number: null });
      state.nodes = inner.nodes;
      return dom.cut(String(inner.lines).replace(/\n+/g, ' ').replaceAll('|', '¦').trim(), CELL_MOST);
    };

    /** The cells of a row, each in its column: one that spans several rows is said in each. @type {(cells: Element[], held: {left: number, text: string}[], state: State) => string[]} */
    const inColumns = (cells, held, state) => {
      /** @type {string[]} */
      const row = [];
      const takeHeld = () => {
        for (let above = held[row.length]; above && above.left > 0; above = held[row.length]) {
          above.left -= 1;
          row.push(above.text);
        }
      };
      for (const cell of cells) {
        takeHeld();
        const { colSpan = 1, rowSpan = 1 } = /** @type {HTMLTableCellElement} */ (cell);
        const said = inOneLine(cell, state);
        const across = cells.length > 1 ? Math.min(colSpan, SPAN_MOST) : 1;
        for (let column = 0; column < across; column += 1) {
          const text = column === 0 ? said : '';
          if (rowSpan !== 1) held[row.length] = { left: (rowSpan || Infinity) - 1, text };
          row.push(text);
        }
      }
      takeHeld();
      return row;
    };

    /** @type {(rows: Element[], cellsOf: (row: Element) => Element[], state: State) => void} */
    const writeRows = (rows, cellsOf, state) => {
      /** @type {{left: number, text: string}[]} */
      const held = [];
      for (const row of rows) {
        if (state.lines.length > state.max) return;
        if (!isShown(row)) continue;
        const cells = inColumns(cellsOf(row).filter(isShown), held, state);
        if (cells.some(Boolean)) state.lines.raw(`| ${cells.join(' | ')} |`);
      }
    };

    /** Tables that only lay out the page are read as its parts. @type {(table: HTMLTableElement) => boolean} */
    const isData = (table) => {
      if (/^(?:presentation|none)$/.test(table.getAttribute('role') ?? '') || table.querySelector('table')) return false;
      if (table.querySelector('th') || table.caption) return true;
      const wide = [...table.rows].slice(0, 5).filter((row) => row.cells.length > 1);
      return wide.length > 1 && !table.querySelector('h1,h2,h3,p ~ p,ul,form');
    };

    /** @type {(table: Element, state: State) => boolean} */
    const writeTable = (table, state) => {
      if (table instanceof HTMLTableElement) {
        if (!isData(table)) return false;
        state.lines.end(true);
        if (table.caption && isShown(table.caption)) state.lines.raw(inOneLine(table.caption, state));
        writeRows([...table.rows], (row) => [.../** @type {HTMLTableRowElement} */ (row).cells], state);
      } else {
        const rows = dom.queryAll(table, '[role=row]');
        if (rows.length === 0) return false;
        state.lines.end(true);
        writeRows(rows, (row) => dom.queryAll(row, '[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]'), state);
      }
      state.lines.end(true);
      return true;
    };

    /** In the colour of what is behind it: a person who selects it sees it, so it is told, and marked. @type {(node: Text, state: State) => boolean} */
    const isCamouflaged = ({ data, parentElement }, state) =>
      parentElement !== null && data.trim() !== '' && unseen.isCamouflaged(parentElement, getComputedStyle(parentElement), state.grounds ??= new Map());

    /** @type {(node: Node, state: State, place: Place) => void} */
    const write = (node, state, place) => {
      if (state.lines.length > state.max || (state.nodes += 1) > NODES_MOST) return;
      if (node instanceof Text) state.lines.text(isCamouflaged(node, state) ? ` [not to be seen: ${node.data.trim()}] ` : node.data, state.isKept);
      else if (!(node instanceof Element)) for (const child of node.childNodes) write(child, state, place);
      else if (!state.skip(node) && isShown(node)) writeElement(node, state, place);
    };

    /** The number of a note in brackets, a power behind its sign. */
    const raised = (/** @type {Element} */ element, /** @type {string} */ said) => {
      if (element.querySelector('a[href^="#"]') && /^\w{1,3}$/.test(said)) return `[${said}]`;
      return POWER.test(said) ? `^${said}` : said;
    };

    /** @type {(element: Element, state: State, place: Place) => void} */
    const writeElement = (element, state, place) => {
      const tag = dom.bare(element).localName;
      if (SILENT.has(tag)) return;
      if (tag === 'br') state.lines.end();
      else if (tag === 'hr') state.lines.end(true);
      else if (tag === 'img' || tag === 'svg') {
        const said = tag === 'img' ? element.getAttribute('alt') : element.querySelector(':scope > title')?.textContent;
        if (said?.trim()) state.lines.text(` [image: ${said.trim().slice(0, 200)}] `);
      } else if (tag === 'pre' && !dom.bare(element).matches(CODE_LINES)) {
        state.lines.end(true);
        state.lines.raw(/** @type {HTMLElement} */ (element).innerText.slice(0, state.max));
        state.lines.end(true);
      } else if (tag === 'sup') {
        state.lines.text(raised(element, inOneLine(element, state)));
      } else if (tag === 'math') {
        state.lines.text(` ${agent.get('text_math').read(element)} `);
      } else if (tag === 'button' || dom.bare(element).getAttribute('role') === 'button') {
        const said = inOneLine(element, state);
        if (said) state.lines.text(` [${said}] `);
      } else if (!(tag === 'table' || dom.bare(element).matches(ROWS)) || !writeTable(element, state)) writeInside(element, tag, state, place);
    };

    /** A line of an editor, or of text that is shown as it was typed. */
    const isLine = (/** @type {Element} */ element) => {
      const own = dom.bare(element);
      if (own.matches(CODE_LINES)) return true;
      if (!KEPT.test(getComputedStyle(element).whiteSpace) || !own.textContent?.trim()) return false;
      return ![...own.children].some((each) => !INLINE.has(dom.bare(each).localName) && dom.bare(each).localName !== 'br');
    };

    /** @type {(element: Element, tag: string, state: State, place: Place) => void} */
    const writeInside = (element, tag, state, place) => {
      const own = dom.bare(element);
      const level = HEADING.exec(tag)?.[1] ?? (own.getAttribute('role') === 'heading' ? own.getAttribute('aria-level') ?? '2' : null);
      const isBlock = !INLINE.has(tag) || /^(?:block|flex|grid|table|list-item)/.test(getComputedStyle(element).display);
      const isList = tag === 'ul' || tag === 'ol';
      const isGap = (GAPPED.has(tag) && !own.matches(CODE_LINES)) || level !== null || (isList && place.depth === 0);
      if (isBlock) state.lines.end(isGap);
      else if (tag !== 'span' || own.childElementCount > 0) state.lines.text('');
      if (level !== null) state.lines.text(`${'#'.repeat(Math.min(6, Number(level) || 2))} `);
      const inner = isList
        ? { depth: place.depth + 1, number: tag === 'ol' ? Number(element.getAttribute('start') ?? 1) || 1 : null }
        : tag === 'li' ? { ...place } : place;
      const done = tag === 'li' ? state.lines.item(place.number === null ? '- ' : `${place.number}. `)
        : tag === 'blockquote' ? state.lines.item('> ', true)
          : tag === 'dd' ? state.lines.item('  ') : null;
      if (tag === 'li' && place.number !== null) place.number += 1;
      const wasKept = state.isKept;
      state.isKept = wasKept || (isBlock && isLine(element));
      for (const child of childrenOf(element)) write(child, state, inner);
      state.isKept = wasKept;
      done?.();
      if (tag === 'td' || tag === 'th') state.lines.text(' ');
      else if (isBlock) state.lines.end(isGap);
    };

    return {
      read(root, max, skip) {
        /** @type {State} */
        const state = { lines: lines.create(), max, skip, nodes: 0 };
        write(root, state, { depth: 0, number: null });
        return { text: String(state.lines), isCut: state.lines.length > max || state.nodes > NODES_MOST };
      },
    };
  });
})();
