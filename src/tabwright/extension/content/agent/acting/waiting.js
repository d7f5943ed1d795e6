/**
 * Waiting until a text is (no longer) there, an element is shown, or the address fits. One question at a time, answered
 * as soon as it is true and otherwise within a second: who asks goes on asking, over navigations too.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LOOK_MS = 50;
  const LONGEST_MS = 800;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const texts = parts.get('texts');
    const plain = (/** @type {string} */ text) => texts.collapse(text).toLowerCase();

    /** What a person can read, fields included. */
    const shown = () => {
      const bodies = tree.roots(document).map((root) =>
        root instanceof Document ? (root.body?.innerText ?? '') : [...root.children].map((each) => /** @type {HTMLElement} */ (each).innerText ?? '').join(' '));
      const fields = /** @type {HTMLInputElement[]} */ (tree.queryAll(document, 'input:not([type=password]):not([type=hidden]),textarea'));
      const values = fields.slice(0, 300).filter(tree.isRendered).map(({ value }) => value);
      return plain([document.title, ...bodies, ...values].join(' '));
    };

    const isShown = (/** @type {import('../agent').Target} */ target) => {
      try {
        return tree.isVisible(parts.get('refs').resolve(target));
      } catch {
        return false;
      }
    };

    /** @param {{text?: string, textGone?: string, target?: import('../agent').Target}} wish */
    const holds = ({ text, textGone, target }) =>
      (text === undefined || shown().includes(plain(text))) &&
      (textGone === undefined || !shown().includes(plain(textGone))) &&
      (target === undefined || isShown(target));

    /** @type {import('./acting').Waiting['until']} */
    const until = async (wish, signal) => {
      const ends = performance.now() + Math.min(LONGEST_MS, wish.ms ?? LONGEST_MS);
      let changed = true;
      const observer = new MutationObserver(() => { changed = true; });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      try {
        for (;;) {
          // Styles and fields change without a mutation: look once more before giving up.
          const isLast = performance.now() >= ends;
          if ((changed || isLast) && holds(wish)) return { held: true };
          if (isLast || signal.aborted) return { held: false };
          changed = false;
          await parts.get('rest').pause(LOOK_MS);
        }
      } finally {
        observer.disconnect();
      }
    };

    return { until };
  };

  agent.part('waiting', make);
  agent.serve('waitFor', (params, signal) => agent.get('waiting').until(params, signal));
})();
