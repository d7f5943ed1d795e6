/**
 * Tells our own tiny screencasts from those a client runs, so that the client neither sees our frames nor loses its
 * own. Lives in memory: a screencast cut short by a stopped worker is ended by the next one.
 *
 * While a tab is cast, Chrome draws the whole of it for each frame, and twice, in place of what changed. So where a client only
 * wants a tab to be kept drawn, it is cast while it is out of sight, and not while somebody sees it.
 */

/** @typedef {import('./debugger.js').Cdp} Cdp */
/** @typedef {{cdp: Cdp, options: Record<string, unknown>, isCast: boolean}} Kept */

export class Screencasts {
  /** Tabs with a screencast of a client. @type {Set<number>} */
  #clients = new Set();
  /** Tabs with one of ours, and how many pictures use it. @type {Map<number, number>} */
  #ours = new Map();
  /** Tabs that a client wants to be kept drawn. @type {Map<number, Kept>} */
  #kept = new Map();
  #tabs;
  #windows;

  /**
   * @param {Pick<import('./tabs.js').Tabs, 'get'>} tabs
   * @param {Pick<import('./windows.js').Windows, 'isFocused'>} windows
   */
  constructor(tabs, windows) {
    this.#tabs = tabs;
    this.#windows = windows;
  }

  /** A client's command passes by. @param {number} tabId @param {string} method */
  observe(tabId, method) {
    if (method === 'Page.startScreencast' || method === 'Page.stopScreencast') this.#kept.delete(tabId);
    if (method === 'Page.startScreencast') this.#clients.add(tabId);
    if (method === 'Page.stopScreencast') this.#clients.delete(tabId);
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.#clients.delete(tabId);
    this.#ours.delete(tabId);
    this.#kept.delete(tabId);
  }

  /**
   * Has a tab drawn until a client's screencast of it begins or ends.
   * @param {number} tabId
   * @param {Cdp} cdp
   * @param {Record<string, unknown>} options
   */
  async keep(tabId, cdp, options) {
    const kept = { cdp, options, isCast: false };
    this.#kept.set(tabId, kept);
    await this.#see(tabId, kept);
  }

  /** Something else came to the front. */
  async look() {
    await Promise.all([...this.#kept].map(([tabId, kept]) => this.#see(tabId, kept)));
  }

  /** @param {number} tabId @param {Kept} kept */
  async #see(tabId, kept) {
    const isCast = !(await this.#isSeen(tabId));
    if (this.#kept.get(tabId) !== kept || kept.isCast === isCast) return;
    kept.isCast = isCast;
    if (isCast) this.#clients.add(tabId);
    else this.#clients.delete(tabId);
    // The tab may be gone, or the debugger.
    await kept.cdp(isCast ? 'Page.startScreencast' : 'Page.stopScreencast', isCast ? kept.options : {}).catch(() => undefined);
  }

  /**
   * In front of the window that has the focus: of others, Chrome does not tell whether something covers them.
   * @param {number} tabId
   */
  async #isSeen(tabId) {
    try {
      const { active, windowId } = await this.#tabs.get(tabId);
      return active && (await this.#windows.isFocused(windowId));
    } catch {
      return false;
    }
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
      if (users === 0) await this.#begin(tabId, cdp, options);
      return await work();
    } finally {
      await this.#leave(tabId, cdp);
    }
  }

  /**
   * Chrome has one screencast at a time. Where none is known of, it was begun by a worker that has been stopped since.
   * @param {number} tabId
   * @param {Cdp} cdp
   * @param {Record<string, unknown>} options
   */
  async #begin(tabId, cdp, options) {
    const begun = () => cdp('Page.startScreencast', options).then(() => undefined, (/** @type {unknown} */ thrown) => {
      // A client's came in between, and will do.
      if (!this.#clients.has(tabId)) return thrown;
    });
    if ((await begun()) === undefined) return;
    await cdp('Page.stopScreencast');
    const thrown = await begun();
    if (thrown !== undefined) throw thrown;
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
