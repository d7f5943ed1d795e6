/** Commands for pages of ours that the person has open: what they show, and the dashboard. */
import { denied, invalidParams } from '../common/errors.js';
import { Params } from '../common/params.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */

const QUICK_MS = 5_000;
const MOST_CHARS = 300;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function onlookerCommands({ onlooking, tabs, windows }) {
  return {
    showActivity: {
      withinMs: QUICK_MS,
      async run(params, { connection }) {
        onlooking.show({
          ...(params.has('grants') ? { grants: params.array('grants').map(readGrant) } : {}),
          ...(params.has('calls') ? { calls: params.array('calls').map(readCall) } : {}),
        }, connection);
        return {};
      },
    },

    openDashboard: {
      withinMs: QUICK_MS,
      async run(params, { connection }) {
        // the dashboard is a page of this machine's gateway: nobody else has one here
        if (connection.includes('/')) throw denied('openDashboard through a server.');
        const url = params.string('url');
        if (!/^http:\/\/127\.0\.0\.1:\d{1,5}\/#[\w-]{1,100}$/.test(url)) throw invalidParams('url must be the dashboard\'s.');
        const tab = await tabs.create({ url, active: true });
        await windows.raise(tab.windowId);
        return {};
      },
    },
  };
}

/** @param {Params} params @param {string} name */
const text = (params, name) => (params.optionalString(name) ?? '').slice(0, MOST_CHARS);

/** @param {unknown} value @returns {import('../common/protocol').GrantView} */
function readGrant(value) {
  const grant = new Params(value);
  return {
    id: grant.string('id'),
    origin: text(grant, 'origin'),
    kind: text(grant, 'kind'),
    client: text(grant, 'client'),
    tool: text(grant, 'tool'),
    scope: text(grant, 'scope'),
  };
}

/** @param {unknown} value @returns {import('../common/protocol').CallView} */
function readCall(value) {
  const call = new Params(value);
  return {
    number: call.integer('number'),
    endedAt: call.number('endedAt'),
    sessionId: text(call, 'sessionId'),
    client: text(call, 'client'),
    tool: text(call, 'tool'),
    tabId: call.optionalInteger('tabId') ?? null,
    origin: text(call, 'origin'),
    outcome: text(call, 'outcome'),
    ms: call.number('ms'),
  };
}
