/**
 * Who else could change a page, as far as the page itself cannot see it: workers, sockets, other windows of its origin.
 * Where nobody could, a page that is at rest after a gesture says so sooner.
 */

/** @typedef {import('./pages.js').Frame} Frame */

export class Company {
  #pages;
  #activity;
  #debugger;

  /**
   * @param {Pick<import('./pages.js').Pages, 'all'>} pages
   * @param {Pick<import('./activity.js').Activity, 'hasSocket'>} activity
   * @param {Pick<import('./debugger.js').Debugger, 'workers'>} debug
   */
  constructor(pages, activity, debug) {
    this.#pages = pages;
    this.#activity = activity;
    this.#debugger = debug;
  }

  /**
   * Chrome is asked now; what it told of requests, tabs and navigations before is known when this resolves.
   * @param {Frame} frame
   */
  async isAlone(frame) {
    const workers = await this.#debugger.workers();
    const { documentId, origin } = frame;
    // Of a worker of one page alone Chrome does not say whose it is.
    return !workers.some((url) => url === '' || originOf(url) === origin)
      && !this.#activity.hasSocket(documentId)
      && !this.#pages.all().some((other) => other !== frame && other.origin === origin);
  }
}

/** @param {string} url */
const originOf = (url) => (URL.canParse(url) ? new URL(url).origin : '');
