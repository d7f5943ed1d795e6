/**
 * Notes what happens in the page from a moment on: changes of the tree, text that comes into sight, navigations and
 * downloads that begin, fields that the browser refuses.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NODES_MAX = 300;
  const BUSY = '[aria-busy=true]';

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    /** @type {import('./agent').Watching['start']} */
    const start = () => {
      parts.get('fields').rememberSecrets();
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
      const busy = new Set(document.querySelectorAll(BUSY));
      return {
        seen,
        isBusy: () => [...document.querySelectorAll(BUSY)].slice(0, 5).some((each) => !busy.has(each) && each.checkVisibility()),
        stop: () => {
          observer.disconnect();
          ending.abort();
        },
      };
    };

    return { start };
  };

  agent.part('watching', make);
})();
