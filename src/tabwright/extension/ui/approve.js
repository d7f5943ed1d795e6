/** The window that asks: shows the oldest open question, and posts what the person presses. It decides nothing. */
import { byId, part, stamp } from './elements.js';

/** @typedef {import('../shared/protocol').ApprovalView} ApprovalView */
/** @typedef {ApprovalView['questions'][number]} Shown */

/** A press sooner than this was meant for something else. */
const CALM_MS = 600;

/** @type {Record<string, string>} */
const DEEDS = {
  read: 'Read pages',
  act: 'Click, type and fill in forms',
  script: 'Run a script in the page',
  upload: 'Upload files',
  download: 'Download files',
  page_tool: 'Use a tool the page offers',
  consequential: 'Use a tool that its page says has consequences',
};

/** @type {chrome.runtime.Port | undefined} */
let port;
/** @type {Shown | undefined} */
let shown;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let calming;

/** @returns {HTMLButtonElement[]} */
const buttons = () => [...document.querySelectorAll('button')];

/** @param {string} answer */
function press(answer) {
  if (shown && !buttons()[0].disabled) port?.postMessage({ askId: shown.askId, answer });
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
function draw({ question, client, origin, tool, kind, details, lasting }) {
  const plan = tool === 'update_plan';
  byId('question').textContent = question;
  byId('client').textContent = client;
  byId('site').textContent = origin;
  byId('site-row').hidden = origin === '';
  byId('deed').textContent = plan ? 'Follow this plan' : `${DEEDS[kind] ?? kind} (${tool})`;
  byId('details').replaceChildren(...(plan ? [] : details.map(detail)));
  byId('longer').hidden = !lasting;
  part(document.body, '[data-answer="once"]').textContent = lasting ? 'Allow once' : 'Allow';
  byId('asked').hidden = false;
  byId('answers').hidden = false;
  countDown();
}

/** @param {{name: string, value: string}} given */
function detail({ name, value }) {
  const row = stamp('detail');
  part(row, 'h2').textContent = name;
  part(row, 'pre').textContent = value;
  return row;
}

/** The window may open under a hand that is typing: no answer counts at once, and none has the focus. */
function calm() {
  clearTimeout(calming);
  /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
  for (const button of buttons()) button.disabled = true;
  calming = setTimeout(() => {
    for (const button of buttons()) button.disabled = false;
  }, CALM_MS);
}

function countDown() {
  if (!shown) return;
  const seconds = Math.max(0, Math.ceil((shown.until - Date.now()) / 1_000));
  byId('left').textContent = `Refused by itself in ${seconds} s. Closing this window says no.`;
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
