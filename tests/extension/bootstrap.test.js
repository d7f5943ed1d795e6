import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bootstrap } from '../../src/tabwright/extension/background/bootstrap.js';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { NativeHost } from '../../src/tabwright/extension/background/native.js';
import { bootstrapLine } from '../../src/tabwright/extension/ui/bootstrap_look.js';
import { FakeArea } from './fakes.js';

const PORTS = { port: 8765, httpPort: 3456 };
const KEY = 'ab'.repeat(16);
const MINUTE = 60_000;

function make({ state = 'unpaired', config = {}, told = { absent: true }, area = new FakeArea(), clock = { now: 0 } } = {}) {
  const asked = [];
  const done = [];
  const connection = { state, nextTryAt: 1, restart: () => done.push('restart') };
  const settings = {
    config: { native: true, paused: false, profileId: 'me', ...config },
    load: async () => settings.config,
    savePorts: async (...ports) => done.push(ports),
  };
  const bootstrap = new Bootstrap({
    settings, connection, memory: new Memory(area),
    pairing: { pair: async (key) => { done.push(key); return { state: 'paired', digits: '' }; } },
    host: { ask: async (message) => { asked.push(message); return told; } },
    now: () => clock.now,
  });
  return { bootstrap, connection, settings, asked, done, area, clock };
}

test('a browser that is not paired asks for a key and pairs with it', async () => {
  const { bootstrap, asked, done } = make({ told: { ...PORTS, key: KEY } });
  await bootstrap.consider();
  assert.deepEqual(asked, [{ ask: 'pair', profileId: 'me' }]);
  assert.deepEqual(done, [[8765, 3456], KEY]);
  assert.equal(bootstrap.view.state, 'idle');
});

test('one that the gateway does not know any more pairs anew', async () => {
  for (const state of ['refused', 'wrong-server']) {
    const { bootstrap, asked } = make({ state });
    await bootstrap.consider();
    assert.deepEqual(asked, [{ ask: 'pair', profileId: 'me' }]);
  }
});

test('without a host it is asked for after one minute, then two, then four, at last every half hour', async () => {
  const { bootstrap, asked, clock } = make();
  const at = [];
  for (; clock.now < 240 * MINUTE; clock.now += MINUTE / 2) {
    const before = asked.length;
    await bootstrap.consider();
    if (asked.length > before) at.push(clock.now / MINUTE);
  }
  assert.deepEqual(at, [0, 1, 3, 7, 15, 31, 61, 91, 121, 151, 181, 211]);
  assert.equal(bootstrap.view.state, 'absent');
});

test('a gateway that goes while the person begins to look is started, one that goes later is not', async () => {
  for (const [later, expected] of [[500, [{ ask: 'start' }]], [1_500, []]]) {
    const { bootstrap, connection, asked, clock } = make({ state: 'connected' });
    await bootstrap.look();
    clock.now += later;
    connection.state = 'looking';
    await bootstrap.consider();
    assert.deepEqual(asked, expected);
  }
});

test('who looks again once the gateway was there starts it again, however soon it went', async () => {
  const { bootstrap, connection, asked, clock } = make({ state: 'looking', told: PORTS });
  await bootstrap.look();
  connection.state = 'connected';
  await bootstrap.consider();
  connection.state = 'looking';
  clock.now += 1_500;
  await bootstrap.look();
  assert.deepEqual(asked, [{ ask: 'start' }, { ask: 'start' }]);
});

test('workers that come and go ask no more often', async () => {
  const area = new FakeArea();
  let asked = 0;
  for (let life = 0; life < 20; life += 1) {
    const parts = make({ area, clock: { now: life * 1000 } });
    await parts.bootstrap.consider();
    asked += parts.asked.length;
  }
  assert.equal(asked, 1);
});

test('a gateway that is away is started only when the person looks', async () => {
  const { bootstrap, asked, done } = make({ state: 'looking', told: PORTS });
  await bootstrap.consider();
  assert.deepEqual(asked, []);
  await bootstrap.look();
  assert.deepEqual(asked, [{ ask: 'start' }]);
  assert.deepEqual(done, [[8765, 3456], 'restart']);
});

test('while the first attempt is under way nothing is started', async () => {
  const { bootstrap, connection, asked } = make({ state: 'looking', told: PORTS });
  connection.nextTryAt = undefined;
  await bootstrap.look();
  assert.deepEqual(asked, []);
  connection.nextTryAt = 5;
  await bootstrap.consider();
  assert.deepEqual(asked, [{ ask: 'start' }]);
});

test('a popup that opens again and again is one look', async () => {
  const { bootstrap, asked, clock } = make();
  for (clock.now = 10_000; clock.now < 11_500; clock.now += 100) await bootstrap.look();
  assert.equal(asked.length, 1);
});

test('nothing is asked after Disconnect, in a launched browser, or while a link is up', async () => {
  for (const parts of [make({ config: { paused: true } }), make({ config: { native: false } }), make({ state: 'connected' })]) {
    await parts.bootstrap.consider();
    await parts.bootstrap.look();
    assert.deepEqual(parts.asked, []);
  }
});

test('a Disconnect that comes while the host works holds', async () => {
  const parts = make({ told: { ...PORTS, key: KEY } });
  const asking = parts.bootstrap.consider();
  parts.settings.config = { ...parts.settings.config };
  await Promise.resolve();
  parts.settings.config.paused = true;
  await asking;
  assert.deepEqual(parts.done, []);
});

test('the host says why it failed, and what helps', async () => {
  const host = new NativeHost(async () => ({ error: 'Port 8765 is taken.', next: 'Stop it.' }));
  assert.deepEqual(await host.ask({ ask: 'start' }), { failed: 'Port 8765 is taken. Stop it.' });
});

test('a host that is missing or not for us is absent, one that breaks or is silent has failed', async () => {
  const told = (reason) => new NativeHost(async () => { throw new Error(reason); }).ask({ ask: 'start' });
  assert.deepEqual(await told('Specified native messaging host not found.'), { absent: true });
  assert.deepEqual(await told('Access to the specified native messaging host is forbidden.'), { absent: true });
  assert.deepEqual(await told('Native host has exited.'), { failed: 'Native host has exited.' });
  assert.deepEqual(await new NativeHost(undefined).ask({ ask: 'start' }), { absent: true });
  const silent = new NativeHost(() => new Promise(() => {}), 1);
  assert.deepEqual(await silent.ask({ ask: 'start' }), { failed: 'It did not answer in time.' });
});

test('an answer that makes no sense is not used', async () => {
  for (const answer of [undefined, 'x', {}, { port: 0, httpPort: 1 }, { port: '8765', httpPort: 1 }, { port: 70_000, httpPort: 1 }]) {
    assert.ok('failed' in await new NativeHost(async () => answer).ask({ ask: 'start' }), JSON.stringify(answer));
  }
  const odd = new NativeHost(async () => ({ ...PORTS, key: 'short' }));
  assert.deepEqual(await odd.ask({ ask: 'start' }), PORTS);
});

test('people are told in a line what is tried, what is missing and what went wrong, while it matters', () => {
  const line = (state, bootstrap, reason = '') => bootstrapLine({ state, bootstrap: { state: bootstrap, reason } });
  for (const state of ['unpaired', 'refused', 'wrong-server']) {
    assert.equal(line(state, 'asking'), 'Trying to pair by itself …');
    assert.equal(line(state, 'absent'), 'Run tabwright install once, and it pairs by itself.');
  }
  assert.equal(line('looking', 'absent'), 'Run tabwright install once, and this browser starts it by itself.');
  const told = 'Port 8765 is taken. Run `tabwright doctor`.';
  assert.equal(line('looking', 'failed', told), 'This browser could not start it: Port 8765 is taken. Run tabwright doctor.');
  assert.match(line('unpaired', 'failed', 'Native host has exited.'), /exited\. Run tabwright doctor\.$/);
  for (const [state, bootstrap] of [['unpaired', 'idle'], ['connected', 'failed'], ['off', 'absent']]) {
    assert.equal(line(state, bootstrap), '');
  }
});
