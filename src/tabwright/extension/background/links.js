/**
 * All links of this browser: to the gateway on this machine, and to each server. Every link has a feed of its own, as
 * each is told of tabs and pages by what it was told before; what happens is passed to all of them, and each passes on
 * what its other side is to hear.
 */

/** @typedef {import('../common/protocol').Outgoing} Outgoing */
/** @typedef {import('../common/protocol').TabInfo} TabInfo */
/** @typedef {import('./connection.js').Connection} Connection */

/**
 * @typedef {object} Link
 * @property {string} id
 * @property {Connection} connection
 * @property {import('./tab_feed.js').TabFeed} feed
 * @property {import('./page_feed.js').PageFeed} pageFeed
 * @property {(message: Outgoing) => void} send
 * @property {(tabId: number, method: string) => boolean} hearsDebugger
 */

/**
 * What the debugger says of every frame that loads, and our gateway knows from elsewhere: six messages and more a page,
 * just when the processor is wanted for it.
 */
const UNHEARD = /^Page\.(?:frame[A-Z]|domContentEventFired$|loadEventFired$)/;

/** Whether our own gateway makes use of an event of the debugger. @param {string} method */
export const isHeard = (method) => !UNHEARD.test(method);

export class Links {
  #local;
  /** @type {Map<string, import('./server_link.js').ServerLink>} */
  #servers = new Map();

  /** @param {Link} local the one link that is always there */
  constructor(local) {
    this.#local = local;
  }

  get servers() {
    return [...this.#servers.values()];
  }

  /** @returns {Link[]} */
  get all() {
    return [this.#local, ...this.#servers.values()];
  }

  /** Whether any is up. */
  get isUp() {
    return this.all.some(({ connection }) => connection.state === 'connected');
  }

  /** Whether none is wanted. */
  get isResting() {
    return this.all.every(({ connection: { state } }) => state === 'off' || state === 'unpaired');
  }

  /**
   * As many links as there are servers: new ones are made, others dropped.
   * @param {string[]} ids
   * @param {(id: string) => import('./server_link.js').ServerLink} make
   */
  keep(ids, make) {
    for (const [id, link] of this.#servers) {
      if (ids.includes(id)) continue;
      link.connection.stop();
      this.#servers.delete(id);
    }
    for (const id of ids) if (!this.#servers.has(id)) this.#servers.set(id, make(id));
  }

  /** @param {string} id */
  server(id) {
    return this.#servers.get(id);
  }

  ensure() {
    for (const { connection } of this.all) connection.ensure();
  }

  /** Chrome told of a tab: links that were down come up for it, and hear how it is. @param {number} tabId */
  touched(tabId) {
    this.ensure();
    for (const { feed } of this.all) feed.touch(tabId);
  }

  hurry() {
    for (const { connection } of this.all) connection.hurry();
  }

  /** @param {Outgoing} message */
  send(message) {
    for (const link of this.all) link.send(message);
  }

  /**
   * @param {number} tabId
   * @param {string} method of the event
   * @param {Outgoing} message
   */
  sendOfDebugger(tabId, method, message) {
    for (const link of this.all) if (link.hearsDebugger(tabId, method)) link.send(message);
  }

  // --- what commands and events need of the feeds of all links

  /** @returns {Promise<TabInfo[]>} */
  list() {
    return this.#local.feed.list();
  }

  /** @param {number} tabId */
  async sync(tabId) {
    await Promise.all(this.all.map(({ feed }) => feed.sync(tabId)));
  }

  /** @param {number} tabId */
  removed(tabId) {
    for (const { feed, pageFeed } of this.all) {
      feed.removed(tabId);
      pageFeed.forget(tabId);
    }
    for (const link of this.#servers.values()) link.forget(tabId);
  }

  /** @param {number} windowId */
  shownIn(windowId) {
    return new Set(this.all.flatMap(({ feed }) => feed.shownIn(windowId)));
  }

  /** @param {number} tabId @param {Outgoing} message to those who know the tab */
  sendOf(tabId, message) {
    for (const link of this.all) if (link.feed.knows(tabId)) link.send(message);
  }
}
