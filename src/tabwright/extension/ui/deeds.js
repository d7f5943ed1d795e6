/** What agents do and how it went, in the same words wherever the person reads of it: popup, side panel, dashboard. */

/** @type {Record<string, string>} */
const DEEDS = {
  read: 'Read pages',
  act: 'Click, type and fill in forms',
  script: 'Run a script in the page',
  upload: 'Upload files',
  download: 'Download files',
  page_tool: 'Use a tool the page offers',
  gateway: 'Run scripts, asking by its own rules, through',
  consequential: 'Use a tool that its page says has consequences',
};

/** @type {Record<string, string>} */
const SHORT = {
  read: 'read pages',
  act: 'click and type',
  script: 'run scripts',
  upload: 'upload files',
  download: 'download files',
  page_tool: 'use page tools',
  consequential: 'use a tool with consequences',
};

/** @param {string} kind @param {string} tool */
export const deedOf = (kind, tool) => (tool === 'update_plan' ? 'Follow this plan' : `${DEEDS[kind] ?? kind} (${tool})`);

/** @param {string} kind */
export const shortDeed = (kind) => SHORT[kind] ?? kind;

/** @type {Record<string, {tone: string, words: string}>} */
const OUTCOMES = {
  ok: { tone: 'good', words: 'done' },
  error: { tone: 'bad', words: 'failed' },
  asking: { tone: 'wait', words: 'asks you' },
  cancelled: { tone: '', words: 'cancelled' },
  stopped: { tone: '', words: 'stopped by you' },
  denied: { tone: 'bad', words: 'denied' },
  approval_timeout: { tone: 'bad', words: 'not answered' },
};

/** How a call ended. @param {string} outcome @returns {{tone: string, words: string}} */
export const outcomeLook = (outcome) => OUTCOMES[outcome] ?? { tone: 'bad', words: outcome.replaceAll('_', ' ') };

/** @type {readonly [word: string, words: string, look: string][]} */
const ANSWERS = [
  ['once', 'Allow once', '.primary'],
  ['session', 'For this session', ''],
  ['always', 'Always on this site', ''],
  ['deny', 'Don\'t allow', '.no'],
];

/** What a question is answered with. @param {boolean} lasting whether a yes may be good for longer than once */
export const answersTo = (lasting) =>
  lasting ? ANSWERS : ANSWERS.filter(([word]) => word === 'once' || word === 'deny').map(([word, words, look]) =>
    /** @type {const} */ ([word, word === 'once' ? 'Allow' : words, look]));

/** What a grant allows, as a sentence. @param {string} client @param {string} kind @param {string} origin */
export const grantOf = (client, kind, origin) => `${client || 'Any agent'} may ${shortDeed(kind)} on ${siteOf(origin)}`;

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s` : `${Math.round(ms / 60_000)} min`;
}

/** The time of the day. @param {number} ms since 1970 */
export const timeOf = (ms) => new Date(ms).toLocaleTimeString([], { hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** @param {string} origin a site, shorter where nothing is lost */
export const siteOf = (origin) => origin.replace(/^https:\/\//, '');
