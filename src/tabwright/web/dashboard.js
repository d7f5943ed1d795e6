/** The dashboard: comes in by a one-time link, draws what there is, and follows what happens. */

import { Closed, api } from './api.js';
import { drawGrants, drawQuestions } from './approvals.js';
import { drawBrowsers, drawCalls, drawChart, drawFigures, drawSessions } from './drawing.js';
import { byId } from './elements.js';
import { openTools } from './panel.js';

/**
 * @typedef {{number: number, ended: number, session: string, client: string, tool: string, tabId: number | null,
 *   outcome: string, ms: number, characters: number}} Call
 * @typedef {{id: number, title: string, url: string, active: boolean, loading: boolean, session: string | null,
 *   tools: number}} Tab
 * @typedef {{id: string, name: string, version: string, launched: boolean, tabs: Tab[]}} Browser
 * @typedef {{id: string, client: string, color: string, state: string, focusedTabId: number | null,
 *   tabs: number[]}} Session
 * @typedef {{browsers: Browser[], sessions: Session[], questions: import('./approvals.js').Question[],
 *   grants: import('./approvals.js').Grant[]}} View
 */

const KEPT = 500;
/** @type {View} */
let view = { browsers: [], sessions: [], questions: [], grants: [] };
/** @type {Call[]} */
let calls = [];
let drawing = false;

async function begin() {
  const code = location.hash.slice(1);
  if (code) {
    history.replaceState(null, '', '/');
    // a code that was used before may belong to the visit that is under way
    await api('enter', { code }).catch(() => {});
  }
  const state = await api('state');
  view = state;
  calls = state.calls;
  byId('about').textContent = `${state.about.version} · pid ${state.about.pid}`;
  byId('main').hidden = false;
  draw();
  follow();
}

function follow() {
  const events = new EventSource('/api/events');
  events.addEventListener('open', () => {
    tell('good', 'Live');
    void catchUp();
  });
  events.addEventListener('view', ({ data }) => {
    view = JSON.parse(data);
    drawSoon();
  });
  events.addEventListener('call', ({ data }) => {
    keep([JSON.parse(data)]);
    drawSoon();
  });
  events.addEventListener('error', () => {
    tell('bad', 'The gateway does not answer; trying again …');
    // refused is final: a gateway that started anew does not know this visit
    if (events.readyState === EventSource.CLOSED) void api('state').then(follow, fail);
  });
}

/** What ended while nobody told. */
async function catchUp() {
  const state = await api('state').catch(() => null);
  if (!state) return;
  byId('about').textContent = `${state.about.version} · pid ${state.about.pid}`;
  keep(state.calls);
  drawSoon();
}

/** @param {Call[]} more */
function keep(more) {
  const known = new Set(calls.map(({ number, ended }) => `${number} ${ended}`));
  const fresh = more.filter(({ number, ended }) => !known.has(`${number} ${ended}`));
  calls = [...calls, ...fresh].slice(-KEPT);
}

function drawSoon() {
  if (drawing) return;
  drawing = true;
  // not on the next frame: a tab behind others has none, and shows its last picture when it comes to the front
  setTimeout(() => {
    drawing = false;
    draw();
  }, 50);
}

function draw() {
  const only = /** @type {HTMLSelectElement} */ (byId('filter')).value;
  drawQuestions(view.questions, (id, answer) => press(`questions/${id}`, { answer }));
  drawGrants(view.grants, (id) => press(`grants/${id}/revoke`, {}));
  drawFigures(view, calls);
  drawSessions(view);
  drawBrowsers(view, {
    tools: openTools,
    takeBack: (tab) => press(`tabs/${tab.id}/take-back`, {}),
  });
  drawCalls(calls.filter(({ outcome }) => only !== 'failed' || !['ok', 'asking'].includes(outcome)), view);
  drawChart(calls);
}

/** What was pressed may be over by now; the next view shows that. @param {string} path @param {unknown} body */
const press = (path, body) => void api(path, body).catch(fail);

/** @param {'good' | 'wait' | 'bad'} tone @param {string} words */
function tell(tone, words) {
  const link = byId('link');
  link.querySelector('.mark')?.setAttribute('data-tone', tone);
  const place = /** @type {HTMLElement} */ (link.querySelector('.words'));
  if (place.textContent !== words) place.textContent = words;
}

/** @param {unknown} problem */
function fail(problem) {
  if (problem instanceof Closed) {
    byId('main').hidden = true;
    byId('closed').hidden = false;
    tell('bad', 'Not let in');
  } else {
    tell('bad', problem instanceof Error ? problem.message : String(problem));
  }
}

// a question must not stay behind in a panel that was closed, nor behind one that opens
byId('panel').addEventListener('toggle', draw);
byId('filter').addEventListener('change', draw);
byId('log').addEventListener('toggle', async () => {
  if (!(/** @type {HTMLDetailsElement} */ (byId('log')).open)) return;
  const { lines } = await api('log').catch(() => ({ lines: ['The log cannot be read.'] }));
  const place = /** @type {HTMLElement} */ (byId('log').querySelector('pre'));
  place.textContent = lines.join('\n') || 'Nothing is in it yet.';
  place.scrollTop = place.scrollHeight;
});

begin().catch(fail);
