/**
 * The service `text`: what a person came to read in this document, without menus and decoration. What an open dialog
 * says comes first, as nothing else can be used while it is open.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const MOST = 600_000;
  const MAINS = 'main,[role=main]';
  const MENUS = 'nav,[role=navigation],[role=menubar],[role=menu],[role=tablist],[role=toolbar]';
  const AROUND = 'aside,[role=complementary],[role=contentinfo],[role=banner],footer:not(:is(main,article,section) footer),'
    + 'header:not(:is(main,article,section) header)';
  const AROUND_WORDS = /(?:^|[-_\s])(?:nav|navbar|navigation|menu|sidebar|side-bar|breadcrumbs?|footer|topbar|toolbar|related|cookies?)(?:$|[-_\s])/i;
  /** A frame of this size shows nothing. */
  const SMALL = 20;
  const MAIN_LEAST = 80;
  const BESIDE_LEAST = 15;

  agent.serve('text', () => {
    const dom = agent.get('dom');
    const blocks = agent.get('text_blocks');
    const leftOut = new Set();

    if (!agent.adapter.isTopFrame && (innerWidth < SMALL || innerHeight < SMALL)) return { title: '', text: '', left: [], isCut: false };

    const isMenu = (/** @type {Element} */ element) => {
      if (!dom.bare(element).matches(MENUS)) return false;
      leftOut.add('menus');
      return true;
    };

    /** Mostly links, and called after what surrounds a page. */
    const isLinks = (/** @type {Element} */ element) => {
      const own = dom.bare(element);
      if (!/^(?:div|ul|section|table|td)$/.test(own.localName)) return false;
      if (!AROUND_WORDS.test(`${own.getAttribute('class') ?? ''} ${own.getAttribute('id') ?? ''}`)) return false;
      const all = own.textContent?.trim().length ?? 0;
      const linked = [...own.querySelectorAll('a')].reduce((sum, link) => sum + (link.textContent?.trim().length ?? 0), 0);
      return all > 0 && linked / all > 0.6;
    };

    const isAround = (/** @type {Element} */ element) => {
      if (isMenu(element)) return true;
      if (!dom.bare(element).matches(AROUND) && !isLinks(element)) return false;
      leftOut.add('headers, footers and side parts');
      return true;
    };

    const shown = (/** @type {string} */ selector) => dom.queryAll(document, selector).filter((each) => dom.isRendered(each));
    const body = document.body ?? document.documentElement;

    const over = shown('dialog:modal,[role=dialog][aria-modal=true],[role=alertdialog]').at(-1);
    const charsOf = (/** @type {Element} */ element) => (/** @type {HTMLElement} */ (element).innerText ?? '').replace(/\s+/g, '').length;

    /** @returns {{text: string, isCut: boolean}} */
    const content = () => {
      const mains = shown(MAINS);
      const articles = mains.length > 0 ? [] : shown('article');
      // Several articles are a list of teasers: the page itself is the content then.
      const [main] = mains.length > 0 ? mains : articles.length === 1 ? articles : [];
      const read = main ? blocks.read(main, MOST, isMenu) : null;
      if (main && read && read.text.length >= MAIN_LEAST) {
        if (charsOf(body) - charsOf(main) - (over ? charsOf(over) : 0) > BESIDE_LEAST) leftOut.add('headers, footers and side parts');
        return read;
      }
      const whole = blocks.read(body, MOST, isAround);
      if (whole.text.length >= MAIN_LEAST / 4) return whole;
      leftOut.clear();
      return blocks.read(body, MOST, () => false);
    };

    const dialog = over ? blocks.read(over, MOST, () => false).text : '';
    const { text, isCut } = content();
    const isSaid = dialog === '' || text.includes(dialog);
    return {
      title: document.title,
      text: isSaid ? text : `[dialog]\n${dialog}\n[end of dialog]\n\n${text}`,
      left: [...leftOut],
      isCut,
      isPdf: document.contentType === 'application/pdf',
    };
  });
})();
