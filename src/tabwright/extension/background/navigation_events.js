/** What Chrome tells of documents that come and go, passed to whoever follows them. Registered in the worker's first turn. */
import { moverOf } from './navigation.js';

/** @typedef {{tabId: number, frameId: number, documentId?: string, url: string}} Moved */
/**
 * @typedef {{
 *   links: import('./links.js').Links,
 *   tabs: import('./tabs.js').Tabs,
 *   navigation: import('./navigation.js').Navigation,
 *   pages: import('./pages.js').Pages,
 *   frameWatch: import('./frame_sites.js').FrameWatch,
 *   holds: import('./holds.js').Holds,
 *   fronts: import('./fronts.js').Fronts,
 *   actions: import('./actions.js').Actions,
 *   debugger: import('./debugger.js').Debugger,
 * }} Followers
 */

/** @param {Followers} followers */
export function followNavigation(followers) {
  const { links, tabs, navigation, pages, frameWatch, holds, actions, debugger: debug } = followers;

  const moved = (/** @type {Moved} */ details) => {
    pages.moved(details);
    if (details.frameId !== 0) return;
    links.touched(details.tabId);
    void holds.repaint(details.tabId);
  };
  const movedWithin = (/** @type {Moved} */ details) => {
    moved(details);
    if (details.frameId === 0) navigation.movedWithin(details.tabId, details.url, details.documentId);
  };

  chrome.webNavigation.onBeforeNavigate.addListener(({ tabId, frameId, url }) => {
    if (frameId !== 0) return;
    navigation.started(tabId, url);
    links.ensure();
    void links.sync(tabId);
  });
  chrome.webNavigation.onCommitted.addListener((details) => {
    pages.committed(details);
    frameWatch.committed(details);
    moved(details);
    if (details.frameId !== 0) return;
    navigation.committed(details.tabId, details.url, details.documentId, moverOf(details));
    // Whoever held the tab may not follow it into our own pages, where the person's answers are given.
    if (tabs.isOwnUrl(details.url)) void debug.detach(details.tabId);
  });
  chrome.webNavigation.onHistoryStateUpdated.addListener(movedWithin);
  chrome.webNavigation.onReferenceFragmentUpdated.addListener(movedWithin);
  chrome.webNavigation.onErrorOccurred.addListener((details) => {
    if (details.frameId !== 0) return;
    navigation.failed(details.tabId, details);
    links.touched(details.tabId);
  });
  chrome.webNavigation.onCreatedNavigationTarget.addListener(({ tabId, sourceTabId }) => {
    links.ensure();
    actions.opens(sourceTabId, tellOpened(tabId, sourceTabId, followers));
  });
}

/** @param {number} tabId @param {number} sourceTabId @param {Followers} followers */
async function tellOpened(tabId, sourceTabId, { links, fronts, debugger: debug }) {
  // At once: a dialog that its page shows while it loads is told only to a debugger that is there before.
  const watching = (await debug.isAttached(sourceTabId)) ? debug.watch(tabId).catch(() => undefined) : undefined;
  void fronts.opened(tabId, sourceTabId);
  await Promise.all([links.sync(tabId), watching]);
  links.sendOf(tabId, { type: 'popupOpened', tabId, openerTabId: sourceTabId });
}
