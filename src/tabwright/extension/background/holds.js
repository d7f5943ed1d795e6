/**
 * Which session holds which tab, as the gateway last said. The gateway decides; here it is shown: a badge on the
 * person's own tabs that a session claimed, and the list in the popup.
 */

/** @typedef {import('../common/protocol').HeldSession} HeldSession */

const KEY = 'holds';
const BADGE = '●';

/** The tab-group colours, as Chrome paints them. @type {Record<string, string>} */
const PAINT = {
  grey: '#5f6368', blue: '#1a73e8', red: '#d93025', yellow: '#f9ab00', green: '#188038', pink: '#d01884',
  purple: '#a142f4', cyan: '#007b83', orange: '#fa903e',
};

export class Holds {
  onChange = () => {};
  #icon;
  #memory;
  #tabs;

  /**
   * @param {Pick<import('./icon.js').Icon, 'mark'>} icon
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   * @param {Pick<import('./tabs.js').Tabs, 'allowDiscarding'>} tabs
   */
  constructor(icon, memory, tabs) {
    this.#icon = icon;
    this.#memory = memory;
    this.#tabs = tabs;
  }

  /** @returns {Promise<HeldSession[]>} */
  sessions() {
    return this.#memory.read(KEY, /** @type {HeldSession[]} */ ([]));
  }

  /** @param {number} tabId */
  async isHeld(tabId) {
    return heldTabs(await this.sessions()).has(tabId);
  }

  /**
   * The whole picture of one connection, in place of its former one. A session that came back by another connection of
   * the same link is one session; of another link nobody can say that.
   * @param {HeldSession[]} sessions
   * @param {string} by
   */
  async show(sessions, by) {
    const ids = new Set(sessions.map(({ id }) => id));
    await this.#change((all) => [
      ...all.filter((session) => session.by !== by && !(ids.has(session.id) && linkOf(session.by) === linkOf(by))),
      ...sessions.map((session) => ({ ...session, by })),
    ]);
  }

  /** Whoever told of them is gone: all, or the connections of one link. @param {string} [link] */
  async clear(link = '') {
    await this.#change((all) => {
      const kept = all.filter(({ by }) => !by?.startsWith(link));
      return kept.length < all.length ? kept : all;
    });
  }

  /** The person takes a tab back, or it closed: it leaves every session at once. @param {number} tabId */
  async drop(tabId) {
    await this.#change((sessions) =>
      heldTabs(sessions).has(tabId)
        ? sessions.map((session) => ({ ...session, tabs: session.tabs.filter((tab) => tab.tabId !== tabId) }))
        : sessions,
    );
  }

  /** Chrome clears a tab's badge with every new document. @param {number} tabId */
  async repaint(tabId) {
    const color = claims(await this.sessions()).get(tabId);
    if (color !== undefined) await this.#icon.mark(tabId, BADGE, color);
  }

  /** @param {(sessions: HeldSession[]) => HeldSession[]} change */
  async #change(change) {
    /** @type {HeldSession[]} */
    let before = [];
    const after = await this.#memory.update(KEY, before, (sessions) => {
      before = sessions;
      return change(sessions);
    });
    if (after === before) return;
    await Promise.all([this.#paintChanges(before, after), this.#keepLoaded(before, after)]);
    this.onChange();
  }

  /**
   * @param {HeldSession[]} before
   * @param {HeldSession[]} after
   */
  async #paintChanges(before, after) {
    const painted = claims(after);
    const faded = [...claims(before).keys()].filter((tabId) => !painted.has(tabId));
    await Promise.all([
      ...faded.map((tabId) => this.#icon.mark(tabId, '')),
      ...[...painted].map(([tabId, color]) => this.#icon.mark(tabId, BADGE, color)),
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
}

/** Claimed tabs and the colour of their session. @param {HeldSession[]} sessions @returns {Map<number, string>} */
function claims(sessions) {
  const claimed = sessions.flatMap(({ color, tabs }) =>
    tabs.filter((tab) => tab.claimed).map(({ tabId }) => ({ tabId, paint: PAINT[color] ?? PAINT.grey })));
  return new Map(claimed.map(({ tabId, paint }) => [tabId, paint]));
}

/** The server a connection came by; empty for this machine's gateway. @param {string} [by] */
const linkOf = (by = '') => (by.includes('/') ? by.split('/', 1)[0] : '');

/** @param {HeldSession[]} sessions */
const heldTabs = (sessions) => new Set(sessions.flatMap(({ tabs }) => tabs.map(({ tabId }) => tabId)));
