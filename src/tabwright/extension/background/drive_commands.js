/** Commands that act inside a page through the debugger: raw CDP, trusted input, pictures. */
import { invalidParams } from '../common/errors.js';
import { checkCdp } from '../common/floor.js';
import { targetTab } from './target_tab.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */
/** @typedef {import('../common/params.js').Params} Params */

const CDP_MS = 60_000;
const INPUT_MS = 10_000;
const TYPING_MS = 30_000;
const QUICK_MS = 5_000;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function driveCommands(parts) {
  const { input } = parts;

  return {
    forwardCDPCommand: {
      withinMs: CDP_MS,
      async run(params, context) {
        const method = params.string('method');
        const cdpParams = params.optionalObject('params') ?? {};
        checkCdp(method, cdpParams);
        const tabId = await attachable(parts, params, context);
        const mayAttach = params.optionalBoolean('attach') ?? true;
        if (method === 'Page.startScreencast' && params.optionalBoolean('unlessSeen')) {
          const cdp = (/** @type {string} */ each, more = {}) => parts.debugger.send(tabId, each, more, undefined, mayAttach);
          await parts.screencasts.keep(tabId, cdp, cdpParams);
          return {};
        }
        parts.screencasts.observe(tabId, method);
        return parts.debugger.send(tabId, method, cdpParams, params.optionalString('sessionId'), mayAttach);
      },
    },

    detach: {
      withinMs: QUICK_MS,
      async run(params) {
        await parts.debugger.detach(params.integer('tabId'));
        return {};
      },
    },

    endPage: {
      withinMs: QUICK_MS,
      async run(params) {
        await parts.debugger.kill(params.integer('tabId'));
        return {};
      },
    },

    click: {
      withinMs: INPUT_MS,
      async run(params, context) {
        const spot = readSpot(params);
        await input.click(await targetTab(parts, params, context), spot);
        return {};
      },
    },

    hover: {
      withinMs: INPUT_MS,
      async run(params, context) {
        const spot = readSpot(params);
        await input.hover(await targetTab(parts, params, context), spot);
        return {};
      },
    },

    type: {
      withinMs: TYPING_MS,
      async run(params, context) {
        refuseRef(params);
        const text = params.string('text');
        const selector = params.optionalString('selector');
        await input.type(await targetTab(parts, params, context), text, selector, context.signal);
        return {};
      },
    },

    screenshot: {
      withinMs: INPUT_MS,
      async run(params, context) {
        const format = params.optionalChoice('format', /** @type {const} */ (['jpeg', 'png'])) ?? 'jpeg';
        const quality = params.optionalInteger('quality') ?? 80;
        if (quality < 0 || quality > 100) throw invalidParams('quality must be 0 to 100.');
        return input.screenshot(await attachable(parts, params, context), format, quality, readClip(params));
      },
    },
  };
}

/**
 * The tab for a command to the debugger, which becomes the connection's current one. An attached one was checked when it
 * was attached, and asking Chrome again on each of thousands of commands would cost more than the command.
 * @param {Parts} parts
 * @param {Params} params
 * @param {import('./dispatcher.js').Context} context
 */
async function attachable(parts, params, context) {
  const tabId = params.optionalInteger('tabId') ?? (await parts.currentTabs.get(context.connection));
  if (!(await parts.debugger.isAttached(tabId))) await parts.tabs.get(tabId);
  await parts.currentTabs.set(context.connection, tabId);
  return tabId;
}

/** @param {Params} params @returns {import('./input.js').Clip | undefined} */
function readClip(params) {
  const clip = params.optionalObject('clip');
  if (!clip) return undefined;
  const { x, y, width, height, scale = 1 } = clip;
  const numbers = [x, y, width, height, scale];
  if (!numbers.every((each) => typeof each === 'number' && Number.isFinite(each)) || Number(width) <= 0 || Number(height) <= 0) {
    throw invalidParams('clip needs numbers x, y, width, height and perhaps scale.');
  }
  return /** @type {import('./input.js').Clip} */ ({ x, y, width, height, scale });
}

/** @param {Params} params @returns {import('./input.js').Spot} */
function readSpot(params) {
  refuseRef(params);
  if (params.has('selector')) return { selector: params.string('selector') };
  if (!params.has('x') || !params.has('y')) throw invalidParams('name a selector, or x and y.');
  return { x: params.number('x'), y: params.number('y') };
}

/** @param {Params} params */
function refuseRef(params) {
  if (params.has('ref')) throw invalidParams('refs come from read_page of a page agent, and none is loaded here.');
}
