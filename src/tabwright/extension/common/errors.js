/**
 * Every failure a command can answer with, and its JSON-RPC number.
 *
 *   CommandError            -32000  generic: Chrome refused or the page cannot do it
 *     parseError            -32700
 *     invalidRequest        -32600
 *     methodNotFound        -32601
 *     invalidParams         -32602
 *     unreachablePage       -32005  unreachable_page
 *     needsDebugger         -32005  needs_debugger
 *     denied                -32006  denied
 *     approvalTimeout       -32007  approval_timeout
 *     dialogOpen            -32008  dialog_open
 *     nobodyToAsk           -32009  nobody_to_ask
 *     outcomeUnknown        -32011  outcome_unknown
 *     timedOut              -32014  timeout
 *     staleTarget           -32015  stale_target
 *
 * The word travels as `error.data.code`. Texts are read by a model, so each says what to do next.
 */

export class CommandError extends Error {
  /**
   * @param {string} message
   * @param {number} [code]
   * @param {Record<string, unknown>} [data]
   */
  constructor(message, code = -32000, data = undefined) {
    super(message);
    this.name = 'CommandError';
    this.code = code;
    this.data = data;
  }
}

/** @param {string} detail */
export const parseError = (detail) => new CommandError(`Not JSON: ${detail}`, -32700);

/** @param {string} detail */
export const invalidRequest = (detail) => new CommandError(`Invalid request: ${detail}`, -32600);

/** @param {string} method */
export const methodNotFound = (method) => new CommandError(`Unknown command "${method}".`, -32601);

/** @param {string} detail */
export const invalidParams = (detail) => new CommandError(`Invalid params: ${detail}`, -32602);

/** @param {number} tabId */
export const noTab = (tabId) => new CommandError(`No tab ${tabId}.`, -32001, { code: 'tab_not_found' });

/** @param {number} groupId */
export const noGroup = (groupId) => new CommandError(`No tab group ${groupId}.`);

/** @param {string} detail */
export const unreachablePage = (detail) =>
  new CommandError(
    `Chrome lets no extension act on this page (${detail.replace(/\.$/, '')}). Navigate the tab to a web page, or work in another tab.`,
    -32005,
    { code: 'unreachable_page' },
  );

/** @param {number} tabId */
export const pageBusy = (tabId) =>
  new CommandError(`A script keeps the page of tab ${tabId} busy.`, -32005, { code: 'page_busy' });

export const needsDebugger = () =>
  new CommandError(
    'about:blank can be worked on only while the debugger is attached. Take a screenshot with computer, then try again.',
    -32005,
    { code: 'needs_debugger' },
  );

/** @param {string} detail */
export const denied = (detail) => new CommandError(`Denied: ${detail}`, -32006, { code: 'denied' });

/**
 * @param {string} what
 * @param {number} seconds
 */
export const approvalTimeout = (what, seconds) =>
  new CommandError(`${what} was not run: the person did not answer within ${seconds} s.`, -32007, { code: 'approval_timeout' });

/** @param {string} detail */
export const nobodyToAsk = (detail) => new CommandError(detail, -32009, { code: 'nobody_to_ask' });

/** @param {string} detail */
export const dialogOpen = (detail) => new CommandError(detail, -32008, { code: 'dialog_open' });

/** @param {string} detail */
export const outcomeUnknown = (detail) => new CommandError(detail, -32011, { code: 'outcome_unknown' });

/** @param {string} detail */
export const staleTarget = (detail) => new CommandError(detail, -32015, { code: 'stale_target' });

/**
 * @param {string} what
 * @param {number} ms
 */
export const timedOut = (what, ms) =>
  new CommandError(`${what} took longer than ${ms / 1000} s.`, -32014, { code: 'timeout' });

/** @param {unknown} thrown */
export const messageOf = (thrown) => (thrown instanceof Error ? thrown.message : String(thrown));
