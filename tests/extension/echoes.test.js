import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutEchoes } from '../../src/tabwright/extension/background/echoes.js';

const tool = (name, echo) => ({ name, ...(echo && { _meta: { 'tabwright/frame': echo } }) });
const frame = (origin, ...heard) => ({ origin, heard });
const kept = (...frames) => withoutEchoes(...[frames[0], frames.slice(1)]).map(({ name }) => name);
const A = 'https://a.example';
const B = 'https://b.example';

test("what a frame lists itself is not listed for it by its parent, under whatever name", () => {
  assert.deepEqual(kept(frame(A, tool('own'), tool('add_2', { origin: B, name: 'add' })), frame(B, tool('add'))), ['own']);
});

test('a frame that lists nothing itself is listed by its parent', () => {
  assert.deepEqual(kept(frame(A, tool('add', { origin: B, name: 'add' })), frame(B)), ['add']);
});

test('a tool of the same name from another origin is another tool', () => {
  assert.deepEqual(kept(frame(A, tool('add', { origin: B, name: 'add' })), frame(A, tool('add'))), ['add']);
});

test('two parents that list the same child do not silence each other', () => {
  const parent = frame(B, tool('add', { origin: B, name: 'add' }));
  assert.deepEqual(kept(parent, frame(B, tool('add', { origin: B, name: 'add' }))), ['add']);
});

test('junk from a page is passed over', () => {
  assert.deepEqual(withoutEchoes(frame(A, null, tool('add', { origin: B, name: 'add' })), [frame(B, null, 7)]).length, 2);
});
