/** Lines of plain text as they come: words run together, blocks end lines, lists and quotes indent what is in them. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const GAPS = /[\s\u00a0\u200b]+/g;

  class Lines {
    /** @type {string[]} */
    #lines = [];
    #line = '';
    /** What the first line of a list item begins with. */
    #mark = '';
    /** What every line begins with. @type {string[]} */
    #prefixes = [];
    #isGap = false;
    length = 0;

    text(/** @type {string} */ text, isKept = false) {
      if (isKept) {
        this.#kept(text);
        return;
      }
      const said = text.replace(GAPS, ' ');
      this.#line += this.#line === '' || this.#line.endsWith(' ') ? said.trimStart() : said;
    }

    #kept(/** @type {string} */ text) {
      const [first = '', ...rest] = text.replace(/\u200b/g, '').replaceAll('\u00a0', ' ').split('\n');
      this.#line += first;
      for (const line of rest) {
        this.end();
        this.#line = line;
      }
    }

    /** Ends the line; `gap` leaves an empty one before what comes next. */
    end(gap = false) {
      const line = this.#line.trimEnd();
      this.#line = '';
      if (line) this.#push(line);
      if (gap) this.#isGap = true;
    }

    /** Text whose spaces and lines matter. */
    raw(/** @type {string} */ text) {
      this.end();
      for (const line of text.replace(/^\n+|\s+$/g, '').split('\n')) this.#push(line);
    }

    /** The next line begins with a mark, the ones below it are indented as far; returns what ends that. */
    item(/** @type {string} */ mark, isRepeated = false) {
      this.end();
      this.#mark = isRepeated ? '' : mark;
      this.#prefixes.push(isRepeated ? mark : ' '.repeat(mark.length));
      return () => {
        this.end();
        this.#prefixes.pop();
        this.#mark = '';
      };
    }

    #push(/** @type {string} */ line) {
      const isFirst = this.#mark !== '';
      const before = (isFirst ? this.#prefixes.slice(0, -1) : this.#prefixes).join('');
      if (this.#isGap && this.#lines.length > 0) this.#lines.push('');
      this.#isGap = false;
      const whole = `${before}${this.#mark}${line}`.trimEnd();
      this.#mark = '';
      this.#lines.push(whole);
      this.length += whole.length + 1;
    }

    toString() {
      this.end();
      return this.#lines.join('\n');
    }
  }

  agent.part('text_lines', () => ({ create: () => new Lines() }));
})();
