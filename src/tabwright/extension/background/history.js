/**
 * One step back or forward in a tab's history.
 *
 * Asked of the debugger, because chrome.tabs.goBack skips every page the person has not touched, as Chrome's own back
 * button does, and so would leap over all that a client visited. It also tells the address beforehand, which the
 * floor wants to see. Only on pages closed to the debugger Chrome's button has to do.
 */
import { CommandError } from '../shared/errors.js';
import { checkUrl } from '../shared/floor.js';

/** @typedef {'back' | 'forward'} Direction */

const UNREACHABLE = -32005;

export class History {
  #debugger;
  #tabs;

  /**
   * @param {Pick<import('./debugger.js').Debugger, 'send'>} debug
   * @param {Pick<import('./tabs.js').Tabs, 'travel' | 'pressButton'>} tabs
   */
  constructor(debug, tabs) {
    this.#debugger = debug;
    this.#tabs = tabs;
  }

  /**
   * @param {number} tabId
   * @param {Direction} direction
   */
  async go(tabId, direction) {
    const missing = new CommandError(`Tab ${tabId} has no ${direction === 'back' ? 'earlier' : 'later'} page.`);
    const history = await this.#read(tabId);
    if (!history) return this.#tabs.pressButton(tabId, direction, missing);
    const entry = history.entries[history.currentIndex + (direction === 'back' ? -1 : 1)];
    if (!entry) throw missing;
    checkUrl(entry.url);
    await this.#tabs.travel(tabId, `Going ${direction}`, entry.url, () =>
      this.#debugger.send(tabId, 'Page.navigateToHistoryEntry', { entryId: entry.id }),
    );
  }

  /**
   * @param {number} tabId
   * @returns {Promise<{currentIndex: number, entries: {id: number, url: string}[]} | null>}
   */
  async #read(tabId) {
    return this.#debugger.send(tabId, 'Page.getNavigationHistory').catch((error) => {
      if (error instanceof CommandError && error.code === UNREACHABLE) return null;
      throw error;
    });
  }
}
