/**
 * A page as readable plain text: headings, paragraphs, lists and tables of its main content, without menus, hidden parts
 * and decoration. What a dialog says comes first, as nothing else can be used while it is open.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NODES_MAX = 60_000;
  const MAINS = 'main,[role=main]';
  const ASIDE = 'nav,[role=navigation],[role=menubar],[role=menu],[role=tablist],aside,[role=complementary],[role=contentinfo],[role=banner],'
    + 'footer:not(:is(main,article,section) footer),header:not(:is(main,article,section) header)';
  const SILENT = new Set(('script style noscript template iframe object canvas video audio svg head datalist option select input textarea '
    + 'button meta link').split(' '));
  const INLINE = new Set(('a abbr b bdi bdo cite code data dfn em font i ins del kbd label mark q s samp small span strong sub sup time u '
    + 'var wbr slot img').split(' '));
  // Where code is written, what a line begins with is part of it.
  const CODE_LINES = '.cm-line,.CodeMirror-line,.view-line';
  const HEADING = /^h([1-6])$/;

  agent.part('page_text', () => {
    const dom = agent.get('dom');
    const { isSecret } = agent.get('secrets');

    class Writer {
      /** @type {string[]} */
      #lines = [];
      #line = '';
      length = 0;
      nodes = 0;

      text(/** @type {string} */ text) {
        const said = text.replace(/[\s\u00a0\u200b]+/g, ' ');
        this.#line += this.#line === '' || this.#line.endsWith(' ') ? said.trimStart() : said;
      }

      raw(/** @type {string} */ text) {
        this.end();
        this.#push(text.replace(/\s+$/, ''));
      }

      /** Ends the line; `gap` leaves an empty one. */
      end(gap = false) {
        const line = this.#line.trimEnd();
        this.#line = '';
        if (line) this.#push(line);
        if (gap && this.#lines.length > 0 && this.#lines[this.#lines.length - 1] !== '') this.#lines.push('');
      }

      #push(/** @type {string} */ line) {
        this.#lines.push(line);
        this.length += line.length + 1;
      }

      toString() {
        this.end();
        return this.#lines.join('\n').trim();
      }
    }

    const isShown = (/** @type {Element} */ element) => dom.bare(element).localName === 'slot'
      || getComputedStyle(element).display === 'contents' || dom.bare(element).checkVisibility({ visibilityProperty: true });

    /** @typedef {{writer: Writer, max: number, skip: string, depth: number, number: number | null}} State */

    /**
     * A field shows what stands in it, as a reader sees it; secrets are not read out.
     * @type {(field: Element, state: State) => void}
     */
    const writeField = (field, { writer }) => {
      const input = /** @type {HTMLInputElement} */ (field);
      if (['hidden', 'submit', 'button', 'image', 'reset', 'file'].includes(input.type)) return;
      const label = dom.labelOf(field);
      if (['checkbox', 'radio'].includes(input.type)) {
        writer.text(` [${input.checked ? 'x' : ' '}] `);
        return;
      }
      if (isSecret(field)) {
        if (input.value !== '') writer.text(' [filled] ');
        return;
      }
      const value = field instanceof HTMLSelectElement
        ? [...field.selectedOptions].map((option) => option.text.trim()).join(', ') : input.value.slice(0, 200);
      writer.text(` [${label ? `${label}: ` : ''}${value}] `);
    };

    /** @type {(table: HTMLTableElement, state: State) => void} */
    const writeTable = (table, { writer, max }) => {
      writer.end(true);
      if (table.caption) writer.raw(dom.textOf(table.caption, 200));
      for (const row of table.rows) {
        if (writer.length > max) return;
        if (!isShown(row)) continue;
        const cells = [...row.cells].map((cell) => dom.textOf(cell, 300));
        if (cells.some(Boolean)) writer.raw(cells.join(' | '));
      }
      writer.end(true);
    };

    /** @type {(node: Node, state: State) => void} */
    const write = (node, state) => {
      const { writer } = state;
      if (writer.length > state.max || (writer.nodes += 1) > NODES_MAX) return;
      if (node instanceof Text) {
        writer.text(node.data);
        return;
      }
      if (!(node instanceof Element)) {
        for (const child of node.childNodes) write(child, state);
        return;
      }
      const tag = dom.bare(node).localName;
      if (dom.bare(node).matches(state.skip) || dom.bare(node).getAttribute('aria-hidden') === 'true' || !isShown(node)) return;
      if (tag === 'input' || tag === 'select' || tag === 'textarea') writeField(node, state);
      else if (tag === 'button') writer.text(` [${dom.nameOf(node)}] `);
      if (SILENT.has(tag)) return;
      if (tag === 'br') writer.end();
      else if (tag === 'hr') writer.end(true);
      else if (tag === 'img') writer.text(node.getAttribute('alt') ? ` [image: ${node.getAttribute('alt')}] ` : '');
      else if (tag === 'pre' || dom.bare(node).matches(CODE_LINES)) writer.raw((node.textContent ?? '').slice(0, state.max));
      else if (node instanceof HTMLTableElement && node.querySelector('th') && !node.querySelector('table')) writeTable(node, state);
      else writeInside(node, tag, state);
    };

    /** @type {(element: Element, tag: string, state: State) => void} */
    const writeInside = (element, tag, state) => {
      const { writer } = state;
      const own = dom.bare(element);
      const said = own.getAttribute('role') === 'heading' ? own.getAttribute('aria-level') ?? '2' : null;
      const level = HEADING.exec(tag)?.[1] ?? said;
      const isBlock = !INLINE.has(tag);
      const isList = tag === 'ul' || tag === 'ol';
      const isGap = level !== null || tag === 'p' || tag === 'blockquote' || (isList && state.depth === 0);
      if (isBlock) writer.end(isGap);
      if (level !== null) writer.text(`${'#'.repeat(Number(level) || 2)} `);
      let inner = state;
      if (isList) inner = { ...state, depth: state.depth + 1, number: tag === 'ol' ? 1 : null };
      else if (tag === 'li') {
        writer.text('');
        writer.text(`${state.number === null ? '-' : `${state.number}.`} `);
        if (state.number !== null) state.number += 1;
      } else if (tag === 'td' || tag === 'th') writer.text(' ');
      const shadow = dom.shadowOf(element);
      const assigned = tag === 'slot' ? /** @type {HTMLSlotElement} */ (element).assignedNodes({ flatten: true }) : [];
      for (const child of assigned.length > 0 ? assigned : (shadow ?? own).childNodes) write(child, inner);
      if (isBlock && tag !== 'td' && tag !== 'th') writer.end(isGap);
    };

    /** @type {(root: Element, max: number, skip: string) => string} */
    const textOf = (root, max, skip) => {
      const writer = new Writer();
      for (const child of (dom.shadowOf(root) ?? dom.bare(root)).childNodes) write(child, { writer, max, skip, depth: 0, number: null });
      return writer.toString();
    };

    return {
      read(root, max) {
        const page = root instanceof Element ? root : root.body ?? root.documentElement;
        const shown = (/** @type {string} */ selector) =>
          (root instanceof Element ? [] : dom.queryAll(root, selector).filter((each) => dom.bare(each).checkVisibility()));
        const mains = shown(MAINS);
        const articles = mains.length > 0 ? [] : shown('article');
        // Several articles are a list of teasers: the page itself is the content then.
        const main = mains[0] ?? (articles.length === 1 ? articles[0] : undefined);
        let text = main ? textOf(main, max, 'nav,[role=navigation],[role=menu]') : '';
        // A main element with next to nothing in it is a mistake of the page.
        if (text.length < 80) {
          const whole = textOf(page, max, ASIDE);
          if (whole.length > text.length) text = whole;
        }
        if (text.length < 20) text = textOf(page, max, 'template');
        return text.length > max ? { text: `${text.slice(0, max).replace(/\s+\S*$/, '')}…`, isCut: true } : { text, isCut: false };
      },
    };
  });
})();
