import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { beforeEach, mock, test } from 'node:test';
import { Connection } from '../../src/tabwright/extension/background/connection.js';
import { LocalDoor } from '../../src/tabwright/extension/background/doors.js';
import { fakeSockets, settle, until } from './fakes.js';

const KEY = 'ab'.repeat(32);
const THEIRS = 'b'.repeat(32);

beforeEach(() => mock.timers.reset());

function make(config = {}) {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const { opened, FakeSocket } = fakeSockets();
  const settings = {
    config: { url: 'ws://127.0.0.1:8765', profileId: 'p', key: KEY, dialect: 'tabwright', paused: false, ...config },
    load: async () => settings.config,
  };
  const connection = new Connection(new LocalDoor(settings, 'ext'), FakeSocket);
  const states = [];
  const received = [];
  connection.onState = (state) => states.push(state);
  connection.onMessage = (text) => received.push(JSON.parse(text));
  connection.onReady = () => connection.send({ type: 'ready' });
  return { connection, opened, states, received, settings };
}

async function connect(parts) {
  parts.connection.ensure();
  await until(() => parts.opened.length > 0);
  const socket = parts.opened.at(-1);
  await welcome(socket);
  return socket;
}

async function welcome(socket, key = KEY) {
  socket.open();
  const { extensionId, profileId, nonce } = socket.sent[0];
  const text = `tabwright server\n${extensionId}\n${profileId}\n${nonce}\n${THEIRS}`;
  const proof = createHmac('sha256', Buffer.from(key, 'hex')).update(text).digest('hex');
  socket.receive({ type: 'challenge', nonce: THEIRS, proof });
  await until(() => socket.sent.length > 1 || socket.closed);
  if (!socket.closed) socket.receive({ type: 'welcome' });
  await settle();
}

test('without a key nobody is contacted', async () => {
  const { connection, opened, states } = make({ key: undefined });
  connection.ensure();
  await settle();
  assert.deepEqual([opened.length, states], [0, ['unpaired']]);
});

test('hello comes first, proof second, then the link is ready', async () => {
  const parts = make();
  const socket = await connect(parts);
  assert.deepEqual(socket.sent.map(({ type }) => type), ['hello', 'proof', 'ready']);
  assert.equal(parts.connection.state, 'connected');
});

test('the tabs dialect needs no proof', async () => {
  const { connection, opened } = make({ dialect: 'tabs', key: undefined });
  connection.ensure();
  await until(() => opened.length > 0);
  opened[0].open();
  assert.deepEqual(opened[0].sent, [{ type: 'ready' }]);
});

test('any number of events makes one socket', async () => {
  const { connection, opened } = make();
  for (let i = 0; i < 10; i += 1) connection.ensure();
  await settle();
  for (let i = 0; i < 10; i += 1) connection.ensure();
  await settle();
  assert.equal(opened.length, 1);
});

test('an impostor is cut off with 4401 before it learns anything, and tried again slowly', async () => {
  const { connection, opened, states } = make();
  connection.ensure();
  await until(() => opened.length > 0);
  await welcome(opened[0], 'ff'.repeat(32));
  assert.deepEqual(opened[0].sent.map(({ type }) => type), ['hello']);
  assert.equal(opened[0].closed.code, 4401);
  assert.deepEqual(states, ['looking', 'wrong-server']);
  mock.timers.tick(1_999);
  await settle();
  assert.equal(opened.length, 1);
  mock.timers.tick(1);
  await settle();
  assert.equal(opened.length, 2);
});

test('a welcome without challenge is no welcome', async () => {
  const { connection, opened, received } = make();
  connection.ensure();
  await until(() => opened.length > 0);
  opened[0].open();
  opened[0].receive({ type: 'welcome' });
  opened[0].receive({ jsonrpc: '2.0', id: 1, method: 'getTabs' });
  await settle();
  assert.deepEqual([connection.state, received], ['wrong-server', []]);
});

test('a silent server is given up after 5 s', async () => {
  const { connection, opened } = make();
  connection.ensure();
  await until(() => opened.length > 0);
  opened[0].open();
  mock.timers.tick(5_000);
  assert.equal(connection.state, 'wrong-server');
});

test('a gateway that does not want us is told apart from an impostor', async () => {
  const { connection, opened } = make();
  connection.ensure();
  await until(() => opened.length > 0);
  opened[0].open();
  opened[0].drop(4401, 'unknown profile');
  assert.equal(connection.state, 'refused');
});

test('frames right behind welcome are delivered in order', async () => {
  const parts = make();
  parts.connection.ensure();
  await until(() => parts.opened.length > 0);
  const socket = parts.opened[0];
  socket.open();
  const { nonce } = socket.sent[0];
  const proof = createHmac('sha256', Buffer.from(KEY, 'hex')).update(`tabwright server\next\np\n${nonce}\n${THEIRS}`).digest('hex');
  socket.receive({ type: 'challenge', nonce: THEIRS, proof });
  socket.receive({ type: 'welcome' });
  socket.receive({ n: 1 });
  socket.receive({ n: 2 });
  await until(() => parts.received.length === 2);
  assert.deepEqual(parts.received, [{ n: 1 }, { n: 2 }]);
});

test('a lost link is looked for again after 0.1 s', async () => {
  const parts = make();
  const socket = await connect(parts);
  socket.drop();
  assert.equal(parts.connection.state, 'looking');
  mock.timers.tick(100);
  await settle();
  assert.equal(parts.opened.length, 2);
});

test('a ping goes out every 20 s, and silence of 45 s ends the link', async () => {
  const parts = make();
  const socket = await connect(parts);
  mock.timers.tick(20_000);
  assert.deepEqual(socket.sent.at(-1), { type: 'ping' });
  socket.receive({ type: 'pong' });
  mock.timers.tick(44_000);
  assert.equal(parts.connection.state, 'connected');
  mock.timers.tick(1_000);
  assert.equal(parts.connection.state, 'looking');
  assert.equal(socket.closed.code, 4408);
});

test('sending without a link is dropped', () => {
  make().connection.send({ type: 'ping' });
});

test('a stop ends the link and all attempts until a restart', async () => {
  const parts = make();
  const socket = await connect(parts);
  parts.settings.config = { ...parts.settings.config, paused: true };
  parts.connection.stop();
  assert.ok(socket.closed);
  parts.connection.ensure();
  mock.timers.tick(60_000);
  await settle();
  assert.deepEqual([parts.opened.length, parts.connection.state], [1, 'off']);
  parts.settings.config = { ...parts.settings.config, paused: false };
  parts.connection.restart();
  await until(() => parts.opened.length === 2);
});

test('a stop while settings are read wins over the attempt', async () => {
  const { connection, opened } = make();
  connection.ensure();
  connection.stop();
  await settle();
  assert.deepEqual([opened.filter(({ closed }) => !closed).length, connection.state], [0, 'off']);
});

test('a person who looks need not wait for the next attempt', async () => {
  const parts = make();
  const socket = await connect(parts);
  socket.drop();
  parts.connection.hurry();
  await settle();
  assert.equal(parts.opened.length, 2);
});
