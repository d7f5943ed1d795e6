/**
 * The ports that pages hold to the worker (content/relay.js). Owns chrome.scripting.
 *
 * Their breaking is a signal in both directions: for the page, that the worker was stopped; for the worker, that the
 * page went away, perhaps with its process.
 */
export class Relays {
  /** @type {(tabId: number) => void} */
  onBroken = () => {};
  /** @type {Set<chrome.runtime.Port>} */
  #ports = new Set();
  #resting = false;
  #scripting;
  #tabs;
  #file;

  /**
   * @param {Pick<typeof chrome.scripting, 'executeScript'>} scripting
   * @param {Pick<import('./tabs.js').Tabs, 'loaded'>} tabs
   * @param {string} file
   */
  constructor(scripting, tabs, file) {
    this.#scripting = scripting;
    this.#tabs = tabs;
    this.#file = file;
  }

  /** @param {chrome.runtime.Port} port */
  accept(port) {
    this.#ports.add(port);
    if (this.#resting) port.postMessage({ rest: true });
    port.onDisconnect.addListener(() => {
      this.#ports.delete(port);
      const { tab, frameId } = port.sender ?? {};
      if (tab?.id !== undefined && frameId === 0) this.onBroken(tab.id);
    });
  }

  /** With no gateway to serve, pages need not keep the worker running. @param {boolean} resting */
  rest(resting) {
    if (resting === this.#resting) return;
    this.#resting = resting;
    for (const port of this.#ports) port.postMessage({ rest: resting });
    if (!resting) void this.reachOpenTabs();
  }

  /** Puts a relay into the tabs that were open before the extension was, and wakes the resting ones. */
  async reachOpenTabs() {
    await Promise.all((await this.#tabs.loaded()).map((tabId) => this.#inject(tabId)));
  }

  /** @param {number} tabId */
  async #inject(tabId) {
    // Chrome's own pages and the Web Store refuse; they need no relay.
    await this.#scripting
      .executeScript({ target: { tabId }, files: [this.#file], injectImmediately: true })
      .catch(() => undefined);
  }
}
