/**
 * The first-run page: leads from the installed extension to the first call. Looks every moment whether the gateway is
 * there, asks for the key as soon as it waits for one, and goes on by itself however the pairing came about.
 */
import { bootstrapLine } from './bootstrap_look.js';
import { byId, copies, part, put } from './elements.js';
import { isServed } from './link_look.js';
import { connect } from './worker_port.js';

/** @typedef {import('../common/protocol').PairingView} PairingView */
/** @typedef {import('../common/protocol').PopupPress} PopupPress */
/** @typedef {import('../common/protocol').PopupView} PopupView */
/** @typedef {{tone: string, words: string, done?: boolean, now?: boolean}} Look */

const EVERY_MS = 1_500;

/** @type {PopupView | undefined} */
let shown;
/** @type {NonNullable<PopupView['gateway']>} */
let gateway = 'absent';
let isPairing = false;

/** @param {PopupView} view */
function show(view) {
  shown = view;
  gateway = view.gateway ?? gateway;
  const isUp = view.state === 'connected' || isServed(view);
  showStep('gateway', gatewayLook(view, isUp));
  showStep('pair', pairLook(view, isUp));
  showStep('ask', askLook(view, isUp));
  showBootstrap(isUp ? '' : bootstrapLine(view));
  const asksForKey = view.state === 'unpaired' && gateway === 'pairing' && !isPairing;
  if (asksForKey && byId('form').hidden) {
    byId('form').hidden = false;
    byId('key').focus();
  }
  byId('form').hidden = view.state !== 'unpaired' || (gateway !== 'pairing' && byId('form').hidden);
}

/** In each step, as only that of now is open. @param {string} words */
function showBootstrap(words) {
  for (const line of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.bootstrap'))) {
    line.hidden = words === '';
    put(line, words);
  }
}

/** @param {PopupView} view @param {boolean} isUp @returns {Look} */
function gatewayLook({ state }, isUp) {
  if (isUp) return { tone: 'good', words: 'The gateway is running.', done: true };
  if (state === 'off') return { tone: '', words: 'You disconnected this browser in the popup. Switch it on there.', now: true };
  if (state === 'wrong-server') return { tone: 'bad', words: 'Something else answers where the gateway should be.', now: true };
  if (state === 'unpaired' && gateway !== 'absent') return { tone: 'good', words: 'The gateway is running.', done: true };
  return { tone: 'wait', words: 'Not running yet. This page notices when it is.', now: true };
}

/** @param {PopupView} view @param {boolean} isUp @returns {Look} */
function pairLook({ state }, isUp) {
  if (isUp) return { tone: 'good', words: 'This browser is paired.', done: true };
  if (state === 'refused') return { tone: 'bad', words: 'The gateway does not know this browser any more. Pair again.', now: true };
  if (state !== 'unpaired') return { tone: 'good', words: 'This browser is paired.', done: true };
  if (gateway === 'absent') return { tone: '', words: 'Waits for step 1.' };
  if (isPairing) return { tone: 'wait', words: 'Pairing …', now: true };
  return gateway === 'pairing'
    ? { tone: 'wait', words: 'The gateway waits for its key.', now: true }
    : { tone: 'wait', words: 'Waits for you to run the command.', now: true };
}

/** @param {PopupView} view @param {boolean} isUp @returns {Look} */
function askLook({ state, sessions }, isUp) {
  if (!isUp) return { tone: '', words: state === 'unpaired' ? 'Waits for step 2.' : 'Waits for the gateway.' };
  const busy = sessions.find(({ tabs }) => tabs.length > 0);
  if (busy) return { tone: 'good', words: `${busy.name} is at work in this browser.`, done: true };
  return { tone: 'good', words: 'You\'re connected.', now: true };
}

/** @param {string} name @param {Look} look */
function showStep(name, { tone, words, done = false, now = false }) {
  const step = byId(`step-${name}`);
  step.dataset.done = String(done);
  step.dataset.now = String(now);
  if (now) step.setAttribute('aria-current', 'step');
  else step.removeAttribute('aria-current');
  part(step, '.mark').dataset.tone = tone;
  part(step, '.mark').hidden = done || tone === '';
  put(part(step, '.words'), words);
}

/** @param {string} key */
function pair(key) {
  const port = chrome.runtime.connect({ name: 'pair' });
  isPairing = true;
  complain('');
  port.onMessage.addListener((/** @type {PairingView} */ view) => {
    if (view.state === 'connecting') return;
    isPairing = false;
    port.disconnect();
    if (view.state === 'paired') showDigits(view.digits);
    else complain(view.state === 'refused' ? view.reason : `Nothing answers at ${view.url}.`);
    if (shown) show(shown);
  });
  port.onDisconnect.addListener(() => { isPairing = false; });
  port.postMessage({ pair: key });
  if (shown) show(shown);
}

/** @param {string} digits */
function showDigits(digits) {
  byId('digits').hidden = false;
  put(byId('digits'), `${digits.slice(0, 3)} ${digits.slice(3)}`);
}

/** @param {string} reason */
function complain(reason) {
  byId('key-error').hidden = reason === '';
  put(byId('key-error'), reason);
  byId('key').setAttribute('aria-invalid', String(reason !== ''));
  if (reason) byId('key').focus();
}

for (const command of document.querySelectorAll('.command')) {
  copies(part(command, 'button'), () => part(command, 'code').textContent ?? '');
}
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  // whatever was copied with it: the whole address of the pair page has the key behind its #
  pair(/** @type {HTMLInputElement} */ (byId('key')).value.trim().toLowerCase().replace(/^.*#/, '').replaceAll(/\s/g, ''));
});
// Nobody is looked for in the background, or once there is a link.
const look = () => { if (!document.hidden && shown?.state === 'unpaired' && !isPairing) press({ press: 'knock' }); };
setInterval(look, EVERY_MS);

/** @type {(press: PopupPress) => void} */
const press = connect('welcome', (/** @type {PopupView} */ view) => {
  const isFirst = shown === undefined;
  show(view);
  if (isFirst) look();
});
