/** Whom connections are to: the gateway on this machine, and each server the person entered. */
import { FAR } from '../common/backoff.js';
import { Handshake } from './handshake.js';
import { ServerLogin } from './server_login.js';

/** @typedef {import('./connection.js').Plan} Plan */
/** @typedef {import('../common/protocol').Config} Config */

export class LocalDoor {
  #settings;
  #extensionId;

  /**
   * @param {{load(): Promise<Config>}} settings
   * @param {string} extensionId
   */
  constructor(settings, extensionId) {
    this.#settings = settings;
    this.#extensionId = extensionId;
  }

  /** @returns {Promise<Plan>} */
  async plan() {
    const { url, profileId, key, dialect, paused } = await this.#settings.load();
    if (paused) return { rest: 'off' };
    if (dialect === 'tabs') return { url, opening: null };
    if (!key) return { rest: 'unpaired' };
    return { url, opening: new Handshake({ extensionId: this.#extensionId, profileId, key }) };
  }
}

export class ServerDoor {
  pace = FAR;
  /** The login of the latest attempt. @type {ServerLogin | undefined} */
  login;
  #settings;
  #id;
  #browserName;

  /**
   * @param {{load(): Promise<Config>}} settings
   * @param {string} id of the server
   * @param {() => Promise<string>} browserName
   */
  constructor(settings, id, browserName) {
    this.#settings = settings;
    this.#id = id;
    this.#browserName = browserName;
  }

  /** @returns {Promise<Plan>} */
  async plan() {
    const { paused, servers } = await this.#settings.load();
    const server = servers.find(({ id }) => id === this.#id);
    if (paused || !server?.on) return { rest: 'off' };
    this.login = new ServerLogin(await this.#browserName(), server.token);
    return { url: server.url, opening: this.login };
  }
}
