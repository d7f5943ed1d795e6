/**
 * Waiting for what an action causes, and saying it in a few lines. It ends as soon as the page is quiet after a
 * change; how long that takes decides the page, not a fixed pause:
 *
 * 1. the action runs while changes, navigations and refused fields are noted;
 * 2. a navigation to another document: this one is about to end, and the worker answers for it;
 * 3. a change: until nothing changed for a moment and nothing says it is busy; no change at all: a little longer;
 * 4. what a person would notice is put into words.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const STEP_MS = 20;
  const QUIET_MS = 80;
  const NOTHING_MS = 450;
  // In a hidden tab the page's own timers run once a second.
  const HIDDEN_MS = 1100;
  const LEAVE_MS = 10_000;
  const NODES_MAX = 300;
  /**
   * Chrome slows timers in hidden tabs to one a second, later one a minute; waiting on this it does not. Made on first
   * use: each reserves so much address space that a page of 200 frames would stand still.
   * @type {Int32Array | null | undefined}
   */
  let clock;
  const makeClock = () => {
    try {
      return new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
    } catch {
      return null;
    }
  };

  /** @type {import('./agent').Settle['pause']} */
  const pause = async (ms) => {
    const atomics = /** @type {any} */ (Atomics);
    if (document.hidden) clock ??= makeClock();
    if (document.hidden && clock && atomics.waitAsync) await atomics.waitAsync(clock, 0, 0, Math.max(1, ms)).value;
    else {
      await new Promise((done) => {
        setTimeout(done, ms);
      });
    }
  };

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const notices = parts.get('notices');
    const watch = () => {
      /** @type {import('./agent').Happened} */
      const seen = {
        changedAt: 0,
        gone: false,
        leaving: false,
        left: '',
        download: '',
        added: new Set(),
        removed: new Set(),
        refused: new Map(),
      };
      const observer = new MutationObserver((records) => {
        seen.changedAt = performance.now();
        for (const { type, target, addedNodes, removedNodes, attributeName, oldValue } of records) {
          if (seen.added.size > NODES_MAX || seen.removed.size > NODES_MAX) return;
          for (const node of addedNodes) seen.added.add(node);
          for (const node of removedNodes) seen.removed.add(dom.collapse(node.textContent?.slice(0, 300) ?? ''));
          if (type === 'characterData') {
            seen.added.add(target);
            seen.removed.add(dom.collapse(oldValue ?? ''));
          }
          // Text that was there but not shown is new to a person.
          const wasHidden =
            (attributeName === 'hidden' && oldValue !== null) ||
            (attributeName === 'style' && /display:\s*none|visibility:\s*hidden/.test(oldValue ?? ''));
          if (wasHidden) seen.added.add(target);
        }
      });
      const options = {
        subtree: true,
        childList: true,
        characterData: true,
        characterDataOldValue: true,
        attributeOldValue: true,
        attributeFilter: [
          'hidden',
          'open',
          'class',
          'style',
          'disabled',
          'aria-invalid',
          'aria-expanded',
          'aria-selected',
          'aria-checked',
          'aria-pressed',
          'aria-busy',
          'aria-disabled',
          'aria-hidden',
          'aria-label',
          'href',
          'value',
        ],
      };
      const ending = new AbortController();
      const { signal } = ending;
      const refuse = (/** @type {Event} */ event) => {
        const field = /** @type {HTMLInputElement} */ (event.target);
        if (field.validationMessage) seen.refused.set(field, field.validationMessage);
      };
      for (const root of dom.roots(document)) {
        observer.observe(root, options);
        // Its event stays within the shadow root.
        root.addEventListener('invalid', refuse, { capture: true, signal });
      }
      addEventListener(
        'pagehide',
        () => {
          seen.gone = true;
        },
        { signal },
      );
      const { navigation } = /** @type {any} */ (globalThis);
      navigation?.addEventListener(
        'navigate',
        (/** @type {any} */ event) => {
          if (event.downloadRequest !== null && event.downloadRequest !== undefined)
            seen.download = event.downloadRequest || event.destination.url;
          else if (!event.destination.sameDocument && !event.hashChange) {
            seen.leaving = true;
            seen.left = event.destination.url;
          }
          seen.changedAt = performance.now();
        },
        { signal },
      );
      return {
        seen,
        stop: () => {
          observer.disconnect();
          ending.abort();
        },
      };
    };

    const isBusy = (/** @type {Set<Element>} */ before) =>
      [...document.querySelectorAll('[aria-busy=true]')]
        .slice(0, 5)
        .some((element) => !before.has(element) && element.checkVisibility());

    /** @type {import('./agent').Settle['after']} */
    const after = async (action, { ms = 1500, form } = {}) => {
      const before = notices.before(form);
      const busy = new Set(document.querySelectorAll('[aria-busy=true]'));
      const { seen, stop } = watch();
      try {
        const start = performance.now();
        const patience = document.hidden ? HIDDEN_MS : 0;
        await action();
        for (;;) {
          await pause(STEP_MS);
          const now = performance.now();
          // Only what follows the action counts: filling in has settled before.
          const waited = now - start;
          if (seen.gone) return { lines: [], navigated: true, errors: [] };
          if (seen.leaving && !(/** @type {any} */ (globalThis).navigation?.transition)) {
            if (waited < LEAVE_MS) continue;
            return { lines: [`The page ${seen.left} is still loading.`], navigated: true, errors: [] };
          }
          if (seen.refused.size > 0 || waited > ms + patience) break;
          if (
            seen.changedAt > 0
              ? now - seen.changedAt > QUIET_MS && !isBusy(busy)
              : waited > Math.max(NOTHING_MS, patience)
          )
            break;
        }
        return notices.describe(before, seen, form);
      } finally {
        stop();
      }
    };

    return { after, arrived: notices.arrived, pause };
  };

  agent.part('settle', make);
})();
