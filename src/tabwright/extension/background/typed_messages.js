/**
 * The typed messages of the tabs protocol that a gateway sends, for peers that know nothing else. None is met with
 * silence: a missing tab is answered `tabClosed`, an impossible wish `error`.
 */
import { after } from '../common/after.js';
import { invalidRequest, messageOf } from '../common/errors.js';
import { checkUrl } from '../common/floor.js';
import { Params } from '../common/params.js';

/** @typedef {import('./dispatcher.js').TypedHandler} TypedHandler */
/** @typedef {import('../common/protocol').Outgoing} Outgoing */

/** A page that never shows its tools holds up no other for longer. */
const LONGEST_FOCUS_MS = 5_000;

/**
 * @param {{
 *   tabs: import('./tabs.js').Tabs,
 *   feed: Pick<import('./tab_feed.js').TabFeed, 'sync'>,
 *   settings: Pick<import('./settings.js').Settings, 'load'>,
 *   pageTools: import('./page_tools.js').PageTools,
 *   pageFeed: Pick<import('./page_feed.js').PageFeed, 'told'>,
 *   announce: () => Promise<void>,
 *   send: (message: Outgoing) => void,
 * }} parts
 * @returns {ReadonlyMap<string, TypedHandler>}
 */
export function typedMessages({ tabs, feed, settings, pageTools, pageFeed, announce, send }) {
  /** Until the focus before has been given. @type {Promise<unknown>} */
  let turn = Promise.resolve();

  /**
   * One after the other, however long their pages take: what was asked for last has the focus in the end.
   * @param {number} tabId
   */
  const focus = (tabId) => {
    const focused = turn.then(() => give(tabId));
    turn = Promise.race([focused.catch(() => {}), after(LONGEST_FOCUS_MS)]);
    return focused;
  };

  /**
   * Focus is the client's, not the person's: what they look at changes only in a browser launched for clients.
   * @param {number} tabId
   */
  const give = async (tabId) => {
    if ((await settings.load()).keeper) await tabs.activate(tabId);
    const tools = await pageTools.focus(tabId);
    pageFeed.told(tabId, tools);
    send({ type: 'tabFocused', tabId, tools });
  };

  /** @param {number} tabId */
  const exists = (tabId) => tabs.get(tabId).then(() => true, () => false);

  /** @type {Record<string, TypedHandler>} */
  const handlers = {
    async pong() {},

    async ping() {
      send({ type: 'pong' });
    },

    /** A complaint is not answered, or two peers could complain to each other for ever. */
    async error(message) {
      console.warn('tabwright: the gateway complains:', message.message);
    },

    async connect() {
      await announce();
    },

    async openTab(message) {
      const params = new Params(message);
      const url = checkUrl(params.string('url'));
      const wantsFocus = params.optionalBoolean('focus') ?? true;
      const tab = await tabs.create({ url, active: false });
      await tabs.firstArrival(tab.id);
      await feed.sync(tab.id);
      if (wantsFocus) await focus(tab.id);
    },

    async focusTab(message) {
      const tabId = new Params(message).integer('tabId');
      if (await exists(tabId)) await focus(tabId);
      else send({ type: 'tabClosed', tabId });
    },

    async closeTab(message) {
      const tabId = new Params(message).integer('tabId');
      if (await exists(tabId)) await tabs.close(tabId);
      else send({ type: 'tabClosed', tabId });
    },

    async callTool(message) {
      const params = new Params(message);
      const { callId } = message;
      if (callId === undefined) throw invalidRequest('callTool needs a callId.');
      try {
        const args = params.optionalObject('args') ?? {};
        const result = await pageTools.call(params.integer('tabId'), params.string('toolName'), args);
        send({ type: 'toolResult', callId, result });
      } catch (thrown) {
        send({ type: 'toolResult', callId, error: messageOf(thrown) });
      }
    },
  };
  return new Map(Object.entries(handlers));
}
