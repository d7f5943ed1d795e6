/**
 * What a person reads on an element, and what it says of itself by attributes. Bounded, so that naming a whole article costs
 * no more than naming a button.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAME_MAX = 80;
  /** Fonts draw it by the word that it holds. */
  const ICON = ':is(i,[class*=icon i])[aria-hidden=true]';
  // Text is gathered from at most this many nodes, so that naming a whole article costs no more than a button.
  const NODES_MAX = 400;
  const TEXTLESS = new Set([
    'script',
    'style',
    'noscript',
    'template',
    'iframe',
    'object',
    'canvas',
    'video',
    'audio',
    'input',
    'textarea',
    'select',
    'datalist',
    'option',
  ]);
  // Around all others a reader sees a gap, whatever the mark-up says; these may stand inside a word.
  const INLINE = new Set([
    'b',
    'i',
    'em',
    'strong',
    'mark',
    'u',
    's',
    'sup',
    'sub',
    'wbr',
    'font',
    'bdi',
    'slot',
    'abbr',
  ]);
  const RESTING = 'label,[id=label i],[id$=-label i],[id$=_label i],[class*=floating-label i]';

  // Soft hyphens, joiners, marks of direction and tags: a person sees none of them.
  const INVISIBLE =
    /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

  const collapse = (/** @type {string} */ text) =>
    text.replace(INVISIBLE, '').replace(/[\s\p{Cc}]+/gu, ' ').trim();

  const cut = (/** @type {string} */ text, /** @type {number} */ max) =>
    text.length <= max ? text : `${text.slice(0, max - 1).replace(/\s+\S{0,15}$/, '')}…`;

  /** A part of an address without its percent signs, or as it stands where those encode nothing. @type {import('./agent').Texts['decoded']} */
  const decoded = (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  };

  const { bare, shadowOf, isBoxless } = agent.get('tree');

  /**
   * @param {Node} node
   * @param {string[]} out
   * @param {{left: number, length: number, max: number, marks: boolean, icons: boolean, check: boolean, shown?: Element | undefined}} budget
   */
  const gather = (node, out, budget) => {
    if (budget.left-- <= 0 || budget.length > budget.max) return;
    if (node instanceof Text) {
      const text = node.data.slice(0, budget.max * 4);
      out.push(text);
      budget.length += text.trim().length;
      return;
    }
    if (node instanceof Element) {
      const own = bare(node);
      const tag = own.localName;
      if (TEXTLESS.has(tag) || node === budget.shown) return;
      if (!budget.marks && own.getAttribute('aria-hidden') === 'true') return;
      if (!budget.icons && own.matches(ICON) && /\p{L}/u.test(own.textContent ?? '')) return;
      if (
        budget.check &&
        tag !== 'slot' &&
        own.hasAttributes() &&
        !own.checkVisibility({ visibilityProperty: true }) &&
        !isBoxless(node)
      )
        return;
      if (tag === 'img') out.push(' ', node.getAttribute('alt') ?? '', ' ');
      if (tag === 'svg') {
        out.push(' ', node.querySelector(':scope > title')?.textContent ?? '', ' ');
        return;
      }
      const gap = !INLINE.has(tag);
      if (gap) out.push(' ');
      const within = tag === 'slot' ? /** @type {HTMLSlotElement} */ (node).assignedNodes({ flatten: true }) : [];
      const shadow = shadowOf(node);
      for (const child of within.length ? within : (shadow ?? own).childNodes) gather(child, out, budget);
      if (gap) out.push(' ');
      return;
    }
    for (const child of node.childNodes) gather(child, out, budget);
  };

  /** @param {Node} node @param {number} max @param {{marks?: boolean, icons?: boolean, but?: Element}} [how] */
  const read = (node, max = 200, { marks = true, icons = true, but } = {}) => {
    /** @type {string[]} */
    const out = [];
    // Text that names something may itself be hidden; inside something shown, only what is shown counts.
    const check = node instanceof Element && bare(node).checkVisibility({ visibilityProperty: true });
    gather(node, out, { left: Math.max(NODES_MAX, max), length: 0, max: max + 40, marks, icons, check, shown: but });
    return cut(collapse(out.join('')), max);
  };

  const attribute = (/** @type {Element} */ element, /** @type {string} */ name) =>
    cut(collapse(bare(element).getAttribute(name) ?? ''), NAME_MAX);

  /** The text of the elements whose ids an attribute lists. @type {import('./agent').Texts['referred']} */
  const referred = (element, name, max = NAME_MAX) => {
    const ids = bare(element).getAttribute(name)?.split(/\s+/).filter(Boolean) ?? [];
    const root = /** @type {Document | ShadowRoot} */ (bare(element).getRootNode());
    const texts = ids.slice(0, 5).map((id) => {
      const target = root.getElementById?.(id);
      // Lists drawn by hand are often labelled by what is chosen in them, some by a label that rests where that will be.
      const isValue = target && bare(element).matches('[role=combobox]') && bare(element).contains(target) && !bare(target).matches(RESTING);
      // What is referred to is called as it says itself; groups of fields name each by itself and by the group.
      return target && !isValue ? attribute(target, 'aria-label') || read(target, max, { marks: false }) : '';
    });
    return cut(collapse([...new Set(texts)].join(' ')), max);
  };

  const ariaName = (/** @type {Element} */ element) =>
    referred(element, 'aria-labelledby') || attribute(element, 'aria-label');

  agent.part('texts', () => ({ textOf: read, referred, attribute, ariaName, collapse, cut, decoded }));
})();
