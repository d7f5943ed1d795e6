import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const FOLDER = new URL('../../src/tabwright/extension/content/agent/', import.meta.url);
const read = (name) => readFileSync(new URL(name, FOLDER), 'utf8');

/** Chrome's numbers, which the page and the agent take from the same three rows. */
function numbers() {
  const taken = { timers: 0, frames: 0, idle: 0 };
  const take = (kind) => () => { taken[kind] += 1; return taken[kind]; };
  return {
    taken,
    setTimeout: take('timers'), requestAnimationFrame: take('frames'), requestIdleCallback: take('idle'),
    clearTimeout() {}, cancelAnimationFrame() {}, cancelIdleCallback() {},
  };
}

function world(globals) {
  globals.crypto = crypto;
  globals.window = globals.top = globals;
  const context = vm.createContext(globals);
  vm.runInContext(read('start.js'), context);
  return { load: (name) => vm.runInContext(read(name), context), agent: vm.runInContext("globalThis[Symbol.for('tabwright.agent')]", context) };
}

function turns() {
  const chrome = numbers();
  const { load, agent } = world({ ...chrome, HTMLElement: class {} });
  load('acting/turns.js');
  return { chrome, turns: agent.get('turns') };
}

for (const kind of ['setTimeout', 'requestIdleCallback', 'requestAnimationFrame']) {
  test(`turns: what the page asks for by ${kind} is seen, and what is asked for here is not`, () => {
    const { chrome, turns: { since, timer, frame, idle } } = turns();
    const hasAsked = since();
    timer(() => {}, 5);
    frame(() => {});
    idle(() => {});
    assert.equal(hasAsked(), false);
    chrome[kind]();
    assert.equal(hasAsked(), true);
  });
}

test('turns: to look makes Chrome draw no frame', () => {
  const { chrome, turns: { since } } = turns();
  since();
  assert.equal(chrome.taken.frames, 0);
});

test('turns: a frame that the page asked for before ours comes with it, and one that it asks for later does not', () => {
  const { chrome, turns: { since, frame } } = turns();
  const hasAsked = since();
  chrome.requestAnimationFrame();
  frame(() => {});
  assert.equal(hasAsked(), false);
  chrome.requestAnimationFrame();
  assert.equal(hasAsked(), true);
});

test('turns: idle callbacks are told apart from other turns', () => {
  const { chrome, turns: { idleSince, idle } } = turns();
  const mayIdle = idleSince();
  chrome.setTimeout();
  idle(() => {});
  assert.equal(mayIdle(), false);
  chrome.requestIdleCallback();
  assert.equal(mayIdle(), true);
});

/** A page that is drawn, and idle, when the test says so. */
function drawing() {
  const asked = { frames: [], idle: [] };
  const take = (kind) => (run) => asked[kind].push(run);
  const { load, agent } = world({ performance, requestAnimationFrame: take('frames'), requestIdleCallback: take('idle'), HTMLElement: class {} });
  load('acting/turns.js');
  const draws = () => asked.frames.pop()();
  return { turns: agent.get('turns'), asked, draws, idles: (left) => asked.idle.pop()({ timeRemaining: () => left }) };
}

test('turns: while the thread is not idle after a frame, the next one is asked for, so that Chrome has it idle after that', async () => {
  const { turns: { draw }, asked, draws, idles } = drawing();
  let framed = 0;
  const drawn = draw(() => { framed += 1; });
  draws();
  assert.deepEqual([framed, asked.frames.length, asked.idle.length], [1, 1, 1], 'in the frame itself: asked for later, it may come a frame later');
  draws();
  assert.equal(asked.frames.length, 1);
  idles(14);
  assert.equal((await drawn).left, 14);
  draws();
  assert.deepEqual([framed, asked.frames.length, asked.idle.length], [1, 0, 0], 'and none once it was');
});

test('turns: a page whose thread is never idle is not drawn without end', () => {
  const { turns: { draw }, asked, draws } = drawing();
  void draw(() => {});
  let times = 0;
  for (; asked.frames.length > 0; times += 1) draws();
  assert.ok(times > 1 && times < 10, `${times} frames`);
});

test('signs: a gesture neither begins nor ends to listen to what scrolls, for which Chrome would draw a frame', () => {
  const listened = [];
  const root = { scrollTop: 0, scrollLeft: 0 };
  const document = { scrollingElement: root, addEventListener: (type, listener, options) => listened.push({ type, listener, options }) };
  const { load, agent } = world({ document, addEventListener() {}, dispatchEvent() {}, MessageEvent, crypto, AbortController, performance, Element: class {}, HTMLElement: class {} });
  agent.part('dom', () => ({}));
  load('acting/settle_signs.js');
  const make = agent.get('settle_signs');
  const before = listened.length;
  const first = make.start();
  first.stop();
  const second = make.start();
  assert.equal(listened.length, before);
  assert.deepEqual(listened.map(({ type, options }) => [type, options.signal]), [['scroll', undefined], ['scrollend', undefined]]);
  listened[0].listener({ target: document });
  assert.equal(second.isScrolling(), true);
  assert.ok(second.scrolledAt() > 0);
  assert.equal(make.start().scrolledAt(), 0, 'what scrolled before is none of the next');
});
