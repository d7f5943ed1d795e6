/**
 * The mutual proof between extension and gateway, as values: no socket, no clock. One way to open a link (Opening).
 *
 *   1. hello()             who we are, with a fresh nonce
 *   2. answer(challenge)   the server proves itself first; then we do. A wrong proof throws WrongServer
 *   3. outcome             after `welcome`: the digits to show and the long-term key, both meant for pairing only
 *
 * Only the labels differ between the texts, so no proof can be replayed in another role.
 */
import { hmacHex, isHex, makeNonce, sameHex } from '../common/hmac.js';
import { readOrigins } from './hub_origins.js';

/** @typedef {import('../common/protocol').Outgoing} Outgoing */
/** @typedef {import('./link_socket.js').Step} Step */
/** @typedef {{extensionId: string, profileId: string, key: string, pairing?: boolean}} Credentials */

const PROTOCOL = 1;

const UNAUTHORIZED = 4401;
const POLICY_VIOLATION = 1008;

/** The peer does not know the key: a squatter on the port, or the gateway of somebody else. */
export class WrongServer extends Error {}

/** The peer is the one we mean, but does not want us. */
export class Refusal extends Error {}

export class Handshake {
  #who;
  #nonce;
  /** @type {{digits: string, longTermKey: string} | undefined} */
  #outcome;

  /**
   * @param {Credentials} who
   * @param {string} [nonce]
   */
  constructor(who, nonce = makeNonce()) {
    this.#who = who;
    this.#nonce = nonce;
  }

  get ping() {
    return /** @type {Outgoing} */ ({ type: 'ping' });
  }

  /** Every ping is answered, so silence is death. */
  get isAnswered() {
    return true;
  }

  heard() {}

  /** @param {Outgoing} _message @param {string} text */
  fit(_message, text) {
    return text;
  }

  /** @param {number} code @param {boolean} isOpen */
  isRefusal(code, isOpen) {
    return !isOpen && (code === UNAUTHORIZED || code === POLICY_VIOLATION);
  }

  first() {
    return this.hello();
  }

  /** @param {Record<string, unknown>} message @returns {Promise<Step>} */
  async step(message) {
    if (message.type === 'challenge' && !this.#outcome) return { say: await this.answer(message) };
    if (message.type === 'welcome' && this.#outcome) {
      return { isOpen: true, hubOrigins: readOrigins(message.hubOrigins) };
    }
    if (message.type === 'error') throw new Refusal(String(message.message));
    throw new WrongServer(`The server sent "${message.type}" before proving itself.`);
  }

  /** @returns {Outgoing} */
  hello() {
    const { extensionId, profileId, pairing } = this.#who;
    /** @type {Extract<Outgoing, {type: 'hello'}>} */
    const hello = { type: 'hello', protocol: PROTOCOL, extensionId, profileId, nonce: this.#nonce };
    return pairing ? { ...hello, pairing: true } : hello;
  }

  /**
   * @param {Record<string, unknown>} challenge
   * @returns {Promise<Outgoing>}
   */
  async answer(challenge) {
    if (!isHex(challenge.nonce, 32)) throw new WrongServer('The server sent no challenge.');
    const tail = [this.#who.extensionId, this.#who.profileId, this.#nonce, challenge.nonce];
    /** @param {string} label */
    const sign = (label) => hmacHex(this.#who.key, [`tabwright ${label}`, ...tail]);
    const [expected, proof, digits, longTermKey] = await Promise.all([
      sign('server'), sign('extension'), sign('digits'), sign('pairing'),
    ]);
    if (!sameHex(expected, challenge.proof)) throw new WrongServer('The server does not know the pairing key.');
    this.#outcome = { digits: toDigits(digits), longTermKey };
    return { type: 'proof', proof };
  }

  /** Undefined until the server has proved itself. */
  get outcome() {
    return this.#outcome;
  }
}

/** @param {string} digest six decimal digits a person can compare at a glance */
const toDigits = (digest) => String(Number.parseInt(digest.slice(0, 8), 16) % 1_000_000).padStart(6, '0');
