/** What commands work with, and the one rule they share: which tab they mean. */

/** @typedef {import('./dispatcher.js').Context} Context */
/** @typedef {import('../common/params.js').Params} Params */

/**
 * @typedef {object} Parts
 * @property {import('./tabs.js').Tabs} tabs
 * @property {import('./groups.js').Groups} groups
 * @property {import('./history.js').History} history
 * @property {Pick<import('./tab_feed.js').TabFeed, 'list' | 'sync'>} feed what the feeds of all links can do
 * @property {import('./current_tabs.js').CurrentTabs} currentTabs
 * @property {import('./debugger.js').Debugger} debugger
 * @property {import('./screencasts.js').Screencasts} screencasts
 * @property {import('./input.js').Input} input
 * @property {import('./holds.js').Holds} holds
 * @property {import('./navigation.js').Navigation} navigation
 * @property {import('./pages.js').Pages} pages
 * @property {import('./page_agents.js').PageAgents} agents
 * @property {import('./watches.js').Watches} watches
 * @property {import('./activity.js').Activity} activity
 * @property {import('./company.js').Company} company
 * @property {import('./page_feed.js').PageFeed} pageFeed
 * @property {import('./actions.js').Actions} actions
 * @property {import('./windows.js').Windows} windows
 * @property {import('./downloads.js').Downloads} downloads
 * @property {import('./travels.js').Travels} travels
 * @property {import('./approvals.js').Approvals} approvals
 * @property {import('./onlooking.js').Onlooking} onlooking
 * @property {string} version
 * @property {() => void} reload
 */

/**
 * The tab a command acts on: the one it names, which becomes the connection's current one, or the current one.
 * @param {Pick<Parts, 'tabs' | 'currentTabs'>} parts
 * @param {Params} params
 * @param {Context} context
 * @returns {Promise<number>}
 */
export async function targetTab({ tabs, currentTabs }, params, { connection }) {
  const named = params.optionalInteger('tabId');
  const { id } = await tabs.get(named ?? (await currentTabs.get(connection)));
  await currentTabs.set(connection, id);
  return id;
}
