/**
 * One WebSocket to the gateway, from opening to closing. Owns its handshake, heartbeat and deadlines; the Connection
 * decides when there is another one.
 *
 *   opening -> shaking hands -> open -> closed       (dialect "tabs": opening -> open -> closed)
 */
import { isObject } from '../shared/jsonrpc.js';
import { messageOf } from '../shared/errors.js';
import { WrongServer } from './handshake.js';
import { readOrigins } from './hub_origins.js';

/** @typedef {import('./handshake.js').Handshake} Handshake */
/** @typedef {import('../shared/protocol').Outgoing} Outgoing */

/**
 * Why a socket ended: nobody there, an impostor, a gateway that does not want us, or a link that was up and broke.
 * @typedef {{kind: 'away' | 'wrong-server' | 'refused' | 'lost', reason: string}} Ending
 */

const OPEN_WITHIN_MS = 5_000;
const PING_EVERY_MS = 20_000;
const DEAD_AFTER_MS = 45_000;

const UNAUTHORIZED = 4401;
const POLICY_VIOLATION = 1008;
const TIMED_OUT = 4408;

export class LinkSocket {
  onOpen = () => {};
  /** @type {(text: unknown) => void} */
  onMessage = () => {};
  /** @type {(ending: Ending) => void} */
  onEnd = () => {};

  #socket;
  /** Whose pages may register tools, as the server told; none: all. @type {string[]} */
  hubOrigins = [];
  #handshake;
  /** @type {'opening' | 'shaking' | 'open' | 'closed'} */
  #phase = 'opening';
  #turn = Promise.resolve();
  #heard = Date.now();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #pinging;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #deadline;

  /**
   * @param {string} url
   * @param {Handshake | null} handshake null: the server is trusted without proof
   * @param {typeof WebSocket} [Socket]
   */
  constructor(url, handshake, Socket = WebSocket) {
    this.#handshake = handshake;
    this.#socket = new Socket(url);
    this.#socket.onopen = () => this.#opened();
    this.#socket.onmessage = ({ data }) => this.#received(data);
    this.#socket.onclose = ({ code, reason }) => this.#end(this.#endingOf(code, reason));
    this.#deadline = setTimeout(() => this.#tooSlow(), OPEN_WITHIN_MS);
  }

  /** What a finished pairing agreed on. */
  get outcome() {
    return this.#handshake?.outcome;
  }

  /**
   * Sends, or drops when the socket is gone: the gateway knows that it is and answers its callers itself.
   * @param {Outgoing} message
   */
  send(message) {
    if (this.#socket.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /**
   * Closes on our own decision; no ending is reported.
   * @param {number} code
   * @param {string} reason
   */
  close(code = 1000, reason = '') {
    this.onEnd = () => {};
    this.#end({ kind: 'lost', reason }, code);
  }

  #opened() {
    if (this.#phase !== 'opening') return;
    if (!this.#handshake) {
      this.#ready();
      return;
    }
    this.#phase = 'shaking';
    this.send(this.#handshake.hello());
  }

  /** @param {unknown} text */
  #received(text) {
    this.#heard = Date.now();
    if (this.#phase === 'open') {
      this.onMessage(text);
      return;
    }
    // Proofs are computed asynchronously; frames behind the one being checked wait for their turn.
    this.#turn = this.#turn.then(() => this.#shake(text));
  }

  /** @param {unknown} text */
  async #shake(text) {
    if (this.#phase === 'open') this.onMessage(text);
    if (this.#phase !== 'shaking' || !this.#handshake) return;
    try {
      await this.#step(this.#handshake, JSON.parse(String(text)));
    } catch (thrown) {
      this.#end({ kind: 'wrong-server', reason: messageOf(thrown) }, UNAUTHORIZED);
    }
  }

  /**
   * @param {Handshake} handshake
   * @param {unknown} message
   */
  async #step(handshake, message) {
    if (!isObject(message)) throw new WrongServer('The server does not speak this protocol.');
    if (message.type === 'challenge' && !handshake.outcome) {
      this.send(await handshake.answer(message));
    } else if (message.type === 'welcome' && handshake.outcome) {
      this.hubOrigins = readOrigins(message.hubOrigins);
      this.#ready();
    } else if (message.type === 'error') {
      this.#end({ kind: 'refused', reason: String(message.message) }, 1000);
    } else {
      throw new WrongServer(`The server sent "${message.type}" before proving itself.`);
    }
  }

  #ready() {
    clearTimeout(this.#deadline);
    this.#phase = 'open';
    this.#pinging = setInterval(() => this.send({ type: 'ping' }), PING_EVERY_MS);
    this.#watchSilence();
    this.onOpen();
  }

  #watchSilence() {
    const left = this.#heard + DEAD_AFTER_MS - Date.now();
    if (left <= 0) this.#end({ kind: 'lost', reason: 'The gateway fell silent.' }, TIMED_OUT);
    else this.#deadline = setTimeout(() => this.#watchSilence(), left);
  }

  #tooSlow() {
    if (this.#phase === 'opening') this.#end({ kind: 'away', reason: 'Nobody answers.' }, TIMED_OUT);
    else this.#end({ kind: 'wrong-server', reason: 'The server did not prove itself in time.' }, UNAUTHORIZED);
  }

  /**
   * @param {number} code
   * @param {string} reason
   * @returns {Ending}
   */
  #endingOf(code, reason) {
    if (this.#phase === 'open') return { kind: 'lost', reason };
    const refused = this.#phase === 'shaking' && (code === UNAUTHORIZED || code === POLICY_VIOLATION);
    return refused ? { kind: 'refused', reason } : { kind: 'away', reason };
  }

  /**
   * @param {Ending} ending
   * @param {number} [closeCode]
   */
  #end(ending, closeCode) {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    clearTimeout(this.#deadline);
    clearInterval(this.#pinging);
    if (closeCode !== undefined) this.#socket.close(closeCode, ending.reason.slice(0, 120));
    this.onEnd(ending);
  }
}
