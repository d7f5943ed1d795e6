/** The command that puts a question to the person. */
import { invalidParams } from '../common/errors.js';
import { isObject } from '../common/jsonrpc.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */

const MOST_SECONDS = 120;
const MOST_CHOICES = 50;
const SPARE_MS = 3_000;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function approvalCommands({ approvals }) {
  return {
    askPerson: {
      withinMs: MOST_SECONDS * 1_000 + SPARE_MS,
      async run(params, { signal }) {
        const seconds = params.number('seconds');
        if (!(seconds > 0 && seconds <= MOST_SECONDS)) throw invalidParams(`seconds must be up to ${MOST_SECONDS}.`);
        const details = params.array('details').filter(isObject);
        return approvals.ask({
          askId: params.string('askId'),
          client: params.string('client'),
          origin: params.string('origin'),
          tool: params.string('tool'),
          kind: params.string('kind'),
          question: params.string('question'),
          lasting: params.optionalBoolean('lasting') ?? false,
          choices: params.has('choices') ? params.array('choices').map(String).slice(0, MOST_CHOICES) : [],
          details: details.map(({ name, value }) => ({ name: String(name), value: String(value) })),
          seconds,
        }, signal);
      },
    },
  };
}
