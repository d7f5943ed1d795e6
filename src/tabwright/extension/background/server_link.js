/**
 * The link to one server, the hosted proxy: the commands of the local gateway, from clients elsewhere.
 *
 *   up        the server knows whose browser this is; it is told nothing of tabs
 *   watched   at least one client is there: tabs and pages are told, as notifications of the local link's names
 *
 * What the debugger tells goes out only for tabs that a client of this server has named: what is done from this machine
 * is nobody else's business.
 */
import { notification } from '../common/jsonrpc.js';
import { Params } from '../common/params.js';

/** @typedef {import('../common/protocol').BrowserInfo} BrowserInfo */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */
/** @typedef {import('../common/protocol').TabInfo} TabInfo */
/** @typedef {import('./dispatcher.js').Command} Command */
/** @typedef {import('./dispatcher.js').Context} Context */
/** @typedef {{browser: BrowserInfo, profileId: string, version: string, attached: number[], launched: boolean, seen: boolean}} Self */

const INTRODUCE_MS = 5_000;
const MOST_CLIENTS = 10_000;
/** Without them no dialog is seen; the rest may hold what the person was not asked about: addresses, cookies, words. */
const EVERYBODYS = /^(?:Page|Inspector|Target)\./;

export class ServerLink {
  /** Clients came, or all have left. @type {() => void} */
  onClients = () => {};
  clients = 0;
  /** @type {Set<number>} */
  #named = new Set();
  /** Tabs of which a client may hear all. @type {Set<number>} */
  #heard = new Set();
  /** @type {Promise<void> | undefined} */
  #watching;

  /**
   * @param {string} id
   * @param {import('./connection.js').Connection} connection
   * @param {import('./doors.js').ServerDoor} door
   * @param {{
   *   feed: (send: (message: Outgoing) => void) => import('./tab_feed.js').TabFeed,
   *   pageFeed: (
   *     feed: import('./tab_feed.js').TabFeed, send: (message: Outgoing) => void,
   *   ) => import('./page_feed.js').PageFeed,
   *   self: () => Promise<Self>,
   *   watched: () => Promise<number[]>,
   *   permit: (command: string, params: Params, context: Context) => Promise<boolean>,
   *   gateways: Pick<import('./gateways.js').Gateways, 'challenge' | 'prove' | 'forget'>,
   * }} parts
   */
  constructor(id, connection, door, parts) {
    this.id = id;
    this.connection = connection;
    this.door = door;
    this.parts = parts;
    this.feed = parts.feed((message) => this.#post(message));
    this.pageFeed = parts.pageFeed(this.feed, (message) => this.#post(message));
  }

  /** Whose browser this is for the server. */
  get user() {
    return this.connection.state === 'connected' ? this.door.login?.user ?? '' : '';
  }

  /** News for whoever watches. @param {Outgoing} message */
  send(message) {
    if (this.#watching) this.#post(message);
  }

  /** @param {number} tabId @param {string} method */
  hearsDebugger(tabId, method) {
    return this.#heard.has(tabId) || (this.#named.has(tabId) && EVERYBODYS.test(method));
  }

  /** @param {number} tabId */
  forget(tabId) {
    this.#named.delete(tabId);
    this.#heard.delete(tabId);
  }

  /**
   * The command table as clients of this server have it.
   * @param {ReadonlyMap<string, Command>} commands
   * @returns {ReadonlyMap<string, Command>}
   */
  table(commands) {
    const watched = [...commands].map(([name, command]) => /** @type {[string, Command]} */ ([name, this.#noticing(name, command)]));
    return new Map([...watched, ['introduce', this.#introduce()], ['prove', this.#prove()], ['status', this.#status()]]);
  }

  /** The socket is gone, or all clients are. */
  rest() {
    this.clients = 0;
    this.#named.clear();
    this.#heard.clear();
    this.parts.gateways.forget(this.id);
    this.#watching = undefined;
    this.feed.stop();
    this.pageFeed.stop();
  }

  /** @returns {Promise<void>} */
  #watch() {
    this.#watching ??= this.#begin().catch((error) => {
      console.warn('tabwright: telling of tabs', error);
      this.rest();
    });
    return this.#watching;
  }

  async #begin() {
    const watched = await this.parts.watched();
    await this.feed.restart(() => this.pageFeed.restart('tabwright', watched));
  }

  /**
   * Who this browser is and which tabs it has: what `connected` says on the local link, as an answer. Everything told
   * after it is news; what pages have registered is told again, since clients share what is told.
   * @returns {Command}
   */
  #introduce() {
    return {
      withinMs: INTRODUCE_MS,
      run: async (_, { connection }) => {
        const [self, watched] = await Promise.all([this.parts.self(), this.parts.watched(), this.#watch()]);
        // after the answer has left
        setTimeout(() => { if (this.#watching) this.pageFeed.restart('tabwright', watched); });
        return { ...self, tabs: this.feed.told(), nonce: this.parts.gateways.challenge(connection) };
      },
    };
  }

  /** A gateway of tabwright shows which one it is. @returns {Command} */
  #prove() {
    return {
      withinMs: INTRODUCE_MS,
      run: async (params, { connection }) => this.parts.gateways.prove(connection, connection.slice(this.id.length + 1), {
        name: params.string('name'), x: params.string('x'), y: params.string('y'), signature: params.string('signature'),
      }),
    };
  }

  /** The server says how many clients there are. @returns {Command} */
  #status() {
    return {
      withinMs: INTRODUCE_MS,
      run: async (params) => {
        this.clients = Math.min(Math.max(params.optionalInteger('peer_count') ?? 1, 0), MOST_CLIENTS);
        if (this.clients > 0) await this.#watch();
        else this.rest();
        this.onClients();
      },
    };
  }

  /** @param {string} name @param {Command} command @returns {Command} */
  #noticing(name, { withinMs, run }) {
    return {
      withinMs,
      before: (params, context) => this.parts.permit(name, params, context),
      run: async (params, context) => {
        // A server that sends no status has a client all the same, or nobody would ask.
        void this.#watch();
        this.#name(tabOf(params), context.before === true);
        const result = await run(params, context);
        this.#name(/** @type {any} */ (result)?.tabId, context.before === true);
        return result;
      },
    };
  }

  /** @param {unknown} tabId @param {boolean} hears */
  #name(tabId, hears) {
    if (!Number.isSafeInteger(tabId)) return;
    this.#named.add(Number(tabId));
    if (hears) this.#heard.add(Number(tabId));
  }

  /** @param {Outgoing} message */
  #post(message) {
    if (!('type' in message) || 'jsonrpc' in message) return this.connection.send(message);
    const { type, ...params } = message;
    return this.connection.send(notification(String(type), params));
  }
}

/** @param {Params} params */
function tabOf(params) {
  try {
    return params.optionalInteger('tabId');
  } catch {
    // the command itself says what is wrong with it
    return undefined;
  }
}
