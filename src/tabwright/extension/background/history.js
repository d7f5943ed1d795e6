/**
 * One step back or forward in a tab's history.
 *
 * Asked of the debugger, because chrome.tabs.goBack skips every page the person has not touched, as Chrome's own back
 * button does, and so would leap over all that a client visited. It also tells the address beforehand, which the
 * floor wants to see. Only on pages closed to the debugger Chrome's button has to do.
 */
import { CommandError } from '../common/errors.js';
import { checkUrl } from '../common/floor.js';

/** @typedef {'back' | 'forward'} Direction */

const UNREACHABLE = -32005;

export class History {
  #debugger;
  #tabs;

  /**
   * @param {Pick<import('./debugger.js').Debugger, 'hold'>} debug
   * @param {Pick<import('./tabs.js').Tabs, 'press'>} tabs
   */
  constructor(debug, tabs) {
    this.#debugger = debug;
    this.#tabs = tabs;
  }

  /**
   * `travel` is given the address, where it is known, and what starts the way there.
   * @template T
   * @param {number} tabId
   * @param {Direction} direction
   * @param {(url: string | undefined, start: () => Promise<unknown>) => Promise<T>} travel
   * @returns {Promise<T>}
   */
  async go(tabId, direction, travel) {
    const missing = new CommandError(`Tab ${tabId} has no ${direction === 'back' ? 'earlier' : 'later'} page.`);
    const cdp = await this.#hold(tabId);
    if (!cdp) {
      return travel(undefined, () => this.#tabs.press(tabId, direction).catch(() => Promise.reject(missing)));
    }
    /** @type {{currentIndex: number, entries: {id: number, url: string}[]}} */
    const { currentIndex, entries } = await cdp('Page.getNavigationHistory');
    const entry = entries[currentIndex + (direction === 'back' ? -1 : 1)];
    if (!entry) throw missing;
    checkUrl(entry.url);
    return travel(entry.url, () => cdp('Page.navigateToHistoryEntry', { entryId: entry.id }));
  }

  /** Null where the page is closed to the debugger. @param {number} tabId */
  async #hold(tabId) {
    return this.#debugger.hold(tabId).catch((error) => {
      if (error instanceof CommandError && error.code === UNREACHABLE) return null;
      throw error;
    });
  }
}
