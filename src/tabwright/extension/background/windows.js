/** Which window takes a new tab, and how large a window is. Owns chrome.windows. */
import { CommandError } from '../common/errors.js';

/** Room for a question, what exactly would be done, and the answers. */
const PROMPT_SIZE = { width: 480, height: 560 };

export class Windows {
  #api;
  #turn = Promise.resolve();

  /** @param {typeof chrome.windows} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * Runs `open` with the window for a new tab: the last focused normal one. The keeper's window is of type popup and
   * so never qualifies. With no window there is none to name, and `open` gets undefined.
   *
   * One at a time, or two tabs opened at once in a browser without windows would each make their own.
   * @template T
   * @param {(windowId: number | undefined) => Promise<T>} open
   * @returns {Promise<T>}
   */
  withNewTabWindow(open) {
    const result = this.#turn.then(() => this.#inWindow(open));
    this.#turn = result.then(() => undefined, () => undefined);
    return result;
  }

  /**
   * One that closes, as its last tab was closed a moment ago, is still listed, but takes no tab: then it is another's turn.
   * @template T
   * @param {(windowId: number | undefined) => Promise<T>} open
   * @returns {Promise<T>}
   */
  async #inWindow(open) {
    const windowId = await this.#newTabWindow();
    try {
      return await open(windowId);
    } catch (error) {
      if (windowId === undefined || (await this.#isThere(windowId))) throw error;
      return open(await this.#newTabWindow());
    }
  }

  /** @param {number} windowId */
  #isThere(windowId) {
    return this.#api.get(windowId).then(() => true, () => false);
  }

  /**
   * Opens a normal window behind the person's own and answers its only tab.
   * @param {string} url
   * @returns {Promise<chrome.tabs.Tab>}
   */
  async openBehind(url) {
    return this.#firstTab(await this.#api.create({ url, focused: false, type: 'normal' }));
  }

  /**
   * @param {string} url
   * @returns {Promise<chrome.tabs.Tab>}
   */
  async openMinimised(url) {
    return this.#firstTab(await this.#api.create({ url, focused: false, type: 'popup', state: 'minimized' }));
  }

  /**
   * Opens a small window in front of the person's own: they are asked something.
   * @param {string} url
   * @returns {Promise<chrome.tabs.Tab>}
   */
  async openPrompt(url) {
    return this.#firstTab(await this.#api.create({ url, type: 'popup', focused: true, ...PROMPT_SIZE }));
  }

  /**
   * Gives the window a size and answers the one it has then: the screen and the window manager have their say. A
   * maximised or minimised window has no size of its own and becomes a normal one; none is raised.
   * @param {number} windowId
   * @param {{width: number, height: number}} size
   * @returns {Promise<{width: number, height: number}>}
   */
  async resize(windowId, size) {
    const { state } = await this.#api.get(windowId);
    if (state !== 'normal') await this.#api.update(windowId, { state: 'normal', focused: false });
    await this.#api.update(windowId, size).catch(() => {
      throw new CommandError(`The screen is too small for ${size.width} × ${size.height}. Give a smaller size.`);
    });
    const { width = 0, height = 0 } = await this.#api.get(windowId);
    return { width, height };
  }

  /** @param {number} windowId */
  async raise(windowId) {
    await this.#api.update(windowId, { focused: true });
  }

  /** Puts the window behind what is not Chrome. @param {number} windowId */
  async lower(windowId) {
    await this.#api.update(windowId, { focused: false });
  }

  /** @param {number} windowId */
  async isFocused(windowId) {
    return (await this.#api.get(windowId)).focused;
  }

  /** The window that has the focus, if one of Chrome's has. @returns {Promise<number | undefined>} */
  async focused() {
    return (await this.#api.getAll()).find((window) => window.focused)?.id;
  }

  async #newTabWindow() {
    const windows = await this.#api.getAll({ windowTypes: ['normal'] });
    const usable = windows.filter((window) => !window.incognito);
    if (usable.length <= 1) return usable[0]?.id;
    const last = await this.#api.getLastFocused({ windowTypes: ['normal'] });
    return (usable.find((window) => window.id === last.id) ?? usable[0]).id;
  }

  /**
   * @param {chrome.windows.Window | undefined} window
   * @returns {chrome.tabs.Tab}
   */
  #firstTab(window) {
    const tab = window?.tabs?.[0];
    if (!tab) throw new Error('Chrome opened no window.');
    return tab;
  }
}
