/**
 * One navigation of a tab as a client wants it, from the wish to a page that has settled:
 *
 * 1. the way is taken: an address, one step in the history, a reload;
 * 2. it ends in another document, in the same one, in an error page, in a download, or in nothing at all; or another one
 *    took over; or it has not begun because the page asks the person first; or it is still under way;
 * 3. a page that came is given a moment to load and to settle, and is told of as it is then.
 */
import { checkUrl } from '../shared/floor.js';
import { ABORTED } from './navigation.js';
import { urlOf } from './tabs.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {Pick<Parts, 'tabs' | 'history' | 'navigation' | 'pages' | 'activity' | 'downloads' | 'feed'>} TravelParts */
/** @typedef {'committed' | 'failed' | 'running' | 'asked' | 'download' | 'empty' | 'superseded'} Outcome */
/** @typedef {{outcome: Outcome, error?: string, download?: number}} Ending */
/** @typedef {{status: number | undefined, urls: Set<string>}} PageAnswer */

const COMMIT_WITHIN_MS = 12_000;
/** A navigation that has not begun by then waits for the person: "Leave site?", "Send the form again?". */
const BEGIN_WITHIN_MS = 1_500;
const LOAD_WITHIN_MS = 3_000;
const SETTLE_WITHIN_MS = 2_000;
/** A page that does not answer for so long is held up, by a script or a dialog. */
const ANSWER_WITHIN_MS = 1_000;
const PORT_WITHIN_MS = 300;
const POLL_MS = 20;
const MOST_HOPS = 3;
const BLANK = /^about:/;
/** Chrome says of a download that its navigation failed, a moment before it tells of the download. */
const DOWNLOAD_WITHIN_MS = 700;

export class Travels {
  #parts;
  /** How many travels of each tab there have been. @type {Map<number, number>} */
  #numbers = new Map();

  /** @param {TravelParts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * `to`: an address, `back`, `forward` or `reload`. Raises: no such tab, no page in that direction, a denied address.
   * @param {number} tabId
   * @param {string} to
   * @param {AbortSignal} signal
   */
  async go(tabId, to, signal) {
    const { tabs, navigation, activity } = this.#parts;
    await tabs.get(tabId);
    const left = await navigation.documentId(tabId);
    const page = activity.page(tabId);
    const done = activity.begin(tabId);
    const number = (this.#numbers.get(tabId) ?? 0) + 1;
    this.#numbers.set(tabId, number);
    try {
      const ended = await this.#end(tabId, to, page);
      // Of two at a time only one page comes, and Chrome does not always tell that the other one was given up.
      const isLost = this.#numbers.get(tabId) !== number && !page.urls.has(urlOf(await tabs.get(tabId)));
      const ending = isLost && ended.outcome === 'committed' ? { outcome: /** @type {const} */ ('superseded') } : ended;
      const arrived = ending.outcome === 'committed' ? await this.#stay(tabId, left, signal) : {};
      await this.#parts.feed.sync(tabId);
      const tab = await tabs.get(tabId);
      const answered = page.status === undefined ? {} : { status: page.status };
      return { ...ending, ...answered, ...arrived, url: urlOf(tab), title: tab.title ?? '' };
    } finally {
      done();
      page.stop();
    }
  }

  /**
   * @param {number} tabId
   * @param {string} to
   * @param {PageAnswer} page
   * @returns {Promise<Ending>}
   */
  async #end(tabId, to, page) {
    const { tabs, history, downloads, navigation } = this.#parts;
    const download = downloads.expect(tabId, page.urls);
    let before = navigation.begun(tabId);
    const begun = () => navigation.begun(tabId) - before;
    /** @type {(url: string | undefined, start: () => Promise<unknown>) => Promise<Ending>} */
    const travel = async (url, start) => {
      if (url !== undefined) page.urls.add(url);
      const arriving = navigation.arrive(
        // What fails before this one has begun was another one to the same address.
        tabId, { expects: (other) => begun() > 0 && page.urls.has(other), withinMs: COMMIT_WITHIN_MS }, start,
      );
      const saved = download.begun.then((id) => ({ outcome: /** @type {const} */ ('download'), download: id }));
      const first = await Promise.race([arriving, saved, this.#held(begun, arriving)]);
      if (first.outcome !== 'failed' || first.error !== ABORTED) return first;
      // Chrome tells that this one is given up before it tells that another has begun.
      return Promise.race([saved, after(DOWNLOAD_WITHIN_MS, undefined).then(() => nothing(begun()))]);
    };
    try {
      if (to === 'back' || to === 'forward') return await history.go(tabId, to, travel);
      if (to === 'reload') return await travel(urlOf(await tabs.get(tabId)), () => tabs.reload(tabId));
      const url = checkUrl(to);
      return await travel(url, async () => {
        try {
          await tabs.go(tabId, url);
        } catch (refused) {
          // Chrome does not begin anew what it is waiting for: this travel goes along.
          if (navigation.awaited(tabId) !== url) throw refused;
          before -= 1;
        }
      });
    } finally {
      download.stop();
    }
  }

  /**
   * Never for one that begins in time.
   * @param {() => number} begun
   * @param {Promise<unknown>} arriving
   * @returns {Promise<{outcome: 'asked'}>}
   */
  async #held(begun, arriving) {
    await Promise.race([arriving.catch(() => undefined), after(BEGIN_WITHIN_MS, undefined)]);
    if (begun() === 0) return { outcome: 'asked' };
    return new Promise(() => {});
  }

  /**
   * Follows a page that sends the tab on by itself, until one stays.
   * @param {number} tabId
   * @param {string | null} left the document before all this
   * @param {AbortSignal} signal
   */
  async #stay(tabId, left, signal) {
    const { navigation } = this.#parts;
    for (let hops = 0; ; hops += 1) {
      const here = await navigation.documentId(tabId);
      const settled = await this.#settle(tabId, here, signal);
      if (here === (await navigation.documentId(tabId)) || hops === MOST_HOPS) {
        const error = navigation.failure(tabId);
        const failed = hops > 0 && error !== undefined && error !== ABORTED;
        return { ...settled, sameDocument: here === left, ...(failed ? { outcome: 'failed', error } : {}) };
      }
    }
  }

  /**
   * Waits for the page, within bounds; whether it is still loading then, and whether it did not say a word.
   * @param {number} tabId
   * @param {string | null} documentId
   * @param {AbortSignal} signal
   */
  async #settle(tabId, documentId, signal) {
    const { tabs, pages } = this.#parts;
    const loading = await this.#loading(tabId);
    // Blank pages never open a port.
    const blank = BLANK.test(urlOf(await tabs.get(tabId)));
    const frame = documentId === null || blank ? null : await pages.arrival(documentId, PORT_WITHIN_MS);
    if (!frame) return { loading, silent: false };
    /** @param {string} service @param {number} ms */
    const ask = (service, ms) =>
      frame.ask('serve', { service, params: {} }, AbortSignal.any([signal, AbortSignal.timeout(ms)]));
    // A page that is gone again is no silent one.
    const heard = await ask('observe', ANSWER_WITHIN_MS).then(() => true, () => frame.gone);
    if (heard) await ask('settled', SETTLE_WITHIN_MS).catch(() => undefined);
    return { loading: loading && (await tabs.peek(tabId))?.status === 'loading', silent: !heard };
  }

  /** @param {number} tabId */
  async #loading(tabId) {
    const until = Date.now() + LOAD_WITHIN_MS;
    while (Date.now() < until) {
      if ((await this.#parts.tabs.peek(tabId))?.status !== 'loading') return false;
      await after(POLL_MS, undefined);
    }
    return true;
  }
}

/**
 * @template T
 * @param {number} ms
 * @param {T} value
 * @returns {Promise<T>}
 */
const after = (ms, value) => new Promise((resolve) => setTimeout(() => resolve(value), ms));

/**
 * What became of a navigation that led to no page.
 * @param {number} begun how many the tab has begun since, with that one
 * @returns {{outcome: 'superseded' | 'empty'}}
 */
const nothing = (begun) => ({ outcome: begun > 1 ? 'superseded' : 'empty' });
