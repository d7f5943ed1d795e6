import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { PageAgents } from '../../src/tabwright/extension/background/page_agents.js';
import { pageCommands } from '../../src/tabwright/extension/background/page_commands.js';
import { PageTools } from '../../src/tabwright/extension/background/page_tools.js';
import { Pages } from '../../src/tabwright/extension/background/pages.js';
import { Watches } from '../../src/tabwright/extension/background/watches.js';
import { Params } from '../../src/tabwright/extension/common/params.js';
import { FakeArea, FakePort, answering, settle } from './fakes.js';

const tool = (name, source = 'introspection') =>
  ({ name, description: `does ${name}`, inputSchema: { type: 'object' }, source });
const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** The commands over a browser of tabs the test describes: {tabId: {url, frames: {frameId: documentId}}}. */
function world(tabs, age = 60_000) {
  const told = new Map();
  const pages = new Pages();
  const navigation = {
    failures: {},
    documentId: async (tabId, frameId = 0) => tabs[tabId]?.frames[frameId] ?? null,
    documentIds: async (tabId) => Object.values(tabs[tabId]?.frames ?? {}),
    failure: (tabId) => navigation.failures[tabId],
  };
  const info = (tabId) => tabs[tabId] && { id: tabId, title: '', status: 'complete', discarded: false, ...tabs[tabId] };
  const fakeTabs = {
    peek: async (tabId) => info(tabId) ?? null,
    async get(tabId) {
      if (!tabs[tabId]) throw new Error(`No tab ${tabId}.`);
      return info(tabId);
    },
  };
  const relays = { reached: [], refusal: undefined, async reach(tabId) {
    this.reached.push(tabId);
    if (this.refusal) throw new Error(this.refusal);
  } };
  const bare = { reach: async () => false };
  const agents = new PageAgents(pages, relays, fakeTabs, navigation, bare, () => age);
  const area = new FakeArea();
  const watches = new Watches(new Memory(area), agents, pages);
  const parts = { tabs: fakeTabs, feed: { sync: async () => {} }, navigation, pages, agents, watches, activity: { begin: () => () => {} },
    pageFeed: { told: (tabId, tools) => told.set(tabId, tools) } };
  const commands = pageCommands(parts);
  const open = (sender, answer) => {
    const port = new FakePort(sender);
    pages.accept(answer ? answering(port, answer) : port);
    return port;
  };
  const run = (name, params, signal = new AbortController().signal) =>
    commands[name].run(new Params(params), { connection: 'direct', signal });
  return { tabs, pages, navigation, relays, watches, parts, area, told, open, run };
}

const page = (documentId = 'D1', more = {}) => ({ url: 'https://a.test/', frames: { 0: documentId, ...more } });
const at = (documentId = 'D1', frameId = 0) => ({ tabId: 1, frameId, documentId });

test('introspect gathers the tools of all frames with the document that offers each', async () => {
  const { open, run } = world({ 1: page('D1', { 5: 'D5' }) });
  open({ frameId: 5, documentId: 'D5', origin: 'https://b.test' }, () => ({ tools: [tool('inner')] }));
  open({}, () => ({ tools: [tool('outer')] }));
  const { documentId, tools } = await run('introspect', { tabId: 1 });
  assert.equal(documentId, 'D1');
  assert.deepEqual(tools.map(({ name, frameId, documentId, origin }) => [name, frameId, documentId, origin]), [
    ['outer', 0, 'D1', 'https://a.test'], ['inner', 5, 'D5', 'https://b.test'],
  ]);
});

test('a slow frame is left out, and told of when it answers, if the tab is watched', async () => {
  const { open, run, watches } = world({ 1: page() });
  open({}, () => ({ tools: [tool('quick')] }));
  const slow = open({ frameId: 5, documentId: 'D5' });
  const changes = [];
  watches.onChange = (tabId) => changes.push(tabId);
  const started = Date.now();
  const { tools } = await run('introspect', { tabId: 1, watch: true });
  assert.ok(Date.now() - started < 900);
  assert.deepEqual(tools.map(({ name }) => name), ['quick']);
  slow.answers({ tools: [tool('slow')] });
  await settle();
  assert.deepEqual([changes, watches.tools(1).map(({ name }) => name)], [[1], ['quick', 'slow']]);
});

test('frames that come to a watched tab are watched, also after a start of the worker; until it ends', async () => {
  const { open, run, area, pages, parts } = world({ 1: page() });
  const first = open({}, () => ({ tools: [] }));
  await run('introspect', { tabId: 1, watch: true });
  assert.deepEqual(first.sent.map(({ method, params }) => [method, params]), [['watch', { on: true }]]);
  const revived = new Watches(new Memory(area), parts.agents, pages);
  const later = open({ frameId: 5, documentId: 'D5' }, () => ({ tools: [tool('late')] }));
  await revived.arrived(pages.find(1, 5));
  assert.deepEqual(later.sent.map(({ params }) => params), [{ on: true }]);
  await run('introspect', { tabId: 1, watch: false });
  assert.deepEqual(later.sent.at(-1).params, { on: false });
  assert.deepEqual(area.values.watched, []);
});

test('a tab is watched until the last gateway looks away, and each ends its own watch only', async () => {
  const { open, watches } = world({ 1: page() });
  const port = open({}, () => ({ tools: [] }));
  const offs = () => port.sent.filter(({ params }) => params.on === false).length;
  await watches.introspect(1, 'watch');
  for (const by of ['s1/conn-a', 's1/conn-b', 's1/conn-a']) await watches.introspect(1, 'watch', by);
  await watches.introspect(1, 'unwatch');
  await watches.introspect(1, 'unwatch');
  await watches.introspect(1, 'unwatch', 's2/conn-a');
  await watches.introspect(1, 'unwatch', 's1/conn-b');
  assert.deepEqual([await watches.list(), offs()], [[1], 0]);
  await watches.introspect(1, 'unwatch', 's1/conn-a');
  assert.deepEqual([await watches.list(), offs()], [[], 1]);
});

test('a client that came back by another connection ends the watch of its former one', async () => {
  const { open, watches } = world({ 1: page() });
  open({}, () => ({ tools: [] }));
  await watches.introspect(1, 'watch', 's1/before');
  await watches.introspect(1, 'unwatch', 's1/after');
  assert.deepEqual(await watches.list(), []);
});

test('when the clients of one server are gone, what others watch is watched on', async () => {
  const { open, watches } = world({ 1: page(), 2: page('D2') });
  open({}, () => ({ tools: [] }));
  const second = open({ tabId: 2, documentId: 'D2' }, () => ({ tools: [] }));
  await watches.introspect(1, 'watch');
  for (const tabId of [1, 2]) await watches.introspect(tabId, 'watch', 's1/a');
  await watches.clear('s1/');
  assert.deepEqual([await watches.list(), second.sent.at(-1).params], [[1], { on: false }]);
});

test('clearing ends every watch', async () => {
  const { open, run, watches } = world({ 1: page() });
  const port = open({}, () => ({ tools: [] }));
  await run('introspect', { tabId: 1, watch: true });
  await watches.clear();
  assert.deepEqual([await watches.list(), port.sent.at(-1).params], [[], { on: false }]);
});

test('pages closed to extensions say so; empty ones offer nothing', async () => {
  const { tabs, run, relays } = world({ 1: page() });
  const closed = ['chrome://settings/', 'chrome-extension://abc/x.html', 'view-source:https://a.test/', 'devtools://x'];
  for (const url of closed) {
    tabs[1].url = url;
    await assert.rejects(run('introspect', { tabId: 1 }), { code: -32005 });
  }
  for (const url of ['about:blank', 'data:text/html,x', '']) {
    tabs[1].url = url;
    assert.deepEqual(await run('introspect', { tabId: 1 }), { documentId: 'D1', tools: [] });
  }
  assert.deepEqual(relays.reached, []);
  tabs[1].url = 'https://chromewebstore.google.com/';
  relays.refusal = 'The extensions gallery cannot be scripted.';
  await assert.rejects(run('introspect', { tabId: 1 }), { code: -32005 });
  relays.refusal = 'Frame with ID 0 is showing error page';
  assert.deepEqual((await run('introspect', { tabId: 1 })).tools, []);
});

test('a page older than the extension is reached on first need', async () => {
  const { open, run, relays } = world({ 1: page() });
  const reach = relays.reach.bind(relays);
  relays.reach = async (tabId) => {
    await reach(tabId);
    open({}, () => ({ tools: [tool('old')] }));
  };
  assert.deepEqual((await run('introspect', { tabId: 1 })).tools.map(({ name }) => name), ['old']);
});

test('a worker just started waits for the ports of all frames', async () => {
  const { open, run } = world({ 1: page('D1', { 5: 'D5' }) }, 0);
  open({}, () => ({ tools: [tool('outer')] }));
  const asked = run('introspect', { tabId: 1 });
  await settle();
  open({ frameId: 5, documentId: 'D5' }, () => ({ tools: [tool('inner')] }));
  assert.deepEqual((await asked).tools.map(({ name }) => name), ['outer', 'inner']);
});

test('a discarded tab is not woken', async () => {
  const { run, relays } = world({ 1: { ...page(), discarded: true } });
  assert.deepEqual((await run('introspect', { tabId: 1 })).tools, []);
  assert.deepEqual(relays.reached, []);
});

test('a tool runs in the document it was listed in, or not at all', async () => {
  const { open, run, tabs } = world({ 1: page() });
  const port = open({}, ({ params }) => text(`ran ${params.name} ${JSON.stringify(params.arguments)}`));
  const ran = await run('runTool', { ...at(), name: 'go', arguments: { a: 1 } });
  assert.deepEqual(ran, { result: text('ran go {"a":1}') });
  tabs[1] = page('D2');
  await assert.rejects(run('runTool', { ...at('D0'), name: 'go' }), { code: -32015, data: { code: 'stale_target' } });
  await assert.rejects(run('tabMessage', { ...at('D0', 9), message: {} }), { code: -32015 });
  assert.equal(port.sent.length, 1);
});

test('a call says which definition it means, and hears that it is past', async () => {
  const { open, run } = world({ 1: page() });
  const port = open({}, ({ params }) => {
    if (params.digest === 'new') return text('ran');
    throw Object.assign(new Error('not as it was listed'), { code: -32015, word: 'stale_target' });
  });
  assert.deepEqual(await run('runTool', { ...at(), name: 'go', digest: 'new' }), { result: text('ran') });
  await assert.rejects(run('runTool', { ...at(), name: 'go', digest: 'old' }), { code: -32015, data: { code: 'stale_target' } });
  assert.deepEqual(port.sent.map(({ params }) => params.digest), ['new', 'old']);
});

test('after a start of the worker a call waits for the port of its document', async () => {
  const { open, run } = world({ 1: page() });
  const called = run('runTool', { ...at(), name: 'go' });
  await settle();
  open({}, () => text('ran'));
  assert.deepEqual(await called, { result: text('ran') });
});

/** A tool that is running when its page goes. */
async function running(world, begun = true) {
  const port = world.open({});
  const called = world.run('runTool', { ...at(), name: 'go' });
  await settle();
  if (begun) port.says({ begun: port.sent[0].id });
  return { port, called };
}

test('an action that leads to another page is a success that names it', async () => {
  const it = world({ 1: page() });
  const { port, called } = await running(it);
  it.tabs[1] = page('D2');
  port.breaks();
  const there = { title: 'Results', url: 'https://a.test/r' };
  it.open({ documentId: 'D2' }, ({ method }) => method === 'whereabouts' && there);
  assert.deepEqual(await called, { result: text('Done; the page is now Results https://a.test/r.') });
});

test('one that leads to a page that does not load says why', async () => {
  const it = world({ 1: page() });
  const { port, called } = await running(it);
  it.tabs[1] = { ...page('D2'), url: 'https://nowhere.test/' };
  it.navigation.failures[1] = 'net::ERR_NAME_NOT_RESOLVED';
  port.breaks();
  const { result } = await called;
  assert.ok(result.isError);
  assert.match(result.content[0].text, /did not load: https:\/\/nowhere.test\/ \(net::ERR_NAME_NOT_RESOLVED\)/);
});

test('one that removes its own frame is a success too', async () => {
  const it = world({ 1: page('D1', { 5: 'D5' }) });
  const port = it.open({ frameId: 5, documentId: 'D5' });
  const called = it.run('runTool', { ...at('D5', 5), name: 'accept' });
  await settle();
  port.says({ begun: port.sent[0].id });
  delete it.tabs[1].frames[5];
  port.breaks();
  assert.match((await called).result.content[0].text, /^Done; its part of the page is gone/);
});

test('a crash, a closed tab, and a page that goes before the tool began: nobody knows', async () => {
  const ends = [[{ ...page('D2'), status: 'unloaded' }, true], [undefined, true], [page('D2'), false]];
  for (const [after, begun] of ends) {
    const it = world({ 1: page() });
    const { port, called } = await running(it, begun);
    it.tabs[1] = after;
    port.breaks();
    await assert.rejects(called, { code: -32011, data: { code: 'outcome_unknown' } });
  }
});

test('a message to a page answers the hub\'s response, or that nobody knows when the page goes', async () => {
  const it = world({ 1: page() });
  const response = { jsonrpc: '2.0', id: 'x', result: { success: true, payload: text('ok') } };
  const port = it.open({});
  const answered = it.run('tabMessage', { ...at(), message: { id: 'x' } });
  await settle();
  assert.deepEqual([port.sent[0].method, port.sent[0].params], ['hub', { message: { id: 'x' } }]);
  port.answers(response);
  assert.deepEqual(await answered, response);
  const lost = it.run('tabMessage', { ...at(), message: { id: 'y' } });
  await settle();
  port.breaks();
  await assert.rejects(lost, { code: -32011 });
  await assert.rejects(it.run('tabMessage', at()), { code: -32602 });
});

/** The list and the calls of a server that speaks only the tabs protocol. */
function foreign(tabs) {
  const it = world(tabs);
  return { ...it, pageTools: new PageTools(it.parts, it.watches) };
}

test('tabs protocol: registered tools come first, names are unique and never those of the server', async () => {
  const { open, pageTools } = foreign({ 1: page() });
  const port = open({}, () => ({ tools: [tool('search'), tool('Open_Tab'), tool('bad name')] }));
  const registered = [tool('search', 'webmcp'), { name: 'odd', description: 'a\u202Eb' }];
  port.says({ event: 'hub', message: { params: { tools: registered } } });
  const tools = await pageTools.focus(1);
  assert.deepEqual(tools.map(({ name }) => name), ['search', 'odd', 'search_2', 'page_Open_Tab']);
  assert.equal(tools[1].description, 'a b');
  assert.deepEqual(tools[1].inputSchema, { type: 'object' });
});

test('tabs protocol: one tab is watched at a time', async () => {
  const { open, pageTools, watches, tabs } = foreign({ 1: page(), 2: page('D2') });
  open({}, () => ({ tools: [] }));
  open({ tabId: 2, documentId: 'D2' }, () => ({ tools: [] }));
  await pageTools.focus(1);
  await pageTools.focus(2);
  assert.deepEqual(await watches.list(), [2]);
  tabs[3] = { ...page('D3'), url: 'chrome://version/' };
  assert.deepEqual(await pageTools.focus(3), []);
});

test('tabs protocol: either kind of tool is called by the name it was listed under', async () => {
  const { open, pageTools } = foreign({ 1: page() });
  const port = open({}, ({ method, params }) => {
    if (method === 'watch' || method === 'introspect') return { tools: [tool('search')] };
    if (method === 'runTool' && params.arguments.fail) return { ...text('no'), isError: true };
    if (method === 'runTool') return text(`ran ${params.name}`);
    const { toolName, args } = params.message.params;
    if (args.fail) return { result: { success: false, payload: 'refused' } };
    return { result: { success: true, payload: text(`called ${toolName}`) } };
  });
  port.says({ event: 'hub', message: { params: { tools: [tool('search', 'webmcp')] } } });
  assert.deepEqual(await pageTools.call(1, 'search_2', {}), text('ran search'));
  assert.deepEqual(await pageTools.call(1, 'search', {}), text('called search'));
  await assert.rejects(pageTools.call(1, 'search', { fail: true }), { message: 'refused' });
  await assert.rejects(pageTools.call(1, 'search_2', { fail: true }), { message: 'no' });
  await assert.rejects(pageTools.call(1, 'nothing', {}), { message: 'No tool "nothing" on this page.' });
  await assert.rejects(pageTools.call(9, 'search', {}), { message: 'No tab 9.' });
});
