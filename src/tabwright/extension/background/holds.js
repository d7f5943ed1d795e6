/**
 * Which session holds which tab, as the gateway last said. The gateway decides; here it is shown: a badge on the
 * person's own tabs that a session claimed, and the list in the popup. Owns chrome.action.
 */

/** @typedef {import('../shared/protocol').HeldSession} HeldSession */

const KEY = 'holds';
const BADGE = '●';

/** The tab-group colours, as Chrome paints them. @type {Record<string, string>} */
const PAINT = {
  grey: '#5f6368', blue: '#1a73e8', red: '#d93025', yellow: '#f9ab00', green: '#188038', pink: '#d01884',
  purple: '#a142f4', cyan: '#007b83', orange: '#fa903e',
};

export class Holds {
  onChange = () => {};
  #action;
  #memory;
  #tabs;

  /**
   * @param {Pick<typeof chrome.action, 'setBadgeText' | 'setBadgeBackgroundColor'>} action
   * @param {Pick<import('./memory.js').Memory, 'read' | 'write'>} memory
   * @param {Pick<import('./tabs.js').Tabs, 'allowDiscarding'>} tabs
   */
  constructor(action, memory, tabs) {
    this.#action = action;
    this.#memory = memory;
    this.#tabs = tabs;
  }

  /** @returns {Promise<HeldSession[]>} */
  sessions() {
    return this.#memory.read(KEY, /** @type {HeldSession[]} */ ([]));
  }

  /** @param {HeldSession[]} sessions */
  async show(sessions) {
    const before = await this.sessions();
    await this.#memory.write(KEY, sessions);
    await Promise.all([this.#paintChanges(before, sessions), this.#keepLoaded(before, sessions)]);
    this.onChange();
  }

  /** The person takes a tab back, or it closed: it leaves every session at once. @param {number} tabId */
  async drop(tabId) {
    const sessions = await this.sessions();
    if (!sessions.some(({ tabs }) => tabs.some((tab) => tab.tabId === tabId))) return;
    await this.show(sessions.map((session) => ({
      ...session,
      tabs: session.tabs.filter((tab) => tab.tabId !== tabId),
    })));
  }

  /** Chrome clears a tab's badge with every new document. @param {number} tabId */
  async repaint(tabId) {
    const color = claims(await this.sessions()).get(tabId);
    if (color !== undefined) await this.#setBadge(tabId, BADGE, color);
  }

  /**
   * @param {HeldSession[]} before
   * @param {HeldSession[]} after
   */
  async #paintChanges(before, after) {
    const painted = claims(after);
    const faded = [...claims(before).keys()].filter((tabId) => !painted.has(tabId));
    await Promise.all([
      ...faded.map((tabId) => this.#setBadge(tabId, '')),
      ...[...painted].map(([tabId, color]) => this.#setBadge(tabId, BADGE, color)),
    ]);
  }

  /**
   * A held tab waits in the background for its session, just what Chrome discards first.
   * @param {HeldSession[]} before
   * @param {HeldSession[]} after
   */
  async #keepLoaded(before, after) {
    const was = heldTabs(before);
    const is = heldTabs(after);
    await Promise.all([
      ...[...was].filter((tabId) => !is.has(tabId)).map((tabId) => this.#tabs.allowDiscarding(tabId, true)),
      ...[...is].filter((tabId) => !was.has(tabId)).map((tabId) => this.#tabs.allowDiscarding(tabId, false)),
    ]);
  }

  /**
   * @param {number} tabId
   * @param {string} text
   * @param {string} [color]
   */
  async #setBadge(tabId, text, color) {
    try {
      await this.#action.setBadgeText({ tabId, text });
      if (color) await this.#action.setBadgeBackgroundColor({ tabId, color });
    } catch {
      // The tab closed meanwhile, and its badge with it.
    }
  }
}

/** Claimed tabs and the colour of their session. @param {HeldSession[]} sessions @returns {Map<number, string>} */
function claims(sessions) {
  return new Map(sessions.flatMap(({ color, tabs }) =>
    tabs.filter(({ claimed }) => claimed).map(({ tabId }) => /** @type {const} */ ([tabId, PAINT[color] ?? PAINT.grey]))));
}

/** @param {HeldSession[]} sessions */
const heldTabs = (sessions) => new Set(sessions.flatMap(({ tabs }) => tabs.map(({ tabId }) => tabId)));
