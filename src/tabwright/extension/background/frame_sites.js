/**
 * Whose content a tab's frames show while something lasts: of the frames that are there, and of documents that come
 * meanwhile. The gateway decides by it whether a picture shows what it may not, without asking the page where all its
 * frames are.
 */

/** `there`: shown when it began; `came`: arrived before it was over. @typedef {{there: string[], came: string[]}} FrameSites */

export class FrameWatch {
  #navigation;
  #pages;
  /** @type {Map<number, Set<Set<string>>>} */
  #lookouts = new Map();

  /**
   * @param {Pick<import('./navigation.js').Navigation, 'frames'>} navigation
   * @param {Pick<import('./pages.js').Pages, 'inTab'>} pages
   */
  constructor(navigation, pages) {
    this.#navigation = navigation;
    this.#pages = pages;
  }

  /** Chrome shows another document somewhere. @param {{tabId: number, frameId: number, url: string}} details */
  committed({ tabId, frameId, url }) {
    if (frameId === 0) return;
    for (const came of this.#lookouts.get(tabId) ?? []) came.add(siteOf(url));
  }

  /**
   * @template T
   * @param {number} tabId
   * @param {() => Promise<T>} work
   * @returns {Promise<{done: T, sites: FrameSites}>}
   */
  async during(tabId, work) {
    /** @type {Set<string>} */
    const came = new Set();
    const lookouts = this.#lookouts.get(tabId) ?? new Set();
    this.#lookouts.set(tabId, lookouts.add(came));
    try {
      const [done, there] = await Promise.all([work(), this.#there(tabId)]);
      return { done, sites: { there, came: [...came] } };
    } finally {
      lookouts.delete(came);
      if (lookouts.size === 0 && this.#lookouts.get(tabId) === lookouts) this.#lookouts.delete(tabId);
    }
  }

  /** By their addresses, and by the origins of those with an agent: an empty page may be anybody's. @param {number} tabId */
  async #there(tabId) {
    const origins = this.#pages.inTab(tabId).filter(({ frameId }) => frameId !== 0).map(({ origin }) => origin);
    const frames = (await this.#navigation.frames(tabId)).filter(({ frameId }) => frameId !== 0);
    return [...new Set([...origins, ...frames.map(({ url }) => siteOf(url))])];
  }
}

/** Where content is from, also where the page gave it no origin of its own (a sandbox). @param {string} url */
export const siteOf = (url) => (URL.canParse(url) ? new URL(url).origin : 'null');
