import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameWatch } from '../../src/tabwright/extension/background/frame_sites.js';

const TAB = 7;
const tree = [
  { frameId: 0, url: 'https://page.test/' },
  { frameId: 3, url: 'https://shop.test/cart?x' },
  { frameId: 4, url: 'about:blank' },
];
const agents = [
  { frameId: 0, origin: 'https://page.test' },
  { frameId: 4, origin: 'https://filled.test' },
];
const watch = () => new FrameWatch(
  { frames: async () => /** @type {any} */ (tree) },
  { inTab: () => /** @type {any} */ (agents) },
);

test('frame sites: those there are told by address and by origin, without the page itself', async () => {
  const { done, sites } = await watch().during(TAB, async () => 'picture');
  assert.equal(done, 'picture');
  assert.deepEqual(sites, { there: ['https://filled.test', 'https://shop.test', 'null'], came: [], past: [] });
});

test('frame sites: what comes into a frame of the tab meanwhile is told, and nothing else', async () => {
  const frames = watch();
  frames.committed({ tabId: TAB, frameId: 3, url: 'https://before.test/' });
  const { sites } = await frames.during(TAB, async () => {
    frames.committed({ tabId: TAB, frameId: 3, url: 'https://bank.test/account' });
    frames.committed({ tabId: TAB, frameId: 0, url: 'https://top.test/' });
    frames.committed({ tabId: TAB + 1, frameId: 3, url: 'https://elsewhere.test/' });
  });
  assert.deepEqual(sites.came, ['https://bank.test']);
});

const picture = async (/** @type {FrameWatch} */ frames) => (await frames.during(TAB, async () => undefined)).sites;

test('frame sites: what frames showed before is told until the page after the next one', async () => {
  const frames = watch();
  frames.committed({ tabId: TAB, frameId: 3, url: 'https://bank.test/account' });
  frames.committed({ tabId: TAB, frameId: 3, url: 'https://shop.test/' });
  frames.committed({ tabId: TAB + 1, frameId: 3, url: 'https://elsewhere.test/' });
  assert.deepEqual((await picture(frames)).past, ['https://bank.test', 'https://shop.test']);
  frames.committed({ tabId: TAB, frameId: 0, url: 'https://top.test/' });
  assert.deepEqual((await picture(frames)).past, ['https://bank.test', 'https://shop.test']);
  frames.committed({ tabId: TAB, frameId: 0, url: 'https://top.test/2' });
  assert.deepEqual((await picture(frames)).past, []);
});

test('frame sites: a page with more sites than are remembered is not said to have had these only', async () => {
  const frames = watch();
  for (let each = 0; each < 1000; each += 1) frames.committed({ tabId: TAB, frameId: 3, url: `https://a${each}.test/` });
  assert.equal((await picture(frames)).past, null);
  frames.forget(TAB);
  assert.deepEqual((await picture(frames)).past, []);
});

test('frame sites: two pictures at once each hear of what came during it', async () => {
  const frames = watch();
  /** @type {() => void} */
  let finish = () => {};
  const long = frames.during(TAB, () => new Promise((resolve) => { finish = () => resolve(undefined); }));
  await frames.during(TAB, async () => undefined);
  frames.committed({ tabId: TAB, frameId: 3, url: 'https://bank.test/' });
  finish();
  assert.deepEqual((await long).sites.came, ['https://bank.test']);
});

test('frame sites: a picture that fails fails as it did', async () => {
  await assert.rejects(watch().during(TAB, async () => { throw new Error('no picture'); }), /no picture/);
});
