/** Who is at work and where: figures, agents, browsers with their tabs. */

import { duration } from './deeds.js';
import { byId, make } from './elements.js';
import { blank, fill } from './filling.js';
import { clock, counted, isFailure, moment, quantile, short, tokens } from './figures.js';
import { state, tabs } from './state.js';

/** @typedef {import('./state.js').Tab} Tab */
/** @typedef {import('./state.js').Session} Session */
/** @typedef {import('./state.js').Browser} Browser */

const TABS = 12;
const SESSIONS = 20;
const STATES = /** @type {Record<string, string>} */ ({
  disconnected: 'no browser yet',
  'connected, no tabs': 'no tab yet',
  'connected, none focused': 'no tab in focus',
  'tab focused': 'at work in a tab',
});
const TRANSPORTS = /** @type {Record<string, string>} */ ({ stdio: 'stdio', sse: 'HTTP+SSE', http: 'HTTP' });
/** How many tabs of a browser are shown, where that is not the usual number. @type {Map<string, number>} */
const shown = new Map();

export function drawFigures() {
  const { view, calls } = state;
  const count = view.browsers.reduce((sum, browser) => sum + browser.tabs.length, 0);
  const failed = calls.filter(isFailure).length;
  const took = quantile(
    calls.map(({ ms }) => ms),
    0.5,
  );
  const answered = tokens(calls.reduce((sum, { characters }) => sum + characters, 0));
  const figures = [
    [view.sessions.length, view.sessions.length === 1 ? 'agent' : 'agents'],
    [view.browsers.length, view.browsers.length === 1 ? 'browser' : 'browsers'],
    [count, count === 1 ? 'tab' : 'tabs'],
    [short(calls.length), calls.length === 1 ? 'call' : 'calls'],
    [short(failed), 'failed', failed ? 'bad' : ''],
    [took === undefined ? '–' : duration(took), 'median of a call'],
    [short(answered), 'tokens (estimated)'],
  ];
  fill(
    byId('figures'),
    figures.map(([value, words, tone]) =>
      make('div.figure', {}, make(tone ? `b.${tone}` : 'b', {}, String(value)), make('span', {}, String(words))),
    ),
  );
}

export function drawSessions() {
  const { sessions } = state.view;
  const open = tabs();
  const entries = sessions.slice(0, SESSIONS).map((session) => agent(session, open));
  if (sessions.length > SESSIONS) {
    entries.push(make('p.card.rest', {}, `and ${sessions.length - SESSIONS} more agents`));
  }
  fill(
    byId('sessions'),
    entries.length
      ? entries
      : [
          make(
            'div.card',
            {},
            blank(
              'No agent is connected',
              'Add tabwright to your MCP client: its command is ',
              make('code', {}, 'tabwright'),
              '.',
            ),
          ),
        ],
  );
}

/** @param {Session} session @param {Map<number, Tab>} open */
function agent(session, open) {
  const came = [
    TRANSPORTS[session.transport] ?? session.transport,
    session.protocol && `MCP ${session.protocol}`,
  ]
    .filter(Boolean)
    .join(' · ');
  const going = session.recording.filter(({ on }) => on);
  return make(
    'article.entry.card',
    { 'data-key': session.id },
    make(
      'div.title',
      {},
      make('span.mark', { 'data-color': session.color }),
      make('h4', { dir: 'auto' }, session.client),
      ...(session.version ? [make('span.quiet', {}, session.version)] : []),
      make('span.aside', {}, session.stopped ? 'stopped by you' : (STATES[session.state] ?? session.state)),
    ),
    make(
      'dl.facts',
      {},
      ...fact('Connected over', came || 'this machine'),
      ...fact('Since', moment(session.since)),
      ...fact('Toolsets', session.toolsets.join(', ')),
      ...fact(
        'Calls',
        session.failed ? `${short(session.calls)}, ${short(session.failed)} failed` : short(session.calls),
      ),
      ...fact('Tokens', `about ${short(tokens(session.characters))}`),
    ),
    make(
      'ul',
      {},
      ...session.tabs
        .slice(0, TABS)
        .map((id) =>
          make(
            'li',
            { 'data-key': id },
            make('span.tab', {}, make('span', { dir: 'auto' }, open.get(id)?.title || open.get(id)?.url || `Tab ${id}`)),
            ...(going.some(({ tabId }) => tabId === id) ? [make('span.badge.bad', {}, 'recording')] : []),
            ...(session.focusedTabId === id ? [make('span.badge', {}, 'in focus')] : []),
          ),
        ),
      ...(session.tabs.length > TABS ? [make('li.quiet', {}, `and ${session.tabs.length - TABS} more tabs`)] : []),
    ),
  );
}

/** @param {string} name @param {string} value */
const fact = (name, value) => [make('div', {}, make('dt', {}, name), make('dd', {}, value))];

export function drawBrowsers() {
  const { view } = state;
  const names = new Map(view.sessions.map(({ id, client }) => [id, client]));
  const entries = view.browsers.map((browser) => {
    const most = shown.get(browser.id) ?? TABS;
    const left = browser.tabs.length - most;
    return make(
      'article.entry.card',
      { 'data-key': browser.id, 'data-browser': browser.id },
      make(
        'div.title',
        {},
        make('span.mark', { 'data-tone': 'good' }),
        make('h4', {}, browser.name),
        make('span.quiet', {}, browser.version),
        make(
          'span.aside',
          {},
          `${counted(browser.tabs.length, 'tab')}, ${browser.launched ? 'launched by tabwright' : 'your own'}`,
        ),
      ),
      make('ul', {}, ...browser.tabs.slice(0, most).map((tab) => row(tab, names))),
      ...(left > 0
        ? [
            make(
              'p.rest',
              {},
              make(
                'button.button',
                { type: 'button', 'data-deed': 'more' },
                `Show ${Math.min(left, 100)} more of ${browser.tabs.length} tabs`,
              ),
            ),
          ]
        : []),
    );
  });
  fill(
    byId('browsers'),
    entries.length
      ? entries
      : [
          make(
            'div.card',
            {},
            blank(
              'No browser is linked',
              'An agent can launch one. For your own run ',
              make('code', {}, 'tabwright pair'),
              '.',
            ),
          ),
        ],
  );
}

/** @param {Tab} tab @param {Map<string, string>} names */
function row(tab, names) {
  const holder = tab.session && names.get(tab.session);
  const title = tab.title || tab.url || 'New tab';
  const tools = tab.tools ? counted(tab.tools, 'tool') : 'Tools';
  return make(
    'li',
    { 'data-tab': tab.id, 'data-key': tab.id },
    picture(tab),
    make(
      'span.tab',
      {},
      make('span', { dir: 'auto' }, title),
      make('span.address', {}, tab.url),
      ...(holder ? [make('span.holder', {}, `held by ${holder}`)] : []),
    ),
    make(
      'span.deeds',
      {},
      make('button.button', { type: 'button', 'data-deed': 'tools', 'aria-label': `${tools} of ${title}` }, tools),
      ...(holder
        ? [
            make(
              'button.button',
              { type: 'button', 'data-deed': 'takeBack', 'aria-label': `Take back ${title}` },
              'Take back',
            ),
          ]
        : []),
    ),
  );
}

/** @param {Tab} tab */
function picture(tab) {
  if (tab.picture !== null)
    return make('img.shot', { src: `/api/thumbnails/${tab.picture}`, alt: '', width: 64, height: 40 });
  return make(
    'span.shot',
    { 'aria-hidden': 'true' },
    [...(tab.title || tab.url || '·').trim()][0]?.toUpperCase() ?? '·',
  );
}

/** One listener for all rows. @param {{tools: (tab: Tab) => void, takeBack: (tab: Tab) => void}} deeds */
export function listenToBrowsers(deeds) {
  byId('browsers').addEventListener('click', ({ target }) => {
    const deed = target instanceof Element ? target.closest('[data-deed]') : null;
    if (!deed) return;
    const word = deed.getAttribute('data-deed');
    if (word === 'more') {
      const id = String(deed.closest('[data-browser]')?.getAttribute('data-browser'));
      shown.set(id, (shown.get(id) ?? TABS) + 100);
      drawBrowsers();
      return;
    }
    const tab = tabs().get(Number(deed.closest('[data-tab]')?.getAttribute('data-tab')));
    if (tab) deeds[/** @type {keyof typeof deeds} */ (word)](tab);
  });
}

/** When the page last heard of the gateway, said where the link is shown as lost. @param {number} seconds */
export const lastHeard = (seconds) => `What you see is from ${clock(seconds)}.`;
