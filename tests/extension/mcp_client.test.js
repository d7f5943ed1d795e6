import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from './fakes.js';

const makers = new Map();
const agent = { unguessable: () => crypto.randomUUID(), part: (name, make) => makers.set(name, make), get: (name) => makers.get(name)(agent) };
globalThis[Symbol.for('tabwright.agent')] = agent;
await import('../../src/tabwright/extension/content/agent/offered/tool_shape.js');
await import('../../src/tabwright/extension/content/agent/acting/turns.js');
await import('../../src/tabwright/extension/content/agent/offered/mcp_client.js');

const TOOL = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } };

/** A client and the page it talks to; `replies` answers by method, undefined is silence. */
const world = (t, replies = {}) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const posted = [];
  const made = { posted, changes: 0 };
  const answers = {
    initialize: () => ({ capabilities: { tools: { listChanged: true } } }),
    'tools/list': () => ({ tools: [TOOL] }),
    ...replies,
  };
  made.client = agent.get('mcp_client').create({
    changed: () => { made.changes += 1; },
    post(message) {
      posted.push(message);
      const result = answers[message.method]?.(message.params, message.id);
      if (result) queueMicrotask(() => made.client.received({ jsonrpc: '2.0', id: message.id, ...('error' in result ? result : { result }) }));
    },
  });
  made.ready = async () => {
    made.client.received('mcp-server-ready');
    await made.client.refresh();
  };
  made.methods = () => posted.map(({ method }) => method);
  return made;
};
const call = (client, signal = new AbortController().signal) => client.call('add', { a: 1 }, signal, crypto.randomUUID());

test('nothing is asked before a server announced itself', async (t) => {
  const { client, posted } = world(t);
  await client.refresh();
  assert.deepEqual(posted, []);
  assert.equal(client.isOpen(), false);
});

test('an announced server is greeted, then listed', async (t) => {
  const { client, ready, methods, posted } = world(t);
  await ready();
  assert.deepEqual(methods(), ['initialize', 'notifications/initialized', 'tools/list']);
  assert.equal(posted[0].params.protocolVersion, '2025-06-18');
  const browser = { multiTabSupport: true, cacheSupported: true, elicitation: true };
  assert.deepEqual(posted[0].params.capabilities, { experimental: { browser } });
  assert.deepEqual(client.tools(), [TOOL]);
});

test('what a server says of itself is kept as far as the hub knows the words', async (t) => {
  for (const place of [(browser) => ({ browser }), (browser) => ({ experimental: { browser } })]) {
    const capabilities = place({ elicitation: true, cacheSupported: 'yes', teleport: true });
    const { client, ready } = world(t, { initialize: () => ({ capabilities }) });
    assert.deepEqual(client.says(), []);
    await ready();
    assert.deepEqual(client.says(), ['elicitation']);
    client.received('mcp-server-stopped');
    assert.deepEqual(client.says(), []);
    t.mock.timers.reset();
  }
});

test('ids are strings nobody can guess', async (t) => {
  const { ready, posted } = world(t);
  await ready();
  assert.match(posted[0].id, /^[0-9a-f-]{36}$/);
  assert.notEqual(posted[0].id, posted[2].id);
});

test('a list is fetched page by page, as long as the cursor moves', async (t) => {
  const pages = { undefined: ['a', 'x'], x: ['b', 'y'], y: ['c', 'y'] };
  const { client, ready } = world(t, {
    'tools/list': ({ cursor }) => ({ tools: [{ ...TOOL, name: pages[cursor][0] }], nextCursor: pages[cursor][1] }),
  });
  await ready();
  assert.deepEqual(client.tools().map(({ name }) => name), ['a', 'b', 'c']);
});

test('of a long list it is known how many found no place', async (t) => {
  const { client, ready } = world(t, {
    'tools/list': () => ({ tools: Array.from({ length: 200 }, (_, at) => ({ ...TOOL, name: `t${at}` })) }),
  });
  await ready();
  assert.equal(client.tools().length, 64);
  assert.equal(client.omitted(), 136);
});

test('list_changed asks for a refresh, also of a server whose announcement was missed', async (t) => {
  const made = world(t);
  made.client.received({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  assert.equal(made.changes, 1);
  await made.client.refresh();
  assert.deepEqual(made.client.tools(), [TOOL]);
});

test('a server that announces no changes is looked at each minute', async (t) => {
  const made = world(t, { initialize: () => ({ capabilities: { tools: {} } }) });
  await made.ready();
  const before = made.changes;
  t.mock.timers.tick(60_000);
  assert.equal(made.changes, before + 1);
});

test('a server announced anew is greeted anew', async (t) => {
  const { ready, methods } = world(t);
  await ready();
  await ready();
  assert.equal(methods().filter((method) => method === 'initialize').length, 2);
});

test('a stopped server has no tools, and its calls end', async (t) => {
  const made = world(t);
  await made.ready();
  const failed = assert.rejects(call(made.client), /stopped/);
  made.client.received('mcp-server-stopped');
  await failed;
  assert.deepEqual(made.client.tools(), []);
  assert.equal(made.client.isOpen(), false);
});

test('a server that does not answer the greeting is none', async (t) => {
  const { client, ready } = world(t, { initialize: () => undefined });
  const refreshed = ready();
  t.mock.timers.tick(5_000);
  await refreshed;
  assert.equal(client.isOpen(), false);
});

test('a call gives the result of the page', async (t) => {
  const { client, ready } = world(t, { 'tools/call': ({ arguments: args }) => ({ content: [], structuredContent: args }) });
  await ready();
  assert.deepEqual((await call(client)).structuredContent, { a: 1 });
});

test("a call gives the page's error", async (t) => {
  const { client, ready } = world(t, { 'tools/call': () => ({ error: { code: -32602, message: 'no such thing' } }) });
  await ready();
  await assert.rejects(call(client), /no such thing/);
});

test("a call has its caller's id and its caller's clock", async (t) => {
  const { client, ready, posted } = world(t);
  await ready();
  const controller = new AbortController();
  const failed = assert.rejects(client.call('add', {}, controller.signal, 'c0ffee'), /late/);
  t.mock.timers.tick(60_000);
  assert.deepEqual([posted.at(-1).method, posted.at(-1).id], ['tools/call', 'c0ffee']);
  controller.abort(new Error('late'));
  await failed;
  assert.equal(posted.at(-1).params.requestId, 'c0ffee');
});

test('a cancelled call ends at once, and the page is told', async (t) => {
  const { client, ready, posted } = world(t);
  await ready();
  const controller = new AbortController();
  const failed = assert.rejects(call(client, controller.signal), /enough/);
  controller.abort(new Error('enough'));
  await failed;
  assert.equal(posted.at(-1).method, 'notifications/cancelled');
});

test('answers to others and late answers are nothing to us', async (t) => {
  const { client, ready } = world(t);
  await ready();
  for (const payload of [null, 5, 'x', {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', id: 1, result: {} }]) client.received(payload);
  await settle();
  assert.deepEqual(client.tools(), [TOOL]);
});

test('of what a server may ask only ping is served', async (t) => {
  const { client, ready, posted } = world(t);
  await ready();
  client.received({ jsonrpc: '2.0', id: 0, method: 'ping' });
  client.received({ jsonrpc: '2.0', id: 'e', method: 'elicitation/create', params: {} });
  assert.deepEqual(posted.at(-2), { jsonrpc: '2.0', id: 0, result: {} });
  assert.equal(posted.at(-1).error.code, -32601);
});
