/**
 * The text of an element as it is drawn, for names: words that only mark-up divides stay whole, and what is not drawn is
 * not read. Bounded, so that naming a whole article costs no more than naming a button.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NODES_MAX = 150;
  const GAP_PX = 2;
  // A count beside what is counted is set apart by looks that are not known here.
  const COUNTED = /\p{L}\p{N}/u;
  const TEXTLESS = new Set(`script style noscript template iframe object canvas video audio input textarea select datalist
    option progress meter`.split(/\s+/));

  agent.part('snapshot_text', (parts) => {
    const { bare, shadowOf } = parts.get('snapshot_tree');
    const { collapse, cut } = parts.get('texts');

    /** A reader sees a gap. */
    const isApart = (/** @type {string} */ margin, /** @type {string} */ padding) => parseFloat(margin) + parseFloat(padding) >= GAP_PX;

    class Reading {
      text = '';
      #left = NODES_MAX;
      #max;
      #hidden;
      #without;

      /** @param {number} max @param {boolean} hidden whether what is hidden from screen readers is read @param {Set<Element> | undefined} without */
      constructor(max, hidden, without) {
        this.#max = max;
        this.#hidden = hidden;
        this.#without = without;
      }

      get isDone() { return this.#left <= 0 || this.text.length > this.#max; }

      /** @param {Element} element @param {CSSStyleDeclaration} style */
      children(element, style) {
        const given = bare(element).localName === 'slot' ? /** @type {HTMLSlotElement} */ (element).assignedNodes() : [];
        if (given.length) {
          for (const child of given) this.#node(child, style);
          return;
        }
        const holder = shadowOf(element) ?? bare(element);
        for (let child = holder.firstChild; child && !this.isDone; child = bare(child).nextSibling) this.#node(child, style);
      }

      /** Blanks that templates are laid out with do not count as words. @param {string} text */
      #add(text) {
        const folded = text.replace(/\s+/g, ' ');
        this.text += this.text.endsWith(' ') ? folded.trimStart() : folded;
      }

      /** @param {Node} node @param {CSSStyleDeclaration} style of its parent */
      #node(node, style) {
        this.#left -= 1;
        if (node.nodeType === Node.TEXT_NODE) {
          if (style.visibility === 'visible') this.#add(/** @type {Text} */ (node).data.slice(0, 400));
        } else if (node.nodeType === Node.ELEMENT_NODE) this.#element(/** @type {Element} */ (node));
      }

      /** @param {Element} element */
      #element(element) {
        const own = bare(element);
        const tag = own.localName;
        if (TEXTLESS.has(tag) || this.#without?.has(element) || (!this.#hidden && own.getAttribute('aria-hidden') === 'true')) return;
        if (tag === 'img') this.#add(` ${own.getAttribute('alt') ?? ''} `);
        else if (tag === 'svg') this.#add(` ${own.querySelector(':scope > title')?.textContent ?? ''} `);
        else if (own.getAttribute('role') === 'img' && own.hasAttribute('aria-label')) this.#add(` ${own.getAttribute('aria-label')} `);
        else if (tag === 'br' || tag === 'wbr') this.#add(tag === 'br' ? ' ' : '');
        else {
          const style = getComputedStyle(element);
          if (style.display === 'none') return;
          const isInline = style.display === 'inline' || style.display === 'contents';
          this.#add(isInline && !isApart(style.marginLeft, style.paddingLeft) ? '' : ' ');
          this.children(element, style);
          this.#add(isInline && !isApart(style.marginRight, style.paddingRight) ? '' : ' ');
        }
      }
    }

    /** @type {import('./outline').SnapshotText['read']} */
    const read = (element, max, hidden = false, without = undefined) => {
      const reading = new Reading(max + 40, hidden, without);
      reading.children(element, getComputedStyle(element));
      return cut(collapse(reading.text), max);
    };

    /** @type {import('./outline').SnapshotText['joined']} */
    const joined = (element, text) => {
      if (!text.includes(' ') || !bare(element).firstElementChild) return text;
      const drawn = read(element, text.length + 40);
      let whole = '';
      for (let at = 0, place = 0; at < text.length; at += 1) {
        const sign = text.charAt(at);
        const next = text.charAt(at + 1);
        const isWithin = sign === ' ' && drawn.charAt(place) === next && next !== '' && !COUNTED.test(`${text.charAt(at - 1)}${next}`);
        if (isWithin) continue;
        // From here on they differ: a picture's title, or what is hidden from screen readers.
        if (sign !== ' ' && drawn.charAt(place) !== sign) return whole + text.slice(at);
        whole += sign;
        if (drawn.charAt(place) === sign) place += 1;
      }
      return whole;
    };

    return { read, joined };
  });
})();
