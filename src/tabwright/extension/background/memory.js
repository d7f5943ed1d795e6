/**
 * What must outlive the worker but not the browser. Owns chrome.storage.session.
 *
 * Each key is read once per worker life and written through on every change, so a lookup costs nothing. An extension
 * reload empties it: whatever must survive that too belongs to the gateway or to Settings.
 */
export class Memory {
  #area;
  /** @type {Map<string, Promise<any>>} */
  #values = new Map();

  /** @param {Pick<chrome.storage.StorageArea, 'get' | 'set'>} area */
  constructor(area) {
    this.#area = area;
  }

  /**
   * @template T
   * @param {string} key
   * @param {T} fallback
   * @returns {Promise<T>}
   */
  read(key, fallback) {
    let value = this.#values.get(key);
    if (!value) {
      value = this.#area.get(key).then((stored) => stored[key] ?? fallback);
      this.#values.set(key, value);
    }
    return value;
  }

  /**
   * @param {string} key
   * @param {unknown} value a JSON value
   */
  async write(key, value) {
    this.#values.set(key, Promise.resolve(value));
    await this.#area.set({ [key]: value });
  }
}
