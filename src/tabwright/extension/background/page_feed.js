/**
 * Tells the gateway what pages offer: tabMessage, frameGone, toolsChanged. A server that knows only the tabs protocol
 * hears toolsChanged alone, with the tools of all kinds merged.
 *
 * Nothing of a document is told before the gateway knows that its tab shows it, and for each tab things are told in
 * the order in which they happened. toolsChanged says how a watched tab differs from what was last told of it, first
 * in the answer that began the watch.
 */
import { Coalescer } from '../common/coalescer.js';
import { registration } from './pages.js';

/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {import('../common/protocol').HubMessage} HubMessage */
/** @typedef {import('../common/protocol').HubProgress} HubProgress */
/** @typedef {import('../common/protocol').HubQuestion} HubQuestion */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */
/** @typedef {import('../common/protocol').PageTool} PageTool */

const WINDOW_MS = 100;
/** After a start of the worker the frames of a tab come back one by one; a list of some of them is no news. */
const RETURN_WITHIN_MS = 200;
const UNKNOWN = 'unknown';
/** A page registers as often and as much as it likes; so much of it crosses the link, the rest of a window as it ends. */
const REGISTRATIONS = { windowMs: 1_000, atOnce: 8 };
/** Far above what the gateway lists of a frame. */
const MOST_TOOLS = 256;

export class PageFeed {
  /** What a watched tab offers, in the words of the server. @type {(tabId: number) => PageTool[]} */
  toolsOf = () => [];
  #live = false;
  #foreign = false;
  /** The tools last told of each watched tab, as JSON. @type {Map<number, string>} */
  #told = new Map();
  /** @type {Map<number, Promise<void>>} */
  #turns = new Map();
  #coalescer = new Coalescer((tabId) => void this.#lookAt(tabId), WINDOW_MS);
  /** What each frame said last of its tools; each message tells all of them. @type {WeakMap<Frame, HubMessage>} */
  #latest = new WeakMap();
  /** @type {Coalescer<Frame>} */
  #registering = new Coalescer((frame) => this.#register(frame), REGISTRATIONS.windowMs, REGISTRATIONS.atOnce);
  #pages;
  #watches;
  #tabFeed;
  #send;
  #isShared;

  /**
   * @param {Pick<import('./pages.js').Pages, 'all' | 'find'>} pages
   * @param {Pick<import('./watches.js').Watches, 'isWatched'>} watches
   * @param {Pick<import('./tab_feed.js').TabFeed, 'sync' | 'knows' | 'shows'>} tabFeed
   * @param {(message: Outgoing) => void} send
   * @param {boolean} [isShared] several gateways hear what is told
   */
  constructor(pages, watches, tabFeed, send, isShared = false) {
    this.#pages = pages;
    this.#watches = watches;
    this.#tabFeed = tabFeed;
    this.#send = send;
    this.#isShared = isShared;
  }

  /** Whether the other side knows the tabs protocol only. */
  get isForeign() {
    return this.#foreign;
  }

  /**
   * `connected` was just sent: what frames have registered follows, and what watched tabs offer.
   * @param {'tabwright' | 'tabs'} dialect
   * @param {number[]} watched
   */
  restart(dialect, watched) {
    this.#live = true;
    this.#foreign = dialect === 'tabs';
    this.#told.clear();
    this.#registering.clear();
    setTimeout(() => {
      for (const tabId of watched) {
        if (!this.#told.has(tabId)) this.#told.set(tabId, UNKNOWN);
        this.changed(tabId);
      }
    }, RETURN_WITHIN_MS);
    for (const frame of this.#pages.all()) {
      if (frame.registered.length > 0) this.registered(frame, registration(frame, 'browser/registerTools'));
    }
  }

  stop() {
    this.#live = false;
    this.#coalescer.clear();
    this.#registering.clear();
  }

  /**
   * @param {Frame} frame
   * @param {HubMessage} message
   */
  registered(frame, message) {
    if (this.#foreign) return this.changed(frame.tabId);
    this.#latest.set(frame, message);
    if (this.#live) this.#registering.touch(frame);
  }

  /**
   * The page asks the person: the server's business, and refused at once where it has no ear for that.
   * @param {Frame} frame
   * @param {HubQuestion} question
   */
  asked(frame, question) {
    if (this.#foreign || !this.#live) return void frame.ask('hub', { message: refusal(question) }).catch(() => {});
    this.#inTurn(frame, () => this.#tell(frame, question));
  }

  /** How far a call of the page's tool is. @param {Frame} frame @param {HubProgress} told */
  progressed(frame, told) {
    if (!this.#foreign) this.#inTurn(frame, () => this.#tell(frame, told));
  }

  /** @param {Frame} frame */
  gone(frame) {
    const { tabId, frameId, documentId } = frame;
    this.#registering.forget(frame);
    if (frame.introspected?.length || (this.#foreign && frame.registered.length > 0)) this.#empty(frame);
    // A frame that never registered anything is unknown to the gateway.
    if (this.#foreign || !frame.hasRegistered) return;
    this.#inTurn(frame, () => this.#send({ type: 'frameGone', tabId, frameId, documentId }));
  }

  /** The tools of a watched tab may have changed. @param {number} tabId */
  changed(tabId) {
    if (this.#live) this.#coalescer.touch(tabId);
  }

  /**
   * The gateway was just given the tools of a tab in an answer. Where several share what is told, the others have not
   * seen that answer.
   * @param {number} tabId
   * @param {PageTool[]} tools
   */
  told(tabId, tools) {
    const json = JSON.stringify(tools);
    const before = this.#told.get(tabId);
    this.#told.set(tabId, json);
    const isNews = before !== undefined && before !== UNKNOWN && before !== json;
    if (this.#isShared && isNews && this.#live) this.#send({ type: 'toolsChanged', tabId, tools });
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.#coalescer.forget(tabId);
    this.#told.delete(tabId);
  }

  /**
   * The next document is most often on its way: its tools are told at once, the absence of any only after a moment.
   * @param {Frame} frame
   */
  #empty({ tabId }) {
    setTimeout(() => this.changed(tabId), WINDOW_MS);
  }

  /** @param {Frame} frame */
  #register(frame) {
    const message = this.#latest.get(frame);
    if (message) this.#inTurn(frame, () => this.#tell(frame, shortened(message)));
  }

  /** @param {Frame} frame @param {HubMessage | HubQuestion | HubProgress} message */
  #tell({ address, gone, path }, message) {
    if (!gone) this.#send({ type: 'tabMessage', ...address, ...(path === undefined ? {} : { path }), message });
  }

  /** @param {number} tabId */
  async #lookAt(tabId) {
    if (!(await this.#watches.isWatched(tabId))) return;
    const tools = this.toolsOf(tabId);
    const json = JSON.stringify(tools);
    const told = this.#told.get(tabId);
    const main = this.#pages.find(tabId, 0);
    if (!this.#live || told === undefined || told === json || (told === UNKNOWN && !main?.introspected)) return;
    this.#told.set(tabId, json);
    if (main) this.#inTurn(main, () => this.#send({ type: 'toolsChanged', tabId, tools }));
    else this.#send({ type: 'toolsChanged', tabId, tools });
  }

  /**
   * @param {Frame} frame
   * @param {() => void} tell
   */
  #inTurn(frame, tell) {
    if (!this.#live) return;
    const { tabId } = frame;
    const before = this.#turns.get(tabId);
    if (!before && this.#isKnown(frame)) return tell();
    const turn = (before ?? Promise.resolve())
      .then(() => (this.#isKnown(frame) ? undefined : this.#tabFeed.sync(tabId)))
      .then(() => { if (this.#live) tell(); });
    this.#turns.set(tabId, turn);
    void turn.then(() => { if (this.#turns.get(tabId) === turn) this.#turns.delete(tabId); });
  }

  /** @param {Frame} frame */
  #isKnown({ tabId, frameId, documentId, gone }) {
    return gone || (frameId === 0 ? this.#tabFeed.shows(tabId, documentId) : this.#tabFeed.knows(tabId));
  }
}

/** @param {HubMessage} message @returns {HubMessage} */
const shortened = (message) => ({ ...message, params: { ...message.params, tools: message.params.tools.slice(0, MOST_TOOLS) } });

/** @param {HubQuestion} question */
const refusal = (question) => ('type' in question
  ? { type: 'confirm-result', requestId: question.requestId, confirmed: false, reason: 'nobody_to_ask' }
  : { jsonrpc: '2.0', id: question.id, result: { confirmed: false, reason: 'nobody_to_ask' } });
