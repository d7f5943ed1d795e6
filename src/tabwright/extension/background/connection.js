/**
 * The link to the gateway: at most one socket, and the decision when to try again.
 *
 *   off           the person pressed Disconnect
 *   unpaired      no key yet: nothing is sent to anybody
 *   looking       no gateway there; tried again after 0.1 s, doubling to 2 s
 *   wrong-server  somebody there who cannot prove to be the gateway; 2 s, doubling to 30 s
 *   refused       a gateway that does not know us; same pace
 *   connected     up
 *
 * ensure() may be called from every event and costs nothing while an attempt, a wait or a link exists. A worker that
 * was stopped has none of them, so waking up is connecting.
 */
import { AWAY, Backoff, REFUSED } from '../shared/backoff.js';
import { Handshake } from './handshake.js';
import { LinkSocket } from './link_socket.js';

/** @typedef {import('../shared/protocol').Config} Config */
/** @typedef {import('../shared/protocol').LinkState} LinkState */
/** @typedef {import('../shared/protocol').Outgoing} Outgoing */

export class Connection {
  /** The link is up: the first frame must be `connected`. */
  onReady = () => {};
  /** @type {(text: unknown) => void} */
  onMessage = () => {};
  /** @type {(state: LinkState) => void} */
  onState = () => {};

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
  #settings;
  #extensionId;
  #Socket;

  /**
   * @param {{load(): Promise<Config>, setPaused(paused: boolean): Promise<void>}} settings
   * @param {string} extensionId
   * @param {typeof WebSocket} [Socket]
   */
  constructor(settings, extensionId, Socket = WebSocket) {
    this.#settings = settings;
    this.#extensionId = extensionId;
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

  /** The person's stop: said to the gateway, kept over restarts. */
  async pause() {
    this.send({ type: 'disconnected' });
    await this.#settings.setPaused(true);
    this.#drop();
    this.#change('off');
  }

  async resume() {
    await this.#settings.setPaused(false);
    this.restart();
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
    const config = await this.#settings.load();
    if (epoch !== this.#epoch) return;
    if (config.paused) return this.#change('off');
    const { key, profileId, url } = config;
    if (!key && config.dialect !== 'tabs') return this.#change('unpaired');
    // While an unwanted server is tried again it stays what it was.
    if (this.#state !== 'wrong-server' && this.#state !== 'refused') this.#change('looking');
    const handshake = key ? new Handshake({ extensionId: this.#extensionId, profileId, key }) : null;
    this.#own(new LinkSocket(url, config.dialect === 'tabs' ? null : handshake, this.#Socket));
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
    this.#change('connected');
    this.onReady();
  }

  /** @param {import('./link_socket.js').Ending} ending */
  #ended({ kind }) {
    this.#socket = undefined;
    const unwanted = kind === 'wrong-server' || kind === 'refused';
    this.#change(unwanted ? kind : 'looking');
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.ensure();
    }, this.#backoff.wait(unwanted ? REFUSED : AWAY));
  }

  #drop() {
    this.#epoch += 1;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#socket?.close();
    this.#socket = undefined;
  }

  /** @param {LinkState} state */
  #change(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.onState(state);
  }
}
