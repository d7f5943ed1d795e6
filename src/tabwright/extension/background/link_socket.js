/**
 * One WebSocket to a gateway or a server, from opening to closing. Owns its heartbeat and deadlines; what is said until
 * it is open is the Opening's, and the Connection decides when there is another one.
 *
 *   opening -> shaking hands -> open -> closed       (dialect "tabs": opening -> open -> closed)
 */
import { isObject } from '../common/jsonrpc.js';
import { messageOf } from '../common/errors.js';
import { Refusal, WrongServer } from './handshake.js';

/** @typedef {import('../common/protocol').Outgoing} Outgoing */

/** What follows from a message of the opening. @typedef {{say?: Outgoing, isOpen?: true, hubOrigins?: string[]}} Step */

/**
 * How both sides come to trust each other: the local gateway's Handshake, or a ServerLogin.
 * @typedef {object} Opening
 * @property {() => Outgoing | null} first said as soon as the socket is there; null: the other side begins
 * @property {(message: Record<string, unknown>) => Promise<Step>} step throws WrongServer or Refusal
 * @property {(code: number, isOpen: boolean) => boolean} isRefusal whether a close code means that we are not wanted
 * @property {(text: unknown) => void} heard anything that came while open
 * @property {Outgoing} ping
 * @property {boolean} isAnswered whether pings are, so that silence is death
 * @property {(message: Outgoing, text: string) => string | null} fit what is sent for a message; null: nothing
 */

/**
 * Why a socket ended: nobody there, an impostor, a gateway that does not want us, or a link that was up and broke.
 * @typedef {{kind: 'away' | 'wrong-server' | 'refused' | 'lost', reason: string}} Ending
 */

const OPEN_WITHIN_MS = 5_000;
const PING_EVERY_MS = 20_000;
const DEAD_AFTER_MS = 45_000;

const UNAUTHORIZED = 4401;
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
  #opening;
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
   * @param {Opening | null} opening null: the server is trusted without proof
   * @param {typeof WebSocket} [Socket]
   */
  constructor(url, opening, Socket = WebSocket) {
    this.#opening = opening;
    this.#socket = new Socket(url);
    this.#socket.onopen = () => this.#opened();
    this.#socket.onmessage = ({ data }) => this.#received(data);
    this.#socket.onclose = ({ code, reason }) => this.#end(this.#endingOf(code, reason));
    this.#deadline = setTimeout(() => this.#tooSlow(), OPEN_WITHIN_MS);
  }

  /**
   * Sends, or drops when the socket is gone: the gateway knows that it is and answers its callers itself.
   * @param {Outgoing} message
   */
  send(message) {
    if (this.#socket.readyState !== 1) return;
    const text = JSON.stringify(message);
    const fitting = this.#opening ? this.#opening.fit(message, text) : text;
    if (fitting !== null) this.#socket.send(fitting);
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
    if (!this.#opening) {
      this.#ready();
      return;
    }
    this.#phase = 'shaking';
    const first = this.#opening.first();
    if (first) this.send(first);
  }

  /** @param {unknown} text */
  #received(text) {
    this.#heard = Date.now();
    if (this.#phase === 'open') {
      this.#opening?.heard(text);
      this.onMessage(text);
      return;
    }
    // Proofs are computed asynchronously; frames behind the one being checked wait for their turn.
    this.#turn = this.#turn.then(() => this.#shake(text));
  }

  /** @param {unknown} text */
  async #shake(text) {
    if (this.#phase === 'open') this.onMessage(text);
    if (this.#phase !== 'shaking' || !this.#opening) return;
    try {
      await this.#step(this.#opening, JSON.parse(String(text)));
    } catch (thrown) {
      const isRefusal = thrown instanceof Refusal;
      const kind = isRefusal ? 'refused' : 'wrong-server';
      this.#end({ kind, reason: messageOf(thrown) }, isRefusal ? 1000 : UNAUTHORIZED);
    }
  }

  /**
   * @param {Opening} opening
   * @param {unknown} message
   */
  async #step(opening, message) {
    if (!isObject(message)) throw new WrongServer('The server does not speak this protocol.');
    const { say, isOpen, hubOrigins } = await opening.step(message);
    if (hubOrigins) this.hubOrigins = hubOrigins;
    if (say) this.send(say);
    if (isOpen) this.#ready();
  }

  #ready() {
    clearTimeout(this.#deadline);
    this.#phase = 'open';
    const ping = this.#opening?.ping ?? /** @type {Outgoing} */ ({ type: 'ping' });
    this.#pinging = setInterval(() => this.send(ping), PING_EVERY_MS);
    this.#watchSilence();
    this.onOpen();
  }

  #watchSilence() {
    const isAnswered = this.#opening?.isAnswered ?? true;
    const left = isAnswered ? this.#heard + DEAD_AFTER_MS - Date.now() : DEAD_AFTER_MS;
    if (left <= 0) this.#end({ kind: 'lost', reason: 'The other side fell silent.' }, TIMED_OUT);
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
    const isOpen = this.#phase === 'open';
    if (this.#phase !== 'opening' && this.#opening?.isRefusal(code, isOpen)) return { kind: 'refused', reason };
    return { kind: isOpen ? 'lost' : 'away', reason };
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
