/**
 * The end of a navigation: the page that came is given a moment to load and to settle, and is followed where it sends the
 * tab on by itself.
 */
import { after } from '../common/after.js';
import { ABORTED } from './navigation.js';
import { urlOf } from './tabs.js';

/** @typedef {Pick<import('./target_tab.js').Parts, 'tabs' | 'navigation' | 'pages' | 'activity' | 'feed'>} StayParts */
/** What a page says of itself once it has loaded. @typedef {{rested: boolean, heard: string[], streams: number}} Rest */
/** With the tab as it was when its page was at rest. @typedef {{loading: boolean, silent: boolean, tab?: chrome.tabs.Tab}} Settled */
/** @typedef {Settled & {sameDocument: boolean, outcome?: 'failed', error?: string}} Stay */

const LOAD_WITHIN_MS = 3_000;
const SETTLE_WITHIN_MS = 2_500;
/** A page that does not answer for so long is held up, by a script or a dialog. */
const ANSWER_WITHIN_MS = 1_000;
const PORT_WITHIN_MS = 300;
/** How long a page that has loaded may take to say that it is at rest. */
const REST_WITHIN_MS = 120;
/** How soon a tab that loads is looked at although it tells of nothing, as it may be gone; then less and less often. */
const LOOK_MS = 100;
/** @type {Rest} */
const RESTLESS = { rested: false, heard: [], streams: 0 };
const MOST_HOPS = 3;
/** How long a page that sends the tab on is waited for where that leads. */
const ON_WITHIN_MS = 1_000;
const BLANK = /^about:/;

export class Stays {
  #parts;

  /** @param {StayParts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * Follows a page that sends the tab on by itself, until one stays.
   * @param {number} tabId
   * @param {string | null} left the document before all this
   * @param {AbortSignal} signal
   * @returns {Promise<Stay>}
   */
  async stay(tabId, left, signal) {
    const { navigation } = this.#parts;
    for (let hops = 0; ; hops += 1) {
      const { documentId: here, url } = navigation.shown(tabId) ?? (await this.#place(tabId));
      const settled = await this.#settle(tabId, here, url, signal, here !== left);
      const next = await navigation.next(tabId, ON_WITHIN_MS);
      if (settled.tab || here === (await navigation.documentId(tabId)) || hops === MOST_HOPS) {
        const error = navigation.failure(tabId);
        // The error page may not be there yet when its failure is told.
        const failed = (hops > 0 || next?.outcome === 'failed') && error !== undefined && error !== ABORTED;
        return { ...settled, sameDocument: here === left, ...(failed ? { outcome: 'failed', error } : {}) };
      }
    }
  }

  /** @param {number} tabId */
  async #place(tabId) {
    const { tabs, navigation } = this.#parts;
    const [documentId, tab] = await Promise.all([navigation.documentId(tabId), tabs.get(tabId)]);
    return { documentId, url: urlOf(tab) };
  }

  /** The tab as it is now, of which the gateway is told too. @param {number} tabId */
  async look(tabId) {
    const [tab] = await Promise.all([this.#parts.tabs.get(tabId), this.#parts.feed.sync(tabId)]);
    return tab;
  }

  /**
   * Waits for the page, within bounds; whether it is still loading then, and whether it did not say a word. Most are at
   * rest once they have loaded and say so themselves, and are told of as they are then; whatever is not is watched until
   * it settles.
   * @param {number} tabId
   * @param {string | null} documentId
   * @param {string} url
   * @param {AbortSignal} signal
   * @param {boolean} isNew what a page said of itself as it came does not hold for later
   * @returns {Promise<Settled>}
   */
  async #settle(tabId, documentId, url, signal, isNew) {
    const { tabs, activity } = this.#parts;
    const loaded = this.#loading(tabId);
    const frame = documentId === null ? undefined : await this.#frame(documentId, url, loaded);
    if (!frame) return { loading: await loaded, silent: false };
    const resting = new AbortController();
    /** @param {string} service @param {AbortSignal} until */
    const ask = (service, until) => frame.ask('serve', { service, params: { arriving: true } }, AbortSignal.any([signal, until]));
    const rests = ask('rests', resting.signal).then(({ json }) => /** @type {Rest} */ (JSON.parse(json)), () => RESTLESS);
    const still = isNew && !activity.sendsOn(tabId) ? frame.still.then((heard) => ({ rested: true, heard, streams: 0 })) : rests;
    const loading = await loaded;
    const { rested, ...told } = await Promise.race([still, rests, after(REST_WITHIN_MS, RESTLESS)]);
    resting.abort();
    const tab = rested && !loading ? await this.#atRest(tabId, frame, told) : undefined;
    if (tab) return { loading, silent: false, tab };
    const { silent, waits } = await this.#watched(tabId, frame, ask);
    return { loading: waits || (loading && (await tabs.isLoading(tabId))), silent };
  }

  /**
   * Waits until a page settles that is not at rest: whether it said no word, and whether it still waits for something. From
   * here on it must know what it waits for.
   * @param {number} tabId
   * @param {import('./pages.js').Frame} frame
   * @param {(service: string, until: AbortSignal) => Promise<{json: string}>} ask
   */
  async #watched(tabId, frame, ask) {
    const done = this.#parts.activity.begin(tabId);
    try {
      // A page that is gone again is no silent one.
      const answers = await ask('observe', AbortSignal.timeout(ANSWER_WITHIN_MS)).then(() => true, () => frame.gone);
      const settled = answers ? ask('settled', AbortSignal.timeout(SETTLE_WITHIN_MS)) : Promise.resolve({ json: '{}' });
      return { silent: !answers, waits: await settled.then(({ json }) => JSON.parse(json).waits === true, () => false) };
    } finally {
      done();
    }
  }

  /**
   * The tab, if its page stays at rest, as it said it is. What it had asked for or where it goes on to may be told us a
   * moment later than its word, but not later than Chrome's answer to a question put after it.
   * @param {number} tabId
   * @param {import('./pages.js').Frame} frame
   * @param {Omit<Rest, 'rested'>} told what was answered before the page came to rest, and how much never ends
   */
  async #atRest(tabId, frame, { heard, streams }) {
    const { activity, navigation } = this.#parts;
    const isStaying = () => activity.pending(tabId, heard, streams) === 0 && navigation.awaited(tabId) === undefined && !frame.gone;
    if (!isStaying()) return undefined;
    const tab = await this.look(tabId);
    return isStaying() ? tab : undefined;
  }

  /**
   * The page's own frame, whose port may come as late as a moment after the page has loaded, or never.
   * @param {string} documentId
   * @param {string} url
   * @param {Promise<boolean>} loaded
   */
  async #frame(documentId, url, loaded) {
    const { pages } = this.#parts;
    // Blank pages never open a port.
    if (BLANK.test(url)) return undefined;
    const late = loaded.then(() => after(PORT_WITHIN_MS, undefined));
    return Promise.race([pages.arrival(documentId, LOAD_WITHIN_MS + PORT_WITHIN_MS), late]);
  }

  /** @param {number} tabId */
  async #loading(tabId) {
    const { tabs } = this.#parts;
    const until = Date.now() + LOAD_WITHIN_MS;
    const { loaded, stop } = tabs.loads(tabId);
    try {
      for (let wait = LOOK_MS; Date.now() < until; wait *= 2) {
        if (!(await tabs.isLoading(tabId))) return false;
        const most = Math.min(wait, until - Date.now());
        if (await Promise.race([loaded.then(() => true), after(most, false)])) return false;
      }
      return true;
    } finally {
      stop();
    }
  }
}
