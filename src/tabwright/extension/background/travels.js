/**
 * One navigation of a tab as a client wants it, from the wish to a page that has settled:
 *
 * 1. the way is taken: an address, one step in the history, a reload;
 * 2. it ends in another document, in the same one, in an error page, in a download, or in nothing at all; or another one
 *    took over; or it has not begun because the page asks the person first; or it is still under way;
 * 3. a page that came is given a moment to load and to settle, and is told of as it is then.
 */
import { checkUrl } from '../common/floor.js';
import { Journey } from './journey.js';
import { ABORTED } from './navigation.js';
import { Restless } from './restless.js';
import { urlOf } from './tabs.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {Pick<Parts, 'tabs' | 'history' | 'navigation' | 'pages' | 'activity' | 'downloads' | 'feed' | 'debugger'>} TravelParts */
/** @typedef {'committed' | 'failed' | 'running' | 'asked' | 'download' | 'empty' | 'superseded'} Outcome */
/** @typedef {{outcome: Outcome, error?: string, download?: number, isOverrun?: boolean}} Ending */
/** What a page says of itself once it has loaded. @typedef {{rested: boolean, heard: string[], streams: number}} Rest */
/** With the tab as it was when its page was at rest. @typedef {{loading: boolean, silent: boolean, tab?: chrome.tabs.Tab}} Settled */
/** @typedef {Settled & {sameDocument: boolean, outcome?: Outcome, error?: string}} Stay */

const COMMIT_WITHIN_MS = 12_000;
/** A navigation that has not begun by then waits for the person: "Leave site?", "Send the form again?". */
const BEGIN_WITHIN_MS = 1_500;
/** Where the debugger tells whoever asked of the question, there is no hurry to guess it. */
const HEARD_WITHIN_MS = 6_000;
const LOAD_WITHIN_MS = 3_000;
const SETTLE_WITHIN_MS = 2_000;
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
/** How often a page that takes over is put out of the way. */
const MOST_TRIES = 3;
/** How long a page that sends the tab on is waited for where that leads. */
const ON_WITHIN_MS = 1_000;
const BLANK = /^about:/;
/** Chrome says of a download that its navigation failed, a moment before it tells of the download. */
const DOWNLOAD_WITHIN_MS = 700;

/** How long the next one waits for a load to be stopped. */
const STOP_WITHIN_MS = 2_000;

export class Travels {
  #parts;
  /** The latest journey of each tab, until it has ended. @type {Map<number, Journey>} */
  #journeys = new Map();
  /** What each journey answers. @type {WeakMap<Journey, Promise<object>>} */
  #told = new WeakMap();
  /** @type {Map<number, Promise<void>>} */
  #stopping = new Map();
  #restless;

  /** @param {TravelParts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#restless = new Restless(parts);
  }

  /**
   * `to`: an address, `back`, `forward` or `reload`; or `leave`, where the page asks whether it may be left. A tab has
   * one journey at a time: a newer one takes over, unless it leads to the same address. When the last who wait for one
   * are gone, its load is stopped.
   * Raises: no such tab, no page in that direction, a denied address.
   * @param {number} tabId
   * @param {string} to
   * @param {AbortSignal} signal
   */
  async go(tabId, to, signal) {
    const { tabs, navigation } = this.#parts;
    const [left] = await Promise.all([navigation.documentId(tabId), tabs.get(tabId), this.#stopping.get(tabId)]);
    const current = this.#journeys.get(tabId);
    const journey = current?.leadsTo(to) ? current : this.#setOut(tabId, to, current, left);
    journey.follow();
    signal.addEventListener('abort', () => { if (journey.leave()) this.#stop(tabId, journey); }, { once: true });
    return this.#told.get(journey);
  }

  /**
   * @param {number} tabId
   * @param {string} to
   * @param {Journey | undefined} before
   * @param {string | null} left
   */
  #setOut(tabId, to, before, left) {
    const journey = new Journey(to, before);
    this.#journeys.set(tabId, journey);
    const told = this.#travel(tabId, journey, left).finally(() => {
      journey.finish();
      if (this.#journeys.get(tabId) === journey) this.#journeys.delete(tabId);
    });
    // Whoever asked may be gone when it fails.
    told.catch(() => undefined);
    this.#told.set(journey, told);
    return journey;
  }

  /**
   * @param {number} tabId
   * @param {Journey} journey
   * @param {string | null} left the document before all this
   */
  async #travel(tabId, journey, left) {
    const { activity } = this.#parts;
    const page = activity.page(tabId, journey);
    // What a page asks for while it loads is not told to it, scripts least of all: we know it ourselves.
    const done = activity.begin(tabId, { quiet: true });
    /** @type {Promise<Ending>} */
    const overtaken = journey.overtaken.then(() => ({ outcome: /** @type {const} */ ('superseded') }));
    try {
      const { isOverrun, ...ending } = await Promise.race([overtaken, this.#end(tabId, journey, left, page)]);
      /** @type {Partial<Stay>} */
      const stay = ending.outcome === 'committed' ? await Promise.race([overtaken, this.#stay(tabId, left, journey.ending.signal)]) : {};
      const { tab = await this.#look(tabId), ...arrived } = stay;
      const answered = page.status === undefined || journey.stage === 'overtaken' ? {} : { status: page.status };
      return { ...ending, ...answered, ...arrived, url: urlOf(tab), title: tab.title ?? '' };
    } finally {
      done();
      page.stop();
    }
  }

  /**
   * @param {number} tabId
   * @param {Journey} journey
   * @param {string | null} leaving
   * @param {import('./activity.js').PageAnswer} page
   * @returns {Promise<Ending>}
   */
  async #end(tabId, journey, leaving, page) {
    const { tabs, history, downloads, navigation } = this.#parts;
    const { to, urls } = journey;
    const download = downloads.expect(tabId, urls);
    const saved = download.begun.then((id) => ({ outcome: /** @type {const} */ ('download'), download: id }));
    /** @type {(url: string | undefined, start: () => Promise<unknown>, from?: string | null) => Promise<Ending>} */
    const travel = (url, start, from = leaving) => {
      if (url !== undefined) urls.add(url);
      return this.#arrive(tabId, journey, { start, leaving: from, saved, page });
    };
    try {
      if (to === 'back' || to === 'forward') return await history.go(tabId, to, travel);
      if (to === 'reload') return await travel(urlOf(await tabs.get(tabId)), () => tabs.reload(tabId));
      if (to === 'leave') return await travel(undefined, () => this.#parts.debugger.send(tabId, 'Page.handleJavaScriptDialog', { accept: true }));
      const url = checkUrl(to);
      const stray = navigation.awaited(tabId);
      if (stray !== undefined) journey.strays(stray);
      const start = async () => {
        try {
          await tabs.go(tabId, url);
        } catch (refused) {
          // Chrome does not begin anew what it is waiting for: this travel goes along.
          if (navigation.awaited(tabId) !== url) throw refused;
          journey.begins(url);
        }
      };
      return await this.#insist(tabId, journey, await travel(url, start), async () =>
        travel(url, start, await navigation.documentId(tabId)));
    } finally {
      download.stop();
    }
  }

  /**
   * Goes again where the page took over, from an empty one.
   * @param {number} tabId
   * @param {Journey} journey
   * @param {Ending} ending
   * @param {() => Promise<Ending>} again
   * @returns {Promise<Ending>}
   */
  async #insist(tabId, journey, ending, again) {
    let last = ending;
    for (let tries = 0; last.isOverrun && tries < MOST_TRIES && journey.stage === 'under way'; tries += 1) {
      // The next one waits for it, as for a load that is stopped.
      const emptied = this.#restless.end(tabId).then(() => true, () => false);
      this.#halt(tabId, emptied);
      if (!(await emptied) || journey.stage !== 'under way') break;
      last = await again();
    }
    return last;
  }

  /**
   * @param {number} tabId
   * @param {Journey} journey
   * @param {{start: () => Promise<unknown>, leaving: string | null, saved: Promise<Ending>, page: import('./activity.js').PageAnswer}} way
   * @returns {Promise<Ending>}
   */
  async #arrive(tabId, journey, { start, leaving, saved, page }) {
    const begins = (/** @type {string} */ other) => {
      journey.begins(other);
      if (journey.stage === 'given up' && this.#journeys.get(tabId) === journey) this.#stop(tabId, journey);
    };
    const arriving = this.#parts.navigation.arrive(tabId, {
      // What fails before this one has begun was another one to the same address.
      expects: (other) => journey.isBegun && journey.urls.has(other),
      isOther: (other, by) => journey.isOther(other, by),
      within: (other) => journey.mayBe(other),
      begins,
      leaving,
      withinMs: COMMIT_WITHIN_MS,
      // Another one may have begun while this one looked around.
    }, async () => { if (journey.stage === 'under way') await start(); });
    const first = await Promise.race([arriving, saved, this.#held(tabId, journey, arriving)]);
    if (first.outcome !== 'failed' || first.error !== ABORTED) return first;
    // Chrome tells that this one is given up before it tells that another has begun.
    const isPage = this.#restless.isPage(tabId, DOWNLOAD_WITHIN_MS);
    // What has not been answered yet is no file.
    const isSure = page.status === undefined ? isPage : after(DOWNLOAD_WITHIN_MS, false);
    return Promise.race([saved, isSure.then(async () => nothing(journey.begun, await isPage))]);
  }

  /**
   * Nobody waits for it any more: the tab stays where it is, unless it has arrived already or another took over.
   * @param {number} tabId
   * @param {Journey} journey
   */
  #stop(tabId, journey) {
    if (this.#journeys.get(tabId) !== journey || this.#parts.navigation.awaited(tabId) === undefined) return;
    this.#journeys.delete(tabId);
    this.#halt(tabId, this.#stopLoading(tabId).catch(() => undefined));
  }

  /**
   * Whoever sets out next waits until the tab stands still.
   * @param {number} tabId
   * @param {Promise<unknown>} stopped
   */
  #halt(tabId, stopped) {
    const stopping = Promise.race([stopped, after(STOP_WITHIN_MS, undefined)]).then(() => {
      if (this.#stopping.get(tabId) === stopping) this.#stopping.delete(tabId);
    });
    this.#stopping.set(tabId, stopping);
  }

  /** @param {number} tabId */
  async #stopLoading(tabId) {
    const { debugger: debug, feed } = this.#parts;
    const wasAttached = await debug.isAttached(tabId);
    await debug.send(tabId, 'Page.stopLoading');
    if (!wasAttached) await debug.detach(tabId);
    await feed.sync(tabId);
  }

  /**
   * Never for one that begins in time. A page may also go elsewhere whenever it is to be left.
   * @param {number} tabId
   * @param {Journey} journey
   * @param {Promise<unknown>} arriving
   * @returns {Promise<Ending>}
   */
  async #held(tabId, journey, arriving) {
    const arrived = arriving.catch(() => undefined);
    const isHeard = await this.#parts.debugger.isAttached(tabId);
    await Promise.race([arrived, after(BEGIN_WITHIN_MS, undefined)]);
    if (isHeard && journey.begun === 0) await Promise.race([arrived, after(HEARD_WITHIN_MS - BEGIN_WITHIN_MS, undefined)]);
    if (journey.begun === 0) return { outcome: 'asked' };
    if (!journey.isBegun) return { outcome: 'superseded', isOverrun: true };
    return new Promise(() => {});
  }

  /**
   * Follows a page that sends the tab on by itself, until one stays.
   * @param {number} tabId
   * @param {string | null} left the document before all this
   * @param {AbortSignal} signal
   * @returns {Promise<Stay>}
   */
  async #stay(tabId, left, signal) {
    const { navigation } = this.#parts;
    for (let hops = 0; ; hops += 1) {
      const { documentId: here, url } = navigation.shown(tabId) ?? (await this.#place(tabId));
      const settled = await this.#settle(tabId, here, url, signal);
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
  async #look(tabId) {
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
   * @returns {Promise<Settled>}
   */
  async #settle(tabId, documentId, url, signal) {
    const { tabs } = this.#parts;
    const loaded = this.#loading(tabId);
    const frame = documentId === null ? undefined : await this.#frame(documentId, url, loaded);
    if (!frame) return { loading: await loaded, silent: false };
    const resting = new AbortController();
    /** @param {string} service @param {AbortSignal} until */
    const ask = (service, until) => frame.ask('serve', { service, params: { arriving: true } }, AbortSignal.any([signal, until]));
    const rests = ask('rests', resting.signal).then(({ json }) => /** @type {Rest} */ (JSON.parse(json)), () => RESTLESS);
    const loading = await loaded;
    const { rested, ...told } = await Promise.race([rests, after(REST_WITHIN_MS, RESTLESS)]);
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
    const tab = await this.#look(tabId);
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
 * @param {boolean} isOverrun whether it was the page's doing
 * @returns {Ending}
 */
const nothing = (begun, isOverrun) => ({ outcome: begun > 1 || isOverrun ? 'superseded' : 'empty', isOverrun });
