/**
 * What becomes of a gesture that reaches a page from outside, by trusted input or by a navigation.
 *
 *   begin    the frames of the tab note what happens from now on, and its requests are counted
 *   presses  it is under way: until the page has taken it, nothing is asked
 *   settle   once everything is quiet: what changed, in a few lines, and where the tab is now
 *
 * Between the two the document may end; then the next one is told of. One gesture at a time per tab: a new one ends
 * the one before.
 */
import { rejectOnAbort } from '../common/aborted.js';
import { FrameGone } from './pages.js';
import { arrival, newsOf } from './page_commands.js';
import { combine, elsewhere, nowhere, placeOf } from './action_words.js';

/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {import('./page_commands.js').RunParts} RunParts */
/** @typedef {import('./action_words.js').Told} Told */

/**
 * `nothing` aborts when a navigation that the gesture began has come to nothing; its reason is where it led. `hasCompany`:
 * whether others could change the page, as far as it is known. `taken`: the page has what was sent by `presses`.
 */
/** @typedef {{frames: Frame[], taken?: Promise<{isCutOff: boolean}>, nothing: AbortSignal, page: import('./activity.js').PageAnswer, uncounted: {began: boolean}, hasCompany: boolean, done: () => void}} Open */

/** A frame whose script is busy notes nothing; the gesture goes ahead. */
const OBSERVE_WITHIN_MS = 300;
const FRAMES_WITHIN_MS = 2_500;
/** On a busy machine, looking at a tab that has just opened takes its time. */
const OPENED_WITHIN_MS = 5_000;
/** Of a page whose requests go on and on. */
const MOST_AGAIN = 3;

export class Actions {
  #parts;
  /** @type {Map<number, Open>} */
  #open = new Map();
  /** Tabs that a tab has opened and of which the gateway is about to be told. @type {Map<number, Set<Promise<void>>>} */
  #opening = new Map();
  /** What Chrome is asked last. @type {Promise<unknown>} */
  #asked = Promise.resolve();
  /** What it will be asked next. @type {Promise<unknown> | undefined} */
  #next;

  /** @param {RunParts & Pick<import('./target_tab.js').Parts, 'company'>} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * A tab has opened another: what became of a gesture there is not answered before `told` is over, or the gateway would
   * hear of the new tab after the answer.
   * @param {number} tabId
   * @param {Promise<void>} told
   */
  opens(tabId, told) {
    const all = this.#opening.get(tabId) ?? new Set();
    this.#opening.set(tabId, all.add(told));
    void told.catch(() => {}).then(() => {
      all.delete(told);
      if (all.size === 0 && this.#opening.get(tabId) === all) this.#opening.delete(tabId);
    });
  }

  /**
   * @param {number} tabId
   * @param {Frame} [asked] one that begins to note by itself, with what it is asked besides
   * @param {boolean} [hovering] the pointer only comes
   */
  async begin(tabId, asked, hovering = false) {
    this.#open.get(tabId)?.done();
    const { activity, navigation, pages } = this.#parts;
    const uncount = activity.begin(tabId);
    const { happened, stop } = navigation.nothing(tabId);
    const nothing = new AbortController();
    void happened.then((url) => nothing.abort(url));
    const page = activity.page(tabId);
    const uncounted = activity.uncounted(tabId);
    const done = () => {
      uncount();
      stop();
      page.stop();
      uncounted.stop();
    };
    const frames = pages.inTab(tabId);
    const open = { frames, nothing: nothing.signal, page, uncounted, hasCompany: true, done };
    this.#open.set(tabId, open);
    // What the frame is asked besides goes before it.
    void Promise.resolve().then(() => this.#look(open));
    const others = frames.filter((frame) => frame !== asked);
    await within(OBSERVE_WITHIN_MS, others.map((frame) => frame.ask('serve', { service: 'observe', params: hovering ? { hovering } : {} })));
  }

  /** @param {Open} open */
  async #look(open) {
    const [page, ...frames] = open.frames;
    if (!page || frames.length > 0) return;
    open.hasCompany = !(await this.#parts.company.isAlone(page).catch(() => false));
  }

  /**
   * @param {number} tabId
   * @param {Promise<{isCutOff: boolean}>} taken once the page has taken it, or the attachment ended by it
   */
  presses(tabId, taken) {
    const open = this.#open.get(tabId);
    if (open) open.taken = taken;
    // Whoever asks what came of it hears how it failed.
    void taken.catch(ignore);
  }

  /** Nothing more comes of it. @param {number} tabId */
  drop(tabId) {
    this.#open.get(tabId)?.done();
    this.#open.delete(tabId);
  }

  /**
   * @param {number} tabId
   * @param {number | undefined} ms the longest wait
   * @param {AbortSignal} signal
   * @returns {Promise<Told & {title: string, url: string, cutOff?: boolean}>}
   */
  async settle(tabId, ms, signal) {
    const open = this.#open.get(tabId);
    // A dialog may hold the page up: whoever gives up then asks once more when it is closed.
    const { isCutOff } = open?.taken ? await Promise.race([open.taken, rejectOnAbort(signal)]) : { isCutOff: false };
    try {
      const told = open ? await this.#told(open, ms, signal) : [];
      const opening = this.#opening.get(tabId);
      if (opening) await within(OPENED_WITHIN_MS, [...opening]);
      const { title = '', url = '' } = (open?.frames[0]?.frameId === 0 && placeOf(told[0])) || (await this.#parts.tabs.get(tabId));
      return { ...combine(told), title, url, ...(isCutOff ? { cutOff: true } : {}) };
    } finally {
      if (this.#open.get(tabId) === open) this.#open.delete(tabId);
      // It takes Chrome a moment to listen no more, which the answer does not wait for.
      if (open) setTimeout(open.done);
    }
  }

  /**
   * @param {Open} open
   * @param {number | undefined} ms
   * @param {AbortSignal} signal
   * @returns {Promise<Told[]>}
   */
  async #told(open, ms, signal) {
    const { frames, nothing, page } = open;
    const limit = AbortSignal.any([signal, AbortSignal.timeout((ms ?? 0) + FRAMES_WITHIN_MS)]);
    return Promise.all(frames.map(async (frame) => {
      // The page itself may be on its way elsewhere, which takes as long as it takes, unless it leads nowhere.
      const until = frame.frameId === 0 ? AbortSignal.any([signal, nothing]) : limit;
      const ask = async () => {
        const params = { ...(ms === undefined ? {} : { ms }), ...(open.hasCompany ? { patient: true } : {}) };
        return /** @type {Told} */ (JSON.parse((await frame.ask('serve', { service: 'settled', params }, until)).json));
      };
      try {
        const { news, ...told } = await this.#lastWord(frame, open, ask);
        return { ...told, ...(news ? { news: [newsOf(frame, news)] } : {}) };
      } catch (thrown) {
        if (frame.frameId === 0 && nothing.aborted && !frame.gone) return nowhere(nothing.reason);
        return this.#gone(frame, page, thrown);
      }
    }));
  }

  /**
   * What a page says at last: not before a request that was told to it, or to us, when it had answered already.
   * @param {Frame} frame
   * @param {Open} open
   * @param {() => Promise<Told>} ask
   */
  async #lastWord(frame, open, ask) {
    let told = await ask();
    for (let times = 0; times < MOST_AGAIN && told.heard !== undefined; times += 1) {
      if (told.early) await this.#look(open);
      else await this.#caughtUp(frame.tabId);
      if (open.uncounted.began) open.hasCompany = true;
      const isTooEarly = told.early && open.hasCompany;
      const isReading = times === 0 && told.rested && this.#parts.activity.pending(frame.tabId, [], told.streams) > 0;
      if (told.heard === frame.toldNetwork && !isReading && !isTooEarly) break;
      const more = await ask();
      // It was too late for it.
      if (more.url === undefined) break;
      told = more;
    }
    return told;
  }

  /**
   * Resolves once Chrome has told whatever happened before now: requests, tabs, navigations. Its answer comes behind them.
   * Frames that ask meanwhile share the next question.
   * @param {number} tabId
   */
  #caughtUp(tabId) {
    this.#next ??= this.#asked.then(() => {
      this.#next = undefined;
      this.#asked = this.#parts.tabs.get(tabId).catch(ignore);
      return this.#asked;
    });
    return this.#next;
  }

  /**
   * @param {Frame} frame
   * @param {import('./activity.js').PageAnswer} page
   * @param {unknown} thrown
   * @returns {Promise<Told>}
   */
  async #gone(frame, page, thrown) {
    const quiet = { lines: [], errors: [], changed: frame.gone, navigated: false };
    if (frame.frameId !== 0) return quiet;
    if (!frame.gone && !(thrown instanceof FrameGone)) throw thrown;
    const { text, isError, news } = await arrival(this.#parts, frame);
    await this.#parts.feed.sync(frame.tabId);
    return { ...elsewhere(text, isError, page.status), ...(news ? { news } : {}) };
  }
}

const ignore = () => undefined;

/**
 * @param {number} ms
 * @param {Promise<unknown>[]} answers
 */
async function within(ms, answers) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const late = new Promise((resolve) => { timer = setTimeout(resolve, ms); });
  await Promise.race([Promise.allSettled(answers), late]);
  clearTimeout(timer);
}
