import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const FOLDER = new URL('../../src/tabwright/extension/content/agent/', import.meta.url);

/** The agent's part in a page whose talks are these lines: kind, when it began, when something was said, when something was heard. */
function part() {
  const page = new EventTarget();
  const state = { now: 1_000, lines: /** @type {string[]} */ ([]) };
  page.addEventListener('tabwright:talks', (question) => {
    page.dispatchEvent(Object.assign(new Event(question.data), { data: state.lines.join('\n') }));
  });
  const agent = { get: () => undefined, unguessable: () => 'answer', part: (_, make) => { state.made = make(agent); } };
  const context = vm.createContext({ window: page, MessageEvent, performance: { now: () => state.now }, [Symbol.for('tabwright.agent')]: agent });
  vm.runInContext(readFileSync(new URL('acting/talks.js', FOLDER), 'utf8'), context);
  return { state, since: (from) => ({ ...state.made.since(from) }) };
}

const NOTHING = { isAwaited: false, heardAt: 0, hasLine: false, talksToItself: false, streams: 0 };

test('talks: a page that talks to nobody waits for nobody', () => {
  assert.deepEqual(part().since(0), NOTHING);
});

test('talks: what was said since is awaited until something is heard, what was said before is not', () => {
  const { state, since } = part();
  state.lines = ['socket 10 900 800'];
  assert.deepEqual(since(850), { ...NOTHING, isAwaited: true, hasLine: true, talksToItself: false });
  assert.deepEqual(since(950), { ...NOTHING, hasLine: true, talksToItself: false });
  state.lines = ['socket 10 900 990', 'worker 10 0 0'];
  assert.deepEqual(since(850), { ...NOTHING, heardAt: 990, hasLine: true, talksToItself: false });
});

test('talks: whoever waited in vain waits less for the next, and as long as before once answered', () => {
  const { state, since } = part();
  state.lines = ['worker 10 1000 0'];
  state.now = 1_700;
  assert.equal(since(1_000).isAwaited, true);
  state.now = 1_900;
  assert.equal(since(1_000).isAwaited, false);
  state.lines = ['worker 10 2000 0'];
  state.now = 2_100;
  assert.equal(since(2_000).isAwaited, true);
  state.now = 2_200;
  assert.equal(since(2_000).isAwaited, false);
  state.lines = ['worker 10 2000 2210'];
  since(2_000);
  state.lines = ['worker 10 3000 2210'];
  state.now = 3_700;
  assert.equal(since(3_000).isAwaited, true);
});

test('talks: a line is waited for until it is open, and no longer where nothing is said', () => {
  const { state, since } = part();
  state.lines = ['socket 900 0 0'];
  assert.deepEqual(since(850), { ...NOTHING, isAwaited: true, hasLine: true, talksToItself: false });
  state.lines = ['socket 900 0 950'];
  assert.deepEqual(since(850), { ...NOTHING, hasLine: true, talksToItself: false });
});

test('talks: a stream that was opened since is a request that never ends', () => {
  const { state, since } = part();
  state.lines = ['stream 900 0 910', 'stream 100 0 110'];
  assert.deepEqual(since(850), { ...NOTHING, hasLine: true, talksToItself: false, streams: 1 });
});
