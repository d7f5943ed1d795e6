/** Draws the parts of the dashboard from what the gateway told. */

import { byId, fill, make } from './elements.js';

/** @typedef {import('./dashboard.js').View} View */
/** @typedef {import('./dashboard.js').Call} Call */
/** @typedef {import('./dashboard.js').Tab} Tab */
/** @typedef {import('./dashboard.js').Session} Session */
/** @typedef {{tools: (tab: Tab) => void, takeBack: (tab: Tab) => void}} Deeds */

const SHOWN = 200;
const BARS = 10;
/** Rough, and the same for every model: four characters of English are about a token. */
const CHARACTERS_A_TOKEN = 4;
const STATES = /** @type {Record<string, string>} */ ({
  disconnected: 'no browser yet',
  connected: 'connected',
  focused: 'in a tab',
});

/** @param {View} view @param {Call[]} calls */
export function drawFigures(view, calls) {
  const tabs = view.browsers.reduce((sum, browser) => sum + browser.tabs.length, 0);
  const failed = calls.filter(isFailure).length;
  const took = middle(calls.map(({ ms }) => ms));
  const figures = [
    [view.sessions.length, view.sessions.length === 1 ? 'agent' : 'agents'],
    [view.browsers.length, view.browsers.length === 1 ? 'browser' : 'browsers'],
    [tabs, tabs === 1 ? 'tab' : 'tabs'],
    [calls.length, failed ? `calls, ${failed} failed` : 'calls'],
    [took === undefined ? '–' : duration(took), 'a call takes, in the middle'],
    [tokens(calls.reduce((sum, { characters }) => sum + characters, 0)), 'tokens answered, about'],
  ];
  fill(byId('figures'), figures.map(([value, words]) =>
    make('div.figure', {}, make('b', {}, String(value)), make('span', {}, String(words)))));
}

/** @param {View} view */
export function drawSessions(view) {
  const titles = titlesOf(view);
  const entries = view.sessions.map((session) => make('article.entry.card', {},
    make('div.title', {}, make('span.mark', { 'data-tone': session.tabs.length ? 'good' : 'none' }),
      make('h3', {}, session.client),
      make('span.aside', {}, STATES[session.state] ?? session.state)),
    make('ul', {}, ...session.tabs.map((id) => make('li', {},
      make('span.tab', {}, make('span', {}, titles.get(id) ?? `Tab ${id}`)),
      ...(session.focusedTabId === id ? [make('span.badge', {}, 'in focus')] : []))))));
  fill(byId('sessions'), entries.length ? entries : [make('p.card.empty', {}, 'No agent is connected.')]);
}

/** @param {View} view @param {Deeds} deeds */
export function drawBrowsers(view, deeds) {
  const names = new Map(view.sessions.map(({ id, client }) => [id, client]));
  const entries = view.browsers.map((browser) => make('article.entry.card', {},
    make('div.title', {}, make('span.mark', { 'data-tone': 'good' }),
      make('h3', {}, `${browser.name} ${browser.version}`),
      make('span.aside', {}, browser.launched ? 'launched by tabwright' : 'your own')),
    make('ul', {}, ...browser.tabs.map((tab) => row(tab, names)))));
  const none = 'No browser is linked. An agent can launch one; for your own run “tabwright pair”.';
  fill(byId('browsers'), entries.length ? entries : [make('p.card.empty', {}, none)]);
  listen(view, deeds);
}

/** @param {Tab} tab @param {Map<string, string>} names */
function row(tab, names) {
  const holder = tab.session && names.get(tab.session);
  const title = tab.title || tab.url || 'New tab';
  return make('li', { 'data-tab': tab.id },
    make('span.tab', {}, make('span', {}, title), make('span.address', {}, tab.url)),
    ...(holder ? [make('span.badge', {}, `held by ${holder}`)] : []),
    make('button.button', { 'data-deed': 'tools', 'aria-label': `Tools of ${title}` },
      tab.tools ? `${tab.tools} tools` : 'Tools'),
    ...(holder ? [make('button.button', { 'data-deed': 'takeBack', 'aria-label': `Take back ${title}` }, 'Take back')]
      : []));
}

/** One listener for all rows: rows that look the same are not drawn again. @param {View} view @param {Deeds} deeds */
function listen(view, deeds) {
  byId('browsers').onclick = ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-deed]') : null;
    const id = Number(button?.closest('li')?.getAttribute('data-tab'));
    const tab = view.browsers.flatMap(({ tabs }) => tabs).find((each) => each.id === id);
    if (button && tab) deeds[/** @type {keyof Deeds} */ (button.getAttribute('data-deed'))](tab);
  };
}

/** @param {Call[]} calls @param {View} view */
export function drawCalls(calls, view) {
  const titles = titlesOf(view);
  byId('no-calls').hidden = calls.length > 0;
  const body = /** @type {Element} */ (byId('calls').querySelector('tbody'));
  fillRows(body, calls.slice(-SHOWN).reverse().map((call) => make('tr', {},
    make('td', {}, new Date(call.ended * 1000).toLocaleTimeString()),
    make('td', {}, call.client),
    make('td.long', { title: call.tool }, call.tool),
    make('td.long', { title: call.tabId ?? '' }, call.tabId === null ? '–' : titles.get(call.tabId) ?? 'closed'),
    make(`td.${isFailure(call) ? 'bad' : 'good'}`, {}, call.outcome),
    make('td.number', {}, duration(call.ms)),
    make('td.number', {}, tokens(call.characters)))));
}

/** Table rows cannot be compared inside a div. @param {Element} body @param {HTMLElement[]} rows */
function fillRows(body, rows) {
  const same = rows.length === body.children.length
    && rows.every((each, index) => each.innerHTML === body.children[index].innerHTML);
  if (!same) body.replaceChildren(...rows);
}

/** Where time goes: the tools that took most of it. @param {Call[]} calls */
export function drawChart(calls) {
  /** @type {Map<string, Call[]>} */
  const byTool = new Map();
  for (const call of calls) byTool.set(call.tool, [...byTool.get(call.tool) ?? [], call]);
  const rows = [...byTool].map(([tool, some]) => ({
    tool,
    count: some.length,
    total: some.reduce((sum, { ms }) => sum + ms, 0),
    middle: middle(some.map(({ ms }) => ms)) ?? 0,
    characters: some.reduce((sum, { characters }) => sum + characters, 0),
  })).sort((one, other) => other.total - one.total).slice(0, BARS);
  const most = Math.max(...rows.map(({ total }) => total), 1);
  fill(byId('chart'), rows.length ? [make('dl.bars', {}, ...rows.flatMap((row) => [
    make('dt', {}, row.tool),
    make('meter', { min: 0, max: most, value: row.total, 'aria-label': `Time spent in ${row.tool}` }),
    make('dd', {}, `${row.count} × ${duration(row.middle)} · ${tokens(row.characters)} tokens`),
  ]))] : [make('p.empty', {}, 'Nothing to compare yet.')]);
}

/** @param {View} view @returns {Map<number, string>} */
const titlesOf = ({ browsers }) =>
  new Map(browsers.flatMap(({ tabs }) => tabs.map((tab) => [tab.id, tab.title || tab.url])));

/** @param {Call} call */
const isFailure = ({ outcome }) => outcome !== 'ok' && outcome !== 'asking';

/** @param {number} ms */
const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** @param {number} characters */
const tokens = (characters) => Math.round(characters / CHARACTERS_A_TOKEN).toLocaleString();

/** The median. @param {number[]} values */
function middle(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
