/**
 * Listeners of the window and the document that outlast a page which writes itself anew: `document.open` takes away all
 * that are there, ours too, and everybody else's.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  agent.part('lasting', (agent) => {
    /** @typedef {{target: EventTarget, type: string, listener: (event: any) => void}} Kept */
    /** @type {Set<Kept>} */
    const kept = new Set();
    /** @type {Set<() => void>} */
    const told = new Set();
    /** Heard only while there are the listeners of before. */
    const probe = agent.unguessable();
    let isThere = false;
    const there = () => { isThere = true; };

    const look = () => {
      isThere = false;
      document.dispatchEvent(new Event(probe));
      if (isThere) return;
      document.addEventListener(probe, there);
      for (const { target, type, listener } of kept) target.addEventListener(type, listener);
      for (const tell of told) tell();
    };

    document.addEventListener(probe, there);
    new MutationObserver(look).observe(document, { childList: true });

    return {
      listen(target, type, listener, rewritten = () => {}) {
        const one = { target, type, listener };
        kept.add(one);
        told.add(rewritten);
        target.addEventListener(type, listener);
        return () => {
          kept.delete(one);
          told.delete(rewritten);
          target.removeEventListener(type, listener);
        };
      },
    };
  });
})();
