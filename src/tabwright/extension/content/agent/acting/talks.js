/**
 * What the page said to sockets and workers, and whether they have answered, as `page/talks.js` notes it in the page's own
 * world. A gesture that made the page say something is not over before the answer is there, however soon the page is at
 * rest: the answer shows what came of it.
 *
 * Some say things that nobody answers. Whoever waited for that in vain waits for little more in the same document.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ASK = 'tabwright:talks';
  /** How long an answer is waited for, and after one that never came. */
  const ANSWER_MS = 800;
  const VAIN_MS = 150;
  /** Lines are open for whatever comes, in pieces; what a worker answers is one. */
  const LINES = new Set(['socket', 'stream']);

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    let patience = ANSWER_MS;

    const all = () => {
      let told = '';
      const name = parts.unguessable();
      const hear = (/** @type {Event} */ event) => { told = /** @type {InputEvent} */ (event).data ?? ''; };
      window.addEventListener(name, hear);
      window.dispatchEvent(new MessageEvent(ASK, { data: name }));
      window.removeEventListener(name, hear);
      return told.split('\n').filter(Boolean).map((line) => {
        const [kind, begun, said, heard] = line.split(' ');
        return { kind, begun: Number(begun), said: Number(said), heard: Number(heard) };
      });
    };

    /** @type {import('./acting').Talks['since']} */
    const since = (from) => {
      const talks = all();
      const lines = talks.filter(({ kind }) => LINES.has(kind));
      const spoken = talks.filter(({ said }) => said >= from && said > 0);
      const opening = lines.filter(({ begun, heard }) => begun >= from && heard === 0).map(({ begun }) => begun);
      const asked = [...opening, ...spoken.filter(({ said, heard }) => heard < said).map(({ said }) => said)];
      const isVain = asked.length > 0 && performance.now() - Math.max(...asked) > patience;
      if (isVain) patience = VAIN_MS;
      else if (spoken.length > 0 && asked.length === 0) patience = ANSWER_MS;
      return {
        isAwaited: asked.length > 0 && !isVain,
        heardAt: Math.max(0, ...spoken.filter(({ kind, heard }) => LINES.has(kind) && heard >= from).map(({ heard }) => heard)),
        hasLine: lines.length > 0,
        talksToItself: talks.some(({ kind }) => kind === 'itself'),
        streams: lines.filter(({ kind, begun, heard }) => kind === 'stream' && begun >= from && heard > 0).length,
      };
    };

    return { since };
  };

  agent.part('talks', make);
})();
