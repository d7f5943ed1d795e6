/** The timeline of calls: newest first, filtered, each with its details. */

import { api } from './api.js';
import { duration, outcomeLook, siteOf } from './deeds.js';
import { byId, make } from './elements.js';
import { arrange, choices, fill, selectById } from './filling.js';
import { counted, clock, isFailure, moment, short, tokens } from './figures.js';
import { openPanel } from './panel.js';
import { keep, state, tabs } from './state.js';

/** @typedef {import('./state.js').Call} Call */

const STEP = 100;
const FILTERS = ['by-session', 'by-tool', 'by-outcome'];
let most = STEP;
/** The call whose row the Tab key reaches. */
let current = 0;
/** Rows by call: what was drawn stays. @type {Map<string, HTMLElement>} */
let rows = new Map();

export function drawCalls() {
  drawFilters();
  const found = filtered();
  const pictures = new Set(state.view.pictures);
  const shown = found.slice(-most).reverse();
  if (!shown.some(({ number }) => number === current)) current = shown[0]?.number ?? 0;
  /** @type {typeof rows} */
  const next = new Map();
  for (const call of shown) {
    const key = `${call.number} ${pictures.has(call.number)}`;
    next.set(key, rows.get(key) ?? row(call, pictures.has(call.number)));
  }
  rows = next;
  byId('calls').classList.toggle('pictured', shown.some(({ number }) => pictures.has(number)));
  arrange(/** @type {Element} */ (byId('calls').querySelector('tbody')), [...rows.values()]);
  rove();
  drawRest(found.length);
}

/** @param {number} found */
function drawRest(found) {
  byId('calls').hidden = found === 0;
  byId('no-calls').hidden = found > 0;
  fill(
    byId('no-calls'),
    state.calls.length
      ? [
          make('b', {}, 'No call is like that'),
          make('p', {}, make('button.button', { type: 'button', id: 'clear-filters' }, 'Show all calls')),
        ]
      : [
          make('b', {}, 'No call yet'),
          make('p', {}, 'Ask an agent to open a page; what it does is listed here as it happens.'),
        ],
  );
  const left = found - most;
  byId('more-calls').hidden = left <= 0 && !state.older;
  const button = /** @type {HTMLElement} */ (byId('more-calls').firstElementChild);
  button.textContent =
    left > 0 ? `Show ${Math.min(left, STEP)} more of ${found.toLocaleString()}` : 'Ask for older calls';
}

function filtered() {
  const [session, tool, outcome] = FILTERS.map((id) => selectById(id).value);
  return state.calls.filter(
    (call) =>
      (!session || call.session === session) &&
      (!tool || call.tool === tool) &&
      (!outcome || (outcome === 'failed' ? isFailure(call) : call.outcome === outcome)),
  );
}

function drawFilters() {
  /** @type {Map<string, string>} */
  const agents = new Map(state.view.sessions.map(({ id, client }) => [id, client]));
  /** @type {Set<string>} */
  const tools = new Set();
  /** @type {Set<string>} */
  const outcomes = new Set();
  for (const call of state.calls) {
    if (!agents.has(call.session)) agents.set(call.session, `${call.client} (gone)`);
    tools.add(call.tool);
    outcomes.add(call.outcome);
  }
  const alike = [...agents.values()];
  choices(selectById('by-session'), [
    ['', 'all'],
    ...[...agents].map(
      ([id, name]) =>
        /** @type {[string, string]} */ ([
          id,
          alike.filter((each) => each === name).length > 1 ? `${name} ${id.slice(0, 4)}` : name,
        ]),
    ),
  ]);
  choices(selectById('by-tool'), [['', 'all'], ...plain(tools)]);
  choices(selectById('by-outcome'), [['', 'all'], ['failed', 'any failure'], ...plain(outcomes, (word) => outcomeLook(word).words)]);
}

/** @param {Set<string>} words @param {(word: string) => string} look @returns {[string, string][]} */
const plain = (words, look = (word) => word) => [...words].sort().map((word) => [word, look(word)]);

/** @param {Call} call @param {boolean} pictured */
function row(call, pictured) {
  const { tone, words } = outcomeLook(call.outcome);
  return make(
    'tr',
    { 'data-call': call.number },
    make(
      'td.shot',
      {},
      ...(pictured
        ? [make('img.shot', { src: `/api/thumbnails/${call.number}`, alt: '', width: 48, height: 30 })]
        : []),
    ),
    make(
      'th.tool',
      { scope: 'row' },
      make('button.name', { type: 'button', tabindex: -1, title: call.tool, 'aria-haspopup': 'dialog' }, call.tool),
    ),
    make('td.ended', {}, make('span.outcome', { 'data-tone': tone }, words)),
    make('td.number.took', {}, duration(call.ms)),
    make('td.number.tokens', {}, short(tokens(call.characters))),
    make('td.site', { title: call.origin }, siteOf(call.origin) || '–'),
    make('td.client', { title: call.client, dir: 'auto' }, call.client),
    make('td.time', {}, clock(call.ended)),
  );
}

/** One row is reached by Tab, the others by arrows. */
function rove() {
  for (const button of byId('calls').querySelectorAll('button.name')) {
    const mine = Number(button.closest('tr')?.getAttribute('data-call')) === current;
    button.setAttribute('tabindex', mine ? '0' : '-1');
  }
}

/** @param {KeyboardEvent} event */
function steer(event) {
  const buttons = /** @type {HTMLElement[]} */ ([...byId('calls').querySelectorAll('button.name')]);
  const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const to = /** @type {Record<string, number>} */ ({
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: buttons.length - 1,
    PageDown: at + 10,
    PageUp: at - 10,
  })[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const next = buttons[Math.max(0, Math.min(to, buttons.length - 1))];
  current = Number(next.closest('tr')?.getAttribute('data-call'));
  rove();
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

/** @param {Call} call */
function openCall(call) {
  const tab = call.tabId === null ? '–' : tabs().get(call.tabId)?.title || `Tab ${call.tabId} (closed)`;
  const policy = call.decision
    ? `${{ allow: 'allowed', ask: 'you were asked', deny: 'denied' }[call.decision] ?? call.decision} (rule: ${call.rule})`
    : 'not asked: nothing of a site was touched';
  const facts = [
    ['Outcome', outcomeLook(call.outcome).words],
    ['Agent', call.client],
    ['Session', call.session],
    ['Site', call.origin || '–'],
    ['Tab', tab],
    ['Began', moment(call.ended - call.ms / 1000)],
    ['Took', duration(call.ms)],
    ['Answer', `${counted(call.characters, 'character')}, about ${counted(tokens(call.characters), 'token')}`],
    ['Policy', policy],
  ];
  const pictured = state.view.pictures.includes(call.number);
  openPanel(call.tool, `Call ${call.number}, ended ${moment(call.ended)}`, [
    ...(pictured ? [make('img.large', { src: `/api/thumbnails/${call.number}`, alt: 'The tab after the call' })] : []),
    make('dl.details.card', {}, ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
    make('p.quiet', {}, 'Arguments and answers are not kept. Pictures are in memory alone, while a dashboard is open.'),
  ]);
}

/** Older calls, from the gateway. */
async function askForOlder() {
  const told = await api(`calls?before=${state.calls[0]?.number ?? 1}`);
  keep(told.calls);
  state.older = told.older;
}

export function listenToCalls() {
  byId('calls').addEventListener('keydown', steer);
  byId('calls').addEventListener('click', ({ target }) => {
    const number = Number(target instanceof Element && target.closest('tr')?.getAttribute('data-call'));
    const call = state.calls.find((each) => each.number === number);
    if (!call) return;
    current = number;
    rove();
    openCall(call);
  });
  byId('no-calls').addEventListener('click', ({ target }) => {
    if (!(target instanceof Element && target.closest('button'))) return;
    for (const id of FILTERS) selectById(id).value = '';
    changed();
    selectById(FILTERS[0]).focus();
  });
  byId('more-calls').addEventListener('click', async () => {
    if (filtered().length <= most) await askForOlder().catch(() => {});
    most += STEP;
    drawCalls();
  });
  for (const id of FILTERS) byId(id).addEventListener('change', changed);
}

function changed() {
  most = STEP;
  drawCalls();
  byId('calls-told').textContent = counted(filtered().length, 'call');
}
