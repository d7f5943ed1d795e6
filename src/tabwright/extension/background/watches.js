/**
 * Introspection of whole tabs, once or for as long as somebody works there.
 *
 * A watched tab's frames report by themselves when the tools derived from them change; frames and documents that come
 * later are told to watch as they arrive. Watches outlive a stopped worker and a short break of the link. Each gateway
 * has its own: a tab is watched until the last of them looks away.
 */
import { after } from '../common/after.js';

/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {import('../common/protocol').PlacedTool} PlacedTool */
/** `by` is the connection that watches: its link's name, and behind a server which client's. @typedef {{tabId: number, by: string}} Watch */

const KEY = 'watched';
const LOCAL = 'direct';
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
   * @param {string} [by] without it, the gateway on this machine
   * @returns {Promise<{documentId: string | null, tools: PlacedTool[]}>}
   */
  async introspect(tabId, how, by = LOCAL) {
    if (how === 'watch') await this.#change((all) => (all.some(same({ tabId, by })) ? all : [...all, { tabId, by }]));
    if (how === 'unwatch') await this.#change((all) => without(all, { tabId, by }));
    const { documentId, frames } = await this.#agents.inTab(tabId);
    if (how === 'unwatch') {
      if (!(await this.isWatched(tabId))) for (const frame of frames) void frame.ask('watch', { on: false }).catch(ignore);
    } else await Promise.all(frames.map((frame) => this.#ask(frame, how)));
    return { documentId, tools: placedTools(frames) };
  }

  /** What was last found in a tab. @param {number} tabId @returns {PlacedTool[]} */
  tools(tabId) {
    return placedTools(this.#pages.inTab(tabId));
  }

  /** The tabs being watched. @returns {Promise<number[]>} */
  async list() {
    return tabsOf(await this.#memory.read(KEY, /** @type {Watch[]} */ ([])));
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
    if (await this.isWatched(tabId)) await this.#change((all) => all.filter((watch) => watch.tabId !== tabId));
  }

  /** Whoever watched is gone: all, or the connections of one link. @param {string} [link] */
  async clear(link = '') {
    const before = await this.list();
    const kept = tabsOf(await this.#change((all) => all.filter(({ by }) => !by.startsWith(link))));
    const frames = before.filter((tabId) => !kept.includes(tabId)).flatMap((tabId) => this.#pages.inTab(tabId));
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
    await Promise.race([asked, after(patience)]);
    late = true;
  }

  /** @param {(all: Watch[]) => Watch[]} change */
  #change(change) {
    return this.#memory.update(KEY, /** @type {Watch[]} */ ([]), (all) => {
      const after = change(all);
      return after.length === all.length ? all : after;
    });
  }
}

/** @param {Watch} watch */
const same = ({ tabId, by }) => (/** @type {Watch} */ other) => other.tabId === tabId && other.by === by;

/**
 * One watch less. A client that came back through a server has another connection than the one that watched: then the
 * oldest of its link ends.
 * @param {Watch[]} all
 * @param {Watch} ended
 */
function without(all, ended) {
  const link = ended.by.split('/', 1)[0];
  const found = all.find(same(ended)) ?? all.find(({ tabId, by }) => tabId === ended.tabId && by.split('/', 1)[0] === link);
  return all.filter((watch) => watch !== found);
}

/** @param {Watch[]} watches */
const tabsOf = (watches) => [...new Set(watches.map(({ tabId }) => tabId))];

/** @param {Frame[]} frames @returns {PlacedTool[]} */
const placedTools = (frames) => frames.flatMap(({ frameId, documentId, origin, introspected }) =>
  (introspected ?? []).map((tool) => ({ ...tool, frameId, documentId, origin })));

const ignore = () => undefined;
