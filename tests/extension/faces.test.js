/** What the person sees without asking: the icon, the first-run page; and what pages of ours are told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FirstRun, knock } from '../../src/tabwright/extension/background/first_run.js';
import { Icon, faceOf } from '../../src/tabwright/extension/background/icon.js';
import { onlookerCommands } from '../../src/tabwright/extension/background/onlooker_commands.js';
import { Onlooking } from '../../src/tabwright/extension/background/onlooking.js';
import { Settings } from '../../src/tabwright/extension/background/settings.js';
import { Viewers } from '../../src/tabwright/extension/background/viewers.js';
import { Params } from '../../src/tabwright/extension/common/params.js';
import { FakeArea, FakePort, fakeSockets, settle } from './fakes.js';

const QUIET = { isLinked: true, isOff: false, sessions: [], questions: 0 };
const held = (count, stopped = false) => ({ stopped, tabs: Array(count).fill({}) });

test('the icon tells what goes on, a question before all else', () => {
  const mood = (situation) => faceOf({ ...QUIET, ...situation }).mood;
  assert.equal(mood({ isLinked: false }), 'away');
  assert.equal(mood({}), 'ready');
  assert.equal(mood({ sessions: [held(0)] }), 'ready');
  assert.equal(mood({ sessions: [held(1)] }), 'working');
  assert.equal(mood({ sessions: [held(1, true)] }), 'paused');
  assert.equal(mood({ isOff: true, sessions: [held(1)] }), 'paused');
  assert.equal(mood({ isOff: true, questions: 1 }), 'asking');
  assert.equal(faceOf({ ...QUIET, sessions: [held(2), held(3, true)] }).text, '5');
  assert.equal(faceOf({ ...QUIET, questions: 2 }).title, 'tabwright: 2 questions wait for you');
});

test('the icon is drawn once for each change, and a tab that is gone harms nobody', async () => {
  const done = [];
  const api = {
    setBadgeText: async (badge) => {
      if (badge.tabId === 404) throw new Error('No tab with id: 404');
      done.push(['text', badge]);
    },
    setBadgeBackgroundColor: async () => {},
    setTitle: async ({ title }) => void done.push(['title', title]),
    setIcon: async ({ imageData }) => void done.push(['icon', Object.keys(imageData)]),
  };
  const icon = new Icon(api, async (mood, size) => ({ mood, width: size }));
  icon.show(QUIET);
  icon.show({ ...QUIET });
  await settle();
  assert.deepEqual(done, [['text', { text: '' }], ['title', 'tabwright: connected'], ['icon', ['16', '32']]]);
  await icon.mark(7, '●', '#fff');
  await icon.mark(7, '');
  await icon.mark(404, '●', '#fff');
  assert.deepEqual(done.slice(3), [['text', { tabId: 7, text: '●' }], ['text', { tabId: 7, text: null }]]);
});

/** @param {object} file what config.json holds */
function firstRun(file, stored = {}) {
  const area = new FakeArea(stored);
  const opened = [];
  return { area, opened, run: new FirstRun(new Settings(area, async () => file), async () => void opened.push(1)) };
}

test('the first-run page opens once, on an install by a person', async () => {
  const world = firstRun({});
  await world.run.installed('update');
  assert.deepEqual(world.opened, []);
  await world.run.installed('install');
  await world.run.installed('install');
  assert.deepEqual(world.opened, [1]);
  assert.equal(world.area.values.welcomed, true);
});

test('the first-run page never opens in a browser that was set up, unless it says so, or is paired', async () => {
  for (const [file, stored, count] of [
    [{ url: 'ws://127.0.0.1:1', keeper: true }, {}, 0],
    [{ url: 'ws://127.0.0.1:1' }, {}, 0],
    [{ url: 'ws://127.0.0.1:1', welcome: true }, {}, 1],
    [{}, { key: 'a'.repeat(64) }, 0],
  ]) {
    const world = firstRun(file, stored);
    await world.run.installed('install');
    assert.equal(world.opened.length, count, JSON.stringify(file));
  }
});

test('a knock says nothing but that somebody is there, and hears whether a key is waited for', async () => {
  for (const [answer, presence] of [
    [{ type: 'here', pairing: false }, 'there'],
    [{ type: 'here', pairing: true }, 'pairing'],
    [{ type: 'error' }, 'absent'],
    ['not JSON', 'absent'],
    [null, 'absent'],
  ]) {
    const { opened, FakeSocket } = fakeSockets();
    const asked = knock('ws://127.0.0.1:1', FakeSocket);
    opened[0].open();
    assert.deepEqual(opened[0].sent, [{ type: 'knock' }]);
    if (answer === null) opened[0].drop();
    else opened[0].receive(answer);
    assert.equal(await asked, presence);
    assert.equal(opened[0].readyState, 3);
  }
});

const call = (number, endedAt = number) => ({
  number, endedAt, sessionId: 's', client: 'c', tool: 't', tabId: null, origin: '', outcome: 'ok', ms: 1,
});

test('calls told again are one, the oldest go, and those who left are not shown', () => {
  const onlooking = new Onlooking();
  const all = () => onlooking.view(() => true);
  assert.deepEqual(all(), { isTold: false, grants: [], calls: [] });
  onlooking.show({ calls: [call(1), call(2)] }, 'direct');
  onlooking.show({ calls: [call(2), call(3)], grants: [{ id: 'g' }] }, 'direct');
  onlooking.show({ calls: [call(1, 2.5)] }, 's/conn-a');
  assert.deepEqual(all().calls.map(({ endedAt }) => endedAt), [3, 2.5, 2, 1]);
  assert.deepEqual(onlooking.view((by) => by !== 'direct').grants, []);
  onlooking.show({ calls: Array.from({ length: 300 }, (_, place) => call(place + 10)) }, 'direct');
  assert.equal(onlooking.view((by) => by === 'direct').calls.length, 200);
  onlooking.clear((by) => by === 'direct');
  assert.equal(all().calls.length, 1);
});

test('only the gateway on this machine opens its dashboard, and nothing else', async () => {
  const opened = [];
  const tabs = { create: async ({ url }) => (opened.push(url), { windowId: 1 }) };
  const { openDashboard, showActivity } = onlookerCommands({ onlooking: new Onlooking(), tabs, windows: { raise: async () => {} } });
  const open = (url, connection = 'direct') => openDashboard.run(new Params({ url }), { connection });
  await open('http://127.0.0.1:3456/#code_-1');
  await assert.rejects(open('http://127.0.0.1:3456/#code', 's/conn-a'), /through a server/);
  for (const url of ['https://evil.test/#code', 'http://127.0.0.1:3456.evil.test/#c', 'javascript:1', 'http://127.0.0.1:3456/']) {
    await assert.rejects(open(url), /dashboard/);
  }
  assert.deepEqual(opened, ['http://127.0.0.1:3456/#code_-1']);
  await assert.rejects(showActivity.run(new Params({ calls: [{ number: 'one' }] }), { connection: 'direct' }), /number/);
});

test('every page sees every change, and only the one that pressed what came of it', async () => {
  let count = 0;
  const viewers = new Viewers(async () => ({ count }), async ({ press }) => {
    if (press === 'fail') throw new Error('gone');
    count += 1;
    return { outcome: 'done' };
  });
  const [one, two] = [new FakePort(), new FakePort()];
  one.name = 'popup';
  let left = 0;
  viewers.accept(one, () => { left += 1; });
  viewers.accept(two);
  await settle();
  one.says({ press: 'do' });
  await settle();
  assert.deepEqual(one.sent.slice(-2), [{ count: 1, outcome: 'done' }, { count: 1 }]);
  assert.deepEqual(two.sent.at(-1), { count: 1 });
  const warn = console.warn;
  console.warn = () => {};
  two.says({ press: 'fail' });
  await settle();
  console.warn = warn;
  assert.deepEqual(two.sent.at(-1), { count: 1 });
  assert.equal(viewers.has('popup'), true);
  one.breaks();
  assert.deepEqual([viewers.has('popup'), left], [false, 1]);
  await viewers.refresh();
});
