import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Focus } from '../../src/tabwright/extension/background/focus.js';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { FakeArea } from './fakes.js';

const [PERSONS, POPUP, NONE] = [1, 2, -1];

/** What is done to windows when the focus went so, [window, at]; the last window named has it. */
async function done(...went) {
  const did = [];
  let now = 0;
  const windows = {
    focused: async () => went.findLast(([id]) => id !== NONE)?.[0],
    raise: async (id) => { did.push(`raise ${id}`); },
    lower: async (id) => { did.push(`lower ${id}`); },
  };
  const focus = new Focus(new Memory(new FakeArea()), windows, () => now);
  for (const [id, at] of went) {
    now = at;
    await focus.came(id);
  }
  await focus.giveBack(POPUP);
  return did;
}

test('focus: it goes back to the window that had it, in whatever order Chrome tells', async () => {
  assert.deepEqual(await done([PERSONS, 0], [NONE, 9_000], [POPUP, 9_003]), ['raise 1']);
  assert.deepEqual(await done([PERSONS, 0], [POPUP, 9_000], [NONE, 9_003]), ['raise 1']);
});

test('focus: a person who works outside of Chrome goes on there', async () => {
  assert.deepEqual(await done([PERSONS, 0], [NONE, 2_000], [POPUP, 9_000]), ['lower 2']);
});

test('focus: a window that has not taken it has none to give back', async () => {
  assert.deepEqual(await done([POPUP, 0], [PERSONS, 9_000]), []);
});
