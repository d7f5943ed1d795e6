import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageFeed } from '../../src/tabwright/extension/background/page_feed.js';
import { Pages } from '../../src/tabwright/extension/background/pages.js';
import { FakePort, settle, until } from './fakes.js';

const TOOL = { name: 'search', description: '', inputSchema: {} };
const registering = (...tools) =>
  ({ event: 'hub', message: { jsonrpc: '2.0', method: 'browser/registerTools', params: { tools } } });

/** A feed over real Pages, and a gateway that knows of tabs what `known` says. */
function world({ known = { 1: 'D1' }, watched = [] } = {}) {
  const sent = [];
  const messages = [];
  const pages = new Pages();
  const tabFeed = {
    knows: (tabId) => tabId in known,
    shows: (tabId, documentId) => known[tabId] === documentId,
    async sync(tabId) {
      await settle();
      known[tabId] = pages.find(tabId, 0)?.documentId;
      sent.push(`tabUpdated ${known[tabId]}`);
    },
  };
  const line = ({ type, tools, documentId }) => (tools ? `tools ${tools.map(({ name }) => name)}` : `${type} ${documentId}`);
  const watches = { isWatched: async (tabId) => watched.includes(tabId) };
  const feed = new PageFeed(pages, watches, tabFeed, (message) => {
    messages.push(message);
    sent.push(line(message));
  });
  pages.onHub = (frame, message) => feed.registered(frame, message);
  pages.onAsked = (frame, question) => feed.asked(frame, question);
  pages.onGone = (frame) => feed.gone(frame);
  pages.onIntrospected = ({ tabId }) => feed.changed(tabId);
  feed.toolsOf = (tabId) => pages.inTab(tabId).flatMap(({ introspected }) => introspected ?? []);
  const open = (sender) => {
    const port = new FakePort(sender);
    pages.accept(port);
    return port;
  };
  return { sent, messages, feed, pages, open };
}

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('nothing is told before connected; then every frame that has tools is', () => {
  const { sent, feed, open } = world();
  open().says(registering(TOOL));
  open({ frameId: 3, documentId: 'D3' });
  assert.deepEqual(sent, []);
  feed.restart('tabwright', []);
  assert.deepEqual(sent, ['tabMessage D1']);
});

test('a registration in a known document is told at once', () => {
  const { sent, feed, open } = world();
  feed.restart('tabwright', []);
  open().says(registering(TOOL));
  assert.deepEqual(sent, ['tabMessage D1']);
});

test('a registration never overtakes the news of its document, and order is kept', async () => {
  const { sent, feed, open } = world({ known: { 1: 'D0' } });
  feed.restart('tabwright', []);
  const port = open();
  port.says(registering(TOOL));
  port.says(registering(TOOL, TOOL));
  await until(() => sent.length === 3);
  port.breaks();
  assert.deepEqual(sent, ['tabUpdated D1', 'tabMessage D1', 'tabMessage D1', 'frameGone D1']);
});

test('what a frame registered before it went is not told after', async () => {
  const { sent, feed, open } = world({ known: { 1: 'D0' } });
  feed.restart('tabwright', []);
  const port = open();
  port.says(registering(TOOL));
  port.breaks();
  await settle();
  assert.deepEqual(sent, ['frameGone D1']);
});

test('only frames that registered something are told to be gone, and only once', () => {
  const { sent, feed, open } = world();
  feed.restart('tabwright', []);
  open({ frameId: 3, documentId: 'D3' }).breaks();
  const port = open();
  port.says(registering(TOOL));
  port.says(registering());
  port.breaks();
  port.breaks();
  assert.deepEqual(sent, ['tabMessage D1', 'tabMessage D1', 'frameGone D1']);
});

test('a server of the tabs protocol hears of no frames', async () => {
  const { sent, feed, open } = world({ watched: [1] });
  feed.toolsOf = () => [TOOL];
  feed.restart('tabs', []);
  feed.told(1, []);
  const port = open();
  port.says(registering(TOOL));
  await settle();
  port.breaks();
  assert.deepEqual(sent, ['tools search']);
});

test('changes are told against what was told last, and not before the answer that began the watch', async () => {
  const { sent, feed, open } = world({ watched: [1] });
  feed.restart('tabwright', []);
  const port = open();
  port.says({ event: 'introspected', tools: [TOOL] });
  await settle();
  assert.deepEqual(sent, []);
  feed.told(1, [TOOL]);
  await wait(120);
  port.says({ event: 'introspected', tools: [TOOL] });
  await settle();
  assert.deepEqual(sent, []);
  await wait(120);
  port.says({ event: 'introspected', tools: [] });
  await settle();
  assert.deepEqual(sent, ['tools ']);
});

test('a storm of changes is told twice: the first at once, the last surely', async () => {
  const { sent, feed, open } = world({ watched: [1] });
  feed.restart('tabwright', []);
  feed.told(1, []);
  const port = open();
  for (let i = 0; i < 50; i += 1) {
    port.says({ event: 'introspected', tools: [{ ...TOOL, name: `t${i}` }] });
    await settle();
  }
  await wait(150);
  assert.equal(sent[0], 'tools t0');
  assert.equal(sent.at(-1), 'tools t49');
  assert.ok(sent.length <= 4, sent.join());
});

test('unwatched tabs tell nothing', async () => {
  const { sent, feed, open } = world();
  feed.restart('tabwright', []);
  feed.told(1, []);
  open().says({ event: 'introspected', tools: [TOOL] });
  await settle();
  assert.deepEqual(sent, []);
});

test('after a start of the worker watched tabs are told once their frames are back', async () => {
  const { sent, feed, open } = world({ watched: [1] });
  feed.restart('tabwright', [1]);
  open().says({ event: 'introspected', tools: [TOOL] });
  await wait(30);
  open({ frameId: 3, documentId: 'D3' }).says({ event: 'introspected', tools: [{ ...TOOL, name: 'inner' }] });
  await wait(250);
  assert.deepEqual(sent, ['tools search,inner']);
});

const QUESTION = { jsonrpc: '2.0', id: 'q', method: 'browser/elicitConfirmation', params: { message: 'Pay?' } };

test('a question of a page is told as it is, and changes nothing of its tools', () => {
  const { sent, feed, open, pages } = world();
  feed.restart('tabwright', []);
  const port = open();
  port.says(registering(TOOL));
  port.says({ event: 'hub', message: QUESTION });
  assert.deepEqual(sent, ['tabMessage D1', 'tabMessage D1']);
  assert.deepEqual(pages.find(1, 0).registered.map(({ name }) => name), ['search']);
});

test('a question that no server would hear is answered no at once', () => {
  const { sent, feed, open } = world();
  const port = open();
  port.says({ event: 'hub', message: QUESTION });
  feed.restart('tabs', []);
  port.says({ event: 'hub', message: { type: 'confirm-action', requestId: 'r', message: 'Pay?' } });
  assert.deepEqual(port.sent.map(({ method, params }) => [method, params.message]), [
    ['hub', { jsonrpc: '2.0', id: 'q', result: { confirmed: false, reason: 'nobody_to_ask' } }],
    ['hub', { type: 'confirm-result', requestId: 'r', confirmed: false, reason: 'nobody_to_ask' }],
  ]);
  assert.deepEqual(sent, []);
});

test('a page that registers without end is told of at most nine times a second', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { feed, open, messages } = world();
  feed.restart('tabwright', []);
  const port = open();
  for (let ms = 0; ms < 10_000; ms += 1) {
    port.says(registering({ ...TOOL, description: `at ${ms}` }));
    context.mock.timers.tick(1);
  }
  assert.ok(messages.length <= 9 * 11, `${messages.length} of 10,000 in 10 s`);
  context.mock.timers.tick(1_000);
  assert.equal(messages.at(-1).message.params.tools[0].description, 'at 9999');
  const before = messages.length;
  context.mock.timers.tick(5_000);
  assert.equal(messages.length, before, 'silence is not told');
});

test('a page that registers ten thousand tools sends no more than could be listed', () => {
  const { feed, open, messages } = world();
  feed.restart('tabwright', []);
  open().says(registering(...Array.from({ length: 10_000 }, (_, index) => ({ ...TOOL, name: `t${index}` }))));
  assert.equal(messages[0].message.params.tools.length, 256);
});

test('what a page registers at last is not told once it has gone', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { sent, feed, open } = world();
  feed.restart('tabwright', []);
  const port = open();
  for (let each = 0; each < 20; each += 1) port.says(registering(TOOL));
  port.breaks();
  context.mock.timers.tick(5_000);
  assert.deepEqual(sent, [...Array(8).fill('tabMessage D1'), 'frameGone D1']);
});
