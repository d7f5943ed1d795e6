/**
 * How a link to a server (the hosted proxy) opens: the extension waits, is asked to authenticate, answers with its token,
 * and is told who it is there. As values: no socket, no clock.
 */
import { CommandError } from '../common/errors.js';
import { failure, isObject, success } from '../common/jsonrpc.js';
import { WrongServer } from './handshake.js';

/** @typedef {import('../common/protocol').Outgoing} Outgoing */
/** @typedef {import('./link_socket.js').Step} Step */

/** Close codes by which a server says that coming back as before is no use. */
const REFUSALS = new Set([1008, 4401, 4408, 4409, 4429]);
/** Extensions ask nothing, so a server refuses this: a sign of life, and the worker lives on by hearing it. */
const PROBE_ID = 'ext:1';
/** What a proxy takes from extensions; on more it closes the link, and what is under way with it. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_BYTES_A_CHARACTER = 3;

export class ServerLogin {
  /** Whose browser this is for the server; known once it is open. */
  user = '';
  isAnswered = false;
  /** @type {Outgoing} */
  ping = { jsonrpc: '2.0', id: PROBE_ID, method: 'ping' };
  #name;
  #token;
  #asked = false;

  /**
   * @param {string} name what the browser is called there
   * @param {string} token empty for a server that wants none
   */
  constructor(name, token) {
    this.#name = name;
    this.#token = token;
  }

  first() {
    return null;
  }

  /** @param {Record<string, unknown>} message @returns {Promise<Step>} */
  async step({ id, method, params }) {
    if (method === 'authenticate' && typeof id === 'string' && id.startsWith('proxy:')) {
      this.#asked = true;
      return { say: success(id, { name: this.#name, ...(this.#token ? { accessToken: this.#token } : {}) }) };
    }
    if (method === 'authenticated' && id === undefined && this.#asked) {
      this.user = isObject(params) && typeof params.user_id === 'string' ? params.user_id.slice(0, 256) : '';
      return { isOpen: true };
    }
    throw new WrongServer('There is no tabwright proxy at this address.');
  }

  /** Some servers ignore what extensions ask: their silence means nothing. @param {unknown} text */
  heard(text) {
    if (!this.isAnswered && typeof text === 'string' && text.slice(0, 60).includes(`"${PROBE_ID}"`)) this.isAnswered = true;
  }

  /**
   * An answer that is too large for the server becomes an error, news of that size nothing.
   * @param {Outgoing} message
   * @param {string} text
   * @returns {string | null}
   */
  fit(message, text) {
    if (text.length * MOST_BYTES_A_CHARACTER <= MOST_BYTES || new TextEncoder().encode(text).length <= MOST_BYTES) return text;
    console.warn('tabwright: more than the server passes on', text.length);
    if (!('id' in message) || !('result' in message || 'error' in message)) return null;
    const error = new CommandError('The answer has more than the 8 MB that the server passes on. Ask for less.');
    return JSON.stringify(failure(/** @type {import('../common/protocol').Id} */ (message.id), error));
  }

  /** @param {number} code */
  isRefusal(code) {
    return REFUSALS.has(code);
  }
}
