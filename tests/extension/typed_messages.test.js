import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedMessages } from '../../src/tabwright/extension/background/typed_messages.js';

/** Pages that show their tools when they are told to. */
const world = () => {
  const sent = [];
  const shows = new Map();
  const begun = [];
  const handlers = typedMessages({
    tabs: { get: async (tabId) => { if (tabId > 9) throw new Error('No tab.'); } },
    feed: { sync: async () => {} },
    settings: { load: async () => ({ keeper: false }) },
    pageTools: {
      focus: (tabId) => new Promise((resolve, reject) => {
        begun.push(tabId);
        shows.set(tabId, { tools: () => resolve([]), fail: () => reject(new Error('It broke.')) });
      }),
    },
    pageFeed: { told: () => {} },
    announce: async () => {},
    send: (message) => sent.push(message),
  });
  const focus = (tabId) => handlers.get('focusTab')({ type: 'focusTab', tabId });
  return { sent, shows, begun, focus };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('tabs are focused in the order in which that was asked, however slow their pages are', async () => {
  const { sent, shows, begun, focus } = world();
  const done = Promise.all([focus(7), focus(8)]);
  await turn();
  assert.deepEqual(begun, [7]);
  shows.get(7).tools();
  await turn();
  shows.get(8).tools();
  await done;
  assert.deepEqual(sent.map(({ type, tabId }) => [type, tabId]), [['tabFocused', 7], ['tabFocused', 8]]);
});

test('a tab that cannot be focused keeps back no other', async () => {
  const { sent, shows, focus } = world();
  const failed = assert.rejects(focus(7), /It broke/);
  const done = Promise.all([focus(99), focus(8)]);
  await turn();
  shows.get(7).fail();
  await failed;
  await turn();
  shows.get(8).tools();
  await done;
  assert.deepEqual(sent, [{ type: 'tabClosed', tabId: 99 }, { type: 'tabFocused', tabId: 8, tools: [] }]);
});

test('a page that never shows its tools keeps back no other for long', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sent, shows, focus } = world();
  void focus(7);
  const done = focus(8);
  await turn();
  t.mock.timers.tick(5_000);
  await turn();
  shows.get(8).tools();
  await done;
  assert.deepEqual(sent, [{ type: 'tabFocused', tabId: 8, tools: [] }]);
});
