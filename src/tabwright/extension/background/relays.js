/**
 * The ports that frames hold to the worker (content/relay.js) as signs of life. Owns chrome.scripting.
 *
 * Their breaking is a signal in both directions: for the page, that the worker was stopped; for the worker, that the
 * page went away, perhaps with its process. What is said on them is for Pages.
 */

/** @typedef {{files: string[], world: 'MAIN' | 'ISOLATED'}} ScriptSet */

const KEY = 'reached';

export class Relays {
  /** The main frame of a tab lost its port. @type {(tabId: number) => void} */
  onBroken = () => {};
  /** @type {Set<chrome.runtime.Port>} */
  #ports = new Set();
  #resting = false;
  /** Tabs being reached. @type {Map<number, Promise<void>>} */
  #reaching = new Map();
  #scripting;
  #tabs;
  #scripts;

  /**
   * @param {Pick<typeof chrome.scripting, 'executeScript'>} scripting
   * @param {Pick<import('./tabs.js').Tabs, 'loaded'>} tabs
   * @param {ScriptSet[]} scripts what the manifest puts into pages, each file harmless when it comes a second time
   */
  constructor(scripting, tabs, scripts) {
    this.#scripting = scripting;
    this.#tabs = tabs;
    this.#scripts = scripts;
  }

  /** @param {chrome.runtime.Port} port */
  accept(port) {
    this.#ports.add(port);
    if (this.#resting) port.postMessage({ rest: true });
    port.onDisconnect.addListener(() => {
      this.#ports.delete(port);
      const { tab, frameId } = port.sender ?? {};
      if (tab?.id !== undefined && frameId === 0) this.onBroken(tab.id);
    });
  }

  /** With no gateway to serve, pages need not keep the worker running. @param {boolean} resting */
  rest(resting) {
    if (resting === this.#resting) return;
    this.#resting = resting;
    for (const port of this.#ports) port.postMessage({ rest: resting });
    if (!resting) void this.reachOpenTabs();
  }

  /**
   * Reaches the pages that are older than the extension: an install, an update and being switched on have such pages,
   * and all of them empty the memory. A mere start of the worker does not.
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   */
  async reachOnce(memory) {
    if (await memory.read(KEY, false)) return;
    await memory.update(KEY, false, () => true);
    await this.reachOpenTabs();
  }

  /** Puts a relay into the tabs that were open before the extension was, and wakes the resting ones. */
  async reachOpenTabs() {
    // Chrome's own pages and the Web Store refuse; they need no relay.
    await Promise.all((await this.#tabs.loaded()).map((tabId) => this.reach(tabId).catch(() => undefined)));
  }

  /**
   * Wakes the relays in every frame of a tab, and puts the page's scripts into frames that have none. Raises: Chrome's
   * refusal.
   * @param {number} tabId
   * @returns {Promise<void>}
   */
  reach(tabId) {
    const reaching = this.#reaching.get(tabId) ?? this.#reach(tabId).finally(() => this.#reaching.delete(tabId));
    this.#reaching.set(tabId, reaching);
    return reaching;
  }

  /** @param {number} tabId */
  async #reach(tabId) {
    const frames = await this.#scripting.executeScript({
      target: { tabId, allFrames: true }, func: wakeRelay, injectImmediately: true,
    });
    const documentIds = frames.flatMap(({ documentId, result }) => (result ? [] : [documentId]));
    if (documentIds.length === 0) return;
    const target = { tabId, documentIds };
    await Promise.all(this.#scripts.map((set) =>
      this.#scripting.executeScript({ target, ...set, injectImmediately: true })));
  }
}

/** Runs in the page: whether there is a living relay, which it wakes. */
function wakeRelay() {
  return /** @type {any} */ (globalThis)[Symbol.for('tabwright.relay')]?.wake() ?? false;
}

/**
 * The scripts of the manifest, so that their list is written once.
 * @param {{js?: string[], world?: string}[]} contentScripts
 * @returns {ScriptSet[]}
 */
export const scriptsOf = (contentScripts) =>
  contentScripts.map(({ js = [], world }) => ({ files: js, world: world === 'MAIN' ? 'MAIN' : 'ISOLATED' }));
