/**
 * Files the browser saves. Owns chrome.downloads.
 *
 * Every download is told when it begins, when its place on the disk is known, and when it ends. Chrome does not say
 * which tab it came from; where a navigation of ours became a download, its addresses do.
 */

/** @typedef {import('../common/protocol').DownloadInfo} DownloadInfo */
/** @typedef {{urls: Set<string>, resolve: (id: number) => void, tabId: number}} Expected */

export class Downloads {
  /** @type {(download: DownloadInfo) => void} */
  onNews = () => {};
  #api;
  /** @type {Set<Expected>} */
  #expected = new Set();
  /** @type {Map<number, number>} */
  #tabs = new Map();

  /** @param {Pick<typeof chrome.downloads, 'search' | 'pause' | 'resume' | 'cancel' | 'removeFile'>} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * The first download that begins at one of these addresses from now on. The set may still grow.
   * @param {number} tabId
   * @param {Set<string>} urls
   * @returns {{begun: Promise<number>, stop: () => void}}
   */
  expect(tabId, urls) {
    /** @type {(id: number) => void} */
    let resolve = () => {};
    /** @type {Promise<number>} */
    const begun = new Promise((done) => { resolve = done; });
    const expected = { urls, resolve, tabId };
    this.#expected.add(expected);
    return { begun, stop: () => this.#expected.delete(expected) };
  }

  /** @param {chrome.downloads.DownloadItem} item */
  created(item) {
    const expected = [...this.#expected].find(({ urls }) => urls.has(item.url) || urls.has(item.finalUrl));
    if (expected) {
      this.#tabs.set(item.id, expected.tabId);
      expected.resolve(item.id);
    }
    this.onNews(this.#info(item));
  }

  /** @param {chrome.downloads.DownloadDelta} delta */
  async changed({ id, filename, state, error }) {
    if (!filename && !state && !error) return;
    const [item] = await this.#api.search({ id });
    if (item) this.onNews(this.#info(item));
    if (item?.state !== 'in_progress') this.#tabs.delete(id);
  }

  /** Stop it where it is, until somebody says what becomes of it; one that is complete stays as it is. @param {number} id */
  async hold(id) {
    await this.#api.pause(id).catch(() => {});
  }

  /** Go on with one that was held. @param {number} id */
  async keep(id) {
    await this.#api.resume(id).catch(() => {});
  }

  /** It must not be: what is there of the file already is taken away. @param {number} id */
  async drop(id) {
    await this.#api.cancel(id);
    const [item] = await this.#api.search({ id });
    if (item?.state === 'complete' && item.exists) await this.#api.removeFile(id);
  }

  /** @param {chrome.downloads.DownloadItem} item @returns {DownloadInfo} */
  #info({ id, url, referrer, filename, state, bytesReceived, totalBytes, error }) {
    const tabId = this.#tabs.get(id);
    return {
      id, url, referrer, filename, state,
      bytes: bytesReceived,
      total: totalBytes,
      ...(error ? { error } : {}),
      ...(tabId === undefined ? {} : { tabId }),
    };
  }
}
