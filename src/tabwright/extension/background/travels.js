/**
 * One navigation of a tab as a client wants it, from the wish to a page that has settled:
 *
 * 1. the way is taken: an address, one step in the history, a reload;
 * 2. it ends in another document, in the same one, in an error page, in a download, or in nothing at all; or another one
 *    took over; or it has not begun because the page asks the person first; or it is still under way;
 * 3. a page that came is given a moment to load and to settle, and is told of as it is then.
 */
import { after } from '../common/after.js';
import { pageBusy } from '../common/errors.js';
import { checkUrl } from '../common/floor.js';
import { isDetached } from './debugger.js';
import { Journey } from './journey.js';
import { ABORTED } from './navigation.js';
import { Restless } from './restless.js';
import { Stays } from './stays.js';
import { urlOf } from './tabs.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {Pick<Parts, 'tabs' | 'history' | 'navigation' | 'pages' | 'activity' | 'downloads' | 'feed' | 'debugger'>} TravelParts */
/** @typedef {'committed' | 'failed' | 'running' | 'asked' | 'download' | 'empty' | 'superseded'} Outcome */
/** @typedef {{outcome: Outcome, error?: string, download?: number, isOverrun?: boolean}} Ending */

const COMMIT_WITHIN_MS = 12_000;
/** A navigation that has not begun by then waits for the person: "Leave site?", "Send the form again?". */
const BEGIN_WITHIN_MS = 1_500;
/** Where the debugger tells whoever asked of the question, there is no hurry to guess it. */
const HEARD_WITHIN_MS = 6_000;
/** A page that is to be left and does not answer for so long is held up by a script. */
const HEAR_MS = 1_500;
/** How often a page that takes over is put out of the way. */
const MOST_TRIES = 3;
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
  #stays;

  /** @param {TravelParts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.#restless = new Restless(parts);
    this.#stays = new Stays(parts);
  }

  /**
   * `to`: an address, `back`, `forward` or `reload`; or `leave`, where the page asks whether it may be left. A tab has
   * one journey at a time: a newer one takes over, unless it leads to the same address. When the last who wait for one
   * are gone, its load is stopped. It `asks` the page that is left whether it lives: one that a script keeps busy for ever
   * could not be ended any more once its tab is on its way.
   * Raises: no such tab, no page in that direction, a denied address, a page that does not answer.
   * @param {number} tabId
   * @param {string} to
   * @param {AbortSignal} signal
   * @param {'debugger' | 'page'} [asks]
   */
  async go(tabId, to, signal, asks) {
    const { tabs, navigation } = this.#parts;
    const answers = asks ? this.#answers(tabId, asks) : true;
    const here = navigation.shown(tabId)?.documentId ?? navigation.documentId(tabId);
    const [left, isAlive] = await Promise.all([here, answers, tabs.get(tabId), this.#stopping.get(tabId)]);
    if (!isAlive) throw pageBusy(tabId);
    signal.throwIfAborted();
    const current = this.#journeys.get(tabId);
    const journey = current?.leadsTo(to) ? current : this.#setOut(tabId, to, current, left);
    journey.follow();
    signal.addEventListener('abort', () => { if (journey.leave()) this.#stop(tabId, journey); }, { once: true });
    return this.#told.get(journey);
  }

  /**
   * Whether no script keeps the page from being left; that it cannot be asked is no reason to stay.
   * @param {number} tabId
   * @param {'debugger' | 'page'} by
   */
  async #answers(tabId, by) {
    const { debugger: debug, pages } = this.#parts;
    const signal = AbortSignal.timeout(HEAR_MS);
    const heard = by === 'debugger'
      ? debug.send(tabId, 'Page.enable', {}, undefined, false).catch((thrown) => { if (isDetached(thrown)) throw thrown; })
      : Promise.allSettled(pages.inTab(tabId).map((frame) => frame.ask('serve', { service: 'ping', params: {} }, signal)));
    return Promise.race([heard.then(() => !signal.aborted), after(HEAR_MS, false)]);
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
    const overtaken = journey.overtaken.then(() => ({ outcome: /** @type {const} */ ('superseded') }));
    try {
      /** @type {Ending} */
      const { isOverrun, ...ending } = await Promise.race([overtaken, this.#end(tabId, journey, left, page)]);
      /** @type {Partial<Omit<import('./stays.js').Stay, 'outcome'>> & {outcome?: Outcome}} */
      const stay = ending.outcome === 'committed' ? await Promise.race([overtaken, this.#stays.stay(tabId, left, journey.ending.signal)]) : {};
      const { tab = await this.#stays.look(tabId), ...arrived } = stay;
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
}

/**
 * What became of a navigation that led to no page.
 * @param {number} begun how many the tab has begun since, with that one
 * @param {boolean} isOverrun whether it was the page's doing
 * @returns {Ending}
 */
const nothing = (begun, isOverrun) => ({ outcome: begun > 1 || isOverrun ? 'superseded' : 'empty', isOverrun });
