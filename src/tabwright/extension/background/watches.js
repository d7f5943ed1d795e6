/**
 * Introspection of whole tabs, once or for as long as somebody works there.
 *
 * A watched tab's frames report by themselves when the tools derived from them change; frames and documents that come
 * later are told to watch as they arrive. Watches outlive a stopped worker and a short break of the link.
 */

/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {import('../shared/protocol').PlacedTool} PlacedTool */

const KEY = 'watched';
/** A frame that is busy longer is told of later, by its own report. */
const SLOW_FRAME_MS = 250;
/** Without its main frame a page would seem to offer nothing. */
const SLOW_PAGE_MS = 1_000;

export class Watches {
  /** The tools of a watched tab may have changed. @type {(tabId: number) => void} */
  onChange = () => {};
  #memory;
  #agents;
  #pages;

  /**
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   * @param {Pick<import('./page_agents.js').PageAgents, 'inTab'>} agents
   * @param {Pick<import('./pages.js').Pages, 'inTab'>} pages
   */
  constructor(memory, agents, pages) {
    this.#memory = memory;
    this.#agents = agents;
    this.#pages = pages;
  }

  /**
   * The tools of all frames now. Raises: unreachable_page, no such tab.
   * @param {number} tabId
   * @param {'watch' | 'unwatch' | 'once'} how
   * @returns {Promise<{documentId: string | null, tools: PlacedTool[]}>}
   */
  async introspect(tabId, how) {
    if (how !== 'once') await this.#remember(tabId, how === 'watch');
    const { documentId, frames } = await this.#agents.inTab(tabId);
    if (how === 'unwatch') for (const frame of frames) void frame.ask('watch', { on: false }).catch(ignore);
    else await Promise.all(frames.map((frame) => this.#ask(frame, how)));
    return { documentId, tools: placedTools(frames) };
  }

  /** What was last found in a tab. @param {number} tabId @returns {PlacedTool[]} */
  tools(tabId) {
    return placedTools(this.#pages.inTab(tabId));
  }

  /** The tabs being watched. @returns {Promise<number[]>} */
  list() {
    return this.#memory.read(KEY, /** @type {number[]} */ ([]));
  }

  /** @param {number} tabId */
  async isWatched(tabId) {
    return (await this.list()).includes(tabId);
  }

  /** @param {Frame} frame */
  async arrived(frame) {
    if (!(await this.isWatched(frame.tabId))) return;
    await this.#ask(frame, 'watch');
    this.onChange(frame.tabId);
  }

  /** @param {number} tabId */
  async forget(tabId) {
    if (await this.isWatched(tabId)) await this.#remember(tabId, false);
  }

  async clear() {
    const tabIds = await this.list();
    await this.#memory.update(KEY, /** @type {number[]} */ ([]), (now) => (now.length > 0 ? [] : now));
    const frames = tabIds.flatMap((tabId) => this.#pages.inTab(tabId));
    await Promise.all(frames.map((frame) => frame.ask('watch', { on: false }).catch(ignore)));
  }

  /**
   * Asks one frame and waits a moment; what comes later is reported as a change.
   * @param {Frame} frame
   * @param {'watch' | 'once'} how
   */
  async #ask(frame, how) {
    let late = false;
    const asked = (how === 'watch' ? frame.ask('watch', { on: true }) : frame.ask('introspect', {}))
      .then(({ tools }) => {
        frame.introspected = tools;
        if (late && how === 'watch') this.onChange(frame.tabId);
      })
      // A frame that goes meanwhile, or fails, offers nothing.
      .catch(ignore);
    const patience = frame.frameId === 0 ? SLOW_PAGE_MS : SLOW_FRAME_MS;
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, patience))]);
    late = true;
  }

  /**
   * @param {number} tabId
   * @param {boolean} watched
   */
  async #remember(tabId, watched) {
    await this.#memory.update(KEY, /** @type {number[]} */ ([]), (tabIds) => {
      if (tabIds.includes(tabId) === watched) return tabIds;
      return watched ? [...tabIds, tabId] : tabIds.filter((other) => other !== tabId);
    });
  }
}

/** @param {Frame[]} frames @returns {PlacedTool[]} */
const placedTools = (frames) => frames.flatMap(({ frameId, documentId, origin, introspected }) =>
  (introspected ?? []).map((tool) => ({ ...tool, frameId, documentId, origin })));

const ignore = () => undefined;
