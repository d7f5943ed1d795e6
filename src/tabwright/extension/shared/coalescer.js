/**
 * Tames storms of events per key: the first one acts at once, the rest of a window act once, at its end.
 *
 * A loading page changes title, url and status dozens of times; the gateway wants the first change quickly and the
 * last state surely.
 */
export class Coalescer {
  /** @type {Map<number, {timer: ReturnType<typeof setTimeout>, again: boolean}>} */
  #windows = new Map();
  #act;
  #windowMs;

  /**
   * @param {(key: number) => void} act
   * @param {number} windowMs
   */
  constructor(act, windowMs) {
    this.#act = act;
    this.#windowMs = windowMs;
  }

  /** @param {number} key */
  touch(key) {
    const window = this.#windows.get(key);
    if (window) {
      window.again = true;
      return;
    }
    this.#open(key);
    this.#act(key);
  }

  /** @param {number} key */
  forget(key) {
    clearTimeout(this.#windows.get(key)?.timer);
    this.#windows.delete(key);
  }

  clear() {
    for (const key of [...this.#windows.keys()]) this.forget(key);
  }

  /** @param {number} key */
  #open(key) {
    const timer = setTimeout(() => this.#close(key), this.#windowMs);
    this.#windows.set(key, { timer, again: false });
  }

  /** @param {number} key */
  #close(key) {
    const again = this.#windows.get(key)?.again;
    this.#windows.delete(key);
    if (!again) return;
    // A busy tab opens the next window at once, so it never acts twice within one.
    this.#open(key);
    this.#act(key);
  }
}
