/**
 * The hidden field that an editor copies its text into, for its form to send. Many do so a moment after the last key, sooner
 * than anybody's hand is at the button: who presses it at once would send what was there before.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const KEEPERS = 'input[type=hidden]';
  const FIELDS = 'input,select,textarea,[contenteditable=true]';
  const WIDGET_UP = 8;
  const KEPT_MS = 500;
  const STEP_MS = 20;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const { pause } = parts.get('rest');

    /** Those in the editor's own widget, which holds no other field that shows. @returns {HTMLInputElement[]} */
    const keepersOf = (/** @type {Element} */ element) => {
      for (let at = dom.parentOf(element), up = 0; at && up < WIDGET_UP && !at.matches('form,body'); at = dom.parentOf(at), up += 1) {
        const own = [...at.querySelectorAll(FIELDS)].filter((each) => !dom.contains(element, each));
        if (own.some(dom.isVisible)) return [];
        const found = own.filter((each) => each.matches(KEEPERS));
        if (found.length > 0) return /** @type {HTMLInputElement[]} */ (found);
      }
      return [];
    };

    /** @type {import('./filling').FillingKeepers['watch']} */
    const watch = (element) => {
      const held = keepersOf(element).map((keeper) => ({ keeper, was: keeper.value }));
      const isAwaited = parts.get('turns').timerSince();
      const isKept = () => held.some(({ keeper, was }) => keeper.value !== was);
      return async () => {
        if (held.length === 0 || !isAwaited()) return;
        for (let waited = 0; waited < KEPT_MS && !isKept(); waited += STEP_MS) await pause(STEP_MS);
      };
    };

    return { watch };
  };

  agent.part('filling_keepers', make);
})();
