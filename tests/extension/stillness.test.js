import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const FOLDER = new URL('../../src/tabwright/extension/content/agent/', import.meta.url);
const QUIET = { isAwaited: false, heardAt: 0, hasLine: false, talksToItself: false };

/** A page that loads. `said`: what the worker was told, if anything. */
async function loaded({ asked = false, requests = [], frames = 0, hidden = false, talks = QUIET, isShell = false, changes = 0, has = 'nothing' } = {}) {
  const page = new EventTarget();
  const globals = {
    crypto, performance: { now: () => 0, getEntriesByType: () => requests }, HTMLElement: class {},
    document: { hidden, readyState: 'interactive', querySelector: (selector) => (selector.includes(has) ? {} : null) }, length: frames, addEventListener: page.addEventListener.bind(page),
    MutationObserver: class { observe() {} disconnect() {} takeRecords() { return new Array(changes); } },
  };
  globals.window = globals.top = globals;
  const context = vm.createContext(globals);
  for (const name of ['start.js', 'acting/stillness.js']) vm.runInContext(readFileSync(new URL(name, FOLDER), 'utf8'), context);
  const agent = vm.runInContext("globalThis[Symbol.for('tabwright.agent')]", context);
  const state = { said: undefined, drawn: () => {} };
  agent.part('turns', () => ({ haveBeenAsked: () => asked }));
  agent.part('talks', () => ({ since: () => talks }));
  agent.part('shell', () => ({ isShell: () => isShell }));
  agent.part('rest', () => ({ restBefore: () => new Promise((resolve) => { state.drawn = resolve; }) }));
  const stillness = agent.get('stillness');
  stillness.report((heard) => { state.said = [...heard]; });
  for (const each of ['load', 'pageshow']) page.dispatchEvent(new Event(each));
  return { state, stillness };
}

const PICTURE = { name: 'https://a.test/a.png', initiatorType: 'img' };

test('stillness: a page on which nothing is due says so with what it has heard, until its first frame is drawn', async () => {
  const { state, stillness } = await loaded({ requests: [PICTURE] });
  assert.deepEqual(state.said, ['https://a.test/a.png']);
  const drawing = stillness.drawn();
  assert.notEqual(drawing, undefined);
  state.drawn();
  await drawing;
  assert.equal(stillness.drawn(), undefined);
});

for (const [what, page] of [
  ['has asked for a turn', { asked: true }],
  ['fetches by script', { requests: [{ name: 'https://a.test/api', initiatorType: 'fetch' }] }],
  ['has frames', { frames: 1 }],
  ['is hidden', { hidden: true }],
  ['has a line open', { talks: { ...QUIET, hasLine: true } }],
  ['may talk to itself', { talks: { ...QUIET, talksToItself: true } }],
  ['waits for a worker', { talks: { ...QUIET, isAwaited: true } }],
  ['is a mere shell', { isShell: true }],
  ['changes as it has loaded', { changes: 1 }],
  ['sends the tab on', { has: 'meta[http-equiv="refresh"' }],
  ['has modules, which may import more', { has: 'script[type="module"' }],
]) {
  test(`stillness: a page that ${what} is not believed to be still`, async () => {
    const { state, stillness } = await loaded(page);
    assert.equal(state.said, undefined);
    assert.equal(stillness.drawn(), undefined);
  });
}
