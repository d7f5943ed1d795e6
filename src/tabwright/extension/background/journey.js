/**
 * One navigation of a tab that somebody waits for, and who else does:
 *
 *   under way    whoever wants the same address meanwhile goes along
 *   overtaken    another one of the tab took over, once; everybody who waits for this one is told so
 *   given up     nobody waits for it any more
 *   over         it has been told how it ended
 */

/** @typedef {'under way' | 'overtaken' | 'given up' | 'over'} Stage */

/** The page asks whether it may be left, and it may. */
const LEAVE = 'leave';
/** What names no address: each time it is another page. */
const WAYS = new Set(['back', 'forward', 'reload', LEAVE]);

export class Journey {
  /** @type {Stage} */
  stage = 'under way';
  /** Every address on the way, as far as known. @type {Set<string>} */
  urls = new Set();
  /** How many navigations of the tab have begun since it was asked for, with its own. */
  begun = 0;
  /** Whether its own has, as far as its address tells. */
  isBegun = false;
  /** @type {Promise<'overtaken'>} */
  overtaken;
  /** Aborts as soon as its end interests nobody. */
  ending = new AbortController();
  to;
  /** The one it took over from, whose last events may still come. @type {Journey | undefined} */
  #before;
  /** Where the page sends the tab meanwhile. @type {Set<string>} */
  #strays = new Set();
  #followers = 0;
  /** @type {() => void} */
  #overtake = () => {};

  /**
   * @param {string} to
   * @param {Journey | undefined} before the one it takes over from
   */
  constructor(to, before) {
    this.to = to;
    // Leaving a page goes on with what was held up.
    this.#before = to === LEAVE ? undefined : before;
    this.overtaken = new Promise((resolve) => { this.#overtake = () => resolve('overtaken'); });
    before?.overtake();
  }

  /** Whether a wish for that address is met by this one. @param {string} to */
  leadsTo(to) {
    return this.stage === 'under way' && this.to === to && !WAYS.has(to);
  }

  /**
   * Whether an address belongs to another navigation: of a journey before, or of the page itself. Where a way leads that
   * names no address is anybody's guess.
   * @param {string} url
   * @param {import('./navigation.js').Mover} [by] who moved the tab, where it has arrived
   */
  isOther(url, by = 'address') {
    if (this.urls.has(url)) return false;
    return this.#strays.has(url) || (by !== 'address' && !WAYS.has(this.to)) || (this.#before?.knows(url) ?? false);
  }

  /** The page sends the tab there, or did before this one. @param {string} url */
  strays(url) {
    if (!WAYS.has(this.to)) this.#strays.add(url);
  }

  /** @param {string} url @returns {boolean} */
  knows(url) {
    return this.urls.has(url) || (this.#before?.knows(url) ?? false);
  }

  /** Whether a move within the page may be what it is for. @param {string} url */
  mayBe(url) {
    return this.urls.size === 0 || this.urls.has(url);
  }

  /** A navigation of the tab has begun. Only where it leads was unknown, its address says it. @param {string} url */
  begins(url) {
    if (!this.urls.has(url) && this.#before?.knows(url)) return;
    this.begun += 1;
    if (this.urls.size === 0) this.urls.add(url);
    if (this.urls.has(url) || WAYS.has(this.to)) this.isBegun = true;
    else this.strays(url);
  }

  overtake() {
    if (this.stage !== 'under way') return;
    this.#end('overtaken');
    this.#overtake();
  }

  /** It has been told how it ended. */
  finish() {
    this.#before = undefined;
    if (this.stage === 'under way') this.#end('over');
  }

  follow() {
    this.#followers += 1;
  }

  /** One who waited has gone; whether that was the last. @returns {boolean} */
  leave() {
    this.#followers -= 1;
    if (this.#followers > 0 || this.stage !== 'under way') return false;
    this.#end('given up');
    return true;
  }

  /** @param {Stage} stage */
  #end(stage) {
    this.stage = stage;
    this.ending.abort();
  }
}
