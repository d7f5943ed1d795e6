/** How a server's link reads, in the popup and on the options page. */

/** @typedef {import('../common/protocol').ServerView} ServerView */

/** What a server says of a token that it was not given is for programs. */
const NO_TOKEN = 'This server wants a token: press Edit and paste the one for this browser.';

/**
 * @param {ServerView} server
 * @param {number} now in milliseconds
 * @returns {{tone: string, state: string, detail: string}}
 */
export function lookOf({ on, state, user, clients, reason, tokenEnd, nextTryAt }, now) {
  if (!on || state === 'off') return { tone: '', state: 'Off', detail: '' };
  const detail = nextTryAt === undefined ? '' : nextTry(nextTryAt - now);
  switch (state) {
    case 'connected':
      return { tone: 'good', state: user ? `Connected as ${user}` : 'Connected', detail: clientsOf(clients) };
    case 'refused':
      return { tone: 'bad', state: 'Refused', detail: [tokenEnd ? explain(reason) : NO_TOKEN, detail].filter(Boolean).join(' ') };
    case 'wrong-server':
      return { tone: 'bad', state: 'Wrong server', detail: [explain(reason), detail].filter(Boolean).join(' ') };
    default:
      return nextTryAt === undefined
        ? { tone: 'wait', state: 'Connecting…', detail: '' }
        : { tone: 'wait', state: 'No answer', detail };
  }
}

/** @param {string} reason what the server said; it is shown as text and no longer than a line or two */
const explain = (reason) => {
  const words = reason.replace(/^Authentication failed: /, '').slice(0, 160).trim();
  return words ? `${words[0].toUpperCase()}${words.slice(1).replace(/\.$/, '')}.` : 'It gave no reason.';
};

/** @param {number} clients */
const clientsOf = (clients) =>
  clients === 0 ? 'No client uses this browser now.' : `${clients} ${clients === 1 ? 'client uses' : 'clients use'} this browser.`;

/** @param {number} ms */
const nextTry = (ms) => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 1 ? 'Trying again now.' : `Next try in ${seconds} s.`;
};
