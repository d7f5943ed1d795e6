/** Commands about what the person sees of sessions: groups, holds; and the extension's own reload. */
import { invalidParams } from '../common/errors.js';
import { isObject } from '../common/jsonrpc.js';
import { Params } from '../common/params.js';
import { COLORS } from './groups.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */
/** @typedef {import('../common/protocol').HeldSession} HeldSession */

const QUICK_MS = 5_000;
const MOST_SESSIONS = 100;
const MOST_CHARS = 100;
/** In place of the name of a session whose gateway is not trusted (yet). */
const STRANGER = 'An agent elsewhere';

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function groupCommands({ groups, holds, reload }) {
  return {
    groupTabs: {
      withinMs: QUICK_MS,
      async run(params) {
        const tabIds = params.integers('tabIds');
        if (tabIds.length === 0) throw invalidParams('tabIds is empty.');
        return { groupId: await groups.gather(tabIds, params.optionalInteger('groupId'), readLook(params)) };
      },
    },

    ungroupTabs: {
      withinMs: QUICK_MS,
      async run(params) {
        const tabIds = params.integers('tabIds');
        if (tabIds.length === 0) throw invalidParams('tabIds is empty.');
        await groups.release(tabIds);
        return {};
      },
    },

    updateGroup: {
      withinMs: QUICK_MS,
      async run(params) {
        await groups.update(params.integer('groupId'), readLook(params));
        return {};
      },
    },

    closeGroup: {
      withinMs: QUICK_MS,
      run: async (params) => ({ closed: await groups.close(params.integer('groupId')) }),
    },

    showHolds: {
      withinMs: QUICK_MS,
      async run(params, { connection, before }) {
        const sessions = params.array('sessions').slice(0, MOST_SESSIONS).map(readSession);
        // a name that nobody vouches for could be anybody's
        const shown = before === false ? sessions.map((session) => ({ ...session, name: STRANGER })) : sessions;
        await holds.show(shown, connection);
        return {};
      },
    },

    reload: {
      withinMs: QUICK_MS,
      async run() {
        reload();
        return {};
      },
    },
  };
}

/** @param {Params} params @returns {chrome.tabGroups.UpdateProperties} */
function readLook(params) {
  const title = params.optionalString('title');
  const color = params.optionalChoice('color', COLORS);
  const collapsed = params.optionalBoolean('collapsed');
  return {
    ...(title === undefined ? {} : { title }),
    ...(color === undefined ? {} : { color }),
    ...(collapsed === undefined ? {} : { collapsed }),
  };
}

/** @param {unknown} value @returns {HeldSession} */
function readSession(value) {
  const session = new Params(value);
  return {
    id: session.string('id'),
    name: session.string('name').slice(0, MOST_CHARS),
    color: session.optionalChoice('color', COLORS) ?? 'grey',
    stopped: session.optionalBoolean('stopped') ?? false,
    tabs: session.array('tabs').map((tab) => {
      if (!isObject(tab)) throw invalidParams('tabs must hold objects.');
      const held = new Params(tab);
      return { tabId: held.integer('tabId'), claimed: held.optionalBoolean('claimed') ?? false };
    }),
  };
}
