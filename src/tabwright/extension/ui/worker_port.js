/** A page's line to the worker, which may be stopped while the page is open: opening the port again starts it. */

const AGAIN_MS = 100;
/** A worker that has not answered by then does not run. */
const SILENT_MS = 4_000;

/**
 * @template View
 * @template Press
 * @param {string} name
 * @param {(view: View) => void} show
 * @param {() => void} [silent] nothing was heard for long
 * @returns {(press: Press) => void}
 */
export function connect(name, show, silent = () => {}) {
  /** @type {chrome.runtime.Port | undefined} */
  let port;
  const waiting = setTimeout(silent, SILENT_MS);
  const open = () => {
    port = chrome.runtime.connect({ name });
    port.onMessage.addListener((view) => {
      clearTimeout(waiting);
      show(view);
    });
    port.onDisconnect.addListener(() => setTimeout(open, AGAIN_MS));
  };
  open();
  return (press) => port?.postMessage(press);
}
