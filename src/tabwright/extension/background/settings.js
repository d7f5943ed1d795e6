/**
 * Who this browser is, which gateway it trusts, and which servers the person entered. Owns chrome.storage.local and the optional config.json.
 *
 * A browser launched by the gateway carries a config.json beside the manifest; it wins over everything stored, so
 * that a copied profile cannot redirect it. chrome.storage.managed is never asked: awaiting it blocks for seconds.
 */
import { isHex } from '../common/hmac.js';
import { readServers } from '../common/servers.js';
import { readOrigins } from './hub_origins.js';

/** @typedef {import('../common/protocol').Config} Config */
/** @typedef {import('../common/protocol').Server} Server */

const DEFAULT_URL = 'ws://127.0.0.1:8765';

export class Settings {
  #area;
  #readConfigFile;
  /** @type {Promise<Config> | undefined} */
  #loaded;

  /**
   * @param {Pick<chrome.storage.StorageArea, 'get' | 'set'>} area
   * @param {() => Promise<Record<string, unknown>>} readConfigFile answers {} when there is none
   */
  constructor(area, readConfigFile) {
    this.#area = area;
    this.#readConfigFile = readConfigFile;
  }

  /** @returns {Promise<Config>} */
  load() {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** @param {string} key */
  async savePairing(key) {
    await this.#change({ key, paused: false });
  }

  async setWelcomed() {
    await this.#change({ welcomed: true });
  }

  /** @param {boolean} paused */
  async setPaused(paused) {
    await this.#change({ paused });
  }

  /**
   * Where the native host says that the gateway listens.
   * @param {number} port for us
   * @param {number} httpPort for clients
   */
  async savePorts(port, httpPort) {
    await this.#change({ ports: [port, httpPort] });
  }

  /** @param {number} keeperTabId */
  async saveKeeperTab(keeperTabId) {
    await this.#change({ keeperTabId });
  }

  /** @param {string[]} hubOrigins */
  async saveHubOrigins(hubOrigins) {
    await this.#change({ hubOrigins });
  }

  /** What was allowed to those who came through a server ends with it, or with its address. @param {Server[]} servers */
  async saveServers(servers) {
    const { servers: before, consents, gateways } = await this.load();
    const isSame = (/** @type {{server: string}} */ { server }) => {
      const [was, is] = [before, servers].map((list) => list.find(({ id }) => id === server)?.url);
      return was !== undefined && was === is;
    };
    await this.#change({ servers, consents: consents.filter(isSame), gateways: gateways.filter(isSame) });
  }

  /** @param {import('../common/protocol').Consent[]} consents */
  async saveConsents(consents) {
    await this.#change({ consents });
  }

  /** @param {import('../common/protocol').TrustedGateway[]} gateways */
  async saveGateways(gateways) {
    await this.#change({ gateways });
  }

  /** @param {Record<string, unknown>} values */
  async #change(values) {
    await this.#area.set(values);
    this.#loaded = undefined;
  }

  /** @returns {Promise<Config>} */
  async #load() {
    const [file, stored] = await Promise.all([
      this.#readConfigFile(),
      this.#area.get(['profileId', 'key', 'paused', 'keeperTabId', 'hubOrigins', 'servers', 'ports', 'welcomed', 'consents', 'gateways']),
    ]);
    const key = file.key ?? stored.key;
    const ports = Array.isArray(stored.ports) ? stored.ports.map(Number) : [];
    const local = ports.length > 0 ? `ws://127.0.0.1:${ports[0]}` : DEFAULT_URL;
    return {
      url: typeof file.url === 'string' ? file.url : local,
      profileId: String(file.profileId ?? stored.profileId ?? (await this.#makeProfileId())),
      key: isHex(key, 64) ? key : undefined,
      keeper: file.keeper === true,
      headless: file.headless === true,
      keeperTabId: typeof stored.keeperTabId === 'number' ? stored.keeperTabId : undefined,
      gatewayPorts: (Array.isArray(file.gatewayPorts) ? file.gatewayPorts : ports).map(String),
      native: Object.keys(file).length === 0,
      dialect: file.dialect === 'tabs' ? 'tabs' : 'tabwright',
      paused: stored.paused === true,
      wantsWelcome: file.welcome === true || Object.keys(file).length === 0,
      welcomed: stored.welcomed === true,
      hubOrigins: readOrigins(stored.hubOrigins),
      servers: readServers(stored.servers),
      consents: Array.isArray(stored.consents) ? stored.consents : [],
      gateways: Array.isArray(stored.gateways) ? stored.gateways : [],
      vouchedGateways: Array.isArray(file.trustedGateways) ? file.trustedGateways.filter((id) => isHex(id, 64)) : [],
    };
  }

  async #makeProfileId() {
    const profileId = crypto.randomUUID();
    await this.#area.set({ profileId });
    return profileId;
  }
}

/**
 * Reads config.json from the extension's own folder. A missing file is the normal install, not a failure.
 * @param {string} url
 * @returns {Promise<Record<string, unknown>>}
 */
export function fetchConfig(url) {
  return fetch(url).then((response) => response.json()).catch(() => ({}));
}
