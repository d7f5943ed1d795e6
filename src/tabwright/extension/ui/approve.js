/** The window that asks: shows the oldest open question, and posts what the person presses. It decides nothing. */
import { chosenIn, isOffered, makeChoices } from './choices.js';
import { deedOf } from './deeds.js';
import { byId, make, part, put } from './elements.js';

/** @typedef {import('../common/protocol').ApprovalView} ApprovalView */
/** @typedef {ApprovalView['questions'][number]} Shown */

/** A press sooner than this was meant for something else. */
const CALM_MS = 600;

/** @type {chrome.runtime.Port | undefined} */
let port;
/** @type {Shown | undefined} */
let shown;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let calming;
/** Whether answers count by now. */
let isCalm = false;

/** @returns {HTMLButtonElement[]} */
const buttons = () => [...document.querySelectorAll('button')];

/** @param {string} answer */
function press(answer) {
  if (!shown || !isCalm) return;
  port?.postMessage({ askId: shown.askId, answer, chosen: chosenIn(byId('choices')) });
}

/** @param {ApprovalView} view */
function show({ questions }) {
  const [first, ...others] = questions;
  if (!first) {
    window.close();
    return;
  }
  byId('more').hidden = others.length === 0;
  byId('more').textContent = others.length === 1 ? '1 more question' : `${others.length} more questions`;
  if (first.askId === shown?.askId) return;
  shown = first;
  port?.postMessage({ seen: first.askId });
  draw(first);
  calm();
}

/** @param {Shown} question */
function draw({ question, client, origin, tool, kind, details, choices = [], lasting }) {
  const plan = tool === 'update_plan';
  byId('question').textContent = question;
  byId('client').textContent = client;
  byId('site').textContent = origin;
  byId('site-row').hidden = origin === '';
  byId('deed').textContent = deedOf(kind, tool);
  byId('details').replaceChildren(...(plan ? [] : details.map(detail)));
  byId('choices').replaceChildren(...(choices.length > 0 ? [makeChoices(choices, offer)] : []));
  byId('longer').hidden = !lasting;
  part(document.body, '[data-answer="once"]').textContent = lasting ? 'Allow once' : 'Allow';
  byId('asked').hidden = false;
  byId('answers').hidden = false;
  countDown();
}

/** @param {{name: string, value: string}} given */
function detail({ name, value }) {
  return make('div.detail', {}, make('h2', {}, name), make('pre', { tabindex: '0', 'aria-label': name }, value));
}

function offer() {
  for (const button of buttons()) button.disabled = !(isCalm && isOffered(byId('choices'), button.dataset.answer));
}

/** The window may open under a hand that is typing: no answer counts at once, and none has the focus. */
function calm() {
  clearTimeout(calming);
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  isCalm = false;
  offer();
  calming = setTimeout(() => {
    isCalm = true;
    offer();
  }, CALM_MS);
}

function countDown() {
  if (!shown) return;
  const seconds = Math.max(0, Math.ceil((shown.until - Date.now()) / 1_000));
  put(byId('left'), `Without an answer it is refused in ${seconds} s. Closing this window refuses too.`);
}

for (const button of buttons()) button.addEventListener('click', () => press(button.dataset.answer ?? 'deny'));
document.addEventListener('keydown', ({ key }) => { if (key === 'Escape') press('deny'); });
setInterval(countDown, 1_000);

/** The worker may be stopped while the window is open; opening the port again starts it. */
function connect() {
  port = chrome.runtime.connect({ name: 'approve' });
  port.onMessage.addListener(show);
  port.onDisconnect.addListener(() => {
    // A worker that starts anew has forgotten the question; the gateway sends it again.
    shown = undefined;
    setTimeout(connect, 1_000);
  });
}
connect();
