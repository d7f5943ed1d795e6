/**
 * The frames of all tabs, as far as they hold a port to the worker, and requests to their page agents.
 *
 * A frame is (tab, frame, document) with an origin, all from the port's sender: Chrome says who it is, never the page.
 *
 *   accept      a document opened its port; an earlier document in the same place is gone
 *   committed   Chrome showed another document there, perhaps one that can hold no port
 *   moved       the document gave itself another address
 *   gone        the port broke: left, removed, put into the back/forward cache, crashed; requests under way end
 *
 * After a stop of the worker every frame comes back by itself and says again which tools it registered.
 */
import { CommandError, staleTarget } from '../common/errors.js';
import { isObject } from '../common/jsonrpc.js';
import { withoutEchoes } from './echoes.js';

/** @typedef {import('../common/protocol').HubMessage} HubMessage */
/** @typedef {import('../common/protocol').HubProgress} HubProgress */
/** @typedef {import('../common/protocol').HubQuestion} HubQuestion */
/** @typedef {import('../common/protocol').PageTool} PageTool */
/** @typedef {{resolve: (result: any) => void, reject: (error: Error) => void, begun: boolean}} Pending */
/** @typedef {{resolve: (frame: Frame) => void, documentId: string}} Arrival */

/** What a page may send at once; far above any list of tools, far below what would cut the link to the gateway. */
const MOST_CHARACTERS = 8_000_000;
const LONGEST_PATH = 100;

/** The frame went before it answered a request, which it had `begun` to work on or perhaps never seen. */
export class FrameGone extends Error {
  /** @param {boolean} begun */
  constructor(begun) {
    super('The page went away before it answered.');
    this.begun = begun;
  }
}

export class Frame {
  /** What the page registered last. @type {PageTool[]} */
  heard = [];
  /** The same without what another frame lists itself. @type {PageTool[]} */
  registered = [];
  /** What was derived from the page last; undefined until it was looked at. @type {PageTool[] | undefined} */
  introspected;
  hasRegistered = false;
  /** What it says of itself besides its tools. @type {object | undefined} */
  extensions;
  /** Where in its page it stands, as its content script counts: "0.2". @type {string | undefined} */
  path;
  gone = false;
  /** @type {(heard: string[]) => void} */
  isStill = () => {};
  /** Resolves to the addresses it has heard from, if it says that it has loaded and nothing is due. @type {Promise<string[]>} */
  still = new Promise((resolve) => { this.isStill = resolve; });
  /** How often it was told of the tab's requests. */
  toldNetwork = 0;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #port;
  #lastId = 0;

  /** @param {chrome.runtime.Port} port */
  constructor(port) {
    const { tab, frameId, documentId, origin, url } = port.sender ?? {};
    this.tabId = tab?.id ?? -1;
    this.frameId = frameId ?? 0;
    this.documentId = documentId ?? '';
    this.origin = origin ?? 'null';
    this.url = url ?? '';
    this.#port = port;
  }

  /** Who this is, for the gateway. */
  get address() {
    const { tabId, frameId, documentId, origin } = this;
    return { tabId, frameId, documentId, origin };
  }

  /**
   * Raises: stale_target if the frame had gone before; FrameGone; the signal's reason; the page agent's own error.
   * @param {any} method
   * @param {any} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  ask(method, params, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = (this.#lastId += 1);
      if (!this.#post({ id, method, params })) throw staleTarget('The page has just been left. List its tools again.');
      this.#pending.set(id, { resolve, reject, begun: false });
      signal?.addEventListener('abort', () => {
        if (!this.#pending.delete(id)) return;
        this.#post({ cancel: id });
        reject(signal.reason);
      }, { once: true });
    });
  }

  /**
   * Its document has another address now, by its own word: one that its origin may have.
   * @param {unknown} url
   */
  movedTo(url) {
    if (typeof url !== 'string' || !URL.canParse(url)) return;
    if (new URL(url).origin === this.origin || withoutHash(url) === withoutHash(this.url)) this.url = url;
  }

  /** @param {number} id */
  begun(id) {
    const pending = this.#pending.get(id);
    if (pending) pending.begun = true;
  }

  /** Tells how many requests of the tab are under way. @param {number} count */
  tellNetwork(count) {
    this.toldNetwork += 1;
    this.#post({ network: count, told: this.toldNetwork });
  }

  /** @param {{id: number, result?: unknown, error?: {message?: unknown, code?: unknown, word?: unknown}}} answer */
  answered({ id, result, error }) {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (!error) return pending?.resolve(result);
    const code = Number.isInteger(error.code) ? Number(error.code) : undefined;
    const data = typeof error.word === 'string' ? { code: error.word } : undefined;
    pending?.reject(new CommandError(String(error.message), code, data));
  }

  end() {
    this.gone = true;
    for (const { reject, begun } of this.#pending.values()) reject(new FrameGone(begun));
    this.#pending.clear();
  }

  /** @param {import('../common/protocol').FrameRequest} message */
  #post(message) {
    try {
      if (!this.gone) this.#port.postMessage(message);
      return !this.gone;
    } catch {
      // The port is broken, though we were not told yet.
      return false;
    }
  }
}

/** @param {string} url */
const withoutHash = (url) => url.split('#', 1)[0];

export class Pages {
  /** Whose tools may be told at all. @type {(origin: string) => boolean} */
  mayOffer = () => true;
  /** The page registered tools, or others. @type {(frame: Frame, message: HubMessage) => void} */
  onHub = () => {};
  /** The page asks the person. @type {(frame: Frame, question: HubQuestion) => void} */
  onAsked = () => {};
  /** The page tells how far a call is. @type {(frame: Frame, told: HubProgress) => void} */
  onProgress = () => {};
  /** A watched frame offers other tools than before. @type {(frame: Frame) => void} */
  onIntrospected = () => {};
  /** @type {(frame: Frame) => void} */
  onArrived = () => {};
  /** @type {(frame: Frame) => void} */
  onGone = () => {};
  /** By tab, then by frame. @type {Map<number, Map<number, Frame>>} */
  #tabs = new Map();
  /** @type {Set<Arrival>} */
  #awaited = new Set();

  /** @param {chrome.runtime.Port} port */
  accept(port) {
    const frame = new Frame(port);
    // The extension's hidden page is no tab's frame; before Chrome 106 documents had no name.
    if (frame.tabId === -1 || !frame.documentId) return;
    const frames = this.#tabs.get(frame.tabId) ?? new Map();
    this.#drop(frames.get(frame.frameId));
    this.#tabs.set(frame.tabId, frames.set(frame.frameId, frame));
    port.onMessage.addListener((message) => this.#received(frame, message));
    port.onDisconnect.addListener(() => this.#drop(frame));
    for (const arrival of this.#awaited) if (arrival.documentId === frame.documentId) arrival.resolve(frame);
    this.onArrived(frame);
  }

  /** @param {{tabId: number, frameId: number, documentId?: string}} details */
  committed({ tabId, frameId, documentId }) {
    const frame = this.#tabs.get(tabId)?.get(frameId);
    if (frame && documentId && frame.documentId !== documentId) this.#drop(frame);
  }

  /** The same document has another address. @param {{tabId: number, frameId: number, documentId?: string, url: string}} details */
  moved({ tabId, frameId, documentId, url }) {
    const frame = this.#tabs.get(tabId)?.get(frameId);
    if (frame && frame.documentId === documentId) frame.url = url;
  }

  /** @param {number} tabId @returns {Frame[]} the main frame first */
  inTab(tabId) {
    return [...(this.#tabs.get(tabId)?.values() ?? [])].sort((one, other) => one.frameId - other.frameId);
  }

  /** @returns {Frame[]} */
  all() {
    return [...this.#tabs.values()].flatMap((frames) => [...frames.values()]);
  }

  /**
   * @param {number} tabId
   * @param {number} frameId
   * @returns {Frame | undefined}
   */
  find(tabId, frameId) {
    return this.#tabs.get(tabId)?.get(frameId);
  }

  /**
   * The frame of a document whose port may be on its way, as right after a navigation or a start of the worker.
   * @param {string} documentId
   * @param {number} withinMs
   * @returns {Promise<Frame | undefined>}
   */
  async arrival(documentId, withinMs) {
    const there = this.all().find((frame) => frame.documentId === documentId);
    if (there) return there;
    /** @type {Arrival | undefined} */
    let arrival;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @type {Promise<Frame | undefined>} */
    const arrived = new Promise((resolve) => {
      arrival = { resolve, documentId };
      this.#awaited.add(arrival);
      timer = setTimeout(resolve, withinMs);
    });
    return arrived.finally(() => {
      clearTimeout(timer);
      if (arrival) this.#awaited.delete(arrival);
    });
  }

  /**
   * @param {Frame} frame
   * @param {any} message
   */
  #received(frame, message) {
    if (frame.gone || !isObject(message)) return;
    const isTooLarge = sizeOf(message) > MOST_CHARACTERS;
    if (typeof message.id === 'number') {
      const error = { message: 'The page answers with more than can be passed on. Ask for less.' };
      frame.answered(isTooLarge ? { id: message.id, error } : /** @type {any} */ (message));
    } else if (isTooLarge) console.warn('tabwright: a frame sent too much', frame.origin);
    else if (typeof message.begun === 'number') frame.begun(message.begun);
    else if (message.event === 'hub') {
      frame.path = typeof message.path === 'string' ? message.path.slice(0, LONGEST_PATH) : undefined;
      if (isQuestion(message.message)) this.onAsked(frame, message.message);
      else if (isProgress(message.message)) this.onProgress(frame, message.message);
      else this.#heard(frame, message.message);
    } else if (message.event === 'still' && Array.isArray(message.heard)) frame.isStill(message.heard.map(String));
    else if (message.event === 'introspected' && Array.isArray(message.tools)) {
      frame.introspected = message.tools;
      this.onIntrospected(frame);
    }
  }

  /**
   * @param {Frame} frame
   * @param {any} message
   */
  #heard(frame, message) {
    const tools = isObject(message) && isObject(message.params) ? message.params.tools : undefined;
    if (!Array.isArray(tools)) return console.warn('tabwright: a frame sent no list of tools', frame.origin);
    frame.heard = tools;
    frame.extensions = isObject(message.params.extensions) ? message.params.extensions : undefined;
    this.#register(frame, message);
    // What this frame lists itself, another may have listed for it.
    for (const other of this.inTab(frame.tabId)) {
      if (other === frame || this.#offeredBy(other).length === other.registered.length) continue;
      this.#register(other, registration(other, 'browser/updateTools'));
    }
  }

  /** Others may offer tools now than could before. */
  reconsider() {
    for (const frame of this.all()) if (frame.hasRegistered) this.#register(frame, registration(frame, 'browser/updateTools'));
  }

  /** @param {Frame} frame @param {HubMessage} message */
  #register(frame, message) {
    const tools = this.#offeredBy(frame);
    frame.registered = tools;
    frame.hasRegistered = true;
    this.onHub(frame, { ...message, params: { ...message.params, tools } });
  }

  /** A page speaks for servers in its frames, which may be of origins that are not to be spoken for. @param {Frame} frame */
  #offeredBy(frame) {
    return withoutEchoes(frame, this.#others(frame)).filter((tool) => this.mayOffer(String(tool?.origin ?? frame.origin)));
  }

  /** @param {Frame} frame */
  #others(frame) {
    return this.inTab(frame.tabId).filter((other) => other !== frame);
  }

  /** @param {Frame | undefined} frame */
  #drop(frame) {
    if (!frame || frame.gone) return;
    const frames = this.#tabs.get(frame.tabId);
    if (frames?.get(frame.frameId) === frame) frames.delete(frame.frameId);
    if (frames?.size === 0) this.#tabs.delete(frame.tabId);
    frame.end();
    this.onGone(frame);
  }
}

/**
 * All that a frame said last, once more.
 * @param {Frame} frame
 * @param {HubMessage['method']} method
 * @returns {HubMessage}
 */
export const registration = ({ registered: tools, url: tabUrl, extensions }, method) =>
  ({ jsonrpc: '2.0', method, params: { tools, tabUrl, ...(extensions && { extensions }) } });

/** @param {any} message @returns {message is HubQuestion} */
const isQuestion = (message) => message?.method === 'browser/elicitConfirmation' || message?.type === 'confirm-action';

/** @param {any} message @returns {message is HubProgress} */
const isProgress = (message) => message?.method === 'notifications/progress';

/**
 * Characters of a message. A service answers with one string, whose length is known without writing it once more.
 * @param {any} message
 */
const sizeOf = (message) => message.result?.json?.length ?? JSON.stringify(message).length;
