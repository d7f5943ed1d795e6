/** The pairing page: takes the one-time key from its address or from the person, and shows how pairing goes. */
import { PAIR_COMMAND, byId, copies, part, put } from './elements.js';

/** @typedef {import('../common/protocol').PairingView} PairingView */
/**
 * @typedef {object} Look
 * @property {string} tone
 * @property {string} headline
 * @property {string} explanation
 * @property {string} [digits]
 * @property {string} [command]
 * @property {boolean} form
 */

/** @type {Look} */
const ASKING = {
  tone: '',
  headline: 'Pair this browser',
  explanation: 'Run this in a terminal. It opens this page with a key, or prints the key for pasting here.',
  command: PAIR_COMMAND,
  form: true,
};

/** @param {PairingView} view @returns {Look} */
function lookOf(view) {
  switch (view.state) {
    case 'connecting':
      return { tone: 'wait', headline: 'Pairing…', explanation: 'Asking the gateway on this machine.', form: false };
    case 'paired':
      return {
        tone: 'good',
        headline: 'Paired',
        explanation: 'The terminal must show the same six digits; then you can close this page. If it shows others, switch '
          + 'tabwright off in its popup.',
        digits: `${view.digits.slice(0, 3)} ${view.digits.slice(3)}`,
        form: false,
      };
    case 'refused':
      return {
        tone: 'bad',
        headline: 'Not paired',
        explanation: `${view.reason} Get a new key with:`,
        command: PAIR_COMMAND,
        form: true,
      };
    case 'absent':
      return {
        tone: 'bad',
        headline: 'No gateway there',
        explanation: `Nothing answers at ${view.url}. Start the gateway and pair with:`,
        command: PAIR_COMMAND,
        form: true,
      };
  }
}

/** @param {Look} look */
function show({ tone, headline, explanation, digits, command, form }) {
  byId('mark').dataset.tone = tone;
  byId('mark').hidden = tone === '';
  byId('headline').textContent = headline;
  byId('explanation').textContent = explanation;
  byId('digits').hidden = digits === undefined;
  byId('digits').textContent = digits ?? '';
  byId('command').hidden = command === undefined;
  put(part(byId('command'), 'code'), command ?? '');
  byId('form').hidden = !form;
  // it was hidden meanwhile, and lost the focus
  if (tone === 'bad') byId('key').focus();
}

/** @param {string} key */
function pair(key) {
  const port = chrome.runtime.connect({ name: 'pair' });
  let answered = false;
  port.onMessage.addListener((/** @type {PairingView} */ view) => {
    answered = view.state !== 'connecting';
    show(lookOf(view));
  });
  port.onDisconnect.addListener(() => {
    if (!answered) show(lookOf({ state: 'refused', reason: 'The extension was restarted meanwhile.' }));
  });
  port.postMessage({ pair: key });
}

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (byId('key'));
  pair(input.value.trim().toLowerCase().replace(/^.*#/, ''));
});

copies(byId('copy'), () => part(byId('command'), 'code').textContent ?? '');

const key = location.hash.slice(1);
// The key is good for one use; still it need not stay in the address bar and the history.
history.replaceState(null, '', location.pathname);
if (key) pair(key);
else show(ASKING);
