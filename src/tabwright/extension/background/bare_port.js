/**
 * A port made of CDP commands, for a world in which Chrome gives none. In the world stands a door, which is to the relay
 * what `chrome.runtime` is elsewhere; messages are handed to it and fetched from it, one request always waiting for the
 * next word. A binding would do that alone, but is taken away by whoever else disables the Runtime domain.
 */

/** @typedef {import('./debugger.js').Cdp} Cdp */
/** @typedef {{tabId: number, documentId: string, origin: string}} Place */

export const BLANK = 'about:blank';
/** Chrome stops a worker that one call keeps waiting for minutes. */
const LISTEN_MS = 20_000;

/** What `Pages` needs of a port. */
export class BarePort {
  name = 'relay';
  onMessage = new Listeners();
  onDisconnect = new Listeners();
  #open = true;
  #cdp;
  #door;

  /**
   * @param {Place} place
   * @param {Cdp} cdp
   * @param {string} door the object in the world that takes and gives messages
   */
  constructor({ tabId, documentId, origin }, cdp, door) {
    this.sender = { tab: { id: tabId }, frameId: 0, documentId, origin, url: BLANK };
    this.#cdp = cdp;
    this.#door = door;
  }

  /** @param {object} message */
  postMessage(message) {
    if (!this.#open) throw new Error('The port is closed.');
    this.#ask(hand, message).catch(() => this.end());
  }

  /** Until it ends. */
  async listen() {
    try {
      while (this.#open) {
        const { value } = await this.#ask(fetchSaid, LISTEN_MS);
        for (const said of value) if (this.#open) this.onMessage.tell(JSON.parse(said));
      }
    } catch {
      this.end();
    }
  }

  end() {
    if (!this.#open) return;
    this.#open = false;
    this.onDisconnect.tell(this);
  }

  /** @param {Function} way @param {unknown} value */
  async #ask(way, value) {
    const { result, exceptionDetails } = await this.#cdp('Runtime.callFunctionOn', {
      // By the object and not by the number of its world, which another process may give to another page.
      objectId: this.#door,
      functionDeclaration: way.toString(),
      arguments: [{ value }],
      awaitPromise: true,
      returnByValue: true,
      silent: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result;
  }
}

class Listeners {
  /** @type {((about: any) => void)[]} */
  #all = [];

  /** @param {(about: any) => void} listener */
  addListener(listener) {
    this.#all.push(listener);
  }

  /** @param {unknown} about */
  tell(about) {
    for (const listener of this.#all) listener(about);
  }
}

/** Runs in the world, with its door as `this`. @this {any} @param {object} message */
function hand(message) {
  this.receive(message);
}

/** The same. @this {any} @param {number} withinMs @returns {Promise<string[]>} */
function fetchSaid(withinMs) {
  return this.said(withinMs);
}

/** Runs in the world: the part of `chrome` that the relay needs. The port open there leads to nobody any more. */
export function openDoor() {
  const MARK = Symbol.for('tabwright.door');
  /** @type {any} */
  const world = globalThis;
  if (world[MARK]) return world[MARK].renew();
  /** @type {any} */
  let current;
  /** @type {string[]} */
  let unheard = [];
  /** @type {((said: string[]) => void) | undefined} */
  let listener;
  const pass = () => {
    if (!listener) return;
    listener(unheard);
    listener = undefined;
    unheard = [];
  };
  const connect = () => {
    /** @type {Function[]} */
    const heard = [];
    /** @type {Function[]} */
    const ended = [];
    const port = {
      heard,
      ended,
      onMessage: { addListener: (/** @type {Function} */ listener) => heard.push(listener) },
      onDisconnect: { addListener: (/** @type {Function} */ listener) => ended.push(listener) },
      disconnect() { if (current === port) current = undefined; },
      postMessage(/** @type {object} */ message) {
        if (current !== port) return;
        unheard.push(JSON.stringify(message));
        pass();
      },
    };
    current = port;
    return port;
  };
  const door = {
    receive(/** @type {object} */ message) { for (const hear of current?.heard ?? []) hear(message); },
    said: (/** @type {number} */ withinMs) => new Promise((resolve) => {
      listener = resolve;
      if (unheard.length > 0) return pass();
      setTimeout(() => { if (listener === resolve) pass(); }, withinMs);
    }),
    renew() {
      const before = current;
      current = undefined;
      unheard = [];
      pass();
      for (const end of before?.ended ?? []) end();
      return door;
    },
  };
  Object.defineProperty(world, 'chrome', { value: { runtime: { id: 'tabwright', connect } }, configurable: true });
  Object.defineProperty(world, MARK, { value: door });
  return door;
}
