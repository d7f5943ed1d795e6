/** The window that asks: shows the oldest open question, and posts what the person presses. It decides nothing. */
import { deedOf } from './deeds.js';
import { byId, make, part, put } from './elements.js';

/** @typedef {import('../shared/protocol').ApprovalView} ApprovalView */
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

/** @returns {HTMLInputElement[]} */
const boxes = () => [...byId('choices').querySelectorAll('input')];
/** What the person left of the choices. */
const chosen = () => boxes().filter(({ checked }) => checked).map(({ value }) => value);

/** @param {string} answer */
function press(answer) {
  if (!shown || !isCalm) return;
  port?.postMessage({ askId: shown.askId, answer, ...(boxes().length > 0 ? { chosen: chosen() } : {}) });
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
  byId('choices').hidden = choices.length === 0;
  byId('choices').replaceChildren(byId('choices').children[0], ...choices.map(choice));
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

/** @param {string} value */
function choice(value) {
  const box = /** @type {HTMLInputElement} */ (make('input', { type: 'checkbox', value }));
  box.checked = true;
  box.addEventListener('change', offer);
  return make('label', {}, box, make('span', {}, value));
}

/** With everything struck out there is nothing to allow. */
function offer() {
  if (!isCalm) return;
  const isEmpty = boxes().length > 0 && chosen().length === 0;
  for (const button of buttons()) button.disabled = isEmpty && button.dataset.answer !== 'deny';
}

/** The window may open under a hand that is typing: no answer counts at once, and none has the focus. */
function calm() {
  clearTimeout(calming);
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  for (const button of buttons()) button.disabled = true;
  isCalm = false;
  calming = setTimeout(() => {
    for (const button of buttons()) button.disabled = false;
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
