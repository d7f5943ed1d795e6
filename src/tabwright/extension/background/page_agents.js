/**
 * Finds the page agent of a tab or document, also where its port is still on its way or was never opened, and knows
 * the pages where there can be none.
 */
import { messageOf, needsDebugger, staleTarget, unreachablePage } from '../common/errors.js';
import { BLANK } from './bare_port.js';
import { urlOf } from './tabs.js';

/** @typedef {import('./pages.js').Frame} Frame */

/** Pages of Chrome itself and of extensions; the Web Store is known by Chrome's refusal. */
const CLOSED = /^(?!https?:|file:|about:|data:|blob:|$)/;
/** Pages without content of their own, where Chrome puts no content scripts. */
const EMPTY_PAGE = /^(about:|data:|blob:|$)/;
/** Refusals that mean: not this document, or not now. */
const EMPTY = /error page|was removed|was closed|no tab|no frame/i;
/** Enough for the scripts to be put into a page older than the extension, on a busy machine. */
const PORT_WITHIN_MS = 2_000;
const RETURN_WITHIN_MS = 1_000;
/** After a start of the worker ports come back one by one; some frames never have one. */
const YOUNG_MS = 2_000;
const OTHERS_WITHIN_MS = 250;

export class PageAgents {
  #pages;
  #relays;
  #tabs;
  #navigation;
  #bare;
  #age;

  /**
   * @param {import('./pages.js').Pages} pages
   * @param {Pick<import('./relays.js').Relays, 'reach'>} relays
   * @param {Pick<import('./tabs.js').Tabs, 'get'>} tabs
   * @param {Pick<import('./navigation.js').Navigation, 'documentId' | 'documentIds'>} navigation
   * @param {Pick<import('./bare_worlds.js').BareWorlds, 'reach'>} bare
   * @param {() => number} [age] of the worker, in ms
   */
  constructor(pages, relays, tabs, navigation, bare, age = () => performance.now()) {
    this.#pages = pages;
    this.#relays = relays;
    this.#tabs = tabs;
    this.#navigation = navigation;
    this.#bare = bare;
    this.#age = age;
  }

  /**
   * The tab's document and the frames in it that can be asked, the main one first; none where the page has no agent.
   * `needsDebugger`: it would have one if the debugger were attached. Raises: unreachable_page, no such tab.
   * @param {number} tabId
   * @returns {Promise<{documentId: string | null, frames: Frame[], needsDebugger?: boolean}>}
   */
  async inTab(tabId) {
    const tab = await this.#tabs.get(tabId);
    const documentId = await this.#navigation.documentId(tabId);
    // A discarded tab would have to be loaded again first: that is not ours to decide.
    if (documentId === null || tab.discarded) return { documentId, frames: [] };
    if (this.#pages.find(tabId, 0)?.documentId !== documentId) await this.#await(tabId, documentId, urlOf(tab));
    const needsDebugger = urlOf(tab) === BLANK && this.#pages.find(tabId, 0)?.documentId !== documentId;
    if (this.#age() < YOUNG_MS) await this.#awaitAll(tabId);
    return { documentId, frames: this.#pages.inTab(tabId), needsDebugger };
  }

  /**
   * Raises: stale_target if the frame shows another document by now; unreachable_page, needs_debugger; no such tab.
   * @param {number} tabId
   * @param {number} frameId
   * @param {string} documentId
   * @returns {Promise<Frame>}
   */
  async of(tabId, frameId, documentId) {
    const frame = this.#pages.find(tabId, frameId);
    if (frame?.documentId === documentId) return frame;
    const tab = await this.#tabs.get(tabId);
    if ((await this.#navigation.documentId(tabId, frameId)) !== documentId) {
      throw staleTarget('The page has changed since its tools were listed. List them again.');
    }
    if (frameId === 0 && urlOf(tab) === BLANK) return this.#bareFrame(tabId, documentId);
    // Chrome has the document but we have no port: the worker was just started.
    const back = await this.#pages.arrival(documentId, RETURN_WITHIN_MS);
    if (!back) throw unreachablePage(urlOf(tab));
    return back;
  }

  /** @param {number} tabId @param {string} documentId */
  async #bareFrame(tabId, documentId) {
    await this.#reachBare(tabId, documentId);
    const frame = this.#pages.find(tabId, 0);
    if (frame?.documentId !== documentId) throw needsDebugger();
    return frame;
  }

  /** @param {number} tabId @param {string} documentId */
  async #reachBare(tabId, documentId) {
    try {
      await this.#bare.reach(tabId, documentId);
    } catch (error) {
      // It was left, or the debugger let go: nobody is there to ask.
      console.warn('tabwright: no agent on an empty page', messageOf(error));
    }
  }

  /** @param {number} tabId */
  async #awaitAll(tabId) {
    const documentIds = await this.#navigation.documentIds(tabId);
    await Promise.all(documentIds.map((documentId) => this.#pages.arrival(documentId, OTHERS_WITHIN_MS)));
  }

  /**
   * @param {number} tabId
   * @param {string} documentId
   * @param {string} url
   */
  async #await(tabId, documentId, url) {
    if (CLOSED.test(url)) throw unreachablePage(url);
    if (url === BLANK) return this.#reachBare(tabId, documentId);
    if (EMPTY_PAGE.test(url)) return;
    // Content scripts come with the document; only a page older than the extension needs to be reached.
    const arrival = this.#pages.arrival(documentId, PORT_WITHIN_MS);
    const refusal = this.#relays.reach(tabId).then(() => arrival, (error) => {
      if (!EMPTY.test(messageOf(error))) throw unreachablePage(url);
    });
    await Promise.race([arrival, refusal]);
  }
}
