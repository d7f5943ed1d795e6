/**
 * Tabs whose page process died and that have shown nothing since.
 *
 * Chrome sends no event for it. But it marks the tab as in need of a reload: status "unloaded" without being
 * discarded. So do tabs of a restored session that were never loaded, hence the second condition: the tab had a
 * document before. What makes us look is the page's port breaking, the debugger's word, or the regular sweep, which
 * finds the few pages that can hold no port.
 */
import { after } from '../common/after.js';

/** @typedef {{id: number, status: string, discarded: boolean}} TabState */

const KEY = 'crashed';
/** The port may break a moment before Chrome marks the tab. */
const LOOK_AFTER_MS = [0, 50, 200, 600];

export class Crashes {
  /** A tab needs a closer look. @type {(tabId: number) => void} */
  onSign = () => {};
  #memory;
  #peek;
  /** Tabs that are looked at, by the sign that made us look. @type {Map<number, symbol>} */
  #suspected = new Map();

  /**
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   * @param {(tabId: number) => Promise<TabState | null>} peek
   */
  constructor(memory, peek) {
    this.#memory = memory;
    this.#peek = peek;
  }

  /**
   * Whether the tab, as it is now, counts as crashed.
   * @param {TabState} tab
   * @param {boolean} hadDocument
   */
  async judge(tab, hadDocument) {
    const known = (await this.#read()).includes(tab.id);
    const crashed = looksDead(tab) && (known || hadDocument);
    if (crashed !== known) await this.#change(tab.id, crashed);
    return crashed;
  }

  /**
   * The page's port broke; most often it just navigated, and where it is about to there is no hurry.
   * @param {number} tabId
   * @param {boolean} [isLeaving]
   */
  async suspect(tabId, isLeaving = false) {
    const sign = Symbol('suspected');
    this.#suspected.set(tabId, sign);
    for (const wait of LOOK_AFTER_MS.slice(isLeaving ? 1 : 0)) {
      await after(wait);
      if (this.#suspected.get(tabId) !== sign) return;
      const tab = await this.#peek(tabId);
      if (tab && !looksDead(tab)) continue;
      if (tab) this.onSign(tabId);
      break;
    }
    if (this.#suspected.get(tabId) === sign) this.#suspected.delete(tabId);
  }

  /** The tab's next page has opened its port: nothing died. @param {number} tabId */
  lives(tabId) {
    this.#suspected.delete(tabId);
  }

  /** @param {number} tabId */
  async forget(tabId) {
    if ((await this.#read()).includes(tabId)) await this.#change(tabId, false);
  }

  /**
   * @param {number} tabId
   * @param {boolean} crashed
   */
  async #change(tabId, crashed) {
    await this.#memory.update(KEY, /** @type {number[]} */ ([]), (tabIds) => {
      const others = tabIds.filter((other) => other !== tabId);
      return crashed ? [...others, tabId] : others;
    });
  }

  /** @returns {Promise<number[]>} */
  #read() {
    return this.#memory.read(KEY, /** @type {number[]} */ ([]));
  }
}

/** @param {TabState} tab */
export const looksDead = ({ status, discarded }) => status === 'unloaded' && !discarded;
