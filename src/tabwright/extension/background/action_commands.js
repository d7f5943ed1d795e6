/** Commands around a gesture: beginAction before it, settleAction after it. */

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */

const BEGIN_MS = 2_000;
const SETTLE_MS = 20_000;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function actionCommands({ actions }) {
  return {
    beginAction: {
      withinMs: BEGIN_MS,
      async run(params) {
        await actions.begin(params.integer('tabId'), undefined, params.optionalBoolean('hovering'));
        return {};
      },
    },

    settleAction: {
      withinMs: SETTLE_MS,
      async run(params, { signal }) {
        const tabId = params.integer('tabId');
        if (!params.optionalBoolean('drop')) return actions.settle(tabId, params.optionalInteger('ms'), signal);
        actions.drop(tabId);
        return {};
      },
    },
  };
}
