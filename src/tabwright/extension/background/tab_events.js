/** What Chrome tells of tabs and windows, passed to whoever keeps something of them. Registered in the worker's first turn. */

/**
 * @typedef {{
 *   links: import('./links.js').Links,
 *   navigation: import('./navigation.js').Navigation,
 *   frameWatch: import('./frame_sites.js').FrameWatch,
 *   bareWorlds: import('./bare_worlds.js').BareWorlds,
 *   currentTabs: import('./current_tabs.js').CurrentTabs,
 *   crashes: import('./crashes.js').Crashes,
 *   holds: import('./holds.js').Holds,
 *   fronts: import('./fronts.js').Fronts,
 *   watches: import('./watches.js').Watches,
 *   screencasts: import('./screencasts.js').Screencasts,
 *   keeper: import('./keeper.js').Keeper,
 * }} Keepers
 */

/** @param {Keepers} keepers */
export function followTabs(keepers) {
  const { links, fronts, screencasts, keeper } = keepers;
  chrome.tabs.onCreated.addListener(({ id }) => { if (id !== undefined) links.touched(id); });
  chrome.tabs.onUpdated.addListener((tabId, { url }) => {
    links.touched(tabId);
    if (url !== undefined) void keeper.shows(tabId, url);
  });
  chrome.tabs.onActivated.addListener(({ tabId, windowId }) => {
    for (const shown of links.shownIn(windowId)) links.touched(shown);
    links.touched(tabId);
    void fronts.came(tabId, windowId);
    void screencasts.look();
  });
  chrome.windows.onFocusChanged.addListener((windowId) => {
    void fronts.focused(windowId);
    void screencasts.look();
  });
  chrome.tabs.onAttached.addListener((tabId) => links.touched(tabId));
  chrome.tabs.onReplaced.addListener((added, gone) => {
    forget(gone, keepers);
    links.touched(added);
  });
  chrome.tabs.onRemoved.addListener((tabId) => forget(tabId, keepers));
}

/** @param {number} tabId @param {Keepers} keepers */
function forget(tabId, { links, navigation, frameWatch, bareWorlds, currentTabs, crashes, holds, fronts, watches }) {
  links.ensure();
  links.removed(tabId);
  navigation.removed(tabId);
  frameWatch.forget(tabId);
  bareWorlds.forget(tabId);
  void currentTabs.forget(tabId);
  void crashes.forget(tabId);
  void holds.drop(tabId);
  void fronts.forget(tabId);
  void watches.forget(tabId);
}
