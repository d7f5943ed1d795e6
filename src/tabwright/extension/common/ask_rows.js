/**
 * What a client elsewhere may not do unasked, in the classes of the policy: raw commands of the debugger, which can do
 * whatever a script can, and tools of which their page says that they have consequences. As values: no chrome, no clock.
 */
import { denied } from './errors.js';
import { isObject } from './jsonrpc.js';

/** `roams`: what it does is not over with its answer, and holds for whatever page comes next. */
/** @typedef {{kind: 'script' | 'consequential', tool: string, lasting: boolean, roams: boolean, details: {name: string, value: string}[]}} Row */
/** @typedef {Record<string, unknown>} Values */

/** Commands that do no more than `click`, `type`, `screenshot` and `browser_navigate`, about which nobody is asked. */
const FREE = new Set([
  'Page.bringToFront', 'Page.captureScreenshot', 'Page.disable', 'Page.enable', 'Page.getLayoutMetrics', 'Page.navigate',
  'Page.stopLoading',
]);
/**
 * Commands that are over with their answer and see no more than the page that is there. All others go on in pages that
 * come later (scripts for new documents, interception, breakpoints, news of every request), or fetch from any site.
 */
const PASSING = new RegExp(`^(?:${[
  'Runtime\\.(?:evaluate|callFunctionOn|awaitPromise|compileScript|runScript|get\\w+|globalLexicalScopeNames|queryObjects'
    + '|release\\w+|discardConsoleEntries|runIfWaitingForDebugger|terminateExecution)',
  'DOM\\.(?!enable$)\\w+', 'CSS\\.(?!enable$)\\w+', 'DOMSnapshot\\.(?:captureSnapshot|getSnapshot)',
  'Accessibility\\.(?:get|query)\\w+', 'Overlay\\.(?:hide|highlight)\\w+', 'Performance\\.getMetrics', 'Storage\\.get\\w+',
  'Page\\.(?:get\\w+|captureSnapshot|close|createIsolatedWorld|handleJavaScriptDialog|navigateToHistoryEntry|printToPDF|reload'
    + '|resetNavigationHistory|searchInResource|setDocumentContent)',
  'Network\\.getCookies', 'IO\\.\\w+', 'Target\\.\\w+', '\\w+\\.disable',
].join('|')})$`);
const MOST_CHARACTERS = 2_000;

/**
 * Files of this machine are not for those elsewhere, whoever they are: a gateway sends what is in its own.
 * Raises: denied.
 * @param {string} method of the debugger
 * @param {Values} params
 */
export function checkFiles(method, params) {
  const dragged = isObject(params.data) ? params.data.files : undefined;
  const names = method === 'DOM.setFileInputFiles' || (method === 'Input.dispatchDragEvent' && dragged !== undefined);
  if (names) throw denied('files of the browser\'s own machine, to those who reach it through a server.');
}

/**
 * @param {string} method of the debugger
 * @param {Values} params
 * @returns {Row | null} null if nobody is asked
 */
export function rowOfCdp(method, params) {
  if (FREE.has(method) || method.startsWith('Input.')) return null;
  const details = Object.keys(params).length > 0 ? [{ name: method, value: shown(params.expression ?? params) }] : [];
  // a reload may lead elsewhere, and takes its script along
  const roams = !PASSING.test(method) || params.scriptToEvaluateOnLoad !== undefined;
  return { kind: 'script', tool: method, lasting: true, roams, details };
}

/**
 * A yes is good once: what the tool is may be another the next time.
 * @param {Values} message to a page
 * @param {(name: string) => Values | undefined} annotationsOf what the page says of its tool
 * @returns {Row | null}
 */
export function rowOfMessage(message, annotationsOf) {
  const { type, method, params, result } = message;
  const answers = type === 'confirm-result' ? message : method === undefined && isObject(result) ? result : undefined;
  if (answers?.confirmed === true) return { kind: 'consequential', tool: 'confirm', lasting: false, roams: false, details: [] };
  if (!isObject(params) || typeof params.toolName !== 'string') return null;
  const said = annotationsOf(params.toolName);
  if (said?.consequentialHint !== true && said?.destructiveHint !== true) return null;
  const details = [{ name: 'Arguments', value: shown(params.args ?? {}) }];
  return { kind: 'consequential', tool: params.toolName, lasting: false, roams: false, details };
}

/**
 * Whether a command may reach another frame than the page itself: it names one, or something that is in one.
 * @param {string | undefined} session
 * @param {Values} params
 */
export const reachesFrames = (session, params) => session !== undefined
  || Object.keys(params).some((name) => /Id$|^location$/.test(name));

/** That it goes on is said, or a harmless beginning would hide the rest. @param {unknown} value */
function shown(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  const more = text.length - MOST_CHARACTERS;
  return more > 0 ? `${text.slice(0, MOST_CHARACTERS)}\n… and ${more} more characters` : text;
}
