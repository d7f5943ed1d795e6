/**
 * What a gesture does that changes nothing on the page: it scrolls, or leads out of the browser to another program
 * (mailto:, tel:), or to the window for printing. The latter are prevented: no agent starts programs, and the question that
 * Chrome would put to the person keeps all input from the page.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** What a browser opens itself; anything else is another program's. */
  const OWN = /^(?:https?|about|blob|data|file|filesystem|ftp|javascript|chrome|chrome-extension|view-source):/i;
  const GESTURE = 'tabwright:gesture';
  const PRINTS = 'It asked to print; no window was opened.';
  /** What is said where nothing else is. */
  const CALM = new Set(['Nothing visible changed.', 'Nothing changed, unless in the canvas: a screenshot shows that.', 'The page changed, with no new text.']);

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    /** @type {import('./acting').SettleSigns['isCalm']} */
    const isCalm = (lines) => lines.every((each) => CALM.has(each));

    /** @param {string} url */
    const isForeign = (url) => url !== '' && !OWN.test(url);

    const root = () => document.scrollingElement ?? document.documentElement;
    /** The last that scrolled, and whether it still does. @type {{at: number, element?: Element, isMoving: boolean}} */
    let scrolling = { at: 0, isMoving: false };
    // For good: whoever begins or ends to listen to these makes Chrome draw a frame, for which the next one would have to wait.
    document.addEventListener('scroll', ({ target }) => {
      scrolling = { at: performance.now(), element: target instanceof Element ? target : root() ?? undefined, isMoving: true };
    }, { capture: true, passive: true });
    document.addEventListener('scrollend', () => { scrolling.isMoving = false; }, { capture: true });

    const placeOf = (/** @type {Element} */ element) => ({ top: element.scrollTop, left: element.scrollLeft });
    /** Where things were scrolled to when the gesture began, or to reach what it is for. @type {Map<Element, {top: number, left: number}>} */
    const places = new Map();
    /** @type {import('./acting').SettleSigns['reached']} */
    const reached = (element) => {
      for (const each of [...dom.clippers(element), root()]) if (each) places.set(each, placeOf(each));
    };

    /** @type {import('./acting').SettleSigns['start']} */
    const start = () => {
      const ending = new AbortController();
      places.clear();
      const page = root();
      if (page) places.set(page, placeOf(page));
      scrolling = { at: 0, isMoving: false };
      let foreign = '';
      let hasPrinted = false;
      const { signal } = ending;
      // `page/printing.js` prints nothing from now on, and says by this name that it was to.
      const name = parts.unguessable();
      addEventListener(name, () => { hasPrinted = true; }, { signal });
      dispatchEvent(new MessageEvent(GESTURE, { data: name }));

      /** @param {Event} event @param {string} url */
      const prevent = (event, url) => {
        if (!isForeign(url) || !event.cancelable) return;
        event.preventDefault();
        foreign = url;
      };
      // Links first: of some of them the navigation itself tells nothing.
      addEventListener('click', (event) => {
        const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement || each instanceof HTMLAreaElement);
        prevent(event, link instanceof HTMLAnchorElement || link instanceof HTMLAreaElement ? link.href : '');
      }, { capture: true, signal });
      /** @type {any} */ (globalThis).navigation?.addEventListener('navigate', (/** @type {any} */ event) => {
        prevent(event, event.destination.url);
      }, { signal });

      const scrollLine = () => {
        const { element: scrolled } = scrolling;
        if (!scrolled?.isConnected) return '';
        const { scrollTop: top, scrollLeft: left, scrollHeight, clientHeight, scrollWidth, clientWidth } = scrolled;
        const isPage = scrolled === root();
        const before = places.get(scrolled);
        if (before && top === before.top && left === before.left) return '';
        const isAcross = isPage && top === before?.top;
        const [now, was, most] = isAcross ? [left, before?.left ?? 0, scrollWidth - clientWidth] : [top, before?.top ?? 0, scrollHeight - clientHeight];
        const rest = now >= most - 1 ? 'its end is reached' : `${Math.round(now)} of ${most} px`;
        if (!isPage) return `Scrolled ${dom.nameOf(scrolled) || 'a part of the page'} (${rest}).`;
        const way = isAcross ? (now > was ? 'right' : 'left') : now > was ? 'down' : 'up';
        return `Scrolled the page ${way} by ${Math.round(Math.abs(now - was))} px (${rest}).`;
      };

      return {
        scrolledAt: () => scrolling.at,
        isScrolling: () => scrolling.isMoving,
        isForeign: () => foreign !== '',
        // A page that says something else has more to tell.
        tell: (lines) => {
          const line = foreign
            ? `${dom.cut(foreign, 200)} is for another program to open: nothing was opened, and the page stays as it is.`
            : scrollLine();
          if (hasPrinted) return [PRINTS, ...(isCalm(lines) ? [] : lines)];
          return line && isCalm(lines) ? [line] : lines;
        },
        stop: () => {
          ending.abort();
          dispatchEvent(new MessageEvent(GESTURE, { data: '' }));
        },
      };
    };

    return { start, isCalm, reached };
  };

  agent.part('settle_signs', make);
})();
