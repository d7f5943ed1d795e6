/**
 * Tells our own tiny screencasts from those a client runs, so that the client neither sees our frames nor loses its
 * own. Lives in memory: a screencast cut short by a stopped worker ends with the next picture.
 */

/** @typedef {import('./debugger.js').Cdp} Cdp */

export class Screencasts {
  /** Tabs with a screencast of a client. @type {Set<number>} */
  #clients = new Set();
  /** Tabs with one of ours, and how many pictures use it. @type {Map<number, number>} */
  #ours = new Map();

  /** A client's command passes by. @param {number} tabId @param {string} method */
  observe(tabId, method) {
    if (method === 'Page.startScreencast') this.#clients.add(tabId);
    if (method === 'Page.stopScreencast') this.#clients.delete(tabId);
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.#clients.delete(tabId);
    this.#ours.delete(tabId);
  }

  /** Whether an event comes from a screencast of ours. @param {number} tabId @param {string} method */
  isOurs(tabId, method) {
    return method.startsWith('Page.screencast') && this.#ours.has(tabId) && !this.#clients.has(tabId);
  }

  /**
   * @template T
   * @param {number} tabId
   * @param {Cdp} cdp
   * @param {Record<string, unknown>} options
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(tabId, cdp, options, work) {
    // A client's own screencast draws the tab already, and there is only one per tab.
    if (this.#clients.has(tabId)) return work();
    const users = this.#ours.get(tabId) ?? 0;
    this.#ours.set(tabId, users + 1);
    try {
      if (users === 0) await cdp('Page.startScreencast', options);
      return await work();
    } finally {
      await this.#leave(tabId, cdp);
    }
  }

  /**
   * @param {number} tabId
   * @param {Cdp} cdp
   */
  async #leave(tabId, cdp) {
    const users = (this.#ours.get(tabId) ?? 1) - 1;
    if (users > 0) {
      this.#ours.set(tabId, users);
      return;
    }
    if (!this.#clients.has(tabId)) await cdp('Page.stopScreencast').catch(() => undefined);
    this.#ours.delete(tabId);
  }
}
