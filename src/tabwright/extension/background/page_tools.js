/**
 * Tools offered by pages, as the typed messages of the tabs protocol use them: what pages register first, then what
 * is derived from them, of all frames in one list without further addresses. One tab is focused and watched at a time.
 */
import { CommandError } from '../common/errors.js';
import { runTool, tellPage } from './page_commands.js';

/** @typedef {import('../common/protocol').PageTool} PageTool */
/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {{tool: PageTool, frame: Frame, original: string, isRegistered: boolean}} Offer */

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Tools that the server of the tabs protocol offers itself; no page may pass for one of them. */
const RESERVED = new Set(['connect_browser', 'list_tabs', 'open_tab', 'focus_tab', 'close_tab']);
const DESCRIPTION_LENGTH = 1_000;
/** What a reader does not see but a model does: control, bidi, zero-width and tag characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\u{E0000}-\u{E007F}]+/gu;
const MOST_TOOLS = 128;

export class PageTools {
  #calls = 0;
  #parts;
  #watches;

  /**
   * @param {import('./page_commands.js').RunParts} parts
   * @param {Pick<import('./watches.js').Watches, 'introspect' | 'list'>} watches
   */
  constructor(parts, watches) {
    this.#parts = parts;
    this.#watches = watches;
  }

  /**
   * Looks at a tab and goes on watching it, in place of the one before.
   * @param {number} tabId
   * @returns {Promise<PageTool[]>}
   */
  async focus(tabId) {
    const others = (await this.#watches.list()).filter((other) => other !== tabId);
    await Promise.all(others.map((other) => this.#watches.introspect(other, 'unwatch').catch(ignore)));
    // A page that lets no extension in offers nothing, and is focused all the same.
    await this.#watches.introspect(tabId, 'watch').catch(ignore);
    return this.list(tabId);
  }

  /** What was last heard of a tab. @param {number} tabId @returns {PageTool[]} */
  list(tabId) {
    return [...this.#offers(tabId).values()].map(({ tool }) => tool);
  }

  /**
   * @param {number} tabId
   * @param {string} toolName
   * @param {object} args
   * @returns {Promise<unknown>}
   */
  async call(tabId, toolName, args) {
    const exists = await this.#parts.tabs.get(tabId).then(() => true, () => false);
    if (!exists) throw new CommandError(`No tab ${tabId}.`);
    // Called without being focused first, as after a start of the worker.
    if (!this.#offers(tabId).has(toolName)) await this.#watches.introspect(tabId, 'once').catch(ignore);
    const offer = this.#offers(tabId).get(toolName);
    if (!offer) throw new CommandError(`No tool "${toolName}" on this page.`);
    const { frame, original, isRegistered } = offer;
    const result = isRegistered
      ? await this.#execute(frame, original, args)
      : await runTool(this.#parts, frame, { name: original, arguments: args });
    if (isRecord(result) && result.isError) throw new CommandError(textOf(result));
    return result;
  }

  /**
   * @param {Frame} frame
   * @param {string} toolName
   * @param {object} args
   */
  async #execute(frame, toolName, args) {
    const id = `call-${(this.#calls += 1)}`;
    const message = { jsonrpc: '2.0', id, method: 'browser/executeTool', params: { toolName, args } };
    const { success, payload } = (await tellPage(frame, message)).result;
    if (!success) throw new CommandError(isRecord(payload) ? textOf(payload) : String(payload));
    return payload;
  }

  /** @param {number} tabId @returns {Map<string, Offer>} */
  #offers(tabId) {
    /** @type {Map<string, Offer>} */
    const offers = new Map();
    const frames = this.#parts.pages.inTab(tabId);
    for (const frame of frames) for (const tool of frame.registered) add(offers, frame, tool, true);
    for (const frame of frames) for (const tool of frame.introspected ?? []) add(offers, frame, tool, false);
    return offers;
  }
}

/**
 * @param {Map<string, Offer>} offers
 * @param {Frame} frame
 * @param {PageTool} tool
 * @param {boolean} isRegistered
 */
function add(offers, frame, tool, isRegistered) {
  if (!isRecord(tool) || !NAME.test(tool.name) || offers.size >= MOST_TOOLS) return;
  const { name: original, description, inputSchema, annotations } = tool;
  const free = RESERVED.has(original.toLowerCase()) ? `page_${original}` : original;
  let name = free;
  for (let count = 2; offers.has(name); count += 1) name = `${free}_${count}`;
  const shown = {
    name,
    description: String(description ?? '').replace(UNSEEN, ' ').slice(0, DESCRIPTION_LENGTH),
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: 'object' },
    ...(annotations ? { annotations } : {}),
  };
  offers.set(name, { tool: shown, frame, original, isRegistered });
}

/** @param {any} value */
const isRecord = (value) => typeof value === 'object' && value !== null;

/** @param {any} result */
const textOf = ({ content }) => {
  const texts = Array.isArray(content) ? content.map((item) => item?.text ?? '') : [];
  return texts.join('\n') || 'The tool failed.';
};

const ignore = () => undefined;
