/**
 * Pages that send their tab on again and again: each time, they take over from whoever leads it elsewhere. Chrome lets
 * them, for what an extension begins counts no more there than what a page begins.
 *
 * Such a page is left in two steps. With its scripts stopped it gives way to an empty one; from there, with scripts as
 * they were, every way is free.
 */
import { after } from '../common/after.js';

/** @typedef {Pick<import('./target_tab.js').Parts, 'tabs' | 'navigation' | 'debugger'>} RestlessParts */

const BLANK = 'about:blank';
const BLANK_WITHIN_MS = 1_500;
/** What moves a tab without scripts, `<meta http-equiv=refresh>`, may take over once more. */
const MOST_TRIES = 5;
/** Scripts of a page that stands still cannot be stopped, nor do they need to be. */
const STOP_WITHIN_MS = 1_000;
/** How long a tab that moves is watched. */
const MOVE_WITHIN_MS = 3_000;
const LOOK_MS = 100;
/** A person's navigation begins and arrives; what moves a tab more often in a moment is no person. */
const OFTEN = 3;

export class Restless {
  #parts;

  /** @param {RestlessParts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * Whether the page moves the tab, as Chrome says of the next one that comes; or it does so that often that it can be
   * nobody else. A person who goes elsewhere meanwhile is let go.
   * @param {number} tabId
   * @param {number} withinMs how long until the tab begins to move, if it does
   * @returns {Promise<boolean>}
   */
  async isPage(tabId, withinMs) {
    const { navigation } = this.#parts;
    const latest = Date.now() + MOVE_WITHIN_MS;
    return new Promise((resolve) => {
      let moves = 0;
      const end = (/** @type {boolean} */ isPage) => {
        clearTimeout(timer);
        stop();
        resolve(isPage);
      };
      const look = () => {
        if ((moves === 0 && navigation.awaited(tabId) === undefined) || Date.now() > latest) end(false);
        else timer = setTimeout(look, LOOK_MS);
      };
      let timer = setTimeout(look, withinMs);
      const stop = navigation.watch(tabId, (move) => {
        moves += 1;
        if (move === 'page' || moves === OFTEN) end(true);
      });
    });
  }

  /**
   * Puts an empty page in its place. Raises: the tab is gone, or closed to the debugger.
   * @param {number} tabId
   */
  async end(tabId) {
    const { debugger: debug } = this.#parts;
    const wasAttached = await debug.isAttached(tabId);
    const cdp = await debug.hold(tabId);
    const allowScripts = (/** @type {boolean} */ allowed) =>
      within(STOP_WITHIN_MS, cdp('Emulation.setScriptExecutionDisabled', { value: !allowed }).catch(() => undefined));
    try {
      await allowScripts(false);
      for (let tries = 0; tries < MOST_TRIES && !(await this.#blank(tabId)); tries += 1);
    } finally {
      await allowScripts(true);
      if (!wasAttached) await debug.detach(tabId);
    }
  }

  /** Whether the tab is empty now, and stays so. @param {number} tabId */
  async #blank(tabId) {
    const { tabs, navigation } = this.#parts;
    const expected = { isOther: (/** @type {string} */ url) => url !== BLANK, withinMs: BLANK_WITHIN_MS, url: BLANK };
    const arrival = await navigation.arrive(tabId, expected, () => tabs.go(tabId, BLANK));
    return arrival.outcome === 'committed' && !arrival.isOverrun;
  }
}

/**
 * @param {number} ms
 * @param {Promise<unknown>} done
 */
const within = (ms, done) => Promise.race([done, after(ms)]);
