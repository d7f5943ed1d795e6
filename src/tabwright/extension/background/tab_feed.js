/**
 * Tells the gateway what happens to tabs: tabCreated, tabUpdated, tabClosed.
 *
 * Chrome's events say only that something changed. For each, the feed looks at the tab as it is now and says what
 * follows from what the gateway was last told. So nothing depends on the order or completeness of Chrome's events,
 * nothing is told twice, and a tab that turns into one of our own pages, or crashes, simply closes.
 */
import { Coalescer } from '../common/coalescer.js';

/** @typedef {import('../common/protocol').TabInfo} TabInfo */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */

const WINDOW_MS = 100;
/** Chrome does not tell that a page is not left after all, as the person wants to stay: a tab on its way is looked at again. */
const AGAIN_MS = 1_000;

export class TabFeed {
  /** What the gateway was last told of each tab. @type {Map<number, {json: string, tab: TabInfo}>} */
  #told = new Map();
  /** Ids are never used again within a browser's life. @type {Set<number>} */
  #removed = new Set();
  /** Told to have crashed, and not closed since. @type {Set<number>} */
  #crashed = new Set();
  /** Tabs that changed while a full list is being gathered; null otherwise. @type {Set<number> | null} */
  #missed = null;
  /** @type {Map<number, Promise<void>>} */
  #turns = new Map();
  /** Tabs that are on their way, and are looked at again before long. @type {Map<number, ReturnType<typeof setTimeout>>} */
  #onTheirWay = new Map();
  #coalescer = new Coalescer((tabId) => void this.sync(tabId), WINDOW_MS);
  #live = false;
  #tabs;
  #crashes;
  #send;

  /**
   * @param {{list(): Promise<TabInfo[]>, peek(tabId: number): Promise<TabInfo | null>}} tabs
   * @param {{judge(tab: TabInfo, hadDocument: boolean): Promise<boolean>}} crashes
   * @param {(message: Outgoing) => void} send
   */
  constructor(tabs, crashes, send) {
    this.#tabs = tabs;
    this.#crashes = crashes;
    this.#send = send;
  }

  /** The tabs that exist for the gateway. @returns {Promise<TabInfo[]>} */
  async list() {
    const tabs = await this.#tabs.list();
    const crashed = await Promise.all(tabs.map((tab) => this.#crashes.judge(tab, this.#wasLoaded(tab.id))));
    return tabs.filter((_, index) => !crashed[index]);
  }

  /**
   * Starts over with a full list, which `announce` sends. What changed while it was gathered is told right after.
   * @param {(tabs: TabInfo[]) => void} announce
   */
  async restart(announce) {
    this.stop();
    /** @type {Set<number>} */
    const missed = new Set();
    this.#missed = missed;
    const tabs = await this.list();
    // Stopped or restarted meanwhile: this list is nobody's any more.
    if (this.#missed !== missed) return;
    this.#missed = null;
    this.#told = new Map(tabs.map((tab) => [tab.id, remember(tab)]));
    this.#live = true;
    announce(tabs);
    for (const tab of tabs) this.#follow(tab);
    for (const tabId of missed) this.touch(tabId);
  }

  stop() {
    this.#live = false;
    this.#missed = null;
    this.#coalescer.clear();
    for (const timer of this.#onTheirWay.values()) clearTimeout(timer);
    this.#onTheirWay.clear();
  }

  /** The tabs as they were last told. @returns {TabInfo[]} */
  told() {
    return [...this.#told.values()].map(({ tab }) => tab);
  }

  /** Whether the tab exists for the gateway. @param {number} tabId */
  knows(tabId) {
    return this.#live && this.#told.has(tabId);
  }

  /**
   * Whether the gateway knows that the tab shows this document.
   * @param {number} tabId
   * @param {string} documentId
   */
  shows(tabId, documentId) {
    return this.#live && this.#told.get(tabId)?.tab.documentId === documentId;
  }

  /**
   * Tabs told to be the active one of a window: Chrome reports the one that comes to the front, not the one that goes.
   * @param {number} windowId
   */
  shownIn(windowId) {
    return [...this.#told.values()].flatMap(({ tab }) => (tab.active && tab.windowId === windowId ? [tab.id] : []));
  }

  /** Something about the tab changed. @param {number} tabId */
  touch(tabId) {
    this.#missed?.add(tabId);
    if (this.#live) this.#coalescer.touch(tabId);
  }

  /** @param {number} tabId */
  removed(tabId) {
    this.#removed.add(tabId);
    this.#coalescer.forget(tabId);
    this.#missed?.add(tabId);
    if (this.#crashed.delete(tabId) && this.#live) this.#send({ type: 'tabClosed', tabId });
    this.#close(tabId);
  }

  /**
   * Brings the gateway up to date about one tab now; resolves when it has been told.
   * @param {number} tabId
   * @returns {Promise<void>}
   */
  sync(tabId) {
    const turn = (this.#turns.get(tabId) ?? Promise.resolve()).then(() => this.#look(tabId));
    this.#turns.set(tabId, turn);
    void turn.then(() => {
      if (this.#turns.get(tabId) === turn) this.#turns.delete(tabId);
    });
    return turn;
  }

  /** @param {number} tabId */
  async #look(tabId) {
    const tab = await this.#tabs.peek(tabId);
    const crashed = tab !== null && (await this.#crashes.judge(tab, this.#wasLoaded(tabId)));
    if (!this.#live || this.#removed.has(tabId)) return;
    if (!tab || crashed) {
      this.#close(tabId, crashed ? 'crashed' : undefined);
      return;
    }
    this.#follow(tab);
    const told = this.#told.get(tabId);
    const now = remember(tab);
    if (told?.json === now.json) return;
    this.#told.set(tabId, now);
    this.#crashed.delete(tabId);
    this.#send({ type: told ? 'tabUpdated' : 'tabCreated', tab });
  }

  /** @param {TabInfo} tab */
  #follow({ id, pendingUrl }) {
    if (pendingUrl === undefined || this.#onTheirWay.has(id)) return;
    this.#onTheirWay.set(id, setTimeout(() => {
      this.#onTheirWay.delete(id);
      void this.sync(id);
    }, AGAIN_MS));
  }

  /**
   * @param {number} tabId
   * @param {'crashed'} [reason]
   */
  #close(tabId, reason) {
    if (!this.#live || !this.#told.delete(tabId)) return;
    if (reason === 'crashed') this.#crashed.add(tabId);
    this.#send(reason ? { type: 'tabClosed', tabId, reason } : { type: 'tabClosed', tabId });
  }

  /** @param {number} tabId */
  #wasLoaded(tabId) {
    const told = this.#told.get(tabId);
    return told !== undefined && told.tab.status !== 'unloaded';
  }
}

/** @param {TabInfo} tab */
const remember = (tab) => ({ json: JSON.stringify(tab), tab });
