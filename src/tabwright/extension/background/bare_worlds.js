/**
 * Page agents where Chrome puts no content scripts: on an empty page, about:blank, which a script may have filled. Only
 * while the debugger is attached: it carries the agent's files into an isolated world of the document, and a port made
 * of its commands takes the place of Chrome's.
 *
 *   reach    the world is made, or found again after a stop of the worker or an earlier attachment: refs stay good
 *   ended    the debugger let go, the page was left or its process died: a request fails, or we are told
 */
import { BarePort, openDoor } from './bare_port.js';

/** @typedef {import('./debugger.js').Debugger} Debugger */
/** @typedef {import('./relays.js').ScriptSet} ScriptSet */
/** @typedef {import('./debugger.js').Cdp} Cdp */

/** Not the name of the extension: Chrome calls the worlds of its content scripts so. */
const WORLD = 'tabwright on an empty page';
const WEB_ORIGIN = /^https?:\/\/[^/]/;

export class BareWorlds {
  /** A frame can be asked. @type {(port: chrome.runtime.Port) => void} */
  onPort = () => {};
  /** @type {Map<number, BarePort>} */
  #ports = new Map();
  /** The world last made in a tab. @type {Map<number, {documentId: string, contextId: number}>} */
  #made = new Map();
  /** Tabs being reached. @type {Map<number, Promise<void>>} */
  #reaching = new Map();
  #debugger;
  #navigation;
  #scripts;
  #read;

  /**
   * @param {Pick<Debugger, 'isAttached' | 'send'>} debug
   * @param {Pick<import('./navigation.js').Navigation, 'documentId'>} navigation
   * @param {ScriptSet[]} scripts what the manifest puts into pages
   * @param {(file: string) => Promise<string>} read
   */
  constructor(debug, navigation, scripts, read) {
    this.#debugger = debug;
    this.#navigation = navigation;
    this.#scripts = scripts;
    this.#read = read;
  }

  /**
   * Gives the tab's document an agent; false where no debugger is attached. Raises: a refusal, or that the page went.
   * @param {number} tabId
   * @param {string} documentId
   * @returns {Promise<boolean>}
   */
  async reach(tabId, documentId) {
    if (!(await this.#debugger.isAttached(tabId))) return false;
    const reaching = this.#reaching.get(tabId)
      ?? this.#reach(tabId, documentId).finally(() => this.#reaching.delete(tabId));
    this.#reaching.set(tabId, reaching);
    await reaching;
    return true;
  }

  /** @param {number} tabId */
  ended(tabId) {
    this.#ports.get(tabId)?.end();
    this.#ports.delete(tabId);
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.ended(tabId);
    this.#made.delete(tabId);
  }

  /** @param {number} tabId @param {string} documentId */
  async #reach(tabId, documentId) {
    /** @type {Cdp} */
    const cdp = (method, params) => this.#debugger.send(tabId, method, params, undefined, false);
    this.ended(tabId);
    const { frame } = (await cdp('Page.getFrameTree')).frameTree;
    const contextId = (await this.#again(cdp, tabId, documentId)) ?? (await this.#make(cdp, frame.id));
    this.#made.set(tabId, { documentId, contextId });
    const door = await evaluate(cdp, `(${openDoor})()`, contextId);
    // The door leads to one document for ever; if that came only now, it is not the one that was meant.
    if ((await this.#navigation.documentId(tabId)) !== documentId) throw new Error('The page was left.');
    // A relay of before opens its port anew; one that has just come, its first. What it says at once is kept.
    for (const { files, world } of this.#scripts) {
      const sources = await Promise.all(files.map(this.#read));
      await evaluate(cdp, sources.join('\n;'), world === 'MAIN' ? undefined : contextId);
    }
    const origin = WEB_ORIGIN.test(frame.securityOrigin) ? frame.securityOrigin : 'null';
    const port = new BarePort({ tabId, documentId, origin }, cdp, door.objectId);
    this.#ports.set(tabId, port);
    this.onPort(/** @type {any} */ (port));
    void port.listen();
  }

  /**
   * The world of an earlier attachment: it lasts as long as its document.
   * @param {Cdp} cdp
   * @param {number} tabId
   * @param {string} documentId
   * @returns {Promise<number | undefined>}
   */
  async #again(cdp, tabId, documentId) {
    const made = this.#made.get(tabId);
    if (made?.documentId !== documentId) return undefined;
    const found = await evaluate(cdp, '0', made.contextId).catch(() => undefined);
    return found && made.contextId;
  }

  /** Within one attachment the same name leads to the same world. @param {Cdp} cdp @param {string} frameId */
  async #make(cdp, frameId) {
    return (await cdp('Page.createIsolatedWorld', { frameId, worldName: WORLD })).executionContextId;
  }
}

/**
 * @param {Cdp} cdp
 * @param {string} expression
 * @param {number | undefined} contextId the page's own world without
 */
async function evaluate(cdp, expression, contextId) {
  const where = contextId === undefined ? {} : { contextId };
  const { result, exceptionDetails } = await cdp('Runtime.evaluate', { expression, silent: true, ...where });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result;
}
