/**
 * Chrome's debugger, the carrier of raw CDP and of trusted input. Owns chrome.debugger.
 *
 * Attaches on first need and stays attached, because each attaching shows the person a bar and shifts the page. An
 * attachment outlives the worker: after a restart the remembered ones are used as they are, and only a command that
 * finds itself detached attaches again. When the person presses Cancel on the bar nothing re-attaches by itself; the
 * next command does.
 */
import { CommandError, messageOf, unreachablePage } from '../common/errors.js';

/** Sends CDP commands to one tab, for as long as it stays attached. */
/** @typedef {(method: string, params?: Record<string, unknown>) => Promise<any>} Cdp */

const PROTOCOL_VERSION = '1.3';
const KEY = 'attached';
const NOT_ATTACHED = /^Debugger is not attached/;
const ALREADY_ATTACHED = /^Another debugger is already attached/;
/** What was sent arrived; a navigation that it caused ended the attachment before the answer. */
const CUT_OFF = /^Detached while handling command/;
const UNREACHABLE = /^Cannot (access|attach)|gallery cannot be scripted|cannot be scripted/;

export class Debugger {
  /** An attachment is over, by us or by others. @type {(tabId: number) => void} */
  onEnded = () => {};
  #api;
  #memory;
  /** @type {Promise<Set<number>>} */
  #attached;
  /** @type {Map<number, Promise<void>>} */
  #attaching = new Map();
  #settled;

  /**
   * @param {typeof chrome.debugger} api
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   * @param {(tabId: number) => Promise<void>} [settled] once the page has the size that a first attachment leaves it
   */
  constructor(api, memory, settled = async () => {}) {
    this.#api = api;
    this.#memory = memory;
    this.#settled = settled;
    this.#attached = this.#recall();
  }

  /** @param {number} tabId */
  async isAttached(tabId) {
    return (await this.#attached).has(tabId);
  }

  /** @returns {Promise<number[]>} */
  async attachedTabs() {
    return [...(await this.#attached)];
  }

  /** The addresses of all workers in the browser; empty for those that belong to one page. @returns {Promise<string[]>} */
  async workers() {
    const targets = await this.#api.getTargets();
    return targets.filter(({ type, url }) => type === 'worker' || (type === 'other' && url === '')).map(({ url }) => url);
  }

  /**
   * For work of several commands: attaches once. If the person presses Cancel in the midst, the rest fails instead of
   * attaching again behind their back.
   * @param {number} tabId
   * @returns {Promise<Cdp>}
   */
  async hold(tabId) {
    if (!(await this.#attached).has(tabId)) await this.#attach(tabId);
    return this.#cdp(tabId);
  }

  /** The same, where it is attached already. @param {number} tabId @returns {Promise<Cdp | undefined>} */
  async held(tabId) {
    return (await this.#attached).has(tabId) ? this.#cdp(tabId) : undefined;
  }

  /** @param {number} tabId @returns {Cdp} */
  #cdp(tabId) {
    return async (method, params = {}) => (await this.#api.sendCommand({ tabId }, method, params).catch(rethrow)) ?? {};
  }

  /**
   * Runs one CDP command, attaching first where needed. Commands for one tab reach Chrome in the order of the calls.
   * @param {number} tabId
   * @param {string} method
   * @param {Record<string, unknown>} [params]
   * @param {string} [sessionId] a child target, as named by Target.attachedToTarget
   * @param {boolean} [mayAttach] without it, a tab that is not attached is an error with the word `detached`
   * @returns {Promise<any>}
   */
  async send(tabId, method, params = {}, sessionId = undefined, mayAttach = true) {
    const target = sessionId === undefined ? { tabId } : { tabId, sessionId };
    if (!(await this.#attached).has(tabId)) {
      if (!mayAttach) throw detached();
      await this.#attach(tabId);
    }
    try {
      return (await this.#api.sendCommand(target, method, params)) ?? {};
    } catch (thrown) {
      if (sessionId !== undefined || !NOT_ATTACHED.test(messageOf(thrown))) throw asCommandError(thrown);
    }
    // Chrome confirms an attachment of anybody, say DevTools: ours had ended. Nothing was executed.
    (await this.#attached).delete(tabId);
    if (!mayAttach) throw detached();
    await this.#attach(tabId);
    return (await this.#api.sendCommand(target, method, params).catch(rethrow)) ?? {};
  }

  /**
   * Attaches to a tab that has just opened, and has its dialogs told. Both are asked of Chrome at once, which takes them in
   * order: a dialog that its page shows in between would be told to nobody, and nobody but the person could answer it.
   * Resolves when it is attached; the page's own answer may have to wait for its dialog.
   * @param {number} tabId
   */
  async watch(tabId) {
    const attached = (await this.#attached).has(tabId) ? undefined : this.#attach(tabId);
    void this.#api.sendCommand({ tabId }, 'Page.enable').catch(() => undefined);
    await attached;
  }

  /** @param {number} tabId */
  async detach(tabId) {
    if (!(await this.#attached).has(tabId)) return;
    await this.forget(tabId);
    await this.#api.detach({ tabId }).catch(() => undefined);
  }

  /**
   * Ends the process of a page whose script never ends: nothing else frees its tab. The tab stays, as after a crash.
   * @param {number} tabId
   */
  async kill(tabId) {
    const cdp = await this.hold(tabId);
    // Whoever would answer is gone then.
    void cdp('Page.crash').catch(() => undefined);
  }

  async detachAll() {
    await Promise.all([...(await this.#attached)].map((tabId) => this.detach(tabId)));
  }

  /** The attachment ended without us: tab closed, Cancel on the bar, an unreachable page. @param {number} tabId */
  async forget(tabId) {
    this.onEnded(tabId);
    if ((await this.#attached).delete(tabId)) await this.#save();
  }

  /** Attachments of an earlier worker that Chrome confirms. @returns {Promise<Set<number>>} */
  async #recall() {
    const remembered = await this.#memory.read(KEY, /** @type {number[]} */ ([]));
    if (remembered.length === 0) return new Set();
    const targets = await this.#api.getTargets();
    return new Set(remembered.filter((id) => targets.some(({ tabId, attached }) => tabId === id && attached)));
  }

  /**
   * Concurrent first commands share one attaching.
   * @param {number} tabId
   * @returns {Promise<void>}
   */
  #attach(tabId) {
    let attaching = this.#attaching.get(tabId);
    if (!attaching) {
      attaching = this.#attachNow(tabId).finally(() => this.#attaching.delete(tabId));
      this.#attaching.set(tabId, attaching);
    }
    return attaching;
  }

  /** @param {number} tabId */
  async #attachNow(tabId) {
    try {
      await this.#api.attach({ tabId }, PROTOCOL_VERSION);
    } catch (thrown) {
      // Chrome serves several debuggers at once; only our own second attachment is refused, so we hold it already.
      if (!ALREADY_ATTACHED.test(messageOf(thrown))) throw asCommandError(thrown);
    }
    const attached = await this.#attached;
    const isFirst = attached.size === 0;
    attached.add(tabId);
    await this.#save();
    if (isFirst) await this.#settled(tabId).catch(() => undefined);
  }

  async #save() {
    const tabIds = [...(await this.#attached)];
    await this.#memory.update(KEY, /** @type {number[]} */ ([]), () => tabIds);
  }
}

const detached = () => new CommandError('The debugger is not attached to this tab.', -32000, { code: 'detached' });

/** Whether a command was not executed as nobody is attached. @param {unknown} thrown */
export const isDetached = (thrown) => thrown instanceof CommandError && thrown.data?.code === 'detached';

/** @param {unknown} thrown @returns {never} */
function rethrow(thrown) {
  throw asCommandError(thrown);
}

/**
 * Chrome hands a CDP failure over as JSON inside the message.
 * @param {unknown} thrown
 */
function asCommandError(thrown) {
  const text = messageOf(thrown);
  if (UNREACHABLE.test(text)) return unreachablePage(text);
  if (CUT_OFF.test(text)) return new CommandError('The debugger was detached before the answer came.', -32000, { code: 'cut_off' });
  if (!text.startsWith('{')) return new CommandError(text);
  const { code, message } = JSON.parse(text);
  return new CommandError(String(message), -32000, { cdpCode: code });
}
