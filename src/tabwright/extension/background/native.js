/**
 * The native messaging host that `tabwright install` puts up: a program the browser starts for this extension alone, as
 * the person who uses the browser. Owns chrome.runtime.sendNativeMessage. Each question is a process: who may ask, and
 * how often, is decided in bootstrap.js.
 */
import { isHex } from '../common/hmac.js';

const HOST = 'tabwright.gateway';
/** The host gives a gateway 20 s to start and 10 s to answer. */
const PATIENCE_MS = 40_000;

/** @typedef {{ask: 'start'} | {ask: 'pair', profileId: string}} Ask */
/** What came of it: where the gateway listens, that there is no host, or why it failed. */
/** @typedef {{port: number, httpPort: number, key?: string} | {absent: true} | {failed: string}} Told */

export class NativeHost {
  #send;
  #patienceMs;

  /**
   * @param {((host: string, message: object) => Promise<unknown>) | undefined} send where the browser has it
   * @param {number} [patienceMs]
   */
  constructor(send, patienceMs = PATIENCE_MS) {
    this.#send = send;
    this.#patienceMs = patienceMs;
  }

  /**
   * @param {Ask} message
   * @returns {Promise<Told>}
   */
  async ask(message) {
    if (!this.#send) return { absent: true };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('It did not answer in time.')), this.#patienceMs);
    });
    try {
      return read(await Promise.race([this.#send(HOST, message), late]));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      // Chrome has no code for it; "forbidden": a host of that name that is not meant for us
      return /not found|forbidden/i.test(reason) ? { absent: true } : { failed: reason };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** @param {unknown} answer @returns {Told} */
function read(answer) {
  const { port, httpPort, key, error, next } = /** @type {Record<string, unknown>} */ (Object(answer));
  if (typeof error === 'string') return { failed: [error, next].filter((part) => typeof part === 'string').join(' ') };
  if (!isPort(port) || !isPort(httpPort)) return { failed: 'Its answer makes no sense.' };
  return isHex(key, 32) ? { port, httpPort, key } : { port, httpPort };
}

/** @param {unknown} value @returns {value is number} */
const isPort = (value) => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
