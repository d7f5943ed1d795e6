/**
 * The link to one gateway or server: at most one socket, and the decision when to try again.
 *
 *   off           the person pressed Disconnect, or switched this server off
 *   unpaired      no key yet: nothing is sent to anybody
 *   looking       nobody there; tried again after 0.1 s, doubling to 2 s (servers: 10 s, partly by chance)
 *   wrong-server  somebody there who cannot prove to be the one we mean; 2 s, doubling to 30 s
 *   refused       one that does not know or want us; same pace
 *   connected     up
 *
 * ensure() may be called from every event and costs nothing while an attempt, a wait or a link exists. A worker that
 * was stopped has none of them, so waking up is connecting.
 */
import { AWAY, Backoff, REFUSED } from '../common/backoff.js';
import { LinkSocket } from './link_socket.js';

/** Where to connect and how, or why not to. */
/** @typedef {{url: string, opening: import('./link_socket.js').Opening | null} | {rest: LinkState}} Plan */

/** Whom a connection is to: asked anew at each attempt. */
/** @typedef {{plan(): Promise<Plan>, pace?: import('../common/backoff.js').Pace}} Door */

/** @typedef {import('../common/protocol').LinkState} LinkState */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */

export class Connection {
  /** The link is up: the first frame must be `connected`. */
  onReady = () => {};
  /** @type {(text: unknown) => void} */
  onMessage = () => {};
  /** @type {(state: LinkState) => void} */
  onState = () => {};
  /** Why the last socket ended, in the other side's words. */
  reason = '';
  /** When the next attempt is due, by the clock. @type {number | undefined} */
  nextTryAt;

  /** Undefined until the settings were read once. @type {LinkState | undefined} */
  #state;
  /** @type {LinkSocket | undefined} */
  #socket;
  /** Counts fresh starts, so that an attempt still reading settings knows it was overtaken. */
  #epoch = 0;
  #attempting = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retry;
  #backoff = new Backoff();
  #door;
  #Socket;

  /**
   * @param {Door} door
   * @param {typeof WebSocket} [Socket]
   */
  constructor(door, Socket = WebSocket) {
    this.#door = door;
    this.#Socket = Socket;
  }

  /** @returns {LinkState} */
  get state() {
    return this.#state ?? 'looking';
  }

  /** @param {Outgoing} message */
  send(message) {
    if (this.#state === 'connected') this.#socket?.send(message);
  }

  ensure() {
    if (this.#socket || this.#retry !== undefined || this.#attempting === this.#epoch) return;
    this.#attempting = this.#epoch;
    void this.#attempt(this.#epoch).finally(() => { this.#attempting = -1; });
  }

  /** Drops whatever is under way and starts afresh, as after a change of settings. */
  restart() {
    this.#drop();
    this.#backoff.reset();
    this.ensure();
  }

  /** The person is looking: a wait for the next attempt ends now. */
  hurry() {
    if (this.#retry !== undefined) this.restart();
  }

  /** Ends the link, if any, and attempts nothing until a restart. */
  stop() {
    this.#drop();
    this.#change('off');
  }

  /** Whose pages may register tools, as the gateway told; none: all. */
  get hubOrigins() {
    return this.#socket?.hubOrigins ?? [];
  }

  /**
   * Takes over a socket that shook hands elsewhere (pairing) in place of our own.
   * @param {LinkSocket} socket
   */
  adopt(socket) {
    this.#drop();
    this.#own(socket);
    this.#opened();
  }

  /** @param {number} epoch */
  async #attempt(epoch) {
    const plan = await this.#door.plan();
    if (epoch !== this.#epoch) return;
    if ('rest' in plan) return this.#change(plan.rest);
    // While an unwanted server is tried again it stays what it was.
    if (this.#state !== 'wrong-server' && this.#state !== 'refused') this.#change('looking');
    this.#own(new LinkSocket(plan.url, plan.opening, this.#Socket));
  }

  /** @param {LinkSocket} socket */
  #own(socket) {
    this.#socket = socket;
    socket.onOpen = () => this.#opened();
    socket.onMessage = (text) => this.onMessage(text);
    socket.onEnd = (ending) => this.#ended(ending);
  }

  #opened() {
    this.#backoff.reset();
    this.reason = '';
    this.#change('connected');
    this.onReady();
  }

  /** @param {import('./link_socket.js').Ending} ending */
  #ended({ kind, reason }) {
    this.#socket = undefined;
    const unwanted = kind === 'wrong-server' || kind === 'refused';
    const wait = this.#backoff.wait(unwanted ? REFUSED : this.#door.pace ?? AWAY);
    this.nextTryAt = Date.now() + wait;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.nextTryAt = undefined;
      this.ensure();
    }, wait);
    this.reason = reason;
    this.#change(unwanted ? kind : 'looking', true);
  }

  #drop() {
    this.#epoch += 1;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.nextTryAt = undefined;
    this.#socket?.close();
    this.#socket = undefined;
  }

  /**
   * @param {LinkState} state
   * @param {boolean} [isNews] even where the state is the same
   */
  #change(state, isNews = false) {
    if (state === this.#state && !isNews) return;
    this.#state = state;
    this.onState(state);
  }
}
