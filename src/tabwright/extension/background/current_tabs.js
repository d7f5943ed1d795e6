/**
 * The current tab of each connection: the one last created, selected, activated or named by it. A command without
 * `tabId` means that one, so two clients on one browser never meet in a tab by accident.
 */
import { invalidParams } from '../common/errors.js';

/** Connection and its tab; settled longest ago first. @typedef {[string, number]} Entry */

const KEY = 'currentTabs';
/** Proxied connections come and go; those that settled longest ago are forgotten. */
const KEPT = 500;

export class CurrentTabs {
  #memory;

  /** @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory */
  constructor(memory) {
    this.#memory = memory;
  }

  /** @param {string} connection @returns {Promise<number>} */
  async get(connection) {
    const entries = await this.#memory.read(KEY, /** @type {Entry[]} */ ([]));
    const current = entries.find(([key]) => key === connection);
    if (!current) throw invalidParams('tabId is missing, and this connection has no current tab yet.');
    return current[1];
  }

  /**
   * @param {string} connection
   * @param {number} tabId
   */
  async set(connection, tabId) {
    await this.#update((entries) => {
      if (entries.some(([key, current]) => key === connection && current === tabId)) return entries;
      const others = entries.filter(([key]) => key !== connection);
      return [...others.slice(1 - KEPT), [connection, tabId]];
    });
  }

  /** @param {number} tabId */
  async forget(tabId) {
    await this.#update((entries) => {
      const kept = entries.filter(([, current]) => current !== tabId);
      return kept.length < entries.length ? kept : entries;
    });
  }

  /** @param {(entries: Entry[]) => Entry[]} change */
  #update(change) {
    return this.#memory.update(KEY, /** @type {Entry[]} */ ([]), change);
  }
}
