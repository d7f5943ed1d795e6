/**
 * The current tab of each connection: the one last created, selected, activated or named by it. A command without
 * `tabId` means that one, so two clients on one browser never meet in a tab by accident.
 */
import { invalidParams } from '../shared/errors.js';

const KEY = 'currentTabs';
/** Proxied connections come and go; those that settled longest ago are forgotten. */
const KEPT = 500;

export class CurrentTabs {
  #memory;

  /** @param {Pick<import('./memory.js').Memory, 'read' | 'write'>} memory */
  constructor(memory) {
    this.#memory = memory;
  }

  /** @param {string} connection @returns {Promise<number>} */
  async get(connection) {
    const current = (await this.#read()).find(([key]) => key === connection);
    if (!current) throw invalidParams('tabId is missing, and this connection has no current tab yet.');
    return current[1];
  }

  /**
   * @param {string} connection
   * @param {number} tabId
   */
  async set(connection, tabId) {
    const entries = await this.#read();
    if (entries.some(([key, current]) => key === connection && current === tabId)) return;
    const others = entries.filter(([key]) => key !== connection);
    await this.#memory.write(KEY, [...others.slice(1 - KEPT), [connection, tabId]]);
  }

  /** @param {number} tabId */
  async forget(tabId) {
    const entries = await this.#read();
    const kept = entries.filter(([, current]) => current !== tabId);
    if (kept.length < entries.length) await this.#memory.write(KEY, kept);
  }

  /** @returns {Promise<[string, number][]>} settled longest ago first */
  #read() {
    return this.#memory.read(KEY, /** @type {[string, number][]} */ ([]));
  }
}
