import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Downloads } from '../../src/tabwright/extension/background/downloads.js';

const item = (id, more = {}) => ({
  id, url: 'https://a.test/get', finalUrl: 'https://b.test/file', referrer: 'https://a.test/', filename: '',
  state: 'in_progress', bytesReceived: 0, totalBytes: -1, ...more,
});

function world() {
  const items = new Map();
  const downloads = new Downloads({ search: async ({ id }) => (items.has(id) ? [items.get(id)] : []) });
  const news = [];
  downloads.onNews = (download) => news.push(download);
  return { items, downloads, news };
}

test('downloads: one is told when it begins, when its place is known and when it ends, and not in between', async () => {
  const { items, downloads, news } = world();
  downloads.created(item(3));
  await downloads.changed({ id: 3, bytesReceived: { current: 10 } });
  items.set(3, item(3, { filename: '/tmp/file', bytesReceived: 10, totalBytes: 20 }));
  await downloads.changed({ id: 3, filename: { current: '/tmp/file' } });
  items.set(3, item(3, { filename: '/tmp/file', state: 'interrupted', error: 'NETWORK_FAILED' }));
  await downloads.changed({ id: 3, state: { current: 'interrupted' } });
  assert.deepEqual(news.map(({ filename, state, bytes, error }) => [filename, state, bytes, error]), [
    ['', 'in_progress', 0, undefined],
    ['/tmp/file', 'in_progress', 10, undefined],
    ['/tmp/file', 'interrupted', 0, 'NETWORK_FAILED'],
  ]);
});

test('downloads: a navigation that became one says which tab, by any of its addresses', async () => {
  const { items, downloads, news } = world();
  const urls = new Set(['https://a.test/other']);
  const { begun, stop } = downloads.expect(7, urls);
  downloads.created(item(1));
  urls.add('https://b.test/file');
  downloads.created(item(2));
  assert.equal(await begun, 2);
  items.set(2, item(2, { state: 'complete' }));
  await downloads.changed({ id: 2, state: { current: 'complete' } });
  stop();
  downloads.created(item(4));
  assert.deepEqual(news.map(({ id, tabId }) => [id, tabId]), [[1, undefined], [2, 7], [2, 7], [4, undefined]]);
});

test('downloads: one that was erased meanwhile is no news', async () => {
  const { downloads, news } = world();
  await downloads.changed({ id: 9, state: { current: 'complete' } });
  assert.deepEqual(news, []);
});

test('downloads: one that must not be is cancelled, and removed if it was quicker', async () => {
  const deeds = [];
  const state = { 1: 'interrupted', 2: 'complete', 3: 'complete' };
  const downloads = new Downloads({
    search: async ({ id }) => [item(id, { state: state[id], exists: id !== 3 })],
    cancel: async (id) => void deeds.push(`cancel ${id}`),
    removeFile: async (id) => void deeds.push(`remove ${id}`),
    pause: async () => { throw new Error('complete'); },
    resume: async (id) => void deeds.push(`resume ${id}`),
  });
  await downloads.hold(1);
  await downloads.keep(1);
  for (const id of [1, 2, 3]) await downloads.drop(id);
  assert.deepEqual(deeds, ['resume 1', 'cancel 1', 'cancel 2', 'remove 2', 'cancel 3']);
});
