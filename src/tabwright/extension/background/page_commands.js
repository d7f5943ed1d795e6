/** Commands to page agents: introspect, runTool, tabMessage. */
import { after } from '../common/after.js';
import { invalidParams, outcomeUnknown } from '../common/errors.js';
import { FrameGone } from './pages.js';
import { looksDead } from './crashes.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */
/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {import('../common/protocol').CallToolResult} CallToolResult */
/** @typedef {Pick<Parts, 'tabs' | 'feed' | 'navigation' | 'pages' | 'agents' | 'activity'>} RunParts */

const INTROSPECT_MS = 5_000;
const RUN_MS = 15_000;
/** A call has 10 s, which its page agent counts; a person may be asked meanwhile, three times for a minute. */
const HUB_MS = 200_000;
const COMMIT_WITHIN_MS = 3_000;
const COMMIT_POLL_MS = 20;
/** Chrome's error pages and its own pages never open a port. */
const PORT_WITHIN_MS = 500;
const LONGEST_ADDRESS = 500;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function pageCommands(parts) {
  const { agents, watches, pageFeed } = parts;

  return {
    introspect: {
      withinMs: INTROSPECT_MS,
      async run(params, { connection }) {
        const watch = params.optionalBoolean('watch');
        const how = watch === undefined ? 'once' : watch ? 'watch' : 'unwatch';
        const tabId = params.integer('tabId');
        const found = await watches.introspect(tabId, how, connection);
        pageFeed.told(tabId, found.tools);
        return found;
      },
    },

    runTool: {
      withinMs: RUN_MS,
      async run(params, { signal }) {
        const frame = await agents.of(params.integer('tabId'), params.integer('frameId'), params.string('documentId'));
        const call = {
          name: params.string('name'),
          arguments: params.optionalObject('arguments') ?? {},
          digest: params.optionalString('digest'),
        };
        const result = await runTool(parts, frame, call, signal);
        return { result };
      },
    },

    tabMessage: {
      withinMs: HUB_MS,
      async run(params, { signal }) {
        const message = params.optionalObject('message');
        if (!message) throw invalidParams('message is missing; it must be an object.');
        const frame = await agents.of(params.integer('tabId'), params.integer('frameId'), params.string('documentId'));
        return tellPage(frame, message, signal);
      },
    },
  };
}

/**
 * Sends the page one request of the hub. Raises: outcome_unknown if the frame goes meanwhile.
 * @param {Frame} frame
 * @param {object} message
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function tellPage(frame, message, signal) {
  try {
    return await frame.ask('hub', { message }, signal);
  } catch (thrown) {
    if (!(thrown instanceof FrameGone)) throw thrown;
    throw outcomeUnknown('The page went away before it answered. Look at what it shows now before you try again.');
  }
}

/**
 * Runs an introspected tool. One that leads to another page takes its own answer with it, so we answer in its place.
 * Raises: stale_target if the tool of that name has another digest by now.
 * @param {RunParts} parts
 * @param {Frame} frame
 * @param {{name: string, arguments: object, digest?: string}} call
 * @param {AbortSignal} [signal]
 * @returns {Promise<CallToolResult>}
 */
export async function runTool(parts, frame, call, signal) {
  const done = parts.activity.begin(frame.tabId);
  try {
    return await frame.ask('runTool', call, signal);
  } catch (thrown) {
    if (!(thrown instanceof FrameGone)) throw thrown;
    if (!thrown.begun) throw outcomeUnknown('The page changed just as the tool was called. Look at what it shows now.');
    const { text, isError } = await arrival(parts, frame);
    // The gateway hears of the new document before it reads of it.
    await parts.feed.sync(frame.tabId);
    return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
  } finally {
    done();
  }
}

/**
 * Where an action led that ended its own document. Raises: outcome_unknown.
 * @param {RunParts} parts
 * @param {Frame} left
 * @returns {Promise<{text: string, isError?: boolean, news?: object[]}>} news: a form that came back, as it can be corrected
 */
export async function arrival(parts, left) {
  const { tabId, frameId, documentId } = left;
  for (let waited = 0; waited < COMMIT_WITHIN_MS; waited += COMMIT_POLL_MS) {
    const tab = await parts.tabs.peek(tabId);
    if (!tab || looksDead(tab)) break;
    const now = await parts.navigation.documentId(tabId, frameId);
    if (now !== null && now !== documentId) return whatIsThere(parts, left, now, tab);
    if (now === null && frameId !== 0) {
      return { text: `Done; its part of the page is gone. The page is still ${tab.title} ${shown(tab.url)}.` };
    }
    await after(COMMIT_POLL_MS);
  }
  throw outcomeUnknown('The page went away while the tool ran. List the tabs to see what is there now.');
}

/**
 * @param {RunParts} parts
 * @param {Frame} left
 * @param {string} documentId
 * @param {import('../common/protocol').TabInfo} tab
 */
async function whatIsThere({ tabs, navigation, pages }, { tabId, frameId }, documentId, tab) {
  const failure = frameId === 0 ? navigation.failure(tabId) : undefined;
  if (failure) return { text: `Done, but the page it led to did not load: ${shown(tab.url)} (${failure}).`, isError: true };
  const frame = await pages.arrival(documentId, PORT_WITHIN_MS);
  const told = await frame?.ask('whereabouts', {}).catch(() => null);
  const { title, url } = told ?? (await tabs.peek(tabId)) ?? tab;
  const where = `Done; the ${frameId === 0 ? 'page' : 'frame'} is now ${[title, shown(url)].filter(Boolean).join(' ')}.`;
  // A form that came back with complaints was not accepted.
  const news = frame && told?.news ? [{ ...newsOf(frame, told.news), refused: true }] : [];
  return { text: [where, ...(told?.lines ?? [])].join('\n'), ...(told?.failed ? { isError: true } : {}), ...(news.length ? { news } : {}) };
}

/** What can be used at once of a document, as the gateway reads it. @param {Frame} frame @param {unknown} told */
export function newsOf({ frameId, documentId, origin }, told) {
  return { frameId, documentId, origin, told };
}

/** A page may give itself an address of megabytes. @param {string} url */
const shown = (url) => (url.length > LONGEST_ADDRESS ? `${url.slice(0, LONGEST_ADDRESS)}…` : url);
