import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Crashes } from '../../src/tabwright/extension/background/crashes.js';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { TabFeed } from '../../src/tabwright/extension/background/tab_feed.js';
import { FakeArea } from './fakes.js';

const tab = (id, changes = {}) => ({
  id, title: `tab ${id}`, url: 'https://example.com/', active: false, windowId: 1, groupId: -1, discarded: false,
  documentId: `doc-${id}`, status: 'complete', ...changes,
});

class FakeTabs {
  all = new Map();

  put(...tabs) {
    for (const info of tabs) this.all.set(info.id, info);
  }

  async list() {
    return [...this.all.values()];
  }

  async peek(tabId) {
    return this.all.get(tabId) ?? null;
  }
}

async function make(...open) {
  const tabs = new FakeTabs();
  tabs.put(...open);
  const area = new FakeArea();
  const sent = [];
  const crashes = new Crashes(new Memory(area), (tabId) => tabs.peek(tabId));
  const feed = new TabFeed(tabs, crashes, (message) => sent.push(message));
  const listed = [];
  await feed.restart((list) => listed.push(...list));
  return { tabs, area, crashes, feed, sent, listed };
}

test('nothing is told before the full list', async () => {
  const sent = [];
  const tabs = new FakeTabs();
  tabs.put(tab(1));
  const feed = new TabFeed(tabs, { judge: async () => false }, (message) => sent.push(message));
  feed.touch(1);
  await feed.sync(1);
  assert.deepEqual(sent, []);
});

test('a new tab is created, a changed one updated, an unchanged one not told again', async () => {
  const { tabs, feed, sent } = await make(tab(1));
  await feed.sync(1);
  tabs.put(tab(2));
  await feed.sync(2);
  tabs.put(tab(2, { title: 'new' }));
  await feed.sync(2);
  await feed.sync(2);
  assert.deepEqual(sent, [{ type: 'tabCreated', tab: tab(2) }, { type: 'tabUpdated', tab: tab(2, { title: 'new' }) }]);
});

test('a tab is created once, however many ask at the same time', async () => {
  const { tabs, feed, sent } = await make();
  tabs.put(tab(1));
  await Promise.all([feed.sync(1), feed.sync(1), feed.sync(1)]);
  assert.deepEqual(sent.map(({ type }) => type), ['tabCreated']);
});

test('a removed tab is closed once, and never created again by a late look', async () => {
  const { tabs, feed, sent } = await make();
  tabs.put(tab(1));
  const looking = feed.sync(1);
  feed.removed(1);
  await looking;
  assert.deepEqual(sent, []);
  tabs.put(tab(2));
  await feed.sync(2);
  feed.removed(2);
  await feed.sync(2);
  assert.deepEqual(sent.slice(1), [{ type: 'tabClosed', tabId: 2 }]);
});

test('a tab that turns into a hidden page closes, and is created when it turns back', async () => {
  const { tabs, feed, sent } = await make(tab(1));
  tabs.all.delete(1);
  await feed.sync(1);
  tabs.put(tab(1));
  await feed.sync(1);
  assert.deepEqual(sent.map(({ type }) => type), ['tabClosed', 'tabCreated']);
});

test('what changed while the list was gathered is told right after it', async () => {
  const { tabs, feed, sent } = await make(tab(1));
  const seen = [];
  const restarting = feed.restart((list) => { seen.push(...list); sent.push('list'); });
  tabs.put(tab(2));
  feed.touch(2);
  tabs.put(tab(2, { title: 'later' }));
  await restarting;
  await feed.sync(2);
  // The list may have seen the tab or not; either way the gateway ends up knowing its last state.
  assert.equal(sent[0], 'list');
  const known = new Map(seen.map((info) => [info.id, info]));
  for (const message of sent.slice(1)) known.set(message.tab.id, message.tab);
  assert.equal(known.get(2).title, 'later');
});

test('a list that was overtaken by a new link is not announced', async () => {
  const { feed } = await make(tab(1));
  const announced = [];
  const first = feed.restart(() => announced.push('first'));
  const second = feed.restart(() => announced.push('second'));
  await Promise.all([first, second]);
  assert.deepEqual(announced, ['second']);
});

test('a dead page is a crash if it had a document before', async () => {
  const { tabs, feed, sent } = await make(tab(1));
  tabs.put(tab(1, { status: 'unloaded' }));
  await feed.sync(1);
  await feed.sync(1);
  assert.deepEqual(sent, [{ type: 'tabClosed', tabId: 1, reason: 'crashed' }]);
  assert.deepEqual(await feed.list(), []);
});

test('a crashed tab comes back with its reload', async () => {
  const { tabs, feed, sent } = await make(tab(1));
  tabs.put(tab(1, { status: 'unloaded' }));
  await feed.sync(1);
  tabs.put(tab(1, { status: 'loading', documentId: 'other' }));
  await feed.sync(1);
  assert.deepEqual(sent.map(({ type }) => type), ['tabClosed', 'tabCreated']);
  assert.equal((await feed.list()).length, 1);
});

test('a crashed tab that closes is told of once more: whoever holds it has kept it', async () => {
  const { tabs, feed, sent } = await make(tab(1));
  tabs.put(tab(1, { status: 'unloaded' }));
  await feed.sync(1);
  feed.removed(1);
  assert.deepEqual(sent, [{ type: 'tabClosed', tabId: 1, reason: 'crashed' }, { type: 'tabClosed', tabId: 1 }]);
});

test('a crash is remembered by the next worker', async () => {
  const { tabs, area, feed } = await make(tab(1));
  tabs.put(tab(1, { status: 'unloaded' }));
  await feed.sync(1);
  const next = new TabFeed(tabs, new Crashes(new Memory(area), async () => null), () => {});
  assert.deepEqual(await next.list(), []);
});

test('a discarded tab, and one of a restored session never loaded, are no crashes', async () => {
  const restored = tab(2, { status: 'unloaded', documentId: null });
  const { tabs, feed, sent, listed } = await make(tab(1), restored);
  assert.equal(listed.length, 2);
  tabs.put(tab(1, { status: 'unloaded', discarded: true }));
  await feed.sync(1);
  await feed.sync(2);
  assert.deepEqual(sent.map(({ type }) => type), ['tabUpdated']);
});

test('a broken port leads to a closer look only if the page is dead', async () => {
  const { tabs, crashes } = await make(tab(1));
  const signs = [];
  crashes.onSign = (tabId) => signs.push(tabId);
  await crashes.suspect(1);
  assert.deepEqual(signs, []);
  tabs.put(tab(1, { status: 'unloaded' }));
  await crashes.suspect(1);
  assert.deepEqual(signs, [1]);
});

test('a tab whose next page has opened its port is not looked at any more', async () => {
  const { tabs, crashes } = await make(tab(1));
  const looked = [];
  const peek = tabs.peek.bind(tabs);
  tabs.peek = (tabId) => {
    looked.push(tabId);
    return peek(tabId);
  };
  const suspecting = crashes.suspect(1, true);
  crashes.lives(1);
  await suspecting;
  assert.deepEqual(looked, []);
  await crashes.suspect(1);
  assert.equal(looked.length, 4);
});

test('a tab on its way is looked at again: Chrome does not tell that its page is not left after all', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { tabs, feed, sent } = await make(tab(1), tab(2, { status: 'loading', pendingUrl: 'https://b.test/' }));
  const turn = async () => {
    t.mock.timers.tick(1_000);
    await feed.sync(3);
  };
  tabs.put(tab(1, { status: 'loading', pendingUrl: 'https://b.test/' }));
  await feed.sync(1);
  await turn();
  await turn();
  assert.equal(sent.length, 1, 'as it was');
  tabs.put(tab(1), tab(2));
  await turn();
  assert.deepEqual(sent.slice(1), [{ type: 'tabUpdated', tab: tab(2) }, { type: 'tabUpdated', tab: tab(1) }]);
});
