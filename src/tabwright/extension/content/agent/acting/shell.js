/**
 * Whether a page that has loaded is a mere shell: it shows nothing at all, or empty boxes where its content is to come,
 * which may be on its way by lines on which nothing seems to happen. Without scripts nothing comes any more, nor where there
 * is no place for it: pages that are all script are meant to be empty.
 *
 * Asked of every page that somebody is led to, so it needs none of what describes pages, and an ordinary one has answered
 * with its first words and a look at the classes of a short document.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const SEEN = { visibilityProperty: true, opacityProperty: true };
  const UNREAD = 'script,style,template,noscript,link,meta,title';
  const CONTENT = `img,svg,canvas,video,audio[controls],iframe,frame,object,embed,input:not([type=hidden]),button,select,textarea,
    meter,[contenteditable]:not([contenteditable=false])`;
  const TELLING = ['class', 'data-testid', 'role'].flatMap((name) => ['skeleton', 'placeholder', 'shimmer', 'loading'].map((word) => `[${name}*=${word} i]`));
  const PLACEHOLDER = ['[aria-busy=true]', ...TELLING].join(',');
  const WORDS = /[\p{L}\p{N}\p{P}\p{S}]/u;
  /** "Loading, please wait..." */
  const REMARK_MAX = 40;
  const ELEMENTS_MAX = 1_500;
  const SEVERAL = 3;
  /** Who shows more than that has something to be used, whatever is to come. */
  const TEXT_MAX = 600;
  const WIDE_PX = 20;
  const HIGH_PX = 8;

  agent.part('shell', ({ adapter }) => {
    const isDrawn = (/** @type {Element} */ element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && element.checkVisibility(SEEN);
    };
    /** What has no box of its own shows what is in it. @param {Element} element @param {CheckVisibilityOptions} [how] */
    const isThere = (element, how) => element.checkVisibility(how) || getComputedStyle(element).display === 'contents';
    const isEmpty = (/** @type {Element} */ element) => !WORDS.test(element.textContent ?? '') && !element.matches(CONTENT) && !element.querySelector(CONTENT);

    /** Says no more than that something is to come. @param {Element} element */
    const isRemark = (element) =>
      element !== document.body && element.matches(PLACEHOLDER) && !element.matches('input,textarea,select,button') && (element.textContent ?? '').trim().length <= REMARK_MAX;

    /** How much is to be seen, up to so much: letters, or all of it for a picture or control. @param {Node} root @param {number} most @returns {number} */
    const shown = (root, most) => {
      let found = 0;
      for (let node = root.firstChild; node && found < most; node = node.nextSibling) {
        if (node instanceof Text) {
          const { parentElement } = node;
          if (WORDS.test(node.data) && (!parentElement || isThere(parentElement, SEEN))) found += node.data.trim().length;
        } else if (node instanceof Element && !node.matches(UNREAD) && isThere(node) && !isRemark(node)) {
          if (node.matches(CONTENT)) found += isDrawn(node) ? most : 0;
          else {
            const shadow = adapter.openOrClosedShadowRoot(node);
            found += (shadow ? shown(shadow, most - found) : 0) + shown(node, most - found);
          }
        }
      }
      return found;
    };

    /** An empty box in sight. @param {Element} element */
    const isBox = (element) => {
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      const isInSight = width >= WIDE_PX && height >= HIGH_PX && left < innerWidth && top < innerHeight && right > 0 && bottom > 0;
      // What stands in for a picture until somebody scrolls there shows one already.
      return isInSight && isEmpty(element) && element.checkVisibility(SEEN) && !getComputedStyle(element).backgroundImage.includes('url(');
    };

    /** The words alone: controls around what is to come say nothing of it. */
    const letters = () => document.body.innerText.length;

    const hasBoxes = () => {
      if (document.getElementsByTagName('*').length > ELEMENTS_MAX) return false;
      const boxes = [...document.body.querySelectorAll(PLACEHOLDER)].filter(isBox);
      const outer = boxes.filter((each) => !boxes.some((other) => other !== each && each.contains(other)));
      return (outer.length >= SEVERAL || outer.some((each) => each.matches('[aria-busy=true]'))) && letters() < TEXT_MAX;
    };

    /** Something is to come into what is there: it says so, or scripts of its own were fetched for it, or a line is open. */
    const isFed = () => {
      const places = [...document.body.children].filter((each) => !each.matches(UNREAD));
      if (places.length === 0) return false;
      return document.querySelector('script[src]') !== null || agent.get('talks').since(0).hasLine || [...document.body.querySelectorAll(PLACEHOLDER)].some(isDrawn);
    };

    const isBlank = () => shown(document.body, 1) === 0 && isFed();

    return { isShell: () => document.body instanceof HTMLBodyElement && document.scripts.length > 0 && (isBlank() || hasBoxes()) };
  });
})();
