/**
 * Serves the popup, the side panel and the first-run page: pushes what they show on every change, and does what the
 * person presses there. Gateways are told which of them is open, as they tell of grants and calls only then.
 */
import { serverView } from './options_port.js';
import { Viewers } from './viewers.js';

/** @typedef {import('../common/protocol').PopupPress} PopupPress */
/** @typedef {import('../common/protocol').PopupView} PopupView */
/** @typedef {import('../common/protocol').HeldTabView} HeldTabView */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */

/** Marks by which a title would turn what follows them around: an `.exe` read as `.pdf`. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The pages it serves, by the names of their ports. */
export const PAGES = new Set(['popup', 'panel', 'welcome']);

export class PopupPort {
  #parts;
  /** @type {Viewers<PopupView, PopupPress>} */
  #viewers = new Viewers(() => this.#view(), (press) => this.#pressed(press));
  /** What gateways were last told that is looked at. */
  #looked = '';

  /**
   * @param {{
   *   settings: import('./settings.js').Settings,
   *   connection: import('./connection.js').Connection,
   *   links: import('./links.js').Links,
   *   holds: import('./holds.js').Holds,
   *   tabs: import('./tabs.js').Tabs,
   *   windows: import('./windows.js').Windows,
   *   approvals: Pick<import('./approvals.js').Approvals, 'view' | 'answer'>,
   *   onlooking: import('./onlooking.js').Onlooking,
   *   knock: (url: string) => Promise<import('./first_run.js').Presence>,
   *   disconnect: () => Promise<void>,
   *   resume: () => Promise<void>,
   *   options: () => Promise<void>,
   *   bootstrap: import('./bootstrap.js').Bootstrap,
   * }} parts
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** @param {chrome.runtime.Port} port */
  accept(port) {
    this.#viewers.accept(port, () => this.#lookChanged());
    this.#parts.links.hurry();
    void this.#parts.bootstrap.look();
    this.#lookChanged();
  }

  async refresh() {
    await this.#viewers.refresh();
  }

  /** Somebody new may listen, or forgot: what is open is told to all. */
  look() {
    const wish = this.#wish();
    this.#looked = JSON.stringify(wish);
    if (wish.grants || wish.calls) this.#parts.links.send({ type: 'lookedAt', ...wish });
  }

  #wish() {
    return { grants: this.#viewers.has('popup'), calls: this.#viewers.has('panel') };
  }

  #lookChanged() {
    const wish = this.#wish();
    if (JSON.stringify(wish) === this.#looked) return;
    const wasAsked = this.#looked !== '';
    this.#looked = JSON.stringify(wish);
    if (!wish.grants && !wish.calls) this.#parts.onlooking.clear(() => true);
    if (wish.grants || wish.calls || wasAsked) this.#parts.links.send({ type: 'lookedAt', ...wish });
  }

  /** @param {PopupPress} message @returns {Promise<Partial<PopupView> | void>} */
  async #pressed(message) {
    const { settings, connection, links, holds, tabs, windows, approvals, disconnect, resume, options } = this.#parts;
    switch (message.press) {
      case 'connect':
        return resume();
      case 'disconnect':
        return disconnect();
      case 'options':
        return options();
      case 'dashboard':
        return connection.send({ type: 'dashboardWanted' });
      case 'show':
        return windows.raise((await tabs.activate(message.tabId)).windowId);
      case 'stop':
      case 'resume':
        return links.send({ type: 'sessionStopped', sessionId: message.sessionId, stopped: message.press === 'stop' });
      case 'takeBack':
        links.send({ type: 'tabReleased', tabId: message.tabId });
        return holds.drop(message.tabId);
      case 'revoke':
        return links.send({ type: 'grantRevoked', grantId: message.grantId });
      case 'answer':
        return approvals.answer(message.askId, message.answer, message.chosen);
      case 'bootstrap':
        return this.#parts.bootstrap.look();
      case 'knock':
        return { gateway: await this.#parts.knock((await settings.load()).url) };
    }
  }

  /** @returns {Promise<PopupView>} */
  async #view() {
    const { settings, connection, holds, approvals, onlooking, bootstrap } = this.#parts;
    const [{ url, servers, dialect }, sessions] = await Promise.all([settings.load(), holds.sessions()]);
    // What a gateway that is away said last may not be so any more.
    const shown = sessions.filter(({ by = '' }) => this.#isThere(by));
    return {
      state: connection.state,
      url,
      bootstrap: bootstrap.view,
      servers: servers.map((server) => serverView(server, this.#parts.links.server(server.id))),
      sessions: await Promise.all(shown.map(async ({ id, name, color, stopped, tabs }) => {
        const views = await Promise.all(tabs.map((tab) => this.#tabView(tab)));
        return { id, name, color, stopped, tabs: views.filter((view) => view !== null) };
      })),
      questions: approvals.view().questions,
      isMute: dialect === 'tabs',
      ...onlooking.view((by) => this.#isThere(by)),
    };
  }

  /** Whether the link that a connection came by is up. @param {string} by */
  #isThere(by) {
    const { connection, links } = this.#parts;
    return (links.server(by.split('/', 1)[0])?.connection ?? connection).state === 'connected';
  }

  /**
   * @param {{tabId: number, claimed: boolean}} held
   * @returns {Promise<HeldTabView | null>}
   */
  async #tabView({ tabId, claimed }) {
    const tab = await this.#parts.tabs.peek(tabId);
    if (!tab) return null;
    const host = URL.canParse(tab.url) ? new URL(tab.url).host : '';
    return { tabId, claimed, host, title: tab.title.replace(TURNING, '') || tab.url };
  }
}
