/** What Chrome's debugger tells, passed to the links that hear of it. Registered in the worker's first turn. */
import { notification } from '../common/jsonrpc.js';

/**
 * @param {{
 *   links: import('./links.js').Links,
 *   debugger: import('./debugger.js').Debugger,
 *   bareWorlds: import('./bare_worlds.js').BareWorlds,
 *   crashes: import('./crashes.js').Crashes,
 *   screencasts: import('./screencasts.js').Screencasts,
 * }} hearers
 */
export function followDebugger({ links, debugger: debug, bareWorlds, crashes, screencasts }) {
  chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
    if (tabId === undefined || screencasts.isOurs(tabId, method)) return;
    if (method === 'Inspector.targetCrashed') {
      bareWorlds.ended(tabId);
      void crashes.suspect(tabId);
    }
    // The page may have asked whether it is left, and is not: Chrome tells nothing else of that.
    if (method === 'Page.javascriptDialogClosed') links.touched(tabId);
    const source = sessionId === undefined ? { tabId } : { tabId, sessionId };
    links.sendOfDebugger(tabId, method, notification('forwardCDPEvent', { ...source, method, params: params ?? {} }));
  });
  chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
    if (tabId === undefined) return;
    screencasts.forget(tabId);
    void debug.forget(tabId);
    const method = 'Inspector.detached';
    links.sendOfDebugger(tabId, method, notification('forwardCDPEvent', { tabId, method, params: { reason } }));
  });
}
