/**
 * Pages of ours that are open and show what the worker knows: each gets the whole view on every change, and what is
 * pressed there is passed on. A page may be closed at any moment, and the worker stopped; both just connect again.
 */

/**
 * @template View
 * @template Press
 */
export class Viewers {
  /** @type {Set<chrome.runtime.Port>} */
  #ports = new Set();
  #view;
  #pressed;

  /**
   * @param {() => Promise<View>} view
   * @param {(press: Press) => Promise<Partial<View> | void>} pressed what it answers, the page it came from sees once
   */
  constructor(view, pressed) {
    this.#view = view;
    this.#pressed = pressed;
  }

  /** Whether a page connected under this name is open. @param {string} name */
  has(name) {
    return [...this.#ports].some((port) => port.name === name);
  }

  /**
   * @param {chrome.runtime.Port} port
   * @param {() => void} [onGone]
   */
  accept(port, onGone = () => {}) {
    this.#ports.add(port);
    port.onDisconnect.addListener(() => {
      this.#ports.delete(port);
      onGone();
    });
    port.onMessage.addListener(async (message) => {
      // What was pressed may be gone by now, as a tab that just closed; the fresh view says so.
      const outcome = await this.#pressed(message).catch((error) => console.warn('tabwright: pressed', error));
      if (outcome && this.#ports.has(port)) port.postMessage({ ...(await this.#view()), ...outcome });
      await this.refresh();
    });
    void this.refresh();
  }

  async refresh() {
    if (this.#ports.size === 0) return;
    const view = await this.#view();
    for (const port of this.#ports) port.postMessage(view);
  }
}
