/**
 * Tames storms of events per key: the first ones act at once, the rest of a window act once, at its end.
 *
 * A loading page changes title, url and status dozens of times; the gateway wants the first change quickly and the
 * last state surely.
 * @template [K=number]
 */
export class Coalescer {
  /** @type {Map<K, {timer: ReturnType<typeof setTimeout>, left: number, again: boolean}>} */
  #windows = new Map();
  #act;
  #windowMs;
  #atOnce;

  /**
   * @param {(key: K) => void} act
   * @param {number} windowMs
   * @param {number} [atOnce] how many of a window act at once
   */
  constructor(act, windowMs, atOnce = 1) {
    this.#act = act;
    this.#windowMs = windowMs;
    this.#atOnce = atOnce;
  }

  /** @param {K} key */
  touch(key) {
    const window = this.#windows.get(key);
    if (window?.left === 0) {
      window.again = true;
      return;
    }
    if (window) window.left -= 1;
    else this.#open(key);
    this.#act(key);
  }

  /** @param {K} key */
  forget(key) {
    clearTimeout(this.#windows.get(key)?.timer);
    this.#windows.delete(key);
  }

  clear() {
    for (const key of [...this.#windows.keys()]) this.forget(key);
  }

  /** @param {K} key */
  #open(key) {
    const timer = setTimeout(() => this.#close(key), this.#windowMs);
    this.#windows.set(key, { timer, left: this.#atOnce - 1, again: false });
  }

  /** @param {K} key */
  #close(key) {
    const again = this.#windows.get(key)?.again;
    this.#windows.delete(key);
    if (!again) return;
    // A busy tab opens the next window at once, so it never acts twice within one.
    this.#open(key);
    this.#act(key);
  }
}
