/**
 * Tabs as the gateway sees them. Owns chrome.tabs.
 *
 * The extension's own pages (keeper, pairing, popup shown as a tab) do not exist for anybody outside: they are never
 * listed, and naming one is naming no tab.
 */
import { after } from '../common/after.js';
import { CommandError, dialogOpen, noTab, timedOut } from '../common/errors.js';

/** @typedef {import('../common/protocol').TabInfo} TabInfo */
/** @typedef {chrome.tabs.Tab & {id: number}} Tab */

const COMMIT_WITHIN_MS = 10_000;
const FIRST_COMMIT_WITHIN_MS = 3_000;
const CLOSE_WITHIN_MS = 3_000;
const CLOSE_POLL_MS = 20;
const ASKED = 'The tab is not closed: its page asks the person whether it may be left. Ask them to answer in the browser.';

export class Tabs {
  /** Tabs that are ours though they show a foreign page. @type {(tabId: number, url: string) => boolean} */
  isHidden = () => false;
  #api;
  #ownOrigin;
  #navigation;
  #windows;

  /**
   * @param {typeof chrome.tabs} api
   * @param {string} ownOrigin
   * @param {import('./navigation.js').Navigation} navigation
   * @param {import('./windows.js').Windows} windows
   */
  constructor(api, ownOrigin, navigation, windows) {
    this.#api = api;
    this.#ownOrigin = ownOrigin;
    this.#navigation = navigation;
    this.#windows = windows;
  }

  /** @returns {Promise<TabInfo[]>} */
  async list() {
    const tabs = await this.#api.query({});
    const listed = /** @type {Tab[]} */ (tabs.filter((tab) => this.#isListed(tab)));
    return Promise.all(listed.map(async (tab) => this.#info(tab, await this.#navigation.documentId(tab.id))));
  }

  /**
   * @param {number} tabId
   * @returns {Promise<TabInfo | null>}
   */
  async peek(tabId) {
    const [tab, documentId] = await Promise.all([this.#find(tabId), this.#navigation.documentId(tabId)]);
    return tab && this.#info(tab, documentId);
  }

  /**
   * Raises: a CommandError if there is no such tab.
   * @param {number} tabId
   * @returns {Promise<Tab>}
   */
  async get(tabId) {
    const tab = await this.#find(tabId);
    if (!tab) throw noTab(tabId);
    return tab;
  }

  /** Whether the tab is there and loads. @param {number} tabId */
  async isLoading(tabId) {
    return (await this.#find(tabId))?.status === 'loading';
  }

  /**
   * Resolves when Chrome tells next that the tab has loaded.
   * @param {number} tabId
   * @returns {{loaded: Promise<void>, stop: () => void}}
   */
  loads(tabId) {
    const { onUpdated } = this.#api;
    /** @type {(tabId: number, change: {status?: string}) => void} */
    let heard = () => {};
    /** @type {Promise<void>} */
    const loaded = new Promise((resolve) => {
      heard = (id, { status }) => { if (id === tabId && status === 'complete') resolve(); };
    });
    onUpdated.addListener(heard);
    return { loaded, stop: () => onUpdated.removeListener(heard) };
  }

  /**
   * @param {{url: string, active: boolean, windowId?: number}} wish
   * @returns {Promise<Tab>}
   */
  async create({ url, active, windowId }) {
    if (windowId !== undefined) return this.#createIn(windowId, url, active);
    return this.#windows.withNewTabWindow((found) =>
      found === undefined
        ? /** @type {Promise<Tab>} */ (this.#windows.openBehind(url))
        : this.#createIn(found, url, active),
    );
  }

  /**
   * Waits for the first document of a new tab, but never long: a slow server is no reason to hide the tab's id.
   * @param {number} tabId
   */
  async firstArrival(tabId) {
    return this.#navigation.firstArrival(tabId, FIRST_COMMIT_WITHIN_MS);
  }

  /**
   * @param {number} tabId
   * @returns {Promise<Tab>}
   */
  async activate(tabId) {
    await this.get(tabId);
    return /** @type {Tab} */ (await this.#api.update(tabId, { active: true }));
  }

  /** Raises: dialog_open if the page keeps the tab open to ask the person. @param {number} tabId */
  async close(tabId) {
    await this.get(tabId);
    // While the page asks, Chrome's answer does not come; so the tab is watched instead of the answer.
    const refusal = this.#api.remove(tabId).then(() => new Promise(() => {}));
    await Promise.race([this.#gone(tabId), refusal]);
  }

  /** @param {number} tabId */
  async #gone(tabId) {
    for (let waited = 0; await this.#find(tabId); waited += CLOSE_POLL_MS) {
      if (waited >= CLOSE_WITHIN_MS) throw dialogOpen(ASKED);
      await after(CLOSE_POLL_MS);
    }
  }

  /** @param {number[]} tabIds */
  async closeAll(tabIds) {
    await this.#api.remove(tabIds);
  }

  /**
   * @param {number} tabId
   * @param {string} url
   */
  async navigate(tabId, url) {
    await this.travel(tabId, `Loading ${url}`, url, () => this.go(tabId, url));
  }

  /**
   * Runs `start` and waits until the document it leads to is there.
   * @param {number} tabId
   * @param {string} what
   * @param {string | undefined} url
   * @param {() => Promise<unknown>} start
   */
  async travel(tabId, what, url, start) {
    await this.get(tabId);
    const arrival = await this.#navigation.arrive(tabId, { url, withinMs: COMMIT_WITHIN_MS }, start);
    if (arrival.outcome === 'failed') throw new CommandError(`${what} failed: ${arrival.error}.`);
    if (arrival.outcome === 'running') throw timedOut(what, COMMIT_WITHIN_MS);
  }

  /**
   * Chrome's own back or forward button. Fails when there is no page in that direction.
   * @param {number} tabId
   * @param {'back' | 'forward'} direction
   */
  async press(tabId, direction) {
    await (direction === 'back' ? this.#api.goBack(tabId) : this.#api.goForward(tabId));
  }

  /** Chrome's own reload button. @param {number} tabId */
  async reload(tabId) {
    await this.#api.reload(tabId);
  }

  /**
   * Sends the tab to an address, and does not wait for it.
   * @param {number} tabId
   * @param {string} url
   */
  async go(tabId, url) {
    await this.#api.update(tabId, { url });
  }

  /**
   * @param {number[]} tabIds
   * @param {{groupId: number} | {windowId: number}} where
   * @returns {Promise<number>}
   */
  async group(tabIds, where) {
    const ids = /** @type {[number, ...number[]]} */ (tabIds);
    if ('groupId' in where) return this.#api.group({ tabIds: ids, groupId: where.groupId });
    return this.#api.group({ tabIds: ids, createProperties: { windowId: where.windowId } });
  }

  /** @param {number[]} tabIds */
  async ungroup(tabIds) {
    await this.#api.ungroup(/** @type {[number, ...number[]]} */ (tabIds));
  }

  /** @param {number} groupId @returns {Promise<number[]>} */
  async inGroup(groupId) {
    return (await this.#api.query({ groupId })).flatMap((tab) => tab.id ?? []);
  }

  /** The tab in front of a window, whoever's it is. @param {number} windowId @returns {Promise<Tab | undefined>} */
  async inFront(windowId) {
    const [tab] = await this.#api.query({ windowId, active: true });
    return /** @type {Tab | undefined} */ (tab);
  }

  /** Ids of tabs with a page in them. @returns {Promise<number[]>} */
  async loaded() {
    return (await this.#api.query({ discarded: false })).flatMap((tab) => tab.id ?? []);
  }

  /** Ids of tabs that Chrome would have to load again before they show anything. @returns {Promise<number[]>} */
  async unloaded() {
    const tabs = await this.#api.query({ status: 'unloaded', discarded: false });
    return tabs.flatMap((tab) => tab.id ?? []);
  }

  /**
   * Whether Chrome may discard the tab to save memory, which would end its page and change its id.
   * @param {number} tabId
   * @param {boolean} allowed
   */
  async allowDiscarding(tabId, allowed) {
    if (await this.#find(tabId)) await this.#api.update(tabId, { autoDiscardable: allowed });
  }

  /** Ids of the tabs showing one of our own pages. @param {string} url @returns {Promise<number[]>} */
  async showing(url) {
    const tabs = await this.#api.query({});
    return tabs.filter((tab) => urlOf(tab) === url).flatMap((tab) => tab.id ?? []);
  }

  /**
   * Shows one of our pages in an existing tab, if what it shows now may be replaced.
   * @param {number} tabId
   * @param {string} url
   * @param {(url: string) => boolean} mayReplace
   */
  async turnInto(tabId, url, mayReplace) {
    const tab = await this.#api.get(tabId).catch(() => null);
    if (!tab || !mayReplace(urlOf(tab))) return false;
    await this.#api.update(tabId, { url });
    return true;
  }

  /** @param {string} url */
  isOwnUrl(url) {
    return url.startsWith(this.#ownOrigin);
  }

  /**
   * @param {number} windowId
   * @param {string} url
   * @param {boolean} active
   * @returns {Promise<Tab>}
   */
  async #createIn(windowId, url, active) {
    return /** @type {Tab} */ (await this.#api.create({ windowId, url, active }));
  }

  /** @param {number} tabId @returns {Promise<Tab | null>} */
  async #find(tabId) {
    const tab = await this.#api.get(tabId).catch(() => null);
    return tab && this.#isListed(tab) ? /** @type {Tab} */ (tab) : null;
  }

  /** @param {chrome.tabs.Tab} tab */
  #isListed(tab) {
    return tab.id !== undefined && tab.id !== -1 && !this.isOwnUrl(urlOf(tab)) && !this.isHidden(tab.id, urlOf(tab));
  }

  /**
   * @param {Tab} tab
   * @param {string | null} documentId
   * @returns {TabInfo}
   */
  #info(tab, documentId) {
    // A document that Chrome says is on its way to itself stays where it is: a frame of it loads, as a PDF's viewer does.
    const isOnItsWay = documentId === null || tab.pendingUrl !== tab.url;
    // Chrome forgets it when the page moves within itself meanwhile.
    const pendingUrl = this.#navigation.awaited(tab.id) ?? (isOnItsWay ? tab.pendingUrl : undefined);
    return {
      id: tab.id,
      title: tab.title ?? '',
      url: urlOf(tab),
      active: tab.active,
      windowId: tab.windowId,
      groupId: tab.groupId,
      ...(tab.openerTabId === undefined ? {} : { openerTabId: tab.openerTabId }),
      discarded: tab.discarded,
      documentId,
      status: tab.status ?? 'unloaded',
      ...(pendingUrl && tab.status === 'loading' ? { pendingUrl } : {}),
    };
  }
}

/** The address shown, or the one on its way while nothing has committed. @param {chrome.tabs.Tab} tab */
export const urlOf = (tab) => tab.url || tab.pendingUrl || '';
