/** What only some of the nodes of an outline have: level, value, choices, address; and what helps to find one by words. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const TEXT_MAX = 120;
  const HINT_MAX = 160;
  const ADDRESS_MAX = 300;
  const HINTS = ['id', 'name', 'type', 'class', 'data-testid'];

  class Details {
    heading = '';
    #tree;
    #texts;
    #shown;
    #states;
    /** @type {Map<Window, number>} */
    #frames = new Map();
    /** @type {Map<Element, string>} */
    #rowTexts = new Map();

    /** @param {import('../agent').Agent} parts */
    constructor(parts) {
      this.#tree = parts.get('snapshot_tree');
      this.#texts = parts.get('texts');
      this.#shown = parts.get('snapshot_text');
      this.#states = parts.get('snapshot_states');
      for (let place = 0; place < window.length; place += 1) this.#frames.set(window[place], place);
    }

    /** @param {Element} element @param {string} role @param {string} name @param {boolean} clickable */
    extraOf(element, role, name, clickable) {
      /** @type {Record<string, any>} */
      const extra = {};
      if (role === 'heading') extra.l = this.#states.levelOf(element);
      if (role === 'iframe') {
        const place = this.#frames.get(/** @type {any} */ (/** @type {HTMLIFrameElement} */ (element).contentWindow));
        if (place !== undefined) extra.f = place;
      }
      if (role === 'link' && !name) extra.u = this.#addressOf(element);
      if (!clickable && role !== 'progressbar' && role !== 'meter') return extra;
      const value = this.#states.valueOf(element, role);
      if (value !== undefined) extra.v = value;
      const options = this.#states.optionsOf(element);
      if (options.length) {
        extra.o = options;
        extra.c = /** @type {HTMLSelectElement} */ (element).options.length;
      }
      return extra;
    }

    /** @param {Element} element @param {string} role @param {string} name @param {Element | undefined} row */
    findableBy(element, role, name, row) {
      const own = this.#tree.bare(element);
      /** @type {Record<string, any>} */
      const detail = { tag: own.localName };
      if (role === 'link') detail.u = this.#addressOf(element);
      const label = this.#tree.labelsOf(element).map((each) => this.#texts.textOf(each, 80)).join(' ');
      if (label && label !== name) detail.label = label;
      const placeholder = own.getAttribute('placeholder') ?? own.getAttribute('aria-placeholder');
      if (placeholder) detail.placeholder = placeholder.slice(0, TEXT_MAX);
      const description = this.#texts.referred(element, 'aria-describedby', TEXT_MAX) || own.getAttribute('aria-description') || own.getAttribute('title');
      if (description && description !== name) detail.description = description.slice(0, TEXT_MAX);
      const hint = HINTS.map((each) => own.getAttribute(each) ?? '').filter(Boolean).join(' ');
      if (hint) detail.hint = hint.slice(0, HINT_MAX);
      if (this.heading) detail.heading = this.heading;
      if (row) detail.row = this.#rowText(row);
      return detail;
    }

    /** @param {Element} link */
    #addressOf(link) { return (this.#tree.bare(link).getAttribute('href') ?? '').slice(0, ADDRESS_MAX); }

    /** @param {Element} row */
    #rowText(row) {
      let text = this.#rowTexts.get(row);
      if (text === undefined) this.#rowTexts.set(row, (text = this.#shown.read(row, 160)));
      return text;
    }
  }

  agent.part('snapshot_details', (parts) => ({ begin: () => new Details(parts) }));
})();
