/**
 * Going through a long list, which draws only what is in sight and may begin at what is chosen, or loads more at its end.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const WALK_MS = 6000;
  const PADDING_PX = 24;
  // So long after it was scrolled a list has drawn all there is, or is late.
  const DRAWN_MS = 150;
  const LATE_MS = 600;

  /** @returns {Element | null} */
  const scrollerOf = (/** @type {Element} */ option) => {
    for (let at = option.parentElement; at && at !== document.body; at = at.parentElement) {
      if (at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== 'visible') return at;
    }
    return null;
  };

  /** @type {import('./filling').FillingWalk['isWhole']} */
  const isWhole = (shown) => {
    const scroller = shown.length ? scrollerOf(shown[0].element) : null;
    if (!scroller) return true;
    const boxes = shown.map(({ element }) => element.getBoundingClientRect());
    const drawn = Math.max(...boxes.map((box) => box.bottom)) - Math.min(...boxes.map((box) => box.top));
    // What scrolls may hold more than the list.
    const list = shown[0].element.closest('[role=listbox],[role=tree],[role=menu]');
    return drawn > (list && scroller.contains(list) ? list : scroller).scrollHeight - PADDING_PX;
  };

  /** @type {import('./filling').FillingWalk['walker']} */
  const walker = () => {
    const start = performance.now();
    let scrolls = 0;
    let last = start;
    return (shown, isNew) => {
      const now = performance.now();
      const scroller = shown.length && now - start < WALK_MS ? scrollerOf(shown[0].element) : null;
      if (!scroller) return false;
      const end = scroller.getBoundingClientRect().bottom - 1;
      const isDrawn = shown.some(({ element }) => element.getBoundingClientRect().bottom >= end);
      if (scrolls > 0 && !isNew && now - last < (isDrawn ? DRAWN_MS : LATE_MS)) return true;
      const before = scroller.scrollTop;
      const isBack = scrolls === 0 && before > 0;
      const isEnd = scrolls > 0 && !isNew && isDrawn;
      scroller.scrollTop = isBack ? 0 : before + (isEnd ? scroller.scrollHeight : scroller.clientHeight);
      // Chrome tells it with the next frame, which may be long in coming where nobody looks.
      scroller.dispatchEvent(new Event('scroll'));
      scrolls += 1;
      last = now;
      return scroller.scrollTop !== before;
    };
  };

  agent.part('filling_walk', () => ({ isWhole, walker }));
})();
