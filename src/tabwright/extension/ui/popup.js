/** The popup: shows what the worker pushes, and posts what the person presses. It decides nothing. */
import { PAIR_COMMAND, byId, part, stamp } from './elements.js';
import { lookOf } from './server_look.js';

/** @typedef {import('../shared/protocol').LinkState} LinkState */
/** @typedef {import('../shared/protocol').PopupView} PopupView */
/** @typedef {import('../shared/protocol').HeldTabView} HeldTabView */

/** @type {Record<LinkState, {tone: string, headline: string, explanation: string, command?: string}>} */
const STATES = {
  connected: {
    tone: 'good',
    headline: 'Connected',
    explanation: 'Your MCP clients can see the open tabs and work in the ones they hold.',
  },
  looking: {
    tone: 'wait',
    headline: 'Looking for the gateway',
    explanation: 'It starts with your first MCP client. You can also start it yourself:',
    command: 'tabwright serve',
  },
  unpaired: {
    tone: 'bad',
    headline: 'Not paired yet',
    explanation: 'Pair this browser once with your gateway. Run this in a terminal:',
    command: PAIR_COMMAND,
  },
  'wrong-server': {
    tone: 'bad',
    headline: 'Wrong server',
    explanation: 'Something else answers at this address. It could not prove to be your gateway, so it learned nothing '
      + 'about your tabs. If you set tabwright up anew, pair again:',
    command: PAIR_COMMAND,
  },
  refused: {
    tone: 'bad',
    headline: 'Refused by the gateway',
    explanation: 'The gateway does not know this browser any more. Pair again:',
    command: PAIR_COMMAND,
  },
  off: {
    tone: '',
    headline: 'Disconnected',
    explanation: 'You disconnected this browser. No client can see or use its tabs, here or through a server.',
  },
};

/** A browser that is used through a server alone is not waiting to be paired. */
const THROUGH_SERVER = {
  tone: 'good',
  headline: 'Connected through a server',
  explanation: 'Clients elsewhere can see the open tabs and work in the ones they hold. For clients on this machine, pair '
    + 'this browser with the gateway here:',
  command: PAIR_COMMAND,
};

/** The tab-group colours, in a tone that reads on light and dark. @type {Record<string, string>} */
const PAINT = {
  grey: '#80868b', blue: '#4285f4', red: '#e25142', yellow: '#f2a600', green: '#34a853', pink: '#e14fa0',
  purple: '#a56eff', cyan: '#12a4af', orange: '#f28b3c',
};

/** @type {chrome.runtime.Port | undefined} */
let port;

/** @param {{press: string, tabId?: number, sessionId?: string}} message */
const press = (message) => port?.postMessage(message);

/** @param {PopupView} view */
function show({ state, url, servers, sessions }) {
  const isServed = servers.some((server) => server.state === 'connected');
  const { tone, headline, explanation, command } = state === 'unpaired' && isServed ? THROUGH_SERVER : STATES[state];
  byId('mark').dataset.tone = tone;
  byId('headline').textContent = headline;
  byId('explanation').textContent = explanation;
  byId('address').textContent = url;
  byId('command').hidden = command === undefined;
  part(byId('command'), 'code').textContent = command ?? '';
  byId('switch').setAttribute('aria-checked', String(state !== 'off'));
  byId('switch').hidden = state === 'unpaired' && servers.length === 0;
  byId('sessions').hidden = state !== 'connected' && !isServed;
  byId('servers').replaceChildren(...servers.map(serverRow));
  showSessions(sessions.filter(({ tabs }) => tabs.length > 0));
}

/** @param {import('../shared/protocol').ServerView} server */
function serverRow(server) {
  const row = stamp('server');
  const { tone, state } = lookOf(server, Date.now());
  part(row, '.mark').dataset.tone = tone;
  part(row, '.place').textContent = server.url.replace(/^wss?:\/\//, '');
  part(row, '.state').textContent = state;
  row.title = server.reason;
  return row;
}

/** @param {PopupView['sessions']} sessions */
function showSessions(sessions) {
  const empty = Object.assign(document.createElement('p'), { className: 'empty' });
  empty.textContent = 'No session holds a tab right now.';
  byId('sessions').replaceChildren(...(sessions.length > 0 ? sessions.map(sessionCard) : [empty]));
}

/** @param {PopupView['sessions'][number]} session */
function sessionCard({ id, name, color, stopped, tabs }) {
  const card = stamp('session');
  part(card, '.mark').style.background = PAINT[color] ?? PAINT.grey;
  part(card, '.name').textContent = name;
  const count = tabs.length === 1 ? '1 tab' : `${tabs.length} tabs`;
  part(card, '.count').textContent = stopped ? 'stopped' : count;
  const stop = part(card, '.stop');
  stop.textContent = stopped ? 'Let go on' : 'Stop';
  stop.setAttribute('aria-label', `${stopped ? 'Let go on' : 'Stop'}: ${name}`);
  stop.addEventListener('click', () => press({ press: stopped ? 'resume' : 'stop', sessionId: id }));
  part(card, 'ul').append(...tabs.map(tabRow));
  return card;
}

/** @param {HeldTabView} tab */
function tabRow({ tabId, title, host, claimed }) {
  const row = stamp('tab');
  part(row, '.title').textContent = title;
  part(row, '.host').textContent = claimed ? `${host} · your tab` : host;
  part(row, '.tab').title = title;
  part(row, '.tab').addEventListener('click', () => press({ press: 'show', tabId }));
  const takeBack = part(row, '.button');
  takeBack.setAttribute('aria-label', `Take back ${title}`);
  takeBack.addEventListener('click', () => press({ press: 'takeBack', tabId }));
  return row;
}

byId('switch').addEventListener('click', ({ currentTarget }) => {
  const on = /** @type {HTMLElement} */ (currentTarget).getAttribute('aria-checked') === 'true';
  press({ press: on ? 'disconnect' : 'connect' });
});

byId('options').addEventListener('click', () => press({ press: 'options' }));

byId('copy').addEventListener('click', async () => {
  await navigator.clipboard.writeText(part(byId('command'), 'code').textContent ?? '');
  byId('copy').textContent = 'Copied';
  setTimeout(() => { byId('copy').textContent = 'Copy'; }, 1_500);
});

/** The worker may be stopped while the popup is open; opening the port again starts it. */
function connect() {
  port = chrome.runtime.connect({ name: 'popup' });
  port.onMessage.addListener(show);
  port.onDisconnect.addListener(() => setTimeout(connect, 100));
}
connect();
