/**
 * A hidden page of ours that wakes the worker when Chrome stops it, for the time when no web page is open to do so.
 * Owns chrome.offscreen.
 */
export class Offscreen {
  #api;
  #path;
  /** @type {Promise<void>} */
  #turn = Promise.resolve();

  /**
   * @param {typeof chrome.offscreen} api
   * @param {string} path
   */
  constructor(api, path) {
    this.#api = api;
    this.#path = path;
  }

  open() {
    return this.#then(async () => {
      if (await this.#api.hasDocument()) return;
      await this.#api.createDocument({
        url: this.#path,
        reasons: [/** @type {chrome.offscreen.Reason} */ ('WORKERS')],
        justification: 'Wakes the service worker when Chrome stops it, so that the link to the gateway stays up.',
      });
    });
  }

  close() {
    return this.#then(async () => {
      if (await this.#api.hasDocument()) await this.#api.closeDocument();
    });
  }

  /** Chrome allows one such page; opening and closing take turns. @param {() => Promise<void>} step */
  #then(step) {
    this.#turn = this.#turn.then(step).catch((error) => console.warn('tabwright: hidden page', error));
    return this.#turn;
  }
}
