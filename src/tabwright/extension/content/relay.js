/**
 * The page's end of a port to the worker. Classic script, self-contained: it runs in every page and in the hidden
 * page of the extension.
 *
 * The port does two things by merely existing. When Chrome stops the worker the port breaks, and opening it again
 * starts the worker at once, page event or not. When the page's process dies it breaks on the other side, which is
 * how the worker hears of a crash. While there is no gateway to serve, the worker asks for rest: then a broken port
 * stays broken and the worker may sleep.
 */
(() => {
  const MARK = Symbol.for('tabwright.relay');
  /** @type {any} */
  const world = globalThis;
  // Injected again after an install or after rest: one relay per document is enough, it only has to be awake.
  if (world[MARK]?.wake()) return;

  const HASTY_MS = 200;
  const LONGEST_WAIT_MS = 30_000;

  /** @type {chrome.runtime.Port | undefined} */
  let port;
  let resting = false;
  let openedAt = 0;
  let wait = 0;

  /** False once the extension was reloaded or removed: then this copy is an orphan. */
  const isAlive = () => chrome.runtime?.id !== undefined;

  const open = () => {
    if (port || resting || !isAlive()) return;
    openedAt = Date.now();
    try {
      port = chrome.runtime.connect({ name: 'relay' });
    } catch {
      // The extension vanished between the check and the call.
      return;
    }
    port.onMessage.addListener(({ rest }) => { resting = rest === true; });
    port.onDisconnect.addListener(broken);
  };

  const broken = () => {
    // Reading it tells Chrome that the failure was noticed, or it is logged as an error.
    void chrome.runtime?.lastError;
    port = undefined;
    if (Date.now() - openedAt > HASTY_MS) wait = 0;
    if (wait === 0) open();
    else setTimeout(open, wait);
    // A worker that cannot start must not be hammered.
    wait = Math.min(LONGEST_WAIT_MS, wait * 2 || 250);
  };

  const close = () => {
    port?.disconnect();
    port = undefined;
  };

  // An open port would keep the page out of the back/forward cache.
  addEventListener('pagehide', close);
  addEventListener('pageshow', ({ persisted }) => { if (persisted) open(); });

  world[MARK] = {
    wake() {
      if (!isAlive()) return false;
      resting = false;
      open();
      return true;
    },
  };
  open();
})();
