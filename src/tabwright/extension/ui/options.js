/** The options page: shows who this browser is and its servers, and posts what the person enters. It decides nothing. */
import { readClaims, shownAddress } from '../common/servers.js';
import { byId, part, put, stamp } from './elements.js';
import { linkHeadline } from './link_look.js';
import { lookOf } from './server_look.js';
import { connect } from './worker_port.js';

/** @typedef {import('../common/protocol').OptionsPress} OptionsPress */
/** @typedef {import('../common/protocol').OptionsView} OptionsView */
/** @typedef {import('../common/protocol').ServerView} ServerView */

const EVERY_MS = 1_000;
const FIELDS = /** @type {const} */ (['url', 'token']);

/** @type {ServerView[]} */
let shown = [];
/** The server being edited; none while one is added. @type {string | undefined} */
let editing;
/** Cards by server, kept over redraws so that the focus stays where it is. @type {Map<string, HTMLElement>} */
const cards = new Map();

/** @param {string} id */
const input = (id) => /** @type {HTMLInputElement} */ (byId(id));

/** @param {OptionsView} view */
function show(view) {
  const { paused, servers, outcome } = view;
  shown = servers;
  showBrowser(view);
  showAllowed(view.allowed);
  byId('paused').hidden = !paused;
  byId('none').hidden = servers.length > 0;
  for (const [id, card] of cards) {
    if (servers.some((server) => server.id === id)) continue;
    card.remove();
    cards.delete(id);
  }
  for (const server of servers) {
    const card = cards.get(server.id) ?? makeCard(server.id);
    fill(card, server);
    if (!card.isConnected) byId('servers').append(card);
  }
  if (editing !== undefined && !cards.has(editing)) edit(undefined);
  if (outcome) settle(outcome);
}

/** @param {OptionsView} view */
function showBrowser({ state, url, browser, profileId, launched, gatewayPorts, hubOrigins }) {
  const { tone, headline } = linkHeadline(state);
  byId('gateway-mark').dataset.tone = tone;
  put(byId('gateway'), headline);
  put(byId('address'), url);
  put(byId('browser'), launched ? `${browser}, launched by the gateway` : browser);
  put(byId('profile'), profileId);
  put(byId('ports'), `ports ${gatewayPorts.join(' and ')} of this machine`);
  put(byId('origins'), hubOrigins.length === 0 ? 'pages of every site' : `only pages of ${hubOrigins.join(', ')}`);
}

/** What has not changed stays as it is, with the focus. @param {OptionsView['allowed']} allowed */
function showAllowed(allowed) {
  const list = byId('allowed');
  byId('allowed-section').hidden = allowed.length === 0;
  const now = allowed.map(({ id }) => id).join();
  if (list.dataset.shown === now) return;
  list.dataset.shown = now;
  list.replaceChildren(...allowed.map(({ id, server, what, since }) => {
    const row = stamp('allowance');
    part(row, '.what').textContent = what;
    part(row, '.where').textContent = `${server}, since ${new Date(since).toLocaleDateString()}`;
    part(row, '.revoke').setAttribute('aria-label', `Revoke: ${what}`);
    part(row, '.revoke').addEventListener('click', () => press({ press: 'revoke', id }));
    return row;
  }));
}

/** @param {string} id */
function makeCard(id) {
  const card = stamp('server');
  const find = () => shown.find((server) => server.id === id);
  part(card, '.switch').addEventListener('click', () => press({ press: 'switch', id, on: !find()?.on }));
  part(card, '.edit').addEventListener('click', () => edit(find()));
  part(card, '.remove').addEventListener('click', () => {
    const server = find();
    if (!server || !confirm(`Remove ${server.url}? Its token is forgotten.`)) return;
    press({ press: 'remove', id });
    say(`${server.url} was removed.`);
    input('url').focus();
  });
  cards.set(id, card);
  return card;
}

/**
 * @param {HTMLElement} card
 * @param {ServerView} server
 */
function fill(card, server) {
  const { tone, state, detail } = lookOf(server, Date.now());
  put(part(card, '.place'), server.url);
  part(card, '.mark').dataset.tone = tone;
  put(part(card, '.headline'), state);
  put(part(card, '.detail'), detail);
  put(part(card, '.token'), tokenLine(server));
  part(card, '.switch').setAttribute('aria-checked', String(server.on));
  part(card, '.switch').setAttribute('aria-label', `Use ${server.url}`);
  part(card, '.edit').setAttribute('aria-label', `Edit ${server.url}`);
  part(card, '.remove').setAttribute('aria-label', `Remove ${server.url}`);
}

/** @param {ServerView} server */
function tokenLine({ tokenEnd, expires }) {
  if (!tokenEnd) return 'No token';
  const until = expires === undefined ? '' : `, good until ${new Date(expires).toLocaleDateString()}`;
  return `Token …${tokenEnd}${until}`;
}

/** @param {ServerView | undefined} server */
function edit(server) {
  editing = server?.id;
  byId('form-title').textContent = server ? `Edit ${server.url}` : 'Add a server';
  byId('save').textContent = server ? 'Save' : 'Add';
  byId('cancel').hidden = !server;
  input('url').value = server?.url ?? '';
  input('token').value = '';
  input('token').placeholder = server?.tokenEnd ? `…${server.tokenEnd} (leave empty to keep it)` : 'eyJ…';
  complain();
  say('');
  if (server) input('url').focus();
}

/** @param {NonNullable<OptionsView['outcome']>} outcome */
function settle(outcome) {
  if ('field' in outcome) {
    say('');
    complain(outcome);
    return;
  }
  const server = shown.find(({ id }) => id === outcome.saved);
  edit(undefined);
  say(server ? `${server.url} was saved.` : '');
}

/** @param {{field: string, message: string}} [fault] */
function complain(fault) {
  for (const field of FIELDS) {
    const isWrong = fault?.field === field;
    input(field).setAttribute('aria-invalid', String(isWrong));
    byId(`${field}-error`).hidden = !isWrong;
    byId(`${field}-error`).textContent = isWrong ? fault.message : '';
    if (isWrong) input(field).focus();
  }
}

/** @param {string} text */
const say = (text) => { byId('said').textContent = text; };

byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  press({ press: 'save', ...(editing === undefined ? {} : { id: editing }), url: input('url').value, token: input('token').value });
});
byId('cancel').addEventListener('click', () => edit(undefined));
// A token says which server it is for; the person sees the address before anything is sent there.
byId('token').addEventListener('input', () => {
  const told = readClaims(input('token').value.trim())?.url;
  if (told && !input('url').value) input('url').value = shownAddress(told);
});
// Seconds until the next try pass by themselves.
setInterval(() => { for (const server of shown) fill(/** @type {HTMLElement} */ (cards.get(server.id)), server); }, EVERY_MS);

/** @type {(press: OptionsPress) => void} */
const press = connect('options', show);
