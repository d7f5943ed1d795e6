import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Windows } from '../../src/tabwright/extension/background/windows.js';

/** A browser with these windows; `closing` is listed, and gone as soon as somebody looks closer. */
function browser(ids, closing) {
  const there = new Set(ids);
  return {
    getAll: async () => [...there].map((id) => ({ id, incognito: false })),
    getLastFocused: async () => ({ id: ids[0] }),
    get: async (id) => {
      if (id === closing) there.delete(id);
      if (!there.has(id)) throw new Error(`No window with id: ${id}.`);
      return { id };
    },
  };
}

/** What opens a tab in a window, and the windows it was tried in. */
function opening(closing) {
  const tried = [];
  const open = async (windowId) => {
    tried.push(windowId);
    if (windowId !== undefined && windowId === closing) throw new Error(`No window with id: ${windowId}.`);
    return `tab in ${windowId}`;
  };
  return { open, tried };
}

test('windows: a tab for which the window closes at that moment opens in another one', async () => {
  const { open, tried } = opening(1);
  assert.equal(await new Windows(browser([1, 2], 1)).withNewTabWindow(open), 'tab in 2');
  assert.deepEqual(tried, [1, 2]);
});

test('windows: where that was the last window, the tab brings its own', async () => {
  const { open, tried } = opening(1);
  assert.equal(await new Windows(browser([1], 1)).withNewTabWindow(open), 'tab in undefined');
  assert.deepEqual(tried, [1, undefined]);
});

test('windows: what else keeps a tab from opening is told, and the next one opens', async () => {
  const windows = new Windows(browser([1]));
  const tried = [];
  const refused = windows.withNewTabWindow(async (windowId) => {
    tried.push(windowId);
    throw new Error('Tabs cannot be edited right now.');
  });
  await assert.rejects(refused, /cannot be edited/);
  assert.deepEqual(tried, [1]);
  assert.equal(await windows.withNewTabWindow(opening().open), 'tab in 1');
});
