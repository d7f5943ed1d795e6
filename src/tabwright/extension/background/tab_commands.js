/** Commands about tabs and where they are: createTab … goForward. */
import { whenAborted } from '../common/aborted.js';
import { checkUrl } from '../common/floor.js';
import { targetTab } from './target_tab.js';
import { urlOf } from './tabs.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */

const QUICK_MS = 5_000;
const CREATE_MS = 8_000;
/** Longer than the wait for a commit, so that its clearer error wins. */
const TRAVEL_MS = 12_000;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function tabCommands(parts) {
  const { tabs, groups, feed, history, currentTabs } = parts;

  /**
   * Where the tab is now. The gateway is told of its new document first: an answer must not overtake the event.
   * @param {number} tabId
   * @returns {Promise<{tabId: number, url: string}>}
   */
  const whereabouts = async (tabId) => {
    await feed.sync(tabId);
    return { tabId, url: urlOf(await tabs.get(tabId)) };
  };

  /** @type {Command} */
  const activate = {
    withinMs: QUICK_MS,
    async run(params, context) {
      params.integer('tabId');
      const tabId = await targetTab(parts, params, context);
      await tabs.activate(tabId);
      return whereabouts(tabId);
    },
  };

  /** @param {'back' | 'forward'} direction @returns {Command} */
  const travel = (direction) => ({
    withinMs: TRAVEL_MS,
    async run(params, context) {
      const tabId = await targetTab(parts, params, context);
      await history.go(tabId, direction, (url, start) => tabs.travel(tabId, `Going ${direction}`, url, start));
      return whereabouts(tabId);
    },
  });

  return {
    createTab: {
      withinMs: CREATE_MS,
      async run(params, { connection, signal }) {
        const url = checkUrl(params.optionalString('url') ?? 'about:blank');
        const active = params.optionalBoolean('active') ?? false;
        const stealth = params.optionalBoolean('stealth') ?? false;
        const groupId = stealth ? undefined : params.optionalInteger('groupId');
        if (stealth) console.info('tabwright: opened a tab without mark or group at the wish of', connection);
        const windowId = groupId === undefined ? undefined : await groups.windowOf(groupId);
        const tab = await tabs.create({ url, active, windowId });
        // Whoever gave it up is told of no tab: there is to be none.
        whenAborted(signal, () => void tabs.close(tab.id).catch(() => {}));
        if (groupId !== undefined) await groups.gather([tab.id], groupId, {});
        await currentTabs.set(connection, tab.id);
        const arrival = await tabs.firstArrival(tab.id);
        const made = await whereabouts(tab.id);
        return arrival.outcome === 'failed' ? { ...made, error: arrival.error } : made;
      },
    },

    getTabs: {
      withinMs: QUICK_MS,
      run: async () => ({ tabs: await feed.list() }),
    },

    selectTab: activate,
    activateTab: activate,

    closeTab: {
      withinMs: QUICK_MS,
      async run(params, context) {
        const tabId = await targetTab(parts, params, context);
        await tabs.close(tabId);
        return { tabId };
      },
    },

    browser_navigate: {
      withinMs: TRAVEL_MS,
      async run(params, context) {
        const url = checkUrl(params.string('url'));
        const tabId = await targetTab(parts, params, context);
        await tabs.navigate(tabId, url);
        return whereabouts(tabId);
      },
    },

    goBack: travel('back'),
    goForward: travel('forward'),
  };
}
