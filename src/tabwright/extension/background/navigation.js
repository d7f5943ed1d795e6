/**
 * Which document a tab shows, and when the next one is there. Owns chrome.webNavigation.
 *
 * A navigation ends in one of: committed (also within the same document), failed (Chrome shows its own error page), or
 * still running when the caller's patience ends.
 */

/**
 * `isOverrun`: another navigation, which began later, is under way and will take the place of this one.
 * @typedef {{outcome: 'committed', isOverrun?: boolean} | {outcome: 'running'} | {outcome: 'failed', error: string}} Arrival
 */
/** @typedef {(url: string) => boolean} Expects */
/**
 * What Chrome says of who moved the tab: the page itself, somebody within its history, or whoever gave an address.
 * @typedef {'page' | 'history' | 'address'} Mover
 */
/** @typedef {(url: string, by?: Mover) => boolean} IsOther */
/** @typedef {{documentId: string, url: string}} Shown */

/**
 * Whose navigation an event tells of. `expects`: an address of this one; `isOther`: one of another, earlier or the page's;
 * `within`: a move within the page that may be meant; `begins` is told of every navigation that begins.
 * @typedef {{expects?: Expects, isOther?: IsOther, within?: Expects, begins?: (url: string) => void}} Whose
 */
/** @typedef {Whose & {leaving?: string | null, settle: (arrival: Arrival) => void}} Waiter */

/** Nothing came of it: a download, an answer without content, another navigation. */
export const ABORTED = 'net::ERR_ABORTED';
/** How Chrome writes the id of a document that never came. */
const NO_DOCUMENT = /^0*$/;

/**
 * @param {{transitionType: string, transitionQualifiers: string[]}} details what Chrome tells of a commit
 * @returns {Mover}
 */
export function moverOf({ transitionType, transitionQualifiers: also }) {
  if (transitionType === 'reload' || also.includes('client_redirect')) return 'page';
  return also.includes('forward_back') ? 'history' : 'address';
}

export class Navigation {
  #api;
  /** @type {Map<number, Set<Waiter>>} */
  #waiters = new Map();
  /** How the latest navigation of a tab ended, for callers that ask after the fact. @type {Map<number, Arrival>} */
  #arrived = new Map();
  /** Navigations of a tab that have begun and not ended. @type {Map<number, number>} */
  #pending = new Map();
  /** Where a tab is on its way to. @type {Map<number, string>} */
  #awaited = new Map();
  /** The documents that Chrome told of last. @type {Map<number, Shown>} */
  #shown = new Map();
  /** @type {Map<number, Set<(url: string) => void>>} */
  #nothings = new Map();
  /** @type {Map<number, Set<(move: Mover | 'begun') => void>>} */
  #watchers = new Map();

  /** @param {Pick<typeof chrome.webNavigation, 'getFrame' | 'getAllFrames'>} api */
  constructor(api) {
    this.#api = api;
  }

  /**
   * Chrome's own id of the document in a frame, the tab's main one by default. It survives worker stops and extension
   * reloads.
   * @param {number} tabId
   * @param {number} [frameId]
   * @returns {Promise<string | null>}
   */
  async documentId(tabId, frameId = 0) {
    const frame = await this.#api.getFrame({ tabId, frameId }).catch(() => null);
    return frame?.documentId ?? null;
  }

  /** Ids of the documents in all frames of a tab. @param {number} tabId @returns {Promise<string[]>} */
  async documentIds(tabId) {
    return (await this.frames(tabId)).flatMap(({ documentId }) => documentId ?? []);
  }

  /** The frames of a tab, each with its parent. @param {number} tabId */
  async frames(tabId) {
    return (await this.#api.getAllFrames({ tabId }).catch(() => null)) ?? [];
  }

  /**
   * The document of a tab's main frame as Chrome's last event told it; undefined where none did, or one failed since.
   * Right after a commit it saves the question.
   * @param {number} tabId
   */
  shown(tabId) {
    return this.#shown.get(tabId);
  }

  /**
   * Runs `start` and waits for the navigation it causes. `leaving`: the document that is there now, where it is known.
   * @param {number} tabId
   * @param {Whose & {url?: string, withinMs: number, leaving?: string | null}} expected
   * @param {() => Promise<unknown>} start
   * @returns {Promise<Arrival>}
   */
  async arrive(tabId, { url, withinMs, ...whose }, start) {
    const leaving = whose.leaving === undefined ? await this.documentId(tabId) : whose.leaving;
    const about = { expects: (/** @type {string} */ other) => other === url, ...whose, leaving };
    const { promise, cancel } = this.#wait(tabId, about, withinMs);
    try {
      await start();
      return await promise;
    } finally {
      cancel();
    }
  }

  /**
   * The first navigation of a tab just made, which may already be over.
   * @param {number} tabId
   * @param {number} withinMs
   * @returns {Promise<Arrival>}
   */
  firstArrival(tabId, withinMs) {
    const arrived = this.#arrived.get(tabId);
    return arrived ? Promise.resolve(arrived) : this.#wait(tabId, {}, withinMs).promise;
  }

  /**
   * Waits, within bounds, for where the tab is on its way to; not at all if it is not.
   * @param {number} tabId
   * @param {number} withinMs
   * @returns {Promise<Arrival | undefined>}
   */
  async next(tabId, withinMs) {
    return this.#awaited.has(tabId) ? this.#wait(tabId, { expects: () => true }, withinMs).promise : undefined;
  }

  /**
   * Resolves when a navigation of the tab comes to nothing, and no other is under way: it became a download, or the
   * server had nothing to show. The page stays, though it had been about to be left for the address it resolves to.
   * @param {number} tabId
   * @returns {{happened: Promise<string>, stop: () => void}}
   */
  nothing(tabId) {
    /** @type {(url: string) => void} */
    let resolve = () => {};
    /** @type {Promise<string>} */
    const happened = new Promise((done) => { resolve = done; });
    return { happened, stop: listen(this.#nothings, tabId, resolve) };
  }

  /**
   * Tells of every navigation of the tab that begins or brings a document, until what it returns is called.
   * @param {number} tabId
   * @param {(move: Mover | 'begun') => void} heard
   * @returns {() => void}
   */
  watch(tabId, heard) {
    return listen(this.#watchers, tabId, heard);
  }

  /** How the latest navigation of a tab failed, if it did. @param {number} tabId @returns {string | undefined} */
  failure(tabId) {
    const arrived = this.#arrived.get(tabId);
    return arrived?.outcome === 'failed' ? arrived.error : undefined;
  }

  /**
   * A navigation has begun: whatever asks the person beforehand has been answered.
   * @param {number} tabId
   * @param {string} url
   */
  started(tabId, url) {
    this.#awaited.set(tabId, url);
    this.#pending.set(tabId, (this.#pending.get(tabId) ?? 0) + 1);
    for (const { begins } of this.#waiters.get(tabId) ?? []) begins?.(url);
    this.#tell(tabId, 'begun');
  }

  /** The address of the last one that has begun and not ended. @param {number} tabId @returns {string | undefined} */
  awaited(tabId) {
    return this.#awaited.get(tabId);
  }

  /**
   * Another document is there. One that began later may be under way still, and one that somebody waits for.
   * @param {number} tabId
   * @param {string} url
   * @param {string} [documentId]
   * @param {Mover} [by]
   */
  committed(tabId, url, documentId, by = 'address') {
    this.#shows(tabId, url, documentId);
    const awaited = this.#awaited.get(tabId) ?? url;
    const waiters = [...(this.#waiters.get(tabId) ?? [])];
    const isAnothers = awaited !== url && waiters.some(({ isOther }) => isOther?.(url, by));
    const isOverrun = awaited !== url && !isAnothers && waiters.some(({ isOther }) => isOther?.(awaited));
    if (isAnothers || isOverrun) this.#pending.set(tabId, 1);
    else {
      this.#awaited.delete(tabId);
      this.#pending.delete(tabId);
    }
    const arrival = { outcome: /** @type {const} */ ('committed'), ...(isOverrun ? { isOverrun } : {}) };
    this.#settle(tabId, arrival, ({ isOther }) => !isOther?.(url, by));
    this.#tell(tabId, by);
  }

  /**
   * The same document has another address. A page that is on its way meanwhile is still awaited.
   * @param {number} tabId
   * @param {string} url
   * @param {string} [documentId]
   */
  movedWithin(tabId, url, documentId) {
    this.#shows(tabId, url, documentId);
    this.#settle(tabId, { outcome: 'committed' }, ({ within, isOther }) => (within?.(url) ?? true) && !isOther?.(url));
  }

  /**
   * A new navigation also makes others fail: the one under way, which is news only to whoever asked for that very URL,
   * and the rest of the loading of the document being left, which is news to nobody.
   * @param {number} tabId
   * @param {{url: string, error: string, documentId?: string}} failure
   */
  failed(tabId, { url, error, documentId }) {
    this.#shown.delete(tabId);
    if (NO_DOCUMENT.test(documentId ?? '')) this.#ended(tabId, url, error);
    if (this.#awaited.get(tabId) === url) this.#awaited.delete(tabId);
    this.#settle(tabId, { outcome: 'failed', error }, (waiter) =>
      documentId !== waiter.leaving && (error !== ABORTED || (waiter.expects?.(url) ?? false)));
  }

  /** @param {number} tabId */
  removed(tabId) {
    this.#settle(tabId, { outcome: 'failed', error: 'the tab was closed' }, () => true);
    this.#arrived.delete(tabId);
    this.#shown.delete(tabId);
    this.#pending.delete(tabId);
    this.#awaited.delete(tabId);
  }

  /**
   * @param {number} tabId
   * @param {string} url
   * @param {string | undefined} documentId
   */
  #shows(tabId, url, documentId) {
    if (documentId) this.#shown.set(tabId, { documentId, url });
    else this.#shown.delete(tabId);
  }

  /**
   * @param {number} tabId
   * @param {Whose & {leaving?: string | null}} about
   * @param {number} withinMs
   */
  #wait(tabId, about, withinMs) {
    /** @type {(arrival: Arrival) => void} */
    let settle = () => {};
    /** @type {Promise<Arrival>} */
    const promise = new Promise((resolve) => { settle = resolve; });
    const waiter = { ...about, settle };
    const waiters = this.#waiters.get(tabId) ?? new Set();
    this.#waiters.set(tabId, waiters.add(waiter));
    const timer = setTimeout(() => settle({ outcome: 'running' }), withinMs);
    const cancel = () => {
      clearTimeout(timer);
      waiters.delete(waiter);
      if (waiters.size === 0 && this.#waiters.get(tabId) === waiters) this.#waiters.delete(tabId);
    };
    void promise.then(cancel);
    return { promise, cancel };
  }

  /**
   * A navigation ended that led to no document.
   * @param {number} tabId
   * @param {string} url
   * @param {string} error
   */
  #ended(tabId, url, error) {
    const left = Math.max(0, (this.#pending.get(tabId) ?? 0) - 1);
    this.#pending.set(tabId, left);
    if (left > 0 || error !== ABORTED) return;
    for (const tell of this.#nothings.get(tabId) ?? []) tell(url);
  }

  /**
   * @param {number} tabId
   * @param {Mover | 'begun'} move
   */
  #tell(tabId, move) {
    for (const heard of this.#watchers.get(tabId) ?? []) heard(move);
  }

  /**
   * @param {number} tabId
   * @param {Arrival} arrival
   * @param {(waiter: Waiter) => boolean} concerns
   */
  #settle(tabId, arrival, concerns) {
    this.#arrived.set(tabId, arrival);
    for (const waiter of this.#waiters.get(tabId) ?? []) if (concerns(waiter)) waiter.settle(arrival);
  }
}

/**
 * Adds a listener for a tab; what takes it away again.
 * @template Listener
 * @param {Map<number, Set<Listener>>} all
 * @param {number} tabId
 * @param {Listener} listener
 * @returns {() => void}
 */
function listen(all, tabId, listener) {
  const listeners = all.get(tabId) ?? new Set();
  all.set(tabId, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && all.get(tabId) === listeners) all.delete(tabId);
  };
}
