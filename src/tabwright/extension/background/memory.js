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
   * Replaces the value by what `change` makes of it. Changes of one key line up, so none is lost between its reading
   * and its writing; returning the very same value writes nothing.
   * @template T
   * @param {string} key
   * @param {T} fallback
   * @param {(value: T) => T} change pure; JSON in, JSON out
   * @returns {Promise<T>}
   */
  async update(key, fallback, change) {
    const before = this.read(key, fallback);
    const after = before.then(change);
    this.#values.set(key, after);
    const value = await after;
    if (value !== (await before)) await this.#area.set({ [key]: value });
    return value;
  }
}
