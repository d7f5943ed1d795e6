/** The popup: shows what the worker pushes, and posts what the person presses. It decides nothing. */
import { bootstrapLine } from './bootstrap_look.js';
import { grantOf, shortDeed, siteOf } from './deeds.js';
import { byId, copies, keep, mark, part, put, stamp } from './elements.js';
import { SILENT, isLinked, linkLook } from './link_look.js';
import { showQuestions } from './questions_view.js';
import { lookOf } from './server_look.js';
import { pressAll, showAll, showSessions, tabsOf } from './sessions_view.js';
import { connect } from './worker_port.js';

/** @typedef {import('../common/protocol').GrantView} GrantView */
/** @typedef {import('../common/protocol').PopupPress} PopupPress */
/** @typedef {import('../common/protocol').PopupView} PopupView */
/** @typedef {import('../common/protocol').ServerView} ServerView */

const EVERY_MS = 1_000;
/** @type {PopupView | undefined} */
let shown;

/** @param {PopupView} view */
function show(view) {
  shown = view;
  const { state, url, servers, sessions, grants } = view;
  showLink(linkLook(view));
  const setUp = bootstrapLine(view);
  byId('bootstrap').hidden = setUp === '';
  put(byId('bootstrap'), setUp);
  put(byId('address'), url);
  byId('address-row').hidden = state === 'connected';
  mark(byId('switch'), 'aria-checked', String(state !== 'off'));
  byId('switch').hidden = state === 'unpaired' && servers.length === 0;
  byId('dashboard').hidden = state !== 'connected' || view.isMute;
  byId('servers-section').hidden = servers.length === 0;
  keep(byId('servers'), servers, { key: ({ id }) => id, make: () => stamp('server'), fill: fillServer });
  const busy = sessions.filter(({ tabs }) => tabs.length > 0);
  byId('work').hidden = !isLinked(view);
  byId('crew').hidden = busy.length < 2;
  put(byId('crew-count'), `${busy.length} agents`);
  showAll(byId('all'), sessions);
  showSessions(byId('sessions'), busy, press);
  byId('idle').hidden = busy.length > 0;
  put(byId('idle'), idleWords(sessions.map(({ name }) => name)));
  byId('grants-fold').hidden = grants.length === 0;
  put(byId('grants-count'), String(grants.length));
  keep(byId('grants'), grants, { key: ({ id, scope, client }) => `${id} ${scope} ${client}`, make: makeGrant, fill: fillGrant });
  showQuestions(view.questions, (askId, answer, chosen) => press({ press: 'answer', askId, answer, chosen }));
  put(byId('news'), busy.map(({ name, stopped, tabs }) => `${name}: ${stopped ? 'stopped' : tabsOf(tabs.length)}`).join('. '));
}

/** @param {import('./link_look.js').Look} look */
function showLink({ tone, headline, explanation, command, pairs }) {
  byId('mark').dataset.tone = tone;
  put(byId('headline'), headline);
  put(byId('explanation'), explanation);
  byId('command').hidden = command === undefined;
  put(part(byId('command'), 'code'), command ?? '');
  byId('pair').hidden = pairs !== true;
}

/** @param {string[]} names those who are connected, and hold nothing */
function idleWords(names) {
  const different = [...new Set(names)];
  if (different.length === 0) return 'No agent holds a tab right now.';
  return `${different.join(', ')} ${different.length === 1 ? 'is' : 'are'} connected and ${different.length === 1 ? 'holds' : 'hold'} no tab right now.`;
}

/** @param {HTMLElement} row @param {ServerView} server */
function fillServer(row, server) {
  const { tone, state } = lookOf(server, Date.now());
  part(row, '.mark').dataset.tone = tone;
  put(part(row, '.place'), server.url.replace(/^wss?:\/\//, ''));
  put(part(row, '.state'), state);
  row.title = server.reason;
}

/** @param {GrantView} grant */
function makeGrant({ id }) {
  const row = stamp('grant');
  part(row, '.button').addEventListener('click', () => press({ press: 'revoke', grantId: id }));
  return row;
}

/** @param {HTMLElement} row @param {GrantView} grant */
function fillGrant(row, { origin, kind, client, tool, scope }) {
  put(part(row, '.title'), `${siteOf(origin)}: ${tool || shortDeed(kind)}`);
  put(part(row, '.host'), `${client || 'any agent'} · ${scope === 'session' ? 'this session' : 'always'}`);
  mark(part(row, '.button'), 'aria-label', `Revoke: ${grantOf(client, kind, origin)}`);
}

byId('switch').addEventListener('click', () => {
  press({ press: byId('switch').getAttribute('aria-checked') === 'true' ? 'disconnect' : 'connect' });
});
byId('all').addEventListener('click', () => pressAll(byId('all'), shown?.sessions ?? [], press));
byId('options').addEventListener('click', () => press({ press: 'options' }));
byId('dashboard').addEventListener('click', () => press({ press: 'dashboard' }));
// Chrome opens it only in the very moment of a press, so the window is known before.
void chrome.windows.getCurrent().then(({ id: windowId }) => {
  if (windowId === undefined) return;
  byId('panel').hidden = false;
  byId('panel').addEventListener('click', () => void chrome.sidePanel.open({ windowId }).then(() => window.close()));
});
copies(byId('copy'), () => part(byId('command'), 'code').textContent ?? '');
// Seconds pass by themselves.
setInterval(() => { if (shown?.questions.length || shown?.servers.length) show(shown); }, EVERY_MS);

/** @type {(press: PopupPress) => void} */
const press = connect('popup', show, () => showLink(SILENT));
