/**
 * The requests a tab sends during an action: whoever waits for the action to take effect must wait for them. Owns
 * chrome.webRequest, and listens only while an action is under way, but for sockets, which are rare.
 *
 * Counted is what changes a page when it is answered: fetch and XMLHttpRequest, frames, scripts. Pictures, fonts and
 * beacons are not; that there were some is noted, and which documents opened sockets. Of a navigation it is noted what
 * the server answered.
 */

/** A request under way: its first address, and whether a page's own document asked. @typedef {{url: string, own: boolean}} Request */
/** Requests to one address that have ended. @typedef {{times: number, at: number, own: boolean}} Ended */
/** `ended`: by address. @typedef {{users: number, pending: Map<string, Request>, ended: Map<string, Ended>, stop: () => void}} Watched */

/** What a navigation was answered: the last status. */
/** @typedef {{status: number | undefined, stop: () => void}} PageAnswer */

/** @type {chrome.webRequest.RequestFilter['types']} */
const TYPES = ['xmlhttprequest', 'sub_frame', 'script'];
/** @type {chrome.webRequest.RequestFilter['types']} */
const OTHERS = ['stylesheet', 'image', 'font', 'media', 'object', 'other'];
/** A page on a busy machine hears of a request, and reads its answer, so much later than we do. */
const HEARD_WITHIN_MS = 200;

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
   * Counts until the function it returns is called; the frames of the tab hear of every change.
   * @param {number} tabId
   * @returns {() => void}
   */
  begin(tabId) {
    const watched = this.#tabs.get(tabId) ?? this.#listen(tabId);
    watched.users += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      watched.users -= 1;
      if (watched.users > 0) return;
      watched.stop();
      this.#tabs.delete(tabId);
      this.#tell(tabId, 0);
    };
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
    if (!watched) return 0;
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
    const { onHeadersReceived } = this.#api;
    /** @type {PageAnswer} */
    const answer = { status: undefined, stop: () => onHeadersReceived.removeListener(noted) };
    /** Whether a request began with an address of this journey: it is so wherever it is redirected. @type {Map<string, boolean>} */
    const own = new Map();
    const noted = (/** @type {{requestId: string, url: string, statusCode: number}} */ { requestId, url, statusCode }) => {
      const isOwn = own.get(requestId) ?? !journey?.isOther(url);
      own.set(requestId, isOwn);
      if (isOwn) {
        answer.status = statusCode;
        journey?.urls.add(url);
      } else journey?.strays(url);
      return undefined;
    };
    onHeadersReceived.addListener(noted, { urls: ['<all_urls>'], tabId, types: ['main_frame'] });
    return answer;
  }

  /** @param {number} tabId @returns {Watched} */
  #listen(tabId) {
    const filter = { urls: ['<all_urls>'], tabId, types: TYPES };
    /** @type {Watched} */
    const watched = { users: 0, pending: new Map(), ended: new Map(), stop: () => {} };
    const { pending } = watched;
    const begun = (/** @type {{requestId: string, url: string, frameId: number}} */ { requestId, url, frameId }) => {
      // One that is redirected begins again; the page knows it by its first address.
      if (!pending.has(requestId)) pending.set(requestId, { url, own: frameId === 0 });
      this.#tell(tabId, pending.size);
    };
    const ended = (/** @type {{requestId: string}} */ { requestId }) => {
      const request = pending.get(requestId);
      if (!request) return;
      pending.delete(requestId);
      const before = watched.ended.get(request.url);
      const own = request.own && (before?.own ?? true);
      watched.ended.set(request.url, { times: (before?.times ?? 0) + 1, at: performance.now(), own });
      this.#tell(tabId, pending.size);
    };
    const { onBeforeRequest, onCompleted, onErrorOccurred } = this.#api;
    // The first of them could block requests and so may answer; ours only looks.
    const looked = (/** @type {{requestId: string, url: string, frameId: number}} */ details) => void begun(details);
    onBeforeRequest.addListener(looked, filter);
    onCompleted.addListener(ended, filter);
    onErrorOccurred.addListener(ended, filter);
    watched.stop = () => {
      onBeforeRequest.removeListener(looked);
      onCompleted.removeListener(ended);
      onErrorOccurred.removeListener(ended);
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
