/**
 * Tells our own tiny screencasts from those a client runs, so that the client neither sees our frames nor loses its
 * own. Lives in memory: a screencast cut short by a stopped worker ends with the next picture.
 */
export class Screencasts {
  #debugger;
  /** Tabs with a screencast of a client. @type {Set<number>} */
  #clients = new Set();
  /** Tabs with one of ours, and how many pictures use it. @type {Map<number, number>} */
  #ours = new Map();

  /** @param {Pick<import('./debugger.js').Debugger, 'send'>} debug */
  constructor(debug) {
    this.#debugger = debug;
  }

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
   * @param {Record<string, unknown>} options
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async during(tabId, options, work) {
    // A client's own screencast draws the tab already, and there is only one per tab.
    if (this.#clients.has(tabId)) return work();
    const users = this.#ours.get(tabId) ?? 0;
    this.#ours.set(tabId, users + 1);
    try {
      if (users === 0) await this.#debugger.send(tabId, 'Page.startScreencast', options);
      return await work();
    } finally {
      await this.#leave(tabId);
    }
  }

  /** @param {number} tabId */
  async #leave(tabId) {
    const users = (this.#ours.get(tabId) ?? 1) - 1;
    if (users > 0) {
      this.#ours.set(tabId, users);
      return;
    }
    if (!this.#clients.has(tabId)) await this.#debugger.send(tabId, 'Page.stopScreencast').catch(() => undefined);
    this.#ours.delete(tabId);
  }
}
