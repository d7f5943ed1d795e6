import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { Relays, scriptsOf } from '../../src/tabwright/extension/background/relays.js';
import { FakeArea, FakePort, settle } from './fakes.js';

const FOLDER = new URL('../../src/tabwright/extension/', import.meta.url);
const read = (path) => readFileSync(new URL(path, FOLDER), 'utf8');
const manifest = JSON.parse(read('manifest.json'));

/** A page with start.js, parts the test plays, and the relay; `ports` are what it opened. */
function load({ tools = [], list = () => [], run = async () => 'ran', execute, upToDate = async () => {}, withAgent = true } = {}) {
  const page = new EventTarget();
  const ports = [];
  const runtime = { id: 'ours', connect() {
    ports.push(new FakePort());
    return ports.at(-1);
  } };
  const globals = {
    chrome: { runtime }, location: { href: 'https://a.test/' }, origin: 'https://a.test', AbortController, performance, setTimeout,
    document: { readyState: 'complete', addEventListener() {} }, HTMLElement: class {},
    addEventListener: page.addEventListener.bind(page),
  };
  globals.window = globals.top = globals;
  const context = vm.createContext(globals);
  const state = { emit: undefined, watching: 0, stopped: 0, tools, answered: [], ended: 0 };
  if (withAgent) {
    vm.runInContext(read('content/agent/start.js'), context);
    const agent = vm.runInContext("globalThis[Symbol.for('tabwright.agent')]", context);
    agent.part('introspection', () => ({ list, run, watch(tell) {
      state.watching += 1;
      state.changed = tell;
      return () => { state.watching -= 1; };
    } }));
    agent.part('tool_sources', () => ({ start: (emit) => { state.emit = emit; }, current: () => state.tools,
      registration: () => ({ tools: state.tools, tabUrl: 'https://a.test/' }),
      stop: () => { state.stopped += 1; }, execute, upToDate }));
    agent.part('pace', () => ({ soon: setImmediate, after(ms, action) { state.due = action; return () => { state.due = undefined; }; } }));
    vm.runInContext(read('content/agent/acting/network.js'), context);
    agent.part('turns', () => ({ timer: setTimeout }));
    agent.part('lasting', () => ({ listen: (target, type, listener) => page.addEventListener(type, listener) }));
    agent.part('stillness', () => ({ report: (tell) => { state.still = tell; }, drawn: () => state.drawing }));
    agent.part('questions', () => ({ answered: (message) => state.answered.push(message), end: () => { state.ended += 1; } }));
  }
  const relay = () => vm.runInContext(read('content/relay.js'), context);
  relay();
  ports[0]?.says({ hub: true });
  return { ports, state, relay, runtime, context, hide: () => page.dispatchEvent(new Event('pagehide')),
    show: (persisted) => page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted })) };
}

/** Across worlds objects differ in prototype. */
const plain = (value) => JSON.parse(JSON.stringify(value));

test('start: loading it again changes nothing, a part is made once and only when used', () => {
  const { context } = load();
  const made = vm.runInContext(`
    const mark = Symbol.for('tabwright.agent');
    const before = globalThis[mark];
    let count = 0;
    before.part('dom', () => ({ count: ++count }));
    before.part('dom', () => ({ count: 100 }));
    const early = count;
    ({ before, early, first: before.get('dom').count, second: before.get('dom').count })`, context);
  vm.runInContext(read('content/agent/start.js'), context);
  assert.equal(vm.runInContext("globalThis[Symbol.for('tabwright.agent')]", context), made.before);
  assert.deepEqual([made.early, made.first, made.second], [0, 1, 1]);
  assert.throws(() => made.before.get('nothing'), /no part "nothing"/);
  assert.ok(Object.isFrozen(made.before));
});

test('relay: what the page registered is said on every new port', async () => {
  const { ports, state } = load();
  state.tools = [{ name: 'a' }];
  const params = { tools: state.tools, tabUrl: 'https://a.test/' };
  const message = { jsonrpc: '2.0', method: 'browser/registerTools', params };
  state.emit(message);
  assert.deepEqual(plain(ports[0].sent), [{ event: 'hub', message }]);
  ports[0].breaks();
  assert.deepEqual(plain(ports[1].sent), [{ event: 'hub', message }]);
});

test('relay: requests are answered; an unknown one and a failing one too', async () => {
  const run = async (name) => { throw new Error(`no ${name}`); };
  const { ports: [port] } = load({ list: () => [{ name: 'x' }], run });
  port.says({ id: 1, method: 'introspect', params: {} });
  await settle();
  port.says({ id: 2, method: 'toString', params: {} });
  await settle();
  port.says({ id: 3, method: 'runTool', params: { name: 'x', arguments: {} } });
  await settle();
  assert.deepEqual(plain(port.sent), [
    { id: 1, result: { tools: [{ name: 'x' }] } },
    { id: 2, error: { message: 'The page agent knows no "toString".' } },
    { begun: 3 },
    { id: 3, error: { message: 'no x' } },
  ]);
});

test('relay: a tool is asked for by the digest it was listed with; what refuses it says so in code and word', async () => {
  const run = async (name, args, digest) => {
    if (digest === 'new') return 'ran';
    throw Object.assign(new Error('past'), { code: -32015, word: 'stale_target' });
  };
  const { ports: [port] } = load({ run });
  port.says({ id: 1, method: 'runTool', params: { name: 'x', arguments: {}, digest: 'new' } });
  await settle();
  port.says({ id: 2, method: 'runTool', params: { name: 'x', arguments: {}, digest: 'old' } });
  await settle();
  assert.deepEqual(plain(port.sent.filter(({ begun }) => begun === undefined)), [
    { id: 1, result: 'ran' },
    { id: 2, error: { message: 'past', code: -32015, word: 'stale_target' } },
  ]);
});

test('relay: a result that is not JSON is an error, not silence', async () => {
  const { ports: [port] } = load({ run: async () => ({ cannot: () => {} }) });
  port.says({ id: 1, method: 'runTool', params: { name: 'x' } });
  await settle();
  assert.match(port.sent.at(-1).error.message, /cannot be written/);
});

test('relay: an answer goes to the port that asked, or to nobody', async () => {
  let finish;
  let runs = 0;
  const { ports } = load({ run: () => new Promise((resolve) => { runs += 1; finish = resolve; }) });
  ports[0].says({ id: 1, method: 'runTool', params: { name: 'x' } });
  await settle();
  ports[0].breaks();
  finish('late');
  await settle();
  assert.deepEqual([runs, plain(ports[1].sent)], [1, []]);
});

test('relay: hub calls reach the page\'s tools and can be cancelled', async () => {
  let call;
  const { ports: [port] } = load({ execute: (asked, signal) => new Promise((resolve, reject) => {
    call = asked;
    signal.addEventListener('abort', () => reject(new Error('cancelled')));
  }) });
  const message = { id: 'c1', method: 'browser/executeTool', params: { toolName: 't', args: { a: 1 } } };
  port.says({ id: 1, method: 'hub', params: { message } });
  await settle();
  assert.deepEqual(plain(call), { id: 'c1', toolName: 't', args: { a: 1 } });
  port.says({ cancel: 1 });
  await settle();
  assert.deepEqual(plain(port.sent), [{ id: 1, error: { message: 'cancelled' } }]);
});

test('relay: a watch tells changes, is one however often asked for, and ends with its port', async () => {
  const { ports, state } = load();
  ports[0].says({ id: 1, method: 'watch', params: { on: true } });
  ports[0].says({ id: 2, method: 'watch', params: { on: true } });
  await settle();
  assert.equal(state.watching, 1);
  state.changed([{ name: 'n' }]);
  assert.deepEqual(plain(ports[0].sent.at(-1)), { event: 'introspected', tools: [{ name: 'n' }] });
  ports[0].breaks();
  assert.equal(state.watching, 0);
});

test('relay: what is found is told after what the page has just registered, which is not waited for for long', async () => {
  let done;
  const { ports, state } = load({ upToDate: () => new Promise((resolve) => { done = resolve; }) });
  ports[0].says({ id: 1, method: 'introspect', params: {} });
  await settle();
  assert.deepEqual(ports[0].sent, []);
  done();
  await settle();
  assert.deepEqual(plain(ports[0].sent), [{ id: 1, result: { tools: [] } }]);
  ports[0].says({ id: 2, method: 'watch', params: { on: true } });
  await settle();
  state.due();
  await settle();
  assert.deepEqual(plain(ports[0].sent.at(-1)), { id: 2, result: { tools: [] } });
});

test('relay: it leaves for the back/forward cache and comes back from it', () => {
  const { ports, hide, show } = load();
  hide();
  assert.equal(ports[0].open, false);
  show(false);
  assert.equal(ports.length, 1);
  show(true);
  assert.equal(ports.length, 2);
});

test('relay: at rest a broken port stays broken, until it is woken', () => {
  const { ports, relay } = load();
  ports[0].says({ rest: true });
  ports[0].breaks();
  assert.equal(ports.length, 1);
  relay();
  assert.equal(ports.length, 2);
});

test('relay: what a worker told of requests is forgotten with its port: another one counts anew', () => {
  const { ports, context } = load();
  const network = vm.runInContext("globalThis[Symbol.for('tabwright.agent')].get('network')", context);
  ports[0].says({ network: 1, told: 3 });
  assert.deepEqual([network.pending(), network.heard()], [1, 3]);
  ports[0].breaks();
  assert.deepEqual([network.pending(), network.heard()], [0, 0]);
});

test('relay: an orphan opens nothing more and falls silent', () => {
  const { ports, state, runtime } = load();
  runtime.id = undefined;
  ports[0].breaks();
  assert.deepEqual([ports.length, state.stopped], [1, 1]);
});

test('relay: the hidden page has no agent and needs none', async () => {
  const { ports } = load({ withAgent: false });
  ports[0].says({ id: 1, method: 'introspect', params: {} });
  await settle();
  assert.match(ports[0].sent[0].error.message, /knows no/);
});

test('manifest: every file of the agent is loaded, start first, relay last, in every frame', () => {
  const [page, agent] = manifest.content_scripts;
  const scripts = (folder) => readdirSync(new URL(folder, FOLDER), { recursive: true }).filter((name) => name.endsWith('.js')).map((name) => folder + name);
  assert.deepEqual(agent.js.slice(0, -1).sort(), scripts('content/agent/').sort());
  assert.deepEqual([agent.js[0], agent.js.at(-1)], ['content/agent/start.js', 'content/relay.js']);
  assert.deepEqual([...page.js].sort(), scripts('page/').sort());
  assert.deepEqual([page.js[0], page.js.at(-1)], ['page/natives.js', 'page/listeners.js'], 'it takes away what the first one put there');
  const everywhere = {
    matches: ['<all_urls>'], all_frames: true, match_about_blank: true, match_origin_as_fallback: true,
    run_at: 'document_start',
  };
  assert.deepEqual({ ...page, js: [] }, { ...everywhere, js: [], world: 'MAIN' });
  assert.deepEqual({ ...agent, js: [] }, { ...everywhere, js: [] });
});

test('relays: pages older than the extension get what new ones get; refusals are no failure', async () => {
  const calls = [];
  const scripting = { async executeScript({ target, func, files, world }) {
    if (target.tabId === 2) throw new Error('Cannot access a chrome:// URL');
    if (func) return [{ documentId: 'D1', result: true }, { documentId: 'D2', result: false }];
    calls.push([target, files.length, world]);
  } };
  const relays = new Relays(scripting, { loaded: async () => [1, 2] }, scriptsOf(manifest.content_scripts));
  await Promise.all([relays.reachOpenTabs(), relays.reach(1)]);
  const [page, agent] = manifest.content_scripts;
  const target = { tabId: 1, documentIds: ['D2'] };
  assert.deepEqual(calls, [[target, page.js.length, 'MAIN'], [target, agent.js.length, 'ISOLATED']]);
  await assert.rejects(relays.reach(2));
});

test('relays: only the main frame\'s port is a sign of a crash', () => {
  const relays = new Relays({}, { loaded: async () => [] }, []);
  const broken = [];
  relays.onBroken = (tabId) => broken.push(tabId);
  for (const sender of [{ tabId: 1, frameId: 5 }, { tabId: 2, frameId: 0 }]) {
    const port = new FakePort(sender);
    relays.accept(port);
    port.breaks();
  }
  assert.deepEqual(broken, [2]);
});

test('relays: pages are reached once in the extension\'s life, not at every start of the worker', async () => {
  let calls = 0;
  const area = new FakeArea();
  const scripting = { executeScript: async () => {
    calls += 1;
    return [];
  } };
  for (let start = 0; start < 3; start += 1) {
    await new Relays(scripting, { loaded: async () => [1] }, [{ files: ['x.js'], world: 'MAIN' }]).reachOnce(new Memory(area));
  }
  assert.equal(calls, 1);
});

test('relay: answers to questions of the page reach it; when the port breaks what is open is ended', async () => {
  const { ports, state } = load();
  const messages = [{ jsonrpc: '2.0', id: 'q', result: { confirmed: true } }, { type: 'confirm-result', requestId: 'r', confirmed: false }];
  for (const [index, message] of messages.entries()) ports[0].says({ id: index + 1, method: 'hub', params: { message } });
  await settle();
  assert.deepEqual(plain(state.answered), messages);
  assert.deepEqual(plain(ports[0].sent), [{ id: 1, result: {} }, { id: 2, result: {} }]);
  ports[0].breaks();
  assert.equal(state.ended, 1);
});

test('relay: a page is spoken to once the worker says that it may register tools, and no longer than that', () => {
  const { ports, state } = load();
  assert.ok(state.emit);
  ports[0].says({ hub: false });
  assert.equal(state.stopped, 1);
});

test('a page that is still says so by itself, and who asks it next waits for its first frame', async () => {
  const { ports: [port], state } = load({ run: async () => 'ran' });
  state.still(['https://a.test/style.css']);
  assert.deepEqual(port.sent.at(-1), { event: 'still', heard: ['https://a.test/style.css'] });
  let drawn = () => {};
  state.drawing = new Promise((resolve) => { drawn = resolve; });
  port.says({ id: 1, method: 'runTool', params: { name: 'x' } });
  await new Promise(setImmediate);
  assert.deepEqual(port.sent.at(-1), { begun: 1 });
  drawn();
  await new Promise(setImmediate);
  assert.deepEqual(port.sent.at(-1), { id: 1, result: 'ran' });
});
