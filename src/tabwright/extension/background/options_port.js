/**
 * Serves the options page: pushes who this browser is, the servers and how each link goes, and takes what the person
 * enters there. A token
 * comes in and never goes out again.
 */
import { WrongEntry, readAddress, readClaims, readToken, shownAddress } from '../common/servers.js';
import { digitsOf } from './gateways.js';
import { Viewers } from './viewers.js';

/** @typedef {import('../common/protocol').Config} Config */
/** @typedef {import('../common/protocol').OptionsPress} OptionsPress */
/** @typedef {import('../common/protocol').OptionsView} OptionsView */
/** @typedef {import('../common/protocol').Server} Server */
/** @typedef {import('../common/protocol').ServerView} ServerView */

const SHOWN_OF_TOKEN = 4;
const MOST_SERVERS = 10;

export class OptionsPort {
  /** @type {Viewers<OptionsView, OptionsPress>} */
  #viewers = new Viewers(() => this.#view(), (press) => this.#pressed(press));
  #parts;
  #now;

  /**
   * @param {{
   *   settings: Pick<import('./settings.js').Settings, 'load' | 'saveServers' | 'saveConsents' | 'saveGateways'>,
   *   links: import('./links.js').Links,
   *   keepServers: () => Promise<void>,
   *   browser: () => Promise<string>,
   *   ownPorts: () => readonly string[],
   * }} parts
   * @param {() => number} [now] in milliseconds
   */
  constructor(parts, now = Date.now) {
    this.#parts = parts;
    this.#now = now;
  }

  /** @param {chrome.runtime.Port} port */
  accept(port) {
    this.#viewers.accept(port);
    this.#parts.links.hurry();
  }

  async refresh() {
    await this.#viewers.refresh();
  }

  /** @param {OptionsPress} message @returns {Promise<Partial<OptionsView> | void>} */
  async #pressed(message) {
    const { settings, links } = this.#parts;
    const { servers } = await settings.load();
    switch (message.press) {
      case 'save':
        try {
          return { outcome: { saved: await this.#save(servers, message) } };
        } catch (thrown) {
          if (!(thrown instanceof WrongEntry)) throw thrown;
          return { outcome: { field: thrown.field, message: thrown.message } };
        }
      case 'remove':
        await this.#store(servers.filter(({ id }) => id !== message.id));
        return;
      case 'switch':
        await this.#store(servers.map((server) => (server.id === message.id ? { ...server, on: message.on } : server)));
        links.server(message.id)?.connection.restart();
        return;
      case 'revoke':
        await this.#revoke(message.id);
        return;
      case 'retry':
        links.hurry();
    }
  }

  /**
   * Raises: WrongEntry.
   * @param {Server[]} servers
   * @param {Extract<OptionsPress, {press: 'save'}>} entry without a token, that of the same server stays
   * @returns {Promise<string>} its id
   */
  async #save(servers, entry) {
    const before = servers.find(({ id }) => id === entry.id);
    const url = readAddress(entry.url);
    // a token that was entered for one server is not sent to another
    const kept = before?.url === url ? before.token : '';
    const token = readToken(entry.token.trim() || kept, url, this.#now());
    if (servers.some((server) => server !== before && server.url === url && server.token === token)) {
      throw new WrongEntry('url', 'This server is in the list already, with this token.');
    }
    if (!before && servers.length >= MOST_SERVERS) throw new WrongEntry('url', `There can be ${MOST_SERVERS} servers. Remove one first.`);
    const server = { id: before?.id ?? crypto.randomUUID(), url, token, on: true };
    await this.#store(before ? servers.map((each) => (each === before ? server : each)) : [...servers, server]);
    this.#parts.links.server(server.id)?.connection.restart();
    return server.id;
  }

  /** @param {string} id of a consent, or of a gateway's key */
  async #revoke(id) {
    const { consents, gateways } = await this.#parts.settings.load();
    await this.#parts.settings.saveConsents(consents.filter((each) => each.id !== id));
    await this.#parts.settings.saveGateways(gateways.filter((each) => each.id !== id));
  }

  /** @param {Server[]} servers */
  async #store(servers) {
    await this.#parts.settings.saveServers(servers);
    await this.#parts.keepServers();
  }

  /** @returns {Promise<OptionsView>} */
  async #view() {
    const { settings, links, browser, ownPorts } = this.#parts;
    const config = await settings.load();
    const { paused, servers, url, profileId, keeper: launched, hubOrigins } = config;
    return {
      paused,
      state: links.all[0].connection.state,
      url,
      browser: await browser(),
      profileId,
      launched,
      gatewayPorts: ownPorts(),
      hubOrigins,
      servers: servers.map((server) => serverView(server, links.server(server.id))),
      allowed: allowedViews(config),
    };
  }
}

/** @param {Config} config @returns {import('../common/protocol').AllowedView[]} */
function allowedViews({ servers, consents, gateways }) {
  const place = (/** @type {string} */ id) => shownAddress(servers.find((server) => server.id === id)?.url ?? '');
  return [
    ...gateways.map(({ id, server, name, since }) => (
      { id, server: place(server), what: `The gateway "${name}" (${digitsOf(id)}) asks by its own rules`, since })),
    ...consents.map(({ id, server, origin, since }) => (
      { id, server: place(server), what: origin === '*' ? 'See and change every page' : `Run scripts in pages of ${origin}`, since })),
  ];
}

/**
 * @param {Server} server
 * @param {import('./server_link.js').ServerLink | undefined} link
 * @returns {ServerView}
 */
export function serverView({ id, url, token, on }, link) {
  const expires = readClaims(token)?.expires;
  const nextTryAt = link?.connection.nextTryAt;
  return {
    id,
    url: shownAddress(url),
    on,
    state: link?.connection.state ?? 'off',
    user: link?.user ?? '',
    clients: link?.clients ?? 0,
    reason: link?.connection.reason ?? '',
    tokenEnd: token.slice(-SHOWN_OF_TOKEN),
    ...(nextTryAt === undefined ? {} : { nextTryAt }),
    ...(expires === undefined ? {} : { expires }),
  };
}
