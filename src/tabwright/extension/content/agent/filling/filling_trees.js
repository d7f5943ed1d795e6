/**
 * Options that open others. Of a row in a tree what is below shows only once its arrow was clicked, while a click on its
 * words would choose it; others open as soon as somebody points at them, and a click would close them again. One that
 * opens by a click is left to the list it stands in.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ROW = '[role=treeitem]';
  const BELOW = '[role=group]';
  const ARROW = /toggl|expan|switch|arrow|caret|chevron|collaps/i;
  // Their last level stands where others have an arrow.
  const LEAF = /no-?op|leaf|hidden|placeholder/i;
  const OPENED_MOST = 60;
  const POINTED_MS = 30;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    const rowOf = (/** @type {Element} */ option) => option.closest(ROW);

    /** What opens a row, if that is something of its own. */
    const arrowOf = (/** @type {Element} */ row) => {
      const isOwn = (/** @type {Element} */ each) => each.closest(ROW) === row && each.closest(BELOW) === row.closest(BELOW);
      const named = (/** @type {Element} */ each) => `${each.getAttribute('class') ?? ''} ${each.getAttribute('aria-label') ?? ''}`;
      return dom.queryAll(row, '*').find((each) =>
        isOwn(each) && !each.textContent?.trim() && ARROW.test(named(each)) && !LEAF.test(named(each)) && dom.isVisible(each)) ?? null;
    };

    const isClosed = (/** @type {Element} */ row) => row.getAttribute('aria-expanded') === 'false';

    /** Whether it is open already, or opens because somebody points at it. */
    const opensPointed = async (/** @type {Element} */ option) => {
      const head = option.matches('[aria-expanded]') ? option : rowOf(option);
      if (!head || !isClosed(head)) return head?.getAttribute('aria-expanded') === 'true';
      parts.get('act').hover(parts.get('filling_lists').wordsOf(option));
      await parts.get('rest').pause(POINTED_MS);
      return !isClosed(head);
    };

    /** @type {import('./filling').FillingTrees['open']} */
    const open = async (option) => {
      const row = rowOf(option);
      const arrow = row?.hasAttribute('aria-expanded') ? arrowOf(row) : null;
      if (!row || !arrow) return (await opensPointed(option)) ? 'beside' : null;
      if (isClosed(row)) await parts.get('act').click(arrow);
      return 'below';
    };

    const depthOf = (/** @type {Element} */ option) => {
      const level = rowOf(option)?.getAttribute('aria-level');
      if (level) return Number(level);
      const words = parts.get('filling_lists').wordsOf(option);
      const { left, right } = words.getBoundingClientRect();
      return getComputedStyle(words).direction === 'rtl' ? -right : left;
    };

    /** @type {import('./filling').FillingTrees['below']} */
    const below = (choices, above) => {
      const wordsOf = (/** @type {Element} */ option) => parts.get('filling_lists').wordsOf(option).textContent?.trim();
      // Drawn anew it is known by what it says.
      const parent = above.element.isConnected ? above.element : choices.find(({ element }) => wordsOf(element) === wordsOf(above.element))?.element;
      if (!parent) return [];
      const row = rowOf(parent) ?? parent;
      const inside = choices.filter(({ element }) => element !== parent && rowOf(element) !== row && row.contains(element));
      if (inside.length) return inside;
      const after = choices.filter(({ element }) => !row.contains(element) && (row.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0);
      const end = after.findIndex(({ element }) => depthOf(element) <= depthOf(parent));
      return end < 0 ? after : after.slice(0, end);
    };

    /** @type {import('./filling').FillingTrees['opener']} */
    const opener = () => {
      /** Each once: one may have nothing below it, or be closed again by its page. @type {Set<Element>} */
      const opened = new Set();
      return async (choices) => {
        const closed = choices.map(({ element }) => rowOf(element)).find((row) => row !== null && isClosed(row) && !opened.has(row) && arrowOf(row) !== null);
        if (!closed || opened.size >= OPENED_MOST) return false;
        opened.add(closed);
        return (await open(closed)) !== null;
      };
    };

    return { open, below, opener };
  };

  agent.part('filling_trees', make);
})();
