/**
 * Gateways elsewhere that the person trusts to ask by their own rules. Each has a key of its own and proves, on every
 * connection, that it holds the private half: what a client merely says of itself counts for nothing.
 *
 *   introduce  the connection gets a nonce
 *   prove      signed with the gateway's key, for this server, connection and browser: it is known by its key. Another
 *              server that got hold of what was signed for it could do nothing with it here
 *   trusted    the person said so once; kept with the key, until it is revoked. Or whoever set up a browser that nobody
 *              sits at wrote its fingerprint into the config.json
 */
import { invalidParams } from '../common/errors.js';
import { makeNonce } from '../common/hmac.js';
import { shownAddress } from '../common/servers.js';

/** @typedef {import('../common/protocol').TrustedGateway} TrustedGateway */

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const PURPOSE = 'tabwright gateway 2';
const BASE64URL = /^[A-Za-z0-9_-]{43}$/;
const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;
const LONGEST_NAME = 60;
/** Connections that were given a nonce; those of long ago have used it or never will. */
const MOST_CONNECTIONS = 500;

export class Gateways {
  /** @type {Map<string, string>} */
  #nonces = new Map();
  /** By connection. @type {Map<string, Omit<TrustedGateway, 'since'>>} */
  #proven = new Map();
  #settings;

  /** @param {Pick<import('./settings.js').Settings, 'load' | 'saveGateways'>} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  /** @param {string} connection @returns {string} the nonce to sign */
  challenge(connection) {
    const nonce = makeNonce();
    this.#nonces.delete(connection);
    this.#nonces.set(connection, nonce);
    for (const [oldest] of this.#nonces) {
      if (this.#nonces.size <= MOST_CONNECTIONS) break;
      this.#nonces.delete(oldest);
      this.#proven.delete(oldest);
    }
    return nonce;
  }

  /**
   * @param {string} connection
   * @param {string} wireConnection as the server calls it
   * @param {{name: string, x: string, y: string, signature: string}} proof
   * @returns {Promise<{trusted: boolean}>}
   */
  async prove(connection, wireConnection, { name, x, y, signature }) {
    const nonce = this.#nonces.get(connection);
    if (nonce === undefined) throw invalidParams('introduce comes first, and a nonce is good once.');
    this.#nonces.set(connection, '');
    const server = connection.split('/', 1)[0];
    const { profileId, servers } = await this.#settings.load();
    const place = shownAddress(servers.find(({ id }) => id === server)?.url ?? '');
    const text = [PURPOSE, place, nonce, wireConnection, profileId].join('\n');
    if (nonce === '' || ![x, y].every((part) => BASE64URL.test(part)) || !SIGNATURE.test(signature)
      || !(await isSigned(x, y, signature, text))) {
      throw invalidParams(`the signature is not that of this key for ${place}, as this browser calls the server: reach it by the same address.`);
    }
    this.#proven.set(connection, { id: await fingerprint(x, y), name: name.slice(0, LONGEST_NAME), server });
    return { trusted: await this.trusts(connection) };
  }

  /** Who it is, if it has proved it. @param {string} connection */
  of(connection) {
    return this.#proven.get(connection);
  }

  /** @param {string} connection */
  async trusts(connection) {
    const proven = this.#proven.get(connection);
    if (!proven) return false;
    const { gateways, vouchedGateways } = await this.#settings.load();
    return vouchedGateways.includes(proven.id) || gateways.some(({ id, server }) => id === proven.id && server === proven.server);
  }

  /** The person says so. @param {string} connection @param {number} since */
  async trust(connection, since) {
    const proven = this.#proven.get(connection);
    if (!proven || (await this.trusts(connection))) return;
    const { gateways } = await this.#settings.load();
    await this.#settings.saveGateways([...gateways, { ...proven, since }]);
  }

  /** All connections of a server are over. @param {string} server */
  forget(server) {
    for (const known of [this.#nonces, this.#proven]) {
      for (const connection of known.keys()) if (connection.startsWith(`${server}/`)) known.delete(connection);
    }
  }
}

/**
 * What gateway and browser show for the same key: so many digits that nobody finds another key with the same ones.
 * @param {string} id
 */
export const digitsOf = (id) => String(BigInt(`0x${id}`) % 10n ** 20n).padStart(20, '0').replace(/(.{5})(?=.)/g, '$1 ');

/** @param {string} x @param {string} y @param {string} signature @param {string} text */
async function isSigned(x, y, signature, text) {
  try {
    const key = await crypto.subtle.importKey('jwk', { kty: 'EC', crv: 'P-256', x, y }, ALGORITHM, false, ['verify']);
    return await crypto.subtle.verify(SIGNING, key, bytesOf(signature), new TextEncoder().encode(text));
  } catch {
    // no point of the curve
    return false;
  }
}

/** @param {string} x @param {string} y */
async function fingerprint(x, y) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${x}.${y}`));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {string} base64url @returns {Uint8Array<ArrayBuffer>} */
function bytesOf(base64url) {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (each) => each.charCodeAt(0));
}
