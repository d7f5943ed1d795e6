/**
 * Tools offered by pages, as the typed messages of the tabs protocol use them. Pages offer none yet: this is the seam
 * where a page's own tools join, and until then every call gets a plain answer.
 */

/** @typedef {import('../shared/protocol').PageTool} PageTool */

export class PageTools {
  #tabs;

  /** @param {Pick<import('./tabs.js').Tabs, 'get'>} tabs */
  constructor(tabs) {
    this.#tabs = tabs;
  }

  /**
   * @param {number} tabId
   * @returns {Promise<PageTool[]>}
   */
  async list(tabId) {
    await this.#tabs.get(tabId);
    return [];
  }

  /**
   * @param {number} tabId
   * @param {string} toolName
   * @returns {Promise<unknown>}
   */
  async call(tabId, toolName) {
    const exists = await this.#tabs.get(tabId).then(() => true, () => false);
    throw new Error(exists ? `No tool "${toolName}" on this page.` : `No tab ${tabId}.`);
  }
}
