import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Dispatcher } from '../../src/tabwright/extension/background/dispatcher.js';
import { denied } from '../../src/tabwright/extension/common/errors.js';
import { settle } from './fakes.js';

function make(commands = {}, typed = {}) {
  const sent = [];
  const logged = [];
  const table = new Map(Object.entries(commands).map(([name, run]) => [name, { run, withinMs: 1_000 }]));
  const dispatcher = new Dispatcher(table, new Map(Object.entries(typed)), (message) => sent.push(message), (...args) => logged.push(args));
  const ask = (message) => dispatcher.receive(typeof message === 'string' ? message : JSON.stringify(message));
  return { ask, sent, logged };
}

const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });

test('a command is answered under the id it came with', async () => {
  const { ask, sent } = make({ getTabs: async () => ({ tabs: [] }) });
  for (const id of [0, 7, '', 'conn-a:1', 'conn-a:"1"']) await ask(request(id, 'getTabs'));
  assert.deepEqual(sent.map(({ id }) => id), [0, 7, '', 'conn-a:1', 'conn-a:"1"']);
  assert.ok(sent.every(({ result }) => Array.isArray(result.tabs)));
});

test('a command without result is answered with an empty one', async () => {
  const { ask, sent } = make({ hover: async () => undefined });
  await ask(request(1, 'hover'));
  assert.deepEqual(sent, [{ jsonrpc: '2.0', id: 1, result: {} }]);
});

test('a notification runs and is not answered, even when it fails', async () => {
  let ran = 0;
  const { ask, sent } = make({ boom: async () => { ran += 1; throw denied('that'); } });
  await ask({ jsonrpc: '2.0', method: 'boom' });
  assert.deepEqual([ran, sent], [1, []]);
});

test('unknown commands, also those named like parts of an object, are not found', async () => {
  const { ask, sent } = make();
  for (const method of ['nope', 'toString', '__proto__', 'constructor']) await ask(request(1, method));
  assert.deepEqual(sent.map(({ error }) => error.code), [-32601, -32601, -32601, -32601]);
});

test('params that are no object are refused', async () => {
  const { ask, sent } = make({ getTabs: async () => ({}) });
  await ask(request(1, 'getTabs', [1]));
  assert.equal(sent[0].error.code, -32602);
});

test('a named failure keeps its code and word', async () => {
  const { ask, sent } = make({ go: async () => { throw denied('this'); } });
  await ask(request(1, 'go'));
  assert.deepEqual(sent[0].error, { code: -32006, message: 'Denied: this', data: { code: 'denied' } });
});

test('a refusal by Chrome is passed on as a generic failure', async () => {
  const { ask, sent, logged } = make({ go: async () => { throw new Error('Tabs cannot be edited right now.'); } });
  await ask(request(1, 'go'));
  assert.deepEqual(sent[0].error, { code: -32000, message: 'Tabs cannot be edited right now.' });
  assert.equal(logged.length, 0);
});

test('a bug of ours is logged and told without details', async () => {
  const { ask, sent, logged } = make({ go: async () => undefined.secret });
  await ask(request(1, 'go'));
  assert.equal(sent[0].error.code, -32603);
  assert.doesNotMatch(sent[0].error.message, /secret/);
  assert.equal(logged.length, 1);
});

test('a command that takes too long is answered, and told to stop', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let signal;
  const { ask, sent } = make({ hang: (_, context) => { signal = context.signal; return new Promise(() => {}); } });
  const answered = ask(request(1, 'hang'));
  mock.timers.tick(1_000);
  await answered;
  mock.timers.reset();
  assert.deepEqual([sent[0].error.code, sent[0].error.data.code, signal.aborted], [-32014, 'timeout', true]);
});

test('cancel ends the named command and says whether there was one', async () => {
  const { ask, sent } = make({ hang: () => new Promise(() => {}) });
  void ask(request('long', 'hang'));
  await settle();
  await ask(request(2, 'cancel', { id: 'long' }));
  await settle();
  await ask(request(3, 'cancel', { id: 'long' }));
  assert.deepEqual(sent.find(({ id }) => id === 'long').error.message, 'Cancelled.');
  assert.deepEqual(sent.find(({ id }) => id === 2).result, { cancelled: true });
  assert.deepEqual(sent.find(({ id }) => id === 3).result, { cancelled: false });
});

test('a proxied client cancels by its own id, and nobody else\'s commands', async () => {
  const { ask, sent } = make({ hang: () => new Promise(() => {}) });
  void ask(request('conn-a:5', 'hang'));
  await settle();
  await ask(request('conn-b:1', 'cancel', { id: 5 }));
  await ask(request('conn-b:2', 'cancel', { id: 'conn-a:5' }));
  await ask(request(3, 'cancel', { id: 'conn-a:5' }));
  assert.deepEqual(sent.map(({ result }) => result.cancelled), [false, false, false]);
  await ask(request('conn-a:6', 'cancel', { id: 5 }));
  await settle();
  assert.ok(sent.some(({ id, error }) => id === 'conn-a:5' && error));
});

test('commands know which connection they come from', async () => {
  const seen = [];
  const { ask } = make({ who: async (_, { connection }) => { seen.push(connection); } });
  for (const id of [1, 'plain', 'conn-a:1']) await ask(request(id, 'who'));
  assert.deepEqual(seen, ['direct', 'direct', 'conn-a']);
});

test('malformed frames are answered and the next one is served', async () => {
  const { ask, sent } = make({ getTabs: async () => ({}) });
  await ask('{');
  await ask('[]');
  await ask(request(1, 'getTabs'));
  assert.deepEqual(sent.map(({ error }) => error?.code), [-32700, -32600, undefined]);
  assert.deepEqual(sent.map(({ id }) => id), [null, null, 1]);
});

test('an answer is never answered', async () => {
  const { ask, sent } = make();
  await ask({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } });
  assert.deepEqual(sent, []);
});

test('typed messages: unknown types and failures are answered with a typed error', async () => {
  const { ask, sent } = make({}, { openTab: async () => { throw denied('it'); } });
  await ask({ type: 'bogus' });
  await ask({ type: 'openTab' });
  assert.deepEqual(sent, [
    { type: 'error', message: 'Unknown message type "bogus".' },
    { type: 'error', message: 'Denied: it' },
  ]);
});
