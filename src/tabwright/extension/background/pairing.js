/**
 * Pairing with a gateway by a one-time key, asked for by the pair page. Uses a socket of its own and hands it over
 * only when it succeeded, so a failed attempt leaves an earlier pairing, and a live link, untouched.
 */
import { isHex } from '../common/hmac.js';
import { Handshake } from './handshake.js';
import { LinkSocket } from './link_socket.js';

/** @typedef {import('../common/protocol').PairingView} PairingView */
/** @typedef {import('./link_socket.js').Ending} Ending */

export class Pairing {
  #settings;
  #connection;
  #extensionId;

  /**
   * @param {import('./settings.js').Settings} settings
   * @param {import('./connection.js').Connection} connection
   * @param {string} extensionId
   */
  constructor(settings, connection, extensionId) {
    this.#settings = settings;
    this.#connection = connection;
    this.#extensionId = extensionId;
  }

  /**
   * Serves one pair page: it posts `{pair: key}` and gets PairingViews until one is final.
   * @param {chrome.runtime.Port} port
   */
  accept(port) {
    let open = true;
    port.onDisconnect.addListener(() => { open = false; });
    port.onMessage.addListener(async ({ pair }) => {
      /** @param {PairingView} view */
      const show = (view) => { if (open) port.postMessage(view); };
      show({ state: 'connecting' });
      show(await this.pair(pair));
    });
  }

  /**
   * @param {unknown} oneTimeKey
   * @returns {Promise<PairingView>}
   */
  async pair(oneTimeKey) {
    if (!isHex(oneTimeKey, 32)) return { state: 'refused', reason: 'A pairing key has 32 digits, 0-9 and a-f.' };
    const { url, profileId } = await this.#settings.load();
    const who = { extensionId: this.#extensionId, profileId, key: oneTimeKey, pairing: true };
    const handshake = new Handshake(who);
    const socket = new LinkSocket(url, handshake);
    return new Promise((resolve) => {
      socket.onEnd = (ending) => resolve(explain(ending, url));
      socket.onOpen = () => resolve(this.#finish(socket, handshake));
    });
  }

  /**
   * @param {LinkSocket} socket
   * @param {Handshake} handshake
   * @returns {Promise<PairingView>}
   */
  async #finish(socket, { outcome }) {
    if (!outcome) throw new Error('A socket opens only after its handshake.');
    // Adopted before the key is stored: frames right behind `welcome` must find their reader.
    this.#connection.adopt(socket);
    await this.#settings.savePairing(outcome.longTermKey);
    return { state: 'paired', digits: outcome.digits };
  }
}

/**
 * @param {Ending} ending
 * @param {string} url
 * @returns {PairingView}
 */
function explain({ kind, reason }, url) {
  if (kind === 'away') return { state: 'absent', url };
  if (kind === 'wrong-server') {
    return { state: 'refused', reason: 'The server there did not make this key, or no longer accepts it.' };
  }
  // what to run then, the pages say themselves
  const said = reason?.replace(/\s*Run `[^`]*`\.$/, '');
  return { state: 'refused', reason: said || 'The gateway does not accept this key: it may be used up or expired.' };
}
