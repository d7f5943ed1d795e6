/**
 * Which tab the person has in front, window by window, and that it stays there: a link or script of a tab that a session
 * works with in the background may open a new tab, which Chrome brings to the front. Then the tab that was there before
 * comes back; from a window of its own the focus goes back to the person's. Where the opener itself was in front, the
 * new tab stays there: the person saw it open.
 */

/** For each window the tabs that were in front, the latest first. @typedef {Record<string, number[]>} Shown */

const KEY = 'fronts';
const KEPT = 8;
/** A tab that comes to the front later than this after it was opened was brought there by the person. */
const SOON_MS = 1_000;

export class Fronts {
  /** Opened in the background, and when. @type {Map<number, number>} */
  #opened = new Map();
  #memory;
  #tabs;
  #holds;
  #focus;
  #now;

  /**
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   * @param {Pick<import('./tabs.js').Tabs, 'list' | 'activate'>} tabs
   * @param {Pick<import('./holds.js').Holds, 'isHeld'>} holds
   * @param {Pick<import('./focus.js').Focus, 'came' | 'giveBack'>} focus
   * @param {() => number} now in milliseconds
   */
  constructor(memory, tabs, holds, focus, now) {
    this.#memory = memory;
    this.#tabs = tabs;
    this.#holds = holds;
    this.#focus = focus;
    this.#now = now;
  }

  /** Chrome tells only of changes: what is in front to begin with is looked up. */
  async begin() {
    const fronts = (await this.#tabs.list()).filter((tab) => tab.active);
    await this.#update((shown) => {
      const missing = fronts.filter((tab) => !shown[tab.windowId]);
      return missing.length ? { ...shown, ...Object.fromEntries(missing.map((tab) => [tab.windowId, [tab.id]])) } : shown;
    });
  }

  /** A tab came to the front. @param {number} tabId @param {number} windowId */
  async came(tabId, windowId) {
    await this.#update((shown) => {
      const others = (shown[windowId] ?? []).filter((each) => each !== tabId);
      return { ...shown, [windowId]: [tabId, ...others].slice(0, KEPT) };
    });
    if (this.#isNew(tabId)) await this.#giveWay(tabId);
  }

  /** A window has the focus now, or none of Chrome's. @param {number} windowId */
  async focused(windowId) {
    await this.#focus.came(windowId);
    const [front] = (await this.#shown())[windowId] ?? [];
    if (front !== undefined && this.#isNew(front)) await this.#giveWay(front);
  }

  /** A page opened a tab, which may be in front already, or come there in a moment. @param {number} tabId @param {number} openerId */
  async opened(tabId, openerId) {
    if (!(await this.#holds.isHeld(openerId))) return;
    const shown = Object.values(await this.#shown());
    const before = shown.map((listed) => listed.find((each) => each !== tabId && !this.#opened.has(each)));
    if (before.includes(openerId)) return;
    this.#opened.set(tabId, this.#now());
    await this.#giveWay(tabId);
  }

  /** @param {number} tabId */
  async forget(tabId) {
    this.#opened.delete(tabId);
    await this.#update((shown) => {
      if (!Object.values(shown).some((listed) => listed.includes(tabId))) return shown;
      const kept = Object.entries(shown).map(([windowId, listed]) => /** @type {const} */ ([windowId, listed.filter((each) => each !== tabId)]));
      return Object.fromEntries(kept.filter(([, listed]) => listed.length > 0));
    });
  }

  /** Whether it was opened in the background just now. @param {number} tabId */
  #isNew(tabId) {
    return this.#now() - (this.#opened.get(tabId) ?? -Infinity) < SOON_MS;
  }

  /** If it is in front. A window of its own has nothing else to show, but need not have the focus. @param {number} tabId */
  async #giveWay(tabId) {
    const [windowId, listed] = Object.entries(await this.#shown()).find(([, [front]]) => front === tabId) ?? [];
    if (!listed) return;
    const before = listed.find((each) => !this.#opened.has(each));
    if (before === undefined) await this.#focus.giveBack(Number(windowId));
    // It may have closed, or be a page of our own, which only the person brings to the front.
    else await this.#tabs.activate(before).catch(() => {});
  }

  #shown() {
    return this.#memory.read(KEY, /** @type {Shown} */ ({}));
  }

  /** @param {(shown: Shown) => Shown} change */
  #update(change) {
    return this.#memory.update(KEY, /** @type {Shown} */ ({}), change);
  }
}
