import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameGone, Pages } from '../../src/tabwright/extension/background/pages.js';
import { FakePort } from './fakes.js';

const TOOL = { name: 'search', description: '', inputSchema: {} };

function accepted(pages, sender) {
  const port = new FakePort(sender);
  pages.accept(port);
  return { port, frame: pages.find(port.sender.tab.id, port.sender.frameId) };
}

test('a frame is who Chrome says it is', () => {
  const { frame, port } = accepted(new Pages(), { tabId: 4, frameId: 7, documentId: 'D', origin: 'https://b.test' });
  port.says({ event: 'hub', message: { params: { tools: [] } }, tabId: 9, origin: 'https://bank.test' });
  assert.deepEqual(frame.address, { tabId: 4, frameId: 7, documentId: 'D', origin: 'https://b.test' });
});

test('the hidden page of the extension is no frame', () => {
  const pages = new Pages();
  const port = new FakePort({ frameId: 0 });
  port.sender.tab = undefined;
  pages.accept(port);
  assert.deepEqual(pages.all(), []);
});

test('the main frame comes first, whichever port opened first', () => {
  const pages = new Pages();
  for (const frameId of [8, 0, 3]) pages.accept(new FakePort({ frameId, documentId: `D${frameId}` }));
  assert.deepEqual(pages.inTab(1).map(({ frameId }) => frameId), [0, 3, 8]);
});

test('requests are answered by their id, in whatever order', async () => {
  const { port, frame } = accepted(new Pages());
  const first = frame.ask('introspect', {});
  const second = frame.ask('runTool', { name: 'x' });
  port.says({ id: 2, result: 'two' });
  port.says({ id: 1, result: 'one' });
  assert.deepEqual(await Promise.all([first, second]), ['one', 'two']);
});

test('an error of the page agent keeps its message and code', async () => {
  const { port, frame } = accepted(new Pages());
  const asked = frame.ask('runTool', {});
  port.says({ id: 1, error: { message: 'No such tool.', code: -32602 } });
  await assert.rejects(asked, { message: 'No such tool.', code: -32602 });
});

test('a frame that goes ends its requests, saying whether they had begun', async () => {
  const { port, frame } = accepted(new Pages());
  const begun = frame.ask('runTool', {});
  const unseen = frame.ask('runTool', {});
  port.says({ begun: 1 });
  port.breaks();
  await assert.rejects(begun, (error) => error instanceof FrameGone && error.begun);
  await assert.rejects(unseen, (error) => error instanceof FrameGone && !error.begun);
});

test('a request to a port that is already broken never reached the page', async () => {
  const { port, frame } = accepted(new Pages());
  port.disconnect();
  await assert.rejects(frame.ask('runTool', {}), { code: -32015 });
  port.breaks();
  await assert.rejects(frame.ask('runTool', {}), { code: -32015 });
});

test('an aborted request is cancelled in the page, and its late answer is nobody\'s', async () => {
  const { port, frame } = accepted(new Pages());
  const controller = new AbortController();
  const asked = frame.ask('hub', {}, controller.signal);
  controller.abort(new Error('enough'));
  await assert.rejects(asked, { message: 'enough' });
  assert.deepEqual(port.sent.at(-1), { cancel: 1 });
  port.says({ id: 1, result: 'late' });
});

test('another document in the same place ends the one before, and its late end does not end the new one', () => {
  const pages = new Pages();
  const gone = [];
  pages.onGone = ({ documentId }) => gone.push(documentId);
  const { port: old } = accepted(pages, { documentId: 'D1' });
  accepted(pages, { documentId: 'D2' });
  old.breaks();
  assert.deepEqual(gone, ['D1']);
  assert.equal(pages.find(1, 0)?.documentId, 'D2');
});

test('a document that can hold no port ends the one before too', () => {
  const pages = new Pages();
  accepted(pages, { documentId: 'D1' });
  pages.committed({ tabId: 1, frameId: 0, documentId: 'D1' });
  assert.equal(pages.find(1, 0)?.documentId, 'D1');
  pages.committed({ tabId: 1, frameId: 0, documentId: 'D2' });
  assert.equal(pages.find(1, 0), undefined);
});

test('what pages register is kept; what is no list is ignored', (t) => {
  t.mock.method(console, 'warn', () => {});
  const pages = new Pages();
  const heard = [];
  pages.onHub = (frame, message) => heard.push(message.method);
  const { port, frame } = accepted(pages);
  const wrong = [undefined, null, 7, {}, { params: 1 }, { params: { tools: 'x' } }];
  for (const message of wrong) port.says({ event: 'hub', message });
  for (const nonsense of [undefined, null, 'x', 7, [], { event: 'introspected', tools: {} }]) port.says(nonsense);
  port.says({ event: 'hub', message: { method: 'browser/registerTools', params: { tools: [TOOL] } } });
  assert.deepEqual([heard, frame.registered], [['browser/registerTools'], [TOOL]]);
});

test('a page cannot flood the gateway: too large a list is dropped, too large an answer refused', async (t) => {
  t.mock.method(console, 'warn', () => {});
  const pages = new Pages();
  const { port, frame } = accepted(pages);
  const huge = 'x'.repeat(9_000_000);
  port.says({ event: 'hub', message: { params: { tools: [{ ...TOOL, description: huge }] } } });
  assert.deepEqual(frame.registered, []);
  const asked = frame.ask('runTool', {});
  port.says({ id: 1, result: huge });
  await assert.rejects(asked, /more than can be passed on/);
});

test('a document on its way is waited for, but not long', async () => {
  const pages = new Pages();
  const arriving = pages.arrival('D2', 1_000);
  accepted(pages, { documentId: 'D1', frameId: 5 });
  accepted(pages, { documentId: 'D2' });
  assert.equal((await arriving)?.documentId, 'D2');
  assert.equal((await pages.arrival('D2', 0))?.documentId, 'D2');
  assert.equal(await pages.arrival('D3', 5), undefined);
});

test('what a frame is told of requests is numbered, and it is known how often it was told', () => {
  const { port, frame } = accepted(new Pages());
  frame.tellNetwork(1);
  frame.tellNetwork(0);
  assert.deepEqual(port.sent.slice(-2), [{ network: 1, told: 1 }, { network: 0, told: 2 }]);
  assert.equal(frame.toldNetwork, 2);
});

test('a page says that it is still, and nothing else is taken for that', async () => {
  const { port, frame } = accepted(new Pages());
  port.says({ event: 'still' });
  port.says({ event: 'still', heard: ['https://a.test/'] });
  assert.deepEqual(await frame.still, ['https://a.test/']);
});

test('of origins that may offer nothing no tool is told, whoever speaks for them, and those told before are taken back', () => {
  const pages = new Pages();
  const told = [];
  pages.onHub = (frame, { params }) => told.push([frame.frameId, params.tools.map(({ name }) => name)]);
  const [shop, ad] = ['https://shop.test', 'https://ad.test'].map((origin, frameId) => accepted(pages, { frameId, documentId: origin, origin }).port);
  const tools = [TOOL, { ...TOOL, name: 'child', origin: 'https://ad.test' }];
  shop.says({ event: 'hub', message: { params: { tools } } });
  ad.says({ event: 'hub', message: { params: { tools: [TOOL] } } });
  pages.mayOffer = (origin) => origin === 'https://shop.test';
  pages.reconsider();
  shop.says({ event: 'hub', message: { params: { tools } } });
  assert.deepEqual(told, [[0, ['search', 'child']], [1, ['search']], [0, ['search']], [1, []], [0, ['search']]]);
});
