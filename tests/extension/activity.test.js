import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Activity } from '../../src/tabwright/extension/background/activity.js';

/** One of Chrome's events, with what listens to it and for what. */
class FakeEvent {
  listeners = new Map();

  addListener(listener, filter) {
    this.listeners.set(listener, filter);
  }

  removeListener(listener) {
    this.listeners.delete(listener);
  }

  happens(requestId, url = requestId, frameId = 0, more = {}) {
    return [...this.listeners.keys()].map((listener) => listener({ requestId, url, frameId, ...more }));
  }
}

function world() {
  const api = {
    onBeforeRequest: new FakeEvent(), onCompleted: new FakeEvent(), onErrorOccurred: new FakeEvent(), onHeadersReceived: new FakeEvent(),
  };
  const told = [];
  const pages = { inTab: (tabId) => [{ tellNetwork: (count) => told.push([tabId, count]) }] };
  return { api, told, activity: new Activity(api, pages) };
}

const listening = (api) => Object.values(api).map(({ listeners }) => listeners.size);

test('activity: nobody listens once the last action was over for a while', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { api, activity } = world();
  const done = activity.begin(7);
  assert.deepEqual([...api.onBeforeRequest.listeners.values()].map(({ tabId }) => tabId), [7]);
  const page = activity.page(7);
  done();
  done();
  context.mock.timers.tick(60_000);
  assert.deepEqual(listening(api), [1, 1, 1, 1], 'the page’s answer is still awaited');
  page.stop();
  context.mock.timers.tick(10_000);
  activity.begin(7)();
  context.mock.timers.tick(15_000);
  assert.deepEqual(listening(api), [1, 1, 1, 1], 'the next one found somebody who listens');
  context.mock.timers.tick(10_000);
  assert.deepEqual(listening(api), [0, 0, 0, 0]);
  activity.begin(7);
  assert.deepEqual(listening(api), [1, 1, 1, 1]);
});

test('activity: what happens between two actions is nobody’s concern', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { api, told, activity } = world();
  const first = activity.begin(7);
  api.onBeforeRequest.happens('a');
  first();
  told.length = 0;
  api.onBeforeRequest.happens('b');
  assert.equal(activity.pending(7), 0);
  activity.begin(7);
  assert.deepEqual([activity.pending(7), told], [0, []]);
  api.onCompleted.happens('a');
  api.onCompleted.happens('b');
  assert.deepEqual([activity.pending(7), told], [0, []]);
});

test('activity: what a page loads is told to it only once somebody wants it told', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { api, told, activity } = world();
  const travel = activity.begin(7, { quiet: true });
  api.onBeforeRequest.happens('a');
  api.onBeforeRequest.happens('b');
  api.onCompleted.happens('b');
  assert.deepEqual([activity.pending(7, ['b']), told], [1, []]);
  const watch = activity.begin(7);
  assert.deepEqual(told, [[7, 1]], 'what is under way already');
  api.onCompleted.happens('a');
  assert.deepEqual(told.at(-1), [7, 0]);
  api.onBeforeRequest.happens('c');
  watch();
  assert.deepEqual(told.at(-1), [7, 0]);
  travel();
  assert.equal(told.length, 4);
});

test('activity: frames hear how many requests are under way, a redirected one once, a failed one not at all', () => {
  const { api, told, activity } = world();
  activity.begin(7);
  assert.deepEqual(api.onBeforeRequest.happens('a'), [undefined], 'a listener that answers could block the request');
  api.onBeforeRequest.happens('a');
  api.onBeforeRequest.happens('b');
  api.onCompleted.happens('a');
  api.onErrorOccurred.happens('b');
  api.onCompleted.happens('older than the action');
  assert.deepEqual(told.map(([, count]) => count), [1, 1, 2, 1, 0]);
});

test('activity: a page may have to wait for what is under way, and for what ended a moment ago', (context) => {
  const now = context.mock.method(performance, 'now', () => 0);
  const { api, activity } = world();
  activity.begin(7);
  assert.equal(activity.pending(7), 0);
  api.onBeforeRequest.happens('a');
  assert.equal(activity.pending(7), 1);
  assert.equal(activity.pending(7, [], 1), 0, 'a stream that never ends');
  api.onCompleted.happens('a');
  assert.equal(activity.pending(7), 1, 'the page may not have been told yet');
  now.mock.mockImplementation(() => 1_000);
  assert.equal(activity.pending(7), 0);
  assert.equal(activity.pending(8), 0);
});

test('activity: what ended a moment ago is not waited for where the page heard of each answer', () => {
  const { api, activity } = world();
  activity.begin(7);
  const ends = (/** @type {string} */ id, /** @type {string} */ url, frameId = 0) => {
    api.onBeforeRequest.happens(id, url, frameId);
    api.onBeforeRequest.happens(id, `${url}/redirected`, frameId);
    api.onCompleted.happens(id, `${url}/redirected`, frameId);
  };
  ends('1', 'a');
  ends('2', 'a');
  assert.equal(activity.pending(7, ['b', 'a']), 1, 'one of two');
  assert.equal(activity.pending(7, ['a', 'a', 'b']), 0);
  api.onBeforeRequest.happens('3', 'b');
  assert.equal(activity.pending(7, ['a', 'a', 'b']), 1, 'another one is under way');
  api.onCompleted.happens('3', 'b');
  ends('4', 'a', 5);
  assert.equal(activity.pending(7, ['a', 'a', 'a', 'b']), 1, 'a frame asked, which the page does not speak for');
});

test('activity: two actions in one tab share the count, and the last one ends it', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const { api, told, activity } = world();
  const [first, second] = [activity.begin(7), activity.begin(7)];
  assert.equal(api.onBeforeRequest.listeners.size, 1);
  api.onBeforeRequest.happens('a');
  first();
  assert.equal(activity.pending(7), 1);
  second();
  assert.equal(activity.pending(7), 0);
  assert.deepEqual(told.at(-1), [7, 0], 'what is still under way then is nobody’s concern');
});

test('activity: a document that opened a socket is known until it is gone', () => {
  const { api, activity } = world();
  activity.follow();
  const [[opened, { types }]] = api.onBeforeRequest.listeners;
  assert.deepEqual(types, ['websocket']);
  assert.equal(opened({ documentId: 'D1' }), undefined, 'a listener that answers could block the socket');
  assert.deepEqual([activity.hasSocket('D1'), activity.hasSocket('D2')], [true, false]);
  activity.forget('D1');
  assert.equal(activity.hasSocket('D1'), false);
});

test('activity: that a tab asks for anything that is not counted is noted, and told to nobody', () => {
  const { api, told, activity } = world();
  const noted = activity.uncounted(7);
  assert.equal(noted.began, false);
  assert.deepEqual(api.onBeforeRequest.happens('picture'), [undefined]);
  assert.deepEqual([noted.began, told], [true, []]);
  noted.stop();
  assert.equal(api.onBeforeRequest.listeners.size, 0);
});

test('activity: a server that tells the tab to go on to another page is noted, until a page comes without', () => {
  const { api, activity } = world();
  activity.page(7);
  assert.equal(activity.sendsOn(7), false);
  api.onHeadersReceived.happens('a', 'https://a.test/', 0, { responseHeaders: [{ name: 'Refresh', value: '0; url=/on' }] });
  assert.equal(activity.sendsOn(7), true);
  assert.equal(activity.sendsOn(8), false);
  api.onHeadersReceived.happens('b', 'https://a.test/on', 0, { responseHeaders: [{ name: 'Content-Type', value: 'text/html' }] });
  assert.equal(activity.sendsOn(7), false);
});
