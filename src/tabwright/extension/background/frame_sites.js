/**
 * Whose content a tab's frames show while something lasts: of the frames that are there, and of documents that come
 * meanwhile. The gateway decides by it whether a picture shows what it may not, without asking the page where all its
 * frames are. What they showed before counts too: in a view transition a page goes on drawing frames that it has taken
 * away, and the page after it does.
 */

/**
 * `there`: shown when it began; `came`: arrived before it was over; `past`: all that frames of this page and of the one
 * before it have shown, as far as the worker was there; null where these were too many.
 * @typedef {{there: string[], came: string[], past: string[] | null}} FrameSites
 */

/** How many sites are remembered of one page. */
const MOST_PAST = 200;

export class FrameWatch {
  #navigation;
  #pages;
  /** @type {Map<number, Set<Set<string>>>} */
  #lookouts = new Map();
  /** By tab: of the page that it shows, and of the one before. @type {Map<number, [Set<string>, Set<string>]>} */
  #past = new Map();

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
    const [shown, before] = this.#past.get(tabId) ?? [new Set(), new Set()];
    if (frameId === 0) {
      this.#past.set(tabId, [new Set(), shown]);
      return;
    }
    this.#past.set(tabId, [shown, before]);
    if (shown.size <= MOST_PAST) shown.add(siteOf(url));
    for (const came of this.#lookouts.get(tabId) ?? []) came.add(siteOf(url));
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.#past.delete(tabId);
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
      return { done, sites: { there, came: [...came], past: this.#shownBefore(tabId) } };
    } finally {
      lookouts.delete(came);
      if (lookouts.size === 0 && this.#lookouts.get(tabId) === lookouts) this.#lookouts.delete(tabId);
    }
  }

  /** @param {number} tabId */
  #shownBefore(tabId) {
    const pages = this.#past.get(tabId) ?? [];
    return pages.some(({ size }) => size > MOST_PAST) ? null : [...new Set(pages.flatMap((sites) => [...sites]))];
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
