/** Serves the popup: pushes what it shows on every change, and does what the person presses there. */
import { serverView } from './options_port.js';

/** @typedef {import('../shared/protocol').PopupView} PopupView */
/** @typedef {import('../shared/protocol').HeldTabView} HeldTabView */

export class PopupPort {
  /** @type {Set<chrome.runtime.Port>} */
  #ports = new Set();
  #parts;

  /**
   * @param {{
   *   settings: import('./settings.js').Settings,
   *   connection: import('./connection.js').Connection,
   *   links: import('./links.js').Links,
   *   holds: import('./holds.js').Holds,
   *   tabs: import('./tabs.js').Tabs,
   *   windows: import('./windows.js').Windows,
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
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
    port.onMessage.addListener(async (message) => {
      // What was pressed may be gone by now, as a tab that just closed; the fresh view says so.
      await this.#pressed(message).catch((error) => console.warn('tabwright: popup', error));
      await this.refresh();
    });
    this.#parts.links.hurry();
    void this.#parts.bootstrap.look();
    void this.refresh();
  }

  async refresh() {
    if (this.#ports.size === 0) return;
    const view = await this.#view();
    for (const port of this.#ports) port.postMessage(view);
  }

  /** @param {{press: string, tabId?: number, sessionId?: string}} message */
  async #pressed({ press, tabId, sessionId }) {
    const { links, holds, tabs, windows, disconnect, resume, options, bootstrap } = this.#parts;
    if (press === 'connect') await resume();
    if (press === 'disconnect') await disconnect();
    if (press === 'options') await options();
    if (press === 'bootstrap') await bootstrap.look();
    if (press === 'show' && tabId !== undefined) await windows.raise((await tabs.activate(tabId)).windowId);
    if ((press === 'stop' || press === 'resume') && sessionId !== undefined) {
      links.send({ type: 'sessionStopped', sessionId, stopped: press === 'stop' });
    }
    if (press === 'takeBack' && tabId !== undefined) {
      links.send({ type: 'tabReleased', tabId });
      await holds.drop(tabId);
    }
  }

  /** @returns {Promise<PopupView>} */
  async #view() {
    const { settings, connection, links, holds, bootstrap } = this.#parts;
    const [{ url, servers }, sessions] = await Promise.all([settings.load(), holds.sessions()]);
    // What a gateway that is away said last may not be so any more.
    const shown = sessions.filter(({ by = '' }) =>
      (links.server(by.split('/', 1)[0])?.connection ?? connection).state === 'connected');
    return {
      state: connection.state,
      url,
      bootstrap: bootstrap.view,
      servers: servers.map((server) => serverView(server, links.server(server.id))),
      sessions: await Promise.all(shown.map(async ({ id, name, color, stopped, tabs }) => {
        const views = await Promise.all(tabs.map((tab) => this.#tabView(tab)));
        return { id, name, color, stopped, tabs: views.filter((view) => view !== null) };
      })),
    };
  }

  /**
   * @param {{tabId: number, claimed: boolean}} held
   * @returns {Promise<HeldTabView | null>}
   */
  async #tabView({ tabId, claimed }) {
    const tab = await this.#parts.tabs.peek(tabId);
    if (!tab) return null;
    const host = URL.canParse(tab.url) ? new URL(tab.url).host : '';
    return { tabId, claimed, host, title: tab.title || tab.url };
  }
}
