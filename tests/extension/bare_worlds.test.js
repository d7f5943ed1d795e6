import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { BareWorlds } from '../../src/tabwright/extension/background/bare_worlds.js';
import { Pages } from '../../src/tabwright/extension/background/pages.js';
import { until } from './fakes.js';

/** Echoes what it is asked, as the relay does; opens its port again when that breaks. */
const RELAY = `(() => {
  const open = () => {
    const port = chrome.runtime.connect({ name: 'relay' });
    port.onMessage.addListener(({ id, params }) => port.postMessage({ id, result: params }));
    port.onDisconnect.addListener(open);
  };
  if (!globalThis.loaded) open();
  globalThis.loaded = (globalThis.loaded ?? 0) + 1;
})()`;

/** The debugger of one tab with worlds of its own; `left` makes its document another one. */
function fakeDebugger(securityOrigin = '://') {
  const worlds = new Map();
  const state = { attached: true, sent: [], worlds, left() { worlds.clear(); } };
  const commands = {
    'Page.getFrameTree': () => ({ frameTree: { frame: { id: 'F', securityOrigin } } }),
    'Page.createIsolatedWorld'() {
      worlds.set(worlds.size + 7, { world: { setTimeout: (...wait) => setTimeout(...wait).unref(), loaded: 0 } });
      return { executionContextId: worlds.size + 6 };
    },
    'Runtime.evaluate'({ expression, contextId }) {
      if (contextId === undefined) return { result: {} };
      const found = worlds.get(contextId);
      if (!found) throw new Error('Cannot find context with specified id');
      found.door = runInNewContext(expression, (found.context ??= found.world)) ?? found.door;
      return { result: { objectId: String(contextId) } };
    },
    async 'Runtime.callFunctionOn'({ objectId, functionDeclaration, arguments: [{ value }] }) {
      const found = worlds.get(Number(objectId));
      if (!found) throw new Error('Cannot find context with specified id');
      return { result: { value: await eval(`(${functionDeclaration})`).call(found.door, value) } };
    },
  };
  return Object.assign(state, {
    isAttached: async () => state.attached,
    async send(_tabId, method, params, _session, mayAttach) {
      assert.equal(mayAttach, false, 'reading a page attaches nothing');
      state.sent.push(method);
      return commands[method](params);
    },
  });
}

function make(debug = fakeDebugger()) {
  const pages = new Pages();
  const navigation = { shown: 'D1', documentId: async () => navigation.shown };
  const bare = new BareWorlds(debug, navigation, [{ files: ['relay.js'], world: 'ISOLATED' }], async () => RELAY);
  bare.onPort = (port) => pages.accept(port);
  return { debug, navigation, pages, bare };
}

test('a bare world: its agent is asked like any frame', async () => {
  const { bare, pages } = make();
  assert.equal(await bare.reach(1, 'D1'), true);
  const frame = pages.find(1, 0);
  assert.deepEqual(frame.address, { tabId: 1, frameId: 0, documentId: 'D1', origin: 'null' });
  assert.deepEqual(await frame.ask('serve', { service: 'ping' }), { service: 'ping' });
  bare.ended(1);
});

test('a bare world: an origin that the page has from its opener is told', async () => {
  const { bare, pages } = make(fakeDebugger('https://a.test'));
  await bare.reach(1, 'D1');
  assert.equal(pages.find(1, 0).origin, 'https://a.test');
  bare.ended(1);
});

test('a bare world: without a debugger there is none', async () => {
  const { bare, debug, pages } = make();
  debug.attached = false;
  assert.equal(await bare.reach(1, 'D1'), false);
  assert.deepEqual([debug.sent, pages.inTab(1)], [[], []]);
});

test('a bare world: whoever waits is told when the debugger lets go, and the same world serves the next time', async () => {
  const { bare, debug, pages } = make();
  await bare.reach(1, 'D1');
  const left = pages.find(1, 0);
  bare.ended(1);
  assert.deepEqual([left.gone, pages.inTab(1)], [true, []]);
  await bare.reach(1, 'D1');
  assert.deepEqual(await pages.find(1, 0).ask('serve', { again: true }), { again: true });
  assert.equal(debug.worlds.size, 1);
  bare.ended(1);
});

test('a bare world: one made in the page that came meanwhile is nobody\'s', async () => {
  const { bare, navigation, pages } = make();
  navigation.shown = 'D2';
  await assert.rejects(bare.reach(1, 'D1'), { message: 'The page was left.' });
  assert.deepEqual(pages.inTab(1), []);
});

test('a bare world: a page that is left ends its frame', async () => {
  const { bare, debug, pages } = make();
  await bare.reach(1, 'D1');
  const frame = pages.find(1, 0);
  debug.left();
  await assert.rejects(frame.ask('serve', {}), { message: 'The page went away before it answered.' });
  await until(() => frame.gone);
});
