/** The dashboard: comes in by a one-time link, draws what there is, and follows what happens. */

import { drawBrowsers, drawFigures, drawSessions, lastHeard, listenToBrowsers } from './activity.js';
import { Closed, api } from './api.js';
import { drawGrants, drawQuestions } from './approvals.js';
import { drawCalls, listenToCalls } from './calls.js';
import { byId, make } from './elements.js';
import { followLog, listenToLog } from './log.js';
import { listenToPanel } from './panel.js';
import { drawPerformance, listenToPerformance } from './performance.js';
import { drawRecordings, listenToRecordings } from './recordings.js';
import { drawSettings } from './settings.js';
import { keep, state } from './state.js';
import { openTools } from './tools.js';

const VIEWS = ['activity', 'performance', 'permissions', 'recordings', 'log', 'settings'];
/** The gateway gives a sign of life every two seconds. */
const SILENCE_MS = 9000;
const RETRY_MS = 1500;
let drawing = false;
let heard = Date.now();
let begun = false;

async function begin() {
  const code = location.hash.slice(1);
  let used = false;
  if (code && !code.startsWith('/')) {
    history.replaceState(null, '', '/');
    // a code that was used before may belong to the visit that is under way
    used = await api('enter', { code }).then(
      () => false,
      () => true,
    );
  }
  try {
    take(await api('state'));
  } catch (problem) {
    if (!(problem instanceof Closed)) throw problem;
    return close(
      used ? 'This link was used before, or is too old' : 'This page needs a link of its own',
      'Run this in a terminal; it opens the dashboard for this browser.',
    );
  }
  begun = true;
  byId('loading').remove();
  byId('main').setAttribute('aria-busy', 'false');
  show();
  follow();
  setInterval(() => {
    if (Date.now() - heard > SILENCE_MS && !byId('main').hidden) lose('The gateway does not answer.');
  }, 1000);
}

/** @param {any} told what `state` answers */
function take(told) {
  const { about, calls, older, ...view } = told;
  state.view = view;
  if (!state.calls.length) state.older = older;
  keep(calls);
  byId('about').textContent = `${about.version} · pid ${about.pid}`;
}

function follow() {
  const events = new EventSource('/api/events');
  /** @param {string} name @param {(data: any) => void} handle */
  const on = (name, handle) =>
    events.addEventListener(name, ({ data }) => {
      found();
      handle(JSON.parse(data));
      drawSoon();
    });
  events.addEventListener('open', () => {
    found();
    // what ended while nobody told
    void api('state')
      .then(take)
      .then(drawSoon, () => {});
  });
  on('view', (view) => {
    state.view = view;
  });
  on('calls', (calls) => {
    const last = state.calls.at(-1)?.number ?? 0;
    keep(calls);
    if (last && calls[0].number > last + 1) void fetchBefore(calls[0].number);
  });
  events.addEventListener('tick', found);
  // refused is final: a gateway that started anew does not know this visit
  const again = () =>
    void api('state').then(follow, (problem) => {
      if (problem instanceof Closed) fail(problem);
      else setTimeout(again, RETRY_MS);
    });
  events.addEventListener('error', () => {
    lose('The gateway does not answer.');
    if (events.readyState === EventSource.CLOSED) setTimeout(again, RETRY_MS);
  });
}

/** More ended at once than is told at once. @param {number} number */
const fetchBefore = (number) =>
  api(`calls?before=${number}`).then(
    ({ calls }) => {
      keep(calls);
      drawSoon();
    },
    () => {},
  );

function found() {
  heard = Date.now();
  if (byId('main').hidden) return;
  tell('good', 'Live');
  byId('lost').hidden = true;
  byId('main').removeAttribute('data-stale');
}

/** @param {string} words */
function lose(words) {
  tell('bad', 'Connection lost');
  const place = /** @type {HTMLElement} */ (byId('lost').querySelector('span'));
  const said = `${words} Trying again … ${begun ? lastHeard(heard / 1000) : ''}`;
  if (place.textContent !== said) place.textContent = said;
  byId('lost').hidden = false;
  byId('main').setAttribute('data-stale', '');
}

function drawSoon() {
  if (drawing) return;
  drawing = true;
  // not on the next frame: a tab behind others has none, and shows its last picture when it comes to the front
  setTimeout(() => {
    drawing = false;
    draw();
  }, 100);
}

const DRAW = /** @type {Record<string, () => void>} */ ({
  activity: () => {
    drawFigures();
    drawSessions();
    drawBrowsers();
    drawCalls();
  },
  performance: drawPerformance,
  permissions: () => drawGrants(state.view.grants, (id) => press(`grants/${id}/revoke`, {})),
  recordings: drawRecordings,
});

function draw() {
  if (!begun) return;
  drawQuestions(state.view.questions, (id, pressed) => press(`questions/${id}`, pressed));
  DRAW[now()]?.();
}

/** The section in the address. */
function now() {
  const wanted = location.hash.slice(2) || 'activity';
  return location.hash.startsWith('#/') && VIEWS.includes(wanted) ? wanted : 'activity';
}

function show() {
  const wanted = now();
  for (const name of VIEWS) byId(`view-${name}`).hidden = name !== wanted;
  for (const link of document.querySelectorAll('#nav a')) {
    const isCurrent = link.getAttribute('data-view') === wanted;
    if (isCurrent) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    // in a narrow window some are beyond the edge
    if (isCurrent) link.scrollIntoView({ block: 'nearest', inline: 'center' });
  }
  if (wanted === 'log') void followLog();
  if (wanted === 'settings') void drawSettings();
  draw();
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

/** Nothing more is shown here. @param {string} head @param {string} words */
function close(head, words) {
  const place = byId('closed');
  /** @type {HTMLDialogElement} */ (byId('panel')).close();
  /** @type {HTMLElement} */ (place.querySelector('h2')).textContent = head;
  /** @type {HTMLElement} */ (place.querySelector('p')).textContent = words;
  for (const id of ['main', 'nav', 'skip']) byId(id).hidden = true;
  place.hidden = false;
  tell('bad', 'Not let in');
}

/** @param {unknown} problem */
function fail(problem) {
  if (problem instanceof Closed) {
    close(
      'The gateway does not know this page any more',
      'It was restarted, or the page was open for too long. Run this in a terminal to come in again.',
    );
  } else if (problem instanceof TypeError) {
    lose('The gateway does not answer.');
    // a request that never arrived; the stream tries again by itself once there was one
    if (!begun) setTimeout(() => begin().catch(fail), RETRY_MS);
  } else {
    notice(problem instanceof Error ? problem.message : String(problem));
  }
}

/** What went wrong with something pressed, for a while. @param {string} words */
function notice(words) {
  const toast = make('p.toast', { role: 'alert' }, words);
  document.body.append(toast);
  setTimeout(() => toast.remove(), 6000);
}

listenToBrowsers({ tools: (tab) => void openTools(tab), takeBack: (tab) => press(`tabs/${tab.id}/take-back`, {}) });
listenToCalls();
listenToLog();
listenToPanel();
listenToPerformance();
listenToRecordings();
// a question must not stay behind in a panel that was closed, nor behind one that opens
byId('panel').addEventListener('toggle', draw);
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('main').focus();
});
window.addEventListener('hashchange', () => {
  // a link that was pasted into this very tab
  if (!location.hash.startsWith('#/')) return void (location.hash && location.reload());
  if (!begun) return;
  show();
  scrollTo(0, 0);
});

begin().catch(fail);
