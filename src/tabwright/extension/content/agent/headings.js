/** Which heading an element stands under. */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAME_MAX = 80;
  const SEEN = { visibilityProperty: true };
  const HEADING_TAGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'legend', 'caption'];
  const HEADINGS = [...HEADING_TAGS, '[role=heading]'].join(',');
  const SECTIONS =
    'article,aside,nav,main,section,footer,form,fieldset,table,li,dialog,details,[role=dialog],[role=form],[role=search]';
  const NAMED_SECTIONS = 'form,section,dialog,[role=dialog],[role=form],[role=region],[role=group],[role=search]';

  const { bare, taggedIn, eachTurn } = agent.get('tree');
  const { textOf: read, ariaName } = agent.get('texts');

  /** By tree. @type {() => Map<Node, Element[]>} */
  const found = eachTurn(() => new Map());

  /** @type {import('./agent').Headings['headings']} */
  const headings = (root) => {
    const known = found().get(root);
    if (known) return known;
    const all = taggedIn(/** @type {Document | ShadowRoot} */ (root), HEADING_TAGS, ['[role=heading]']);
    found().set(root, all);
    return all;
  };

  /** Whether something with a heading is one of several alike. */
  const isCard = (/** @type {Element} */ box) => {
    const own = bare(box);
    const isAlike = (/** @type {Element | null} */ other) =>
      other !== null &&
      bare(other).localName === own.localName &&
      bare(other).getAttribute('class') === own.getAttribute('class') &&
      bare(other).querySelector(HEADINGS) !== null;
    return isAlike(own.previousElementSibling) || isAlike(own.nextElementSibling);
  };

  /** Whether a heading that stands before an element is about it, not about a section that ended in between. */
  const isOver = (/** @type {Element} */ heading, /** @type {Element} */ element) => {
    let section = heading.parentElement;
    for (let up = 0; section && !bare(section).contains(element); up += 1, section = bare(section).parentElement) {
      if (up > 2 || bare(section).matches(SECTIONS)) return false;
      // A card of its own has more than its heading, or others beside it; the head of a section may have a field.
      const isHead = bare(section).matches('header,[class*=header i]');
      if (bare(section).querySelector(isHead ? 'p ~ p,li,table' : 'input,select,textarea,p ~ p,li,table')) return false;
      if (isCard(section)) return false;
    }
    return section !== null;
  };

  /** Whether who sees the element sees the heading too: in a panel that is shut neither shows. */
  const isHeld = (/** @type {Element} */ heading, /** @type {Element} */ element) =>
    heading.checkVisibility() && (heading.checkVisibility(SEEN) || !bare(element).checkVisibility(SEEN));

  /** @type {import('./agent').Headings['headingOf']} */
  const headingOf = (element) => {
    const root = bare(element).getRootNode();
    const section = bare(bare(element).parentElement)?.closest(NAMED_SECTIONS);
    const all = headings(root);
    let low = 0;
    for (let high = all.length; low < high;) {
      const middle = (low + high) >> 1;
      if (all[middle].compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) low = middle + 1;
      else high = middle;
    }
    for (let index = low - 1; index >= 0 && index >= low - 6; index -= 1) {
      const heading = all[index];
      if (section && !bare(section).contains(heading) && ariaName(section)) break;
      if (heading.contains(element) || !isOver(heading, element) || !isHeld(heading, element)) continue;
      const text = read(heading, NAME_MAX, { marks: false });
      if (text) return text;
    }
    if (section && ariaName(section)) return ariaName(section);
    return root instanceof ShadowRoot ? ariaName(root.host) || headingOf(root.host) : '';
  };

  agent.part('headings', () => ({ headings, headingOf }));
})();
