/**
 * The requests a tab sends during an action: whoever waits for the action to take effect must wait for them. Owns
 * chrome.webRequest, and listens only while an action is under way and a little longer, but for sockets, which are rare.
 * Each time somebody begins to listen or ends it, Chrome has all pages drop the files they keep at their next navigation.
 *
 * Counted is what changes a page when it is answered: fetch and XMLHttpRequest, frames, scripts. Pictures, fonts and
 * beacons are not; that there were some is noted, and which documents opened sockets. Of a navigation it is noted what
 * the server answered.
 */

/** A request under way: its first address, and whether a page's own document asked. @typedef {{url: string, own: boolean}} Request */
/** Requests to one address that have ended. @typedef {{times: number, at: number, own: boolean}} Ended */
/** Told of each answer to the tab's own navigation. @typedef {(answer: {requestId: string, url: string, statusCode: number}) => void} Hears */
/**
 * `users`: actions under way, of which `tellers` want the frames to be told; `ended`: by address; `resting`: until listening ends.
 * @typedef {{users: number, tellers: number, pending: Map<string, Request>, ended: Map<string, Ended>, answers: Set<Hears>, sendsOn: boolean, resting?: ReturnType<typeof setTimeout>, stop: () => void}} Watched
 */

/** What a navigation was answered: the last status. */
/** @typedef {{status: number | undefined, stop: () => void}} PageAnswer */

/** @type {chrome.webRequest.RequestFilter['types']} */
const TYPES = ['xmlhttprequest', 'sub_frame', 'script'];
/** @type {chrome.webRequest.RequestFilter['types']} */
const OTHERS = ['stylesheet', 'image', 'font', 'media', 'object', 'other'];
/** A page on a busy machine hears of a request, and reads its answer, so much later than we do. */
const HEARD_WITHIN_MS = 200;
/** How long after an action the next one finds somebody who listens already. */
const LINGER_MS = 20_000;

export class Activity {
  /** @type {Map<number, Watched>} */
  #tabs = new Map();
  /** Documents that opened one. @type {Set<string>} */
  #sockets = new Set();
  #api;
  #pages;

  /**
   * @param {Pick<typeof chrome.webRequest, 'onBeforeRequest' | 'onCompleted' | 'onErrorOccurred' | 'onHeadersReceived'>} api
   * @param {Pick<import('./pages.js').Pages, 'inTab'>} pages
   */
  constructor(api, pages) {
    this.#api = api;
    this.#pages = pages;
  }

  /** Notes from now on which documents open sockets. */
  follow() {
    const opened = (/** @type {{documentId?: string}} */ { documentId = '' }) => void this.#sockets.add(documentId);
    this.#api.onBeforeRequest.addListener(opened, { urls: ['<all_urls>'], types: ['websocket'] });
  }

  /** Whether a document has opened a socket, which it may have closed since. @param {string} documentId */
  hasSocket(documentId) {
    return this.#sockets.has(documentId);
  }

  /** The document is gone. @param {string} documentId */
  forget(documentId) {
    this.#sockets.delete(documentId);
  }

  /**
   * Counts until the function it returns is called; the frames of the tab hear of every change, unless it is `quiet`.
   * @param {number} tabId
   * @param {{quiet?: boolean}} [how]
   * @returns {() => void}
   */
  begin(tabId, { quiet = false } = {}) {
    const watched = this.#watch(tabId);
    // What began before is none of this one's.
    if (watched.users === 0) for (const requests of [watched.pending, watched.ended]) requests.clear();
    watched.users += 1;
    watched.tellers += quiet ? 0 : 1;
    if (!quiet && watched.tellers === 1 && watched.pending.size > 0) this.#tell(tabId, watched.pending.size);
    return once(() => {
      watched.users -= 1;
      watched.tellers -= quiet ? 0 : 1;
      if (!quiet && watched.tellers === 0) this.#tell(tabId, 0);
      this.#rest(tabId, watched);
    });
  }

  /**
   * How many the page may have to wait for, of those that began since it is counted: what is under way, and what ended
   * so lately that it may not have been told, unless the page says that it heard the answer.
   * @param {number} tabId
   * @param {string[]} [heard] the address of each answer that the page's own document knows of
   * @param {number} [streams] how many requests are no longer waited for, though they never end
   */
  pending(tabId, heard = [], streams = 0) {
    const watched = this.#tabs.get(tabId);
    if (!watched || watched.users === 0) return 0;
    const since = performance.now() - HEARD_WITHIN_MS;
    const lately = [...watched.ended].filter(([, { at }]) => at > since);
    const isUnheard = lately.some(([url, { times, own }]) => !own || times > heard.filter((other) => other === url).length);
    return Math.max(0, watched.pending.size - streams) + (isUnheard ? 1 : 0);
  }

  /**
   * Whether the tab asks for anything that is not counted, until it is stopped.
   * @param {number} tabId
   * @returns {{began: boolean, stop: () => void}}
   */
  uncounted(tabId) {
    const { onBeforeRequest } = this.#api;
    // It could block requests and so may answer; ours only looks.
    const begun = () => void (noted.began = true);
    const noted = { began: false, stop: () => onBeforeRequest.removeListener(begun) };
    onBeforeRequest.addListener(begun, { urls: ['<all_urls>'], tabId, types: OTHERS });
    return noted;
  }

  /**
   * What servers answer to the tab's own navigation, until it is stopped; its addresses are added to the journey's, if
   * it is one. A page from the back/forward cache asks none.
   * @param {number} tabId
   * @param {Pick<import('./journey.js').Journey, 'urls' | 'isOther' | 'strays'>} [journey]
   * @returns {PageAnswer}
   */
  page(tabId, journey) {
    const watched = this.#watch(tabId);
    const stop = once(() => {
      watched.answers.delete(noted);
      this.#rest(tabId, watched);
    });
    /** @type {PageAnswer} */
    const answer = { status: undefined, stop };
    /** Whether a request began with an address of this journey: it is so wherever it is redirected. @type {Map<string, boolean>} */
    const own = new Map();
    /** @type {Hears} */
    const noted = ({ requestId, url, statusCode }) => {
      const isOwn = own.get(requestId) ?? !journey?.isOther(url);
      own.set(requestId, isOwn);
      if (isOwn) {
        answer.status = statusCode;
        journey?.urls.add(url);
      } else journey?.strays(url);
    };
    watched.answers.add(noted);
    return answer;
  }

  /** Whether the server told the tab with its page to go on to another. @param {number} tabId */
  sendsOn(tabId) {
    return this.#tabs.get(tabId)?.sendsOn === true;
  }

  /** Listens to a tab, or goes on to. @param {number} tabId @returns {Watched} */
  #watch(tabId) {
    const watched = this.#tabs.get(tabId) ?? this.#listen(tabId);
    clearTimeout(watched.resting);
    return watched;
  }

  /**
   * Ends the listening a while after the last who needed it.
   * @param {number} tabId
   * @param {Watched} watched
   */
  #rest(tabId, watched) {
    if (watched.users > 0 || watched.answers.size > 0) return;
    clearTimeout(watched.resting);
    watched.resting = setTimeout(() => {
      watched.stop();
      this.#tabs.delete(tabId);
    }, LINGER_MS);
  }

  /** @param {number} tabId @returns {Watched} */
  #listen(tabId) {
    const filter = { urls: ['<all_urls>'], tabId, types: TYPES };
    /** @type {Watched} */
    const watched = { users: 0, tellers: 0, pending: new Map(), ended: new Map(), answers: new Set(), sendsOn: false, stop: () => {} };
    const { pending } = watched;
    const tell = () => { if (watched.tellers > 0) this.#tell(tabId, pending.size); };
    const begun = (/** @type {{requestId: string, url: string, frameId: number}} */ { requestId, url, frameId }) => {
      if (watched.users === 0) return;
      // One that is redirected begins again; the page knows it by its first address.
      if (!pending.has(requestId)) pending.set(requestId, { url, own: frameId === 0 });
      tell();
    };
    const ended = (/** @type {{requestId: string}} */ { requestId }) => {
      const request = pending.get(requestId);
      if (!request) return;
      pending.delete(requestId);
      const before = watched.ended.get(request.url);
      const own = request.own && (before?.own ?? true);
      watched.ended.set(request.url, { times: (before?.times ?? 0) + 1, at: performance.now(), own });
      tell();
    };
    const answered = (/** @type {Parameters<Hears>[0] & {responseHeaders?: {name: string}[]}} */ details) => {
      watched.sendsOn = details.responseHeaders?.some(({ name }) => name.toLowerCase() === 'refresh') === true;
      for (const hears of watched.answers) hears(details);
      return undefined;
    };
    const { onBeforeRequest, onCompleted, onErrorOccurred, onHeadersReceived } = this.#api;
    // The first of them could block requests and so may answer; ours only looks.
    const looked = (/** @type {{requestId: string, url: string, frameId: number}} */ details) => void begun(details);
    onBeforeRequest.addListener(looked, filter);
    onCompleted.addListener(ended, filter);
    onErrorOccurred.addListener(ended, filter);
    onHeadersReceived.addListener(answered, { ...filter, types: ['main_frame'] }, ['responseHeaders']);
    watched.stop = () => {
      onBeforeRequest.removeListener(looked);
      onCompleted.removeListener(ended);
      onErrorOccurred.removeListener(ended);
      onHeadersReceived.removeListener(answered);
    };
    this.#tabs.set(tabId, watched);
    return watched;
  }

  /**
   * @param {number} tabId
   * @param {number} count
   */
  #tell(tabId, count) {
    for (const frame of this.#pages.inTab(tabId)) frame.tellNetwork(count);
  }
}

/** What does it the first time only. @param {() => void} end */
function once(end) {
  let isOver = false;
  return () => {
    if (!isOver) {
      isOver = true;
      end();
    }
  };
}
