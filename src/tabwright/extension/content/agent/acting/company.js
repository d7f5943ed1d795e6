/**
 * Who else could change this page, as far as it shows from within: frames, the window that opened it, a service worker,
 * databases, caches. What does not show here the worker knows: workers, sockets, other windows of the origin.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  agent.part('company', ({ adapter }) => {
    /** @type {import('./acting').Company['look']} */
    const look = () => {
      // Until Chrome has answered there may be some.
      let mayStore = true;
      const told = (/** @type {unknown[][]} */ stores) => { mayStore = stores.some(({ length }) => length > 0); };
      try {
        // Pages without https have no caches.
        const cached = /** @type {any} */ (globalThis).caches?.keys() ?? [];
        void Promise.all([indexedDB.databases(), cached]).then(told, () => {});
      } catch {
        // An origin that may keep nothing; what else it may have is not known either.
      }
      return () => !mayStore && adapter.isTopFrame && window.length === 0 && !window.opener && !navigator.serviceWorker?.controller;
    };

    return { look };
  });
})();
