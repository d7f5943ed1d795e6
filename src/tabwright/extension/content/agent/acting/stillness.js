/**
 * Whether a page that has just loaded is still: it has never asked for a turn of its own (a timer, a frame, an idle
 * callback), nor for anything from its server by script, talks to nobody (nor to itself), has no frames and no modules, does
 * not send the tab on by itself and changes nothing as it has loaded. Nothing is due on such a page, so whoever was led there
 * need not wait for its first frame; the worker is told without being asked, as a question would reach a page that is being
 * drawn many milliseconds later.
 *
 * What an observer of sizes or of what comes into sight may do in that first frame is waited for by whoever asks the page
 * next.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const BY_SCRIPT = new Set(['fetch', 'xmlhttprequest', 'beacon', 'other']);
  const ALL = { subtree: true, childList: true, characterData: true, attributes: true };
  /** What sends the tab on, and what may import more: of that, only the browser knows while it is under way. */
  const GOES_ON = 'meta[http-equiv="refresh" i], script[type="module" i]';
  /** What a page does so soon after it has loaded belongs to its loading; and how long the first frame is waited for. */
  const LOADED_MS = 4;
  const DRAWN_MS = 60;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    /** @type {Promise<unknown> | undefined} */
    let drawing;

    const isStill = () => {
      if (document.hidden || window.length > 0 || parts.get('turns').haveBeenAsked()) return false;
      if (document.querySelector(GOES_ON)) return false;
      const { isAwaited, heardAt, hasLine, talksToItself } = parts.get('talks').since(0);
      return !isAwaited && heardAt === 0 && !hasLine && !talksToItself && !parts.get('shell').isShell();
    };

    /** @param {(heard: string[]) => void} tell */
    const look = (tell) => {
      const requests = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource'));
      if (requests.some(({ initiatorType }) => BY_SCRIPT.has(initiatorType)) || !isStill()) return;
      tell(requests.map(({ name }) => name));
      const now = performance.now();
      const drawn = parts.get('rest').restBefore(0, now + LOADED_MS, { most: now + DRAWN_MS });
      drawing = drawn.finally(() => { drawing = undefined; });
    };

    /** @type {import('./acting').Stillness['report']} */
    const report = (tell) => {
      if (!parts.adapter.isTopFrame || document.readyState === 'complete') return;
      let isLeaving = false;
      /** @type {any} */ (globalThis).navigation?.addEventListener('navigate', () => { isLeaving = true; });
      addEventListener('load', () => {
        const changes = new MutationObserver(() => {});
        changes.observe(document, ALL);
        // The last event of a page that comes, right after what others do at `load`: a message would come after the first frame.
        addEventListener('pageshow', () => {
          const isChanging = changes.takeRecords().length > 0;
          changes.disconnect();
          if (!isChanging && !isLeaving) look(tell);
        }, { once: true });
      }, { once: true });
    };

    return { report, drawn: () => drawing };
  };

  agent.part('stillness', make);
})();
