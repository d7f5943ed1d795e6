/**
 * The value, so much later.
 * @template [T=undefined]
 * @param {number} ms
 * @param {T} [value]
 * @returns {Promise<T>}
 */
export const after = (ms, value) => new Promise((resolve) => setTimeout(() => resolve(/** @type {T} */ (value)), ms));
