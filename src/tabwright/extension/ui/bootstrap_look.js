/** What became of starting and pairing without the person, in one quiet line: popup and first-run page. */

/** @typedef {import('../common/protocol').PopupView} PopupView */

/** @type {Record<'start' | 'pair', {asking: string, absent: string, failed: string}>} */
const WORDS = {
  start: {
    asking: 'Starting it …',
    absent: 'Run tabwright install once, and this browser starts it by itself.',
    failed: 'This browser could not start it:',
  },
  pair: {
    asking: 'Trying to pair by itself …',
    absent: 'Run tabwright install once, and it pairs by itself.',
    failed: 'It could not pair by itself:',
  },
};

/** @param {PopupView} view @returns {string} empty where there is nothing to say */
export function bootstrapLine({ state, bootstrap }) {
  if (bootstrap.state === 'idle' || state === 'connected' || state === 'off') return '';
  const words = WORDS[state === 'looking' ? 'start' : 'pair'];
  return bootstrap.state === 'failed' ? `${words.failed} ${explained(bootstrap.reason)}` : words[bootstrap.state];
}

/** The gateway's own reasons name what helps; the browser's do not. @param {string} reason */
function explained(reason) {
  return reason.includes('tabwright') ? reason.replaceAll('`', '') : `${reason} Run tabwright doctor.`;
}
