import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Screencasts } from '../../src/tabwright/extension/background/screencasts.js';

const TAB = 1;
const [START, STOP] = ['Page.startScreencast', 'Page.stopScreencast'];

/** A tab in a window, and what is sent to it. */
function sight({ active = true, focused = true } = {}) {
  const at = { active, focused, isThere: true };
  const tabs = { get: async () => {
    if (!at.isThere) throw new Error('no such tab');
    return { active: at.active, windowId: 7 };
  } };
  const screencasts = new Screencasts(tabs, { isFocused: async () => at.focused });
  const sent = [];
  const cdp = async (method) => { sent.push(method); };
  const goes = (where) => {
    Object.assign(at, where);
    return screencasts.look();
  };
  return { screencasts, sent, cdp, goes, keep: () => screencasts.keep(TAB, cdp, {}) };
}

test('screencasts: a tab in front of the window with the focus need not be cast to be drawn', async () => {
  for (const [where, isCast] of [[{}, false], [{ active: false }, true], [{ focused: false }, true]]) {
    const { keep, sent } = sight(where);
    await keep();
    assert.deepEqual(sent, isCast ? [START] : []);
  }
});

test('screencasts: a tab that is kept drawn is cast while it is out of sight', async () => {
  for (const out of [{ active: false }, { focused: false }]) {
    const { keep, goes, sent } = sight();
    await keep();
    await goes({});
    assert.deepEqual(sent, []);
    await goes(out);
    await goes({});
    assert.deepEqual(sent, [START]);
    await goes({ active: true, focused: true });
    assert.deepEqual(sent, [START, STOP]);
  }
});

test('screencasts: that a tab is gone is no error', async () => {
  const { keep, goes, sent } = sight();
  await keep();
  await goes({ isThere: false });
  assert.deepEqual(sent, [START]);
});

test('screencasts: what keeps a tab drawn that is out of sight serves our pictures, too', async () => {
  const { keep, screencasts, cdp, sent } = sight({ active: false });
  await keep();
  assert.equal(await screencasts.during(TAB, cdp, {}, async () => 'picture'), 'picture');
  assert.deepEqual(sent, [START]);
});

for (const [what, end] of [
  ['it was ended', (screencasts) => screencasts.observe(TAB, STOP)],
  ['a client began one for itself', (screencasts) => screencasts.observe(TAB, START)],
  ['the debugger was detached', (screencasts) => screencasts.forget(TAB)],
]) {
  test(`screencasts: once ${what}, where the tab is does not matter any more`, async () => {
    const { keep, goes, screencasts, sent } = sight();
    await keep();
    end(screencasts);
    await goes({ active: false });
    await goes({ active: true });
    assert.deepEqual(sent, []);
  });
}

test('screencasts: one that a stopped worker left running is ended, and does not cost the picture', async () => {
  const { screencasts } = sight();
  const sent = [];
  let running = true;
  const cdp = async (method) => {
    sent.push(method);
    if (method === START && running) throw new Error('Screencast is already active');
    running = method === START;
  };
  assert.equal(await screencasts.during(TAB, cdp, {}, async () => 'picture'), 'picture');
  assert.deepEqual(sent, [START, STOP, START, STOP]);
});

test('screencasts: where a client begins one in the same moment, that one serves the picture', async () => {
  const { screencasts } = sight();
  const sent = [];
  const cdp = async (method) => {
    sent.push(method);
    if (method !== START) return;
    screencasts.observe(TAB, START);
    throw new Error('Screencast is already active');
  };
  assert.equal(await screencasts.during(TAB, cdp, {}, async () => 'picture'), 'picture');
  assert.deepEqual(sent, [START]);
});
