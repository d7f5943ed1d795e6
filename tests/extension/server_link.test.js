import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { Connection } from '../../src/tabwright/extension/background/connection.js';
import { Dispatcher } from '../../src/tabwright/extension/background/dispatcher.js';
import { ServerDoor } from '../../src/tabwright/extension/background/doors.js';
import { Holds } from '../../src/tabwright/extension/background/holds.js';
import { Links } from '../../src/tabwright/extension/background/links.js';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { OptionsPort } from '../../src/tabwright/extension/background/options_port.js';
import { PageFeed } from '../../src/tabwright/extension/background/page_feed.js';
import { ServerLink } from '../../src/tabwright/extension/background/server_link.js';
import { TabFeed } from '../../src/tabwright/extension/background/tab_feed.js';
import { FakeArea, FakePort, fakeSockets, settle, until } from './fakes.js';

const URL_ = 'wss://proxy.example.com/extension';
const TOKEN = `eyJh.${Buffer.from('{"role":"extension"}').toString('base64url')}.c2ln`;
const TAB = { id: 5, title: 'T', url: 'https://a.test/', status: 'complete', documentId: 'D', windowId: 1 };

beforeEach(() => mock.timers.reset());

/** A link to one server whose other end the test plays. */
function make({ paused = false, on = true, token = TOKEN } = {}) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const { opened, FakeSocket } = fakeSockets();
  const settings = { config: { paused, servers: [{ id: 's', url: URL_, token, on }] }, load: async () => settings.config };
  const door = new ServerDoor(settings, 's', async () => 'Chrome 141');
  const connection = new Connection(door, FakeSocket);
  const pages = { all: () => [], find: () => undefined };
  const tabs = { list: async () => [TAB], peek: async () => TAB };
  const link = new ServerLink('s', connection, door, {
    feed: (send) => new TabFeed(tabs, { judge: async () => false }, send),
    pageFeed: (feed, send) => new PageFeed(pages, { isWatched: async () => true }, feed, send, true),
    self: async () => ({ browser: { name: 'Chrome', version: '141' }, profileId: 'p', version: '1', attached: [], launched: false, seen: true }),
    watched: async () => [],
    permit: async () => true,
    gateways: { challenge: () => 'N', prove: async () => ({ trusted: false }), forget: () => {} },
  });
  const table = link.table(new Map([
    ['createTab', { withinMs: 1_000, run: async () => ({ tabId: 9 }) }],
    ['look', { withinMs: 1_000, run: async (params, { connection: by }) => ({ by }) }],
  ]));
  const dispatcher = new Dispatcher(table, new Map(), (message) => connection.send(message), () => {}, 's/');
  connection.onMessage = (text) => void dispatcher.receive(text);
  connection.onState = (state) => { if (state !== 'connected') link.rest(); };
  return { link, connection, opened, settings };
}

async function login(parts) {
  parts.connection.ensure();
  await until(() => parts.opened.length > 0);
  const socket = parts.opened.at(-1);
  socket.open();
  socket.receive({ jsonrpc: '2.0', id: 'proxy:1', method: 'authenticate', params: {} });
  await settle();
  socket.receive({ jsonrpc: '2.0', method: 'authenticated', params: { user_id: 'ada', extension_id: 'ext-1' } });
  await settle();
  return socket;
}

const status = (count) => ({ jsonrpc: '2.0', method: 'status', params: { connected: count > 0, peer_count: count } });
const request = (id, method, params = {}) => ({ jsonrpc: '2.0', id, method, params });
const methods = (socket) => socket.sent.flatMap(({ method }) => method ?? []);

test('it waits, answers authenticate with name and token, and knows whose browser it is', async () => {
  const parts = make();
  const socket = await login(parts);
  assert.equal(socket.url, URL_);
  assert.deepEqual(socket.sent, [{ jsonrpc: '2.0', id: 'proxy:1', result: { name: 'Chrome 141', accessToken: TOKEN } }]);
  assert.deepEqual([parts.connection.state, parts.link.user], ['connected', 'ada']);
});

test('a server that wants no token gets none', async () => {
  const socket = await login(make({ token: '' }));
  assert.deepEqual(socket.sent[0].result, { name: 'Chrome 141' });
});

test('nothing is contacted while it is off, or the person has disconnected the browser', async () => {
  for (const how of [{ on: false }, { paused: true }]) {
    const parts = make(how);
    parts.connection.ensure();
    await settle();
    assert.deepEqual([parts.opened.length, parts.connection.state], [0, 'off']);
    mock.timers.reset();
  }
});

test('whoever is no proxy learns nothing', async () => {
  for (const message of [
    { jsonrpc: '2.0', id: 1, method: 'getTabs' },
    { jsonrpc: '2.0', id: 'x:1', method: 'authenticate' },
    { jsonrpc: '2.0', method: 'authenticated', params: { user_id: 'ada' } },
  ]) {
    const parts = make();
    parts.connection.ensure();
    await until(() => parts.opened.length > 0);
    parts.opened[0].open();
    parts.opened[0].receive(message);
    await settle();
    assert.deepEqual([parts.connection.state, parts.opened[0].sent], ['wrong-server', []]);
    mock.timers.reset();
  }
});

for (const [code, state] of [[4401, 'refused'], [4409, 'refused'], [4429, 'refused'], [1012, 'looking'], [1006, 'looking']]) {
  test(`a link closed with ${code} is ${state}, with the reason and the next try`, async () => {
    const parts = make();
    (await login(parts)).drop(code, 'because');
    assert.deepEqual([parts.connection.state, parts.connection.reason], [state, 'because']);
    assert.ok(parts.connection.nextTryAt > Date.now());
    mock.timers.tick(2_000);
    await until(() => parts.opened.length === 2);
    assert.equal(parts.connection.nextTryAt, undefined);
  });
}

test('nobody is told of tabs before a client is there, and none after the last has left', async () => {
  const parts = make();
  const socket = await login(parts);
  parts.link.send({ type: 'download', id: 1 });
  assert.deepEqual(methods(socket), []);
  socket.receive(status(1));
  await settle();
  parts.link.send({ type: 'download', id: 1 });
  assert.deepEqual(socket.sent.at(-1), { jsonrpc: '2.0', method: 'download', params: { id: 1 } });
  parts.link.feed.removed(5);
  assert.deepEqual(socket.sent.at(-1), { jsonrpc: '2.0', method: 'tabClosed', params: { tabId: 5 } });
  socket.receive(status(0));
  await settle();
  parts.link.send({ type: 'download', id: 2 });
  assert.deepEqual(methods(socket), ['download', 'tabClosed']);
});

test('a client is introduced to the browser and the tabs that were told', async () => {
  const socket = await login(make());
  socket.receive(request('conn-a:1', 'introduce'));
  await until(() => socket.sent.length > 1);
  const { id, result } = socket.sent.at(-1);
  assert.deepEqual([id, result.profileId, result.browser, result.tabs], ['conn-a:1', 'p', { name: 'Chrome', version: '141' }, [TAB]]);
});

test('the debugger is heard only of tabs that a client there has named', async () => {
  const parts = make();
  const socket = await login(parts);
  assert.equal(parts.link.hearsDebugger(5), false);
  socket.receive(request('conn-a:1', 'look', { tabId: 5 }));
  socket.receive(request('conn-a:2', 'createTab'));
  socket.receive(request('conn-a:3', 'look', { tabId: 'none' }));
  await settle();
  assert.deepEqual([5, 9, 7].map((tabId) => parts.link.hearsDebugger(tabId)), [true, true, false]);
  parts.link.forget(5);
  socket.drop();
  assert.deepEqual([5, 9].map((tabId) => parts.link.hearsDebugger(tabId)), [false, false]);
});

test('connections of a server are never those of another link', async () => {
  const socket = await login(make());
  socket.receive(request('conn-a:1', 'look'));
  socket.receive(request(2, 'look'));
  await settle();
  assert.deepEqual(socket.sent.slice(1).map(({ result }) => result.by), ['s/conn-a', 's/direct']);
});

test('a server that answers probes and falls silent is given up, one that never did is not', async () => {
  for (const [answers, state] of [[true, 'looking'], [false, 'connected']]) {
    const parts = make();
    const socket = await login(parts);
    mock.timers.tick(20_000);
    assert.deepEqual(socket.sent.at(-1), { jsonrpc: '2.0', id: 'ext:1', method: 'ping' });
    if (answers) socket.receive({ jsonrpc: '2.0', id: 'ext:1', error: { code: -32601, message: 'no' } });
    mock.timers.tick(60_000);
    assert.equal(parts.connection.state, state);
    mock.timers.reset();
  }
});

test('an answer the server would close on becomes an error, and news of that size are dropped', async () => {
  const parts = make();
  const socket = await login(parts);
  const warned = mock.method(console, 'warn', () => {});
  const large = 'x'.repeat(9_000_000);
  parts.connection.send({ jsonrpc: '2.0', id: 'conn-a:1', result: { large } });
  parts.connection.send({ jsonrpc: '2.0', method: 'tabMessage', params: { large } });
  parts.connection.send({ jsonrpc: '2.0', id: 'conn-a:2', result: { large: large.slice(0, 8_000_000) } });
  warned.mock.restore();
  assert.deepEqual(socket.sent.slice(1).map(({ id, error }) => [id, error?.code]), [['conn-a:1', -32000], ['conn-a:2', undefined]]);
});

test('holds of several connections stand side by side, and a session that comes back is one', async () => {
  const holds = new Holds({ mark: async () => {} }, new Memory(new FakeArea()), { allowDiscarding: async () => {} });
  const session = (id, tabId) => ({ id, name: id, color: 'blue', tabs: [{ tabId, claimed: true }] });
  const shown = async () => (await holds.sessions()).map(({ id, by }) => `${by} ${id}`);
  await holds.show([session('one', 1)], 'direct');
  await holds.show([session('two', 2)], 's/conn-a');
  assert.deepEqual(await shown(), ['direct one', 's/conn-a two']);
  await holds.show([session('two', 2)], 's/conn-b');
  assert.deepEqual(await shown(), ['direct one', 's/conn-b two']);
  await holds.clear('s/');
  assert.deepEqual(await shown(), ['direct one']);
  await holds.show([session('one', 3)], 's/conn-a');
  assert.deepEqual(await shown(), ['direct one', 's/conn-a one'], 'nobody elsewhere takes the place of a session of this machine');
  await holds.clear('s/');
  await holds.show([], 'direct');
  assert.deepEqual(await shown(), []);
});

/** The options page's end of its port, with a store behind it. */
function options(servers = []) {
  const settings = {
    config: { paused: false, servers, consents: [], gateways: [] },
    load: async () => settings.config,
    saveServers: async (list) => { settings.config = { ...settings.config, servers: list }; },
  };
  const local = { id: 'local', connection: { hurry() {}, state: 'unpaired' } };
  const links = new Links(local);
  const restarted = [];
  const make_ = (id) => ({ connection: { state: 'looking', reason: '', restart: () => restarted.push(id), stop() {}, hurry() {} }, user: '', clients: 0 });
  const keepServers = async () => links.keep(settings.config.servers.map(({ id }) => id), make_);
  const page = new OptionsPort({ settings, links, keepServers, browser: async () => 'Chrome 1', ownPorts: () => ['1'] }, () => 0);
  const port = new FakePort();
  page.accept(port);
  const press = async (message) => {
    const count = port.sent.length;
    port.says(message);
    await until(() => port.sent.length > count);
    await settle();
    return port.sent.find(({ outcome }, index) => outcome && index >= count)?.outcome;
  };
  return { port, press, settings, restarted };
}

test('options: a server is saved, connected, edited without its token, switched and removed', async () => {
  const { port, press, settings, restarted } = options();
  const { saved } = await press({ press: 'save', url: 'wss://proxy.example.com', token: TOKEN });
  assert.deepEqual(settings.config.servers, [{ id: saved, url: URL_, token: TOKEN, on: true }]);
  assert.deepEqual(restarted, [saved]);
  await press({ press: 'save', id: saved, url: 'wss://proxy.example.com/', token: '' });
  assert.equal(settings.config.servers[0].token, TOKEN);
  await press({ press: 'switch', id: saved, on: false });
  assert.equal(settings.config.servers[0].on, false);
  await press({ press: 'remove', id: saved });
  assert.deepEqual(settings.config.servers, []);
  assert.ok(!JSON.stringify(port.sent).includes(TOKEN), 'a token never comes back');
});

test('options: what is wrong is said at its field, and nothing is saved', async () => {
  const { press, settings } = options();
  assert.equal((await press({ press: 'save', url: 'https://x', token: TOKEN })).field, 'url');
  assert.equal((await press({ press: 'save', url: 'wss://x', token: 'y' })).field, 'token');
  assert.deepEqual(settings.config.servers, []);
});

test('options: a token is not sent to another address than it was entered for', async () => {
  const { press, settings } = options();
  const { saved } = await press({ press: 'save', url: 'wss://proxy.example.com', token: TOKEN });
  const { field } = await press({ press: 'save', id: saved, url: 'wss://other.example', token: '' });
  assert.deepEqual([field, settings.config.servers[0].url], ['token', URL_]);
});

test('options: the same server twice, or one too many, is refused', async () => {
  const many = Array.from({ length: 10 }, (_, n) => ({ id: `${n}`, url: `wss://h${n}.example/extension`, token: TOKEN, on: false }));
  const { press } = options(many);
  assert.match((await press({ press: 'save', url: 'wss://h3.example', token: TOKEN })).message, /already/);
  assert.match((await press({ press: 'save', url: 'wss://new.example', token: TOKEN })).message, /Remove one/);
});
