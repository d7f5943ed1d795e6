/** The command table: every method the extension answers over JSON-RPC, whichever dialect carries it. */
import { actionCommands } from './action_commands.js';
import { agentCommands } from './agent_commands.js';
import { approvalCommands } from './approval_commands.js';
import { driveCommands } from './drive_commands.js';
import { groupCommands } from './group_commands.js';
import { onlookerCommands } from './onlooker_commands.js';
import { pageCommands } from './page_commands.js';
import { tabCommands } from './tab_commands.js';
import { windowCommands } from './window_commands.js';

/** @typedef {import('./dispatcher.js').Command} Command */
/** @typedef {import('./target_tab.js').Parts} Parts */

/**
 * @param {Parts} parts
 * @returns {ReadonlyMap<string, Command>}
 */
export function commandTable(parts) {
  return new Map(Object.entries({
    ...tabCommands(parts), ...driveCommands(parts), ...groupCommands(parts), ...pageCommands(parts),
    ...agentCommands(parts), ...actionCommands(parts), ...windowCommands(parts), ...approvalCommands(parts),
    ...onlookerCommands(parts),
  }));
}
