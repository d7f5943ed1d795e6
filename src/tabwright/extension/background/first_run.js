/**
 * The first-run page: opened once, when a person has installed the extension in a browser of their own, and never in
 * one that was set up by a config.json, which says otherwise if it wants the page. While it is open it may ask whether a
 * gateway is there, which nobody is asked before: the person is about to pair, and all that is said is that we are here.
 */
import { isObject } from '../common/jsonrpc.js';

/** @typedef {'absent' | 'there' | 'pairing'} Presence nobody; a gateway; one that waits for a key to be entered */

const ANSWER_WITHIN_MS = 2_000;

export class FirstRun {
  #settings;
  #open;

  /**
   * @param {Pick<import('./settings.js').Settings, 'load' | 'setWelcomed'>} settings
   * @param {() => Promise<unknown>} open
   */
  constructor(settings, open) {
    this.#settings = settings;
    this.#open = open;
  }

  /** @param {string} reason Chrome's, why the extension was installed */
  async installed(reason) {
    if (reason !== 'install') return;
    const { wantsWelcome, welcomed, key } = await this.#settings.load();
    if (!wantsWelcome || welcomed || key !== undefined) return;
    await this.#settings.setWelcomed();
    await this.#open();
  }
}

/**
 * Whether a gateway answers there. Something else on the port learns that this extension exists, and no more.
 * @param {string} url
 * @param {typeof WebSocket} [Socket]
 * @returns {Promise<Presence>}
 */
export function knock(url, Socket = WebSocket) {
  return new Promise((resolve) => {
    const socket = new Socket(url);
    const settle = (/** @type {Presence} */ presence) => {
      clearTimeout(timer);
      socket.onclose = null;
      socket.onmessage = null;
      socket.close();
      resolve(presence);
    };
    const timer = setTimeout(() => settle('absent'), ANSWER_WITHIN_MS);
    socket.onopen = () => socket.send(JSON.stringify({ type: 'knock' }));
    socket.onclose = () => settle('absent');
    socket.onmessage = ({ data }) => settle(read(data));
  });
}

/** @param {unknown} data @returns {Presence} */
function read(data) {
  try {
    const message = JSON.parse(String(data));
    if (!isObject(message) || message.type !== 'here') return 'absent';
    return message.pairing === true ? 'pairing' : 'there';
  } catch {
    return 'absent';
  }
}
