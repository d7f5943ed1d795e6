import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserInfo } from '../../src/tabwright/extension/background/browser_info.js';
import { CurrentTabs } from '../../src/tabwright/extension/background/current_tabs.js';
import { Debugger } from '../../src/tabwright/extension/background/debugger.js';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { Navigation } from '../../src/tabwright/extension/background/navigation.js';
import { Settings } from '../../src/tabwright/extension/background/settings.js';
import { keystrokes } from '../../src/tabwright/extension/background/keyboard.js';
import { imageSize } from '../../src/tabwright/extension/common/image_size.js';
import { FakeArea } from './fakes.js';

const KEY = 'ab'.repeat(32);

test('settings: a fresh install has an address and a lasting random profile id, but no key', async () => {
  const area = new FakeArea();
  const first = await new Settings(area, async () => ({})).load();
  const second = await new Settings(area, async () => ({})).load();
  assert.equal(first.url, 'ws://127.0.0.1:8765');
  assert.match(first.profileId, /^[0-9a-f-]{36}$/);
  assert.equal(first.profileId, second.profileId);
  assert.deepEqual([first.key, first.keeper, first.dialect, first.paused], [undefined, false, 'tabwright', false]);
});

test('settings: config.json wins over what is stored', async () => {
  const area = new FakeArea({ profileId: 'stored', key: 'cd'.repeat(32) });
  const file = { url: 'ws://127.0.0.1:9', profileId: 'launched', key: KEY, keeper: true, dialect: 'tabs' };
  const { url, profileId, key, keeper, dialect } = await new Settings(area, async () => file).load();
  assert.deepEqual({ url, profileId, key, keeper, dialect }, file);
});

test('settings: a key of the wrong shape is no key', async () => {
  for (const key of ['', 'ab', KEY.toUpperCase(), 7]) {
    assert.equal((await new Settings(new FakeArea({ key }), async () => ({})).load()).key, undefined);
  }
});

test('settings: pairing stores the key and ends a pause', async () => {
  const settings = new Settings(new FakeArea({ paused: true }), async () => ({}));
  await settings.load();
  await settings.savePairing(KEY);
  const { key, paused } = await settings.load();
  assert.deepEqual([key, paused], [KEY, false]);
});

test('current tab: each connection has its own, and a closed tab is nobody\'s', async () => {
  const area = new FakeArea();
  const current = new CurrentTabs(new Memory(area));
  await assert.rejects(current.get('direct'), { code: -32602 });
  await current.set('direct', 1);
  await current.set('conn-a', 2);
  assert.deepEqual([await current.get('direct'), await current.get('conn-a')], [1, 2]);
  assert.equal(await new CurrentTabs(new Memory(area)).get('conn-a'), 2);
  await current.forget(2);
  await assert.rejects(current.get('conn-a'), { code: -32602 });
});

test('current tab: naming the same tab again costs no write', async () => {
  const area = new FakeArea();
  const current = new CurrentTabs(new Memory(area));
  for (let i = 0; i < 5; i += 1) await current.set('direct', 1);
  assert.equal(area.writes, 1);
});

test('memory: changes of one key made at the same time are all kept', async () => {
  const area = new FakeArea();
  const memory = new Memory(area);
  await Promise.all([1, 2, 3].map((item) => memory.update('list', [], (list) => [...list, item])));
  assert.deepEqual([await memory.read('list', []), area.values.list], [[1, 2, 3], [1, 2, 3]]);
  await memory.update('list', [], (list) => list);
  assert.equal(area.writes, 3);
});

class FakeDebuggerApi {
  log = [];
  attached = new Set();

  async attach({ tabId }) {
    this.log.push(`attach ${tabId}`);
    if (tabId === 9) throw new Error('Cannot access a chrome:// URL');
    if (this.attached.has(tabId)) throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
    this.attached.add(tabId);
  }

  async detach({ tabId }) {
    this.attached.delete(tabId);
  }

  async sendCommand({ tabId, sessionId }, method) {
    if (!this.attached.has(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
    if (method === 'Bad.call') throw new Error('{"code":-32601,"message":"\'Bad.call\' wasn\'t found"}');
    this.log.push([method, sessionId].filter(Boolean).join(' '));
    return undefined;
  }

  async getTargets() {
    return [...this.attached].map((tabId) => ({ tabId, attached: true }));
  }
}

const attachments = (log) => log.filter((entry) => entry.startsWith('attach')).length;

test('debugger: first commands share one attachment and keep their order', async () => {
  const api = new FakeDebuggerApi();
  const debug = new Debugger(api, new Memory(new FakeArea()));
  await Promise.all(['A.a', 'B.b', 'C.c'].map((method) => debug.send(1, method)));
  assert.deepEqual(api.log, ['attach 1', 'A.a', 'B.b', 'C.c']);
  assert.deepEqual(await debug.send(1, 'D.d', {}, 'session'), {});
  assert.equal(api.log.at(-1), 'D.d session');
});

test('debugger: after a worker restart an attachment is used as it is', async () => {
  const api = new FakeDebuggerApi();
  const area = new FakeArea();
  await new Debugger(api, new Memory(area)).send(1, 'A.a');
  const next = new Debugger(api, new Memory(area));
  assert.deepEqual(await next.attachedTabs(), [1]);
  await next.send(1, 'B.b');
  assert.equal(attachments(api.log), 1);
});

test('debugger: an attachment lost while no worker ran is made again', async () => {
  const api = new FakeDebuggerApi();
  const area = new FakeArea({ attached: [1] });
  await new Debugger(api, new Memory(area)).send(1, 'A.a');
  assert.deepEqual(api.log, ['attach 1', 'A.a']);
});

test('debugger: an attachment of ours that was forgotten is recognised', async () => {
  const api = new FakeDebuggerApi();
  api.attached.add(1);
  await new Debugger(api, new Memory(new FakeArea())).send(1, 'A.a');
  assert.deepEqual(api.log, ['attach 1', 'A.a']);
});

test('debugger: pages closed to it, and failures of CDP itself, have names', async () => {
  const debug = new Debugger(new FakeDebuggerApi(), new Memory(new FakeArea()));
  await assert.rejects(debug.send(9, 'A.a'), { code: -32005, data: { code: 'unreachable_page' } });
  await assert.rejects(debug.send(1, 'Bad.call'), { code: -32000, message: "'Bad.call' wasn't found", data: { cdpCode: -32601 } });
});

const navigation = () => new Navigation({ getFrame: async () => ({ documentId: 'left' }) });
const go = (nav, expected, ...events) =>
  nav.arrive(1, { withinMs: 50, ...expected }, async () => events.forEach((event) => event(nav)));

test('navigation: a commit is an arrival, whatever the address became', async () => {
  assert.deepEqual(await go(navigation(), { url: 'https://a/' }, (nav) => nav.committed(1)), { outcome: 'committed' });
});

test('navigation: the one aborted by ours is not ours', async () => {
  const arrival = await go(navigation(), { url: 'https://b/' },
    (nav) => nav.failed(1, { url: 'https://a/', error: 'net::ERR_ABORTED' }), (nav) => nav.committed(1));
  assert.deepEqual(arrival, { outcome: 'committed' });
});

test('navigation: the document being left may fail to finish, even at the same address', async () => {
  const arrival = await go(navigation(), { url: 'https://a/' },
    (nav) => nav.failed(1, { url: 'https://a/', error: 'net::ERR_ABORTED', documentId: 'left' }), (nav) => nav.committed(1));
  assert.deepEqual(arrival, { outcome: 'committed' });
});

test('navigation: our own aborted one, and any other failure, is told', async () => {
  const aborted = await go(navigation(), { url: 'https://a/' }, (nav) => nav.failed(1, { url: 'https://a/', error: 'net::ERR_ABORTED' }));
  const refused = await go(navigation(), { url: 'https://a/' }, (nav) => nav.failed(1, { url: 'https://c/', error: 'net::ERR_FAILED' }));
  assert.deepEqual([aborted.error, refused.error], ['net::ERR_ABORTED', 'net::ERR_FAILED']);
});

test('navigation: patience ends, other tabs do not count, and a closed tab ends the wait', async () => {
  assert.equal((await go(navigation(), {}, (nav) => nav.committed(2))).outcome, 'running');
  assert.equal((await go(navigation(), {}, (nav) => nav.removed(1))).error, 'the tab was closed');
});

test('navigation: a first arrival may be asked for after the fact', async () => {
  const nav = navigation();
  nav.committed(1);
  assert.deepEqual(await nav.firstArrival(1, 50), { outcome: 'committed' });
});

test('keyboard: text becomes key presses, what has no key is inserted', () => {
  const steps = [...keystrokes('aB1!é\n')];
  const downs = steps.filter(({ params }) => params.type === 'keyDown').map(({ params }) => [params.text, params.code, params.modifiers]);
  assert.deepEqual(downs, [['a', 'KeyA', undefined], ['B', 'KeyB', 8], ['1', 'Digit1', undefined], ['!', 'Digit1', 8], ['\r', 'Enter', undefined]]);
  assert.deepEqual(steps.filter(({ method }) => method === 'Input.insertText').map(({ params }) => params.text), ['é']);
});

test('keyboard: an emoji of several code points is one insertion', () => {
  assert.deepEqual([...keystrokes('👩‍👩‍👧')].map(({ params }) => params.text), ['👩‍👩‍👧']);
});

test('keyboard: long text goes in line by line', () => {
  const steps = [...keystrokes(`${'x'.repeat(600)}\r\ny`)];
  assert.equal(steps.length, 4);
});

test('image size: read from the heads of PNG and JPEG', () => {
  const png = Buffer.alloc(40);
  png.writeUInt32BE(1280, 16);
  png.writeUInt32BE(70_000, 20);
  assert.deepEqual(imageSize(png.toString('base64'), 'png'), { width: 1280, height: 70_000 });
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc0, 0, 17, 8, 3, 0x20, 5, 0, 3, 0, 0, 0]);
  assert.deepEqual(imageSize(jpeg.toString('base64'), 'jpeg'), { width: 1280, height: 800 });
});

test('browser: the most telling brand names it', async () => {
  const named = (...brands) => browserInfo({
    getHighEntropyValues: async () => ({ fullVersionList: brands.map((brand) => ({ brand, version: '1.2.3.4' })) }),
  });
  assert.deepEqual(await named('Not A;Brand', 'Chromium', 'Google Chrome'), { name: 'Chrome', version: '1.2.3.4' });
  assert.equal((await named('Chromium', 'Microsoft Edge')).name, 'Edge');
  assert.equal((await named('Brave', 'Chromium')).name, 'Brave');
  assert.equal((await named('HeadlessChrome')).name, 'Chromium');
});
