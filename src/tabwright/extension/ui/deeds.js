/** What the action classes are called, wherever the person reads of them. */

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

/** How a call ended. @param {string} outcome */
export const outcomeLook = (outcome) => OUTCOMES[outcome] ?? { tone: 'bad', words: outcome.replaceAll('_', ' ') };

/** @param {number} ms */
export const duration = (ms) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`);

/** @param {string} origin a site, shorter where nothing is lost */
export const siteOf = (origin) => origin.replace(/^https:\/\//, '');
