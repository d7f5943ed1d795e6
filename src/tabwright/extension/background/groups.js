/** Tab groups. Owns chrome.tabGroups. */
import { noGroup } from '../common/errors.js';

/** @typedef {chrome.tabGroups.UpdateProperties} Look */

export const COLORS = /** @type {const} */ ([
  'grey', 'blue', 'red', 'yellow', 'green', 'pink', 'purple', 'cyan', 'orange',
]);

export class Groups {
  #api;
  #tabs;

  /**
   * @param {typeof chrome.tabGroups} api
   * @param {import('./tabs.js').Tabs} tabs
   */
  constructor(api, tabs) {
    this.#api = api;
    this.#tabs = tabs;
  }

  /** The window a group lives in, or undefined once it is gone. @param {number} groupId */
  async windowOf(groupId) {
    return (await this.#find(groupId))?.windowId;
  }

  /**
   * Puts the tabs into the group. A group vanishes with its last tab, so a remembered id may name nothing any more;
   * then a new one is made, in the window of the first tab.
   * @param {number[]} tabIds
   * @param {number | undefined} groupId
   * @param {Look} look
   * @returns {Promise<number>}
   */
  async gather(tabIds, groupId, look) {
    const [first] = await Promise.all(tabIds.map((tabId) => this.#tabs.get(tabId)));
    const group = groupId === undefined ? null : await this.#find(groupId);
    const where = group ? { groupId: group.id } : { windowId: first.windowId };
    const gathered = await this.#tabs.group(tabIds, where);
    if (Object.keys(look).length > 0) await this.#api.update(gathered, look);
    return gathered;
  }

  /** The tabs stay, in no group. @param {number[]} tabIds */
  async release(tabIds) {
    await Promise.all(tabIds.map((tabId) => this.#tabs.get(tabId)));
    await this.#tabs.ungroup(tabIds);
  }

  /**
   * @param {number} groupId
   * @param {Look} look
   */
  async update(groupId, look) {
    if (!(await this.#find(groupId))) throw noGroup(groupId);
    await this.#api.update(groupId, look);
  }

  /** @param {number} groupId @returns {Promise<number[]>} */
  async close(groupId) {
    if (!(await this.#find(groupId))) throw noGroup(groupId);
    const tabIds = await this.#tabs.inGroup(groupId);
    // Ungrouped first, or Chrome would keep the emptied group as a saved one in the person's bookmark bar.
    await this.#tabs.ungroup(tabIds);
    await this.#tabs.closeAll(tabIds);
    return tabIds;
  }

  /** @param {number} groupId */
  async #find(groupId) {
    return this.#api.get(groupId).catch(() => null);
  }
}
