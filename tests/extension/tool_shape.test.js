import assert from 'node:assert/strict';
import { test } from 'node:test';

const parts = {};
globalThis[Symbol.for('tabwright.agent')] = { part: (name, make) => { parts[name] = make(); } };
await import('../../src/tabwright/extension/content/agent/offered/tool_shape.js');
const { OutcomeUnknown, cleanList, resultOf, resultOfText } = parts.tool_shape;

const tool = (more) => ({ name: 'add', description: 'Adds', inputSchema: { type: 'object' }, ...more });
const text = (said) => [{ type: 'text', text: said }];

test('hints, output schema and _meta of a tool pass unchanged', () => {
  const given = tool({ title: 'Add', annotations: { cache: true, readOnlyHint: true }, outputSchema: { type: 'object' }, _meta: { 'a/b': [1] } });
  assert.deepEqual(cleanList([given]), [given]);
});

test('what a page adds beyond a tool is left out', () => {
  assert.deepEqual(cleanList([tool({ execute: 'x', window: 1, annotations: 'no' })]), [tool()]);
});

for (const schema of [undefined, null, 'x', [1]]) {
  test(`${JSON.stringify(schema)} as a schema means any object`, () => {
    assert.deepEqual(cleanList([tool({ inputSchema: schema })])[0].inputSchema, { type: 'object', properties: {} });
  });
}

for (const junk of [null, 7, [], {}, { name: 5 }, { name: '' }, { name: 'x'.repeat(257) }]) {
  test(`${JSON.stringify(junk).slice(0, 20)} is no tool`, () => assert.deepEqual(cleanList([junk, tool()]), [tool()]));
}

test('of a name the first tool stands, also of names of Object.prototype', () => {
  const names = cleanList([tool({ name: '__proto__' }), tool(), tool({ description: 'Other' }), tool({ name: 'constructor' })]);
  assert.deepEqual(names.map(({ name, description }) => [name, description]), [['__proto__', 'Adds'], ['add', 'Adds'], ['constructor', 'Adds']]);
});

test('a megabyte of description is cut, a megabyte of schema is no tool', () => {
  const big = 'x'.repeat(1024 * 1024);
  const kept = cleanList([tool({ description: big }), tool({ name: 'b', inputSchema: { type: 'object', description: big } })]);
  assert.deepEqual(kept.map(({ name, description }) => [name, description.length]), [['add', 16 * 1024]]);
});

test('a schema too deep to walk is no tool', () => {
  const deep = {};
  let at = deep;
  for (let level = 0; level < 10_000; level += 1) at = at.a = {};
  assert.deepEqual(cleanList([tool({ inputSchema: deep })]), []);
});

test('a list holds 64 tools and a megabyte', () => {
  assert.equal(cleanList(Array.from({ length: 100 }, (_, at) => tool({ name: `t${at}` }))).length, 64);
  const schema = { type: 'object', description: 'x'.repeat(200_000) };
  assert.equal(cleanList(Array.from({ length: 20 }, (_, at) => tool({ name: `t${at}`, inputSchema: schema }))).length, 5);
});

test('no list is an empty list', () => assert.deepEqual(cleanList('x'), []));

for (const [said, result] of [
  ['plain', { content: text('plain') }],
  ['3', { content: text('3') }],
  ['{"sum":3}', { content: text('{"sum":3}'), structuredContent: { sum: 3 } }],
  ['[1,2]', { content: text('[1,2]'), structuredContent: { result: [1, 2] } }],
  ['{not json', { content: text('{not json') }],
  ['{"content":[{"type":"text","text":"x"}],"isError":true}', { content: text('x'), isError: true }],
  ['{"content":[],"structuredContent":{"a":1}}', { content: text('{"a":1}'), structuredContent: { a: 1 } }],
  ['{"content":[],"isError":true}', { content: [], isError: true }],
  ['{"content":[]}', { content: text('{"content":[]}'), structuredContent: { content: [] } }],
  ['{"content":"x"}', { content: text('{"content":"x"}'), structuredContent: { content: 'x' } }],
]) {
  test(`a tool that answers ${said}`, () => assert.deepEqual(resultOfText(said), result));
}

test('what is too deep to be passed on is passed on as text', () => {
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
  assert.deepEqual(resultOfText(deep), { content: text(deep) });
});

test('no text at all means that the page has gone, or else that it cannot be read', () => {
  assert.throws(() => resultOfText(null, true), OutcomeUnknown);
  assert.deepEqual(resultOfText(null), { content: text('The tool has run, but its answer could not be read.'), isError: true });
});

test('a result of MCP keeps its parts', () => {
  const result = { content: text('x'), structuredContent: { a: 1 }, isError: true, _meta: { b: 2 } };
  assert.deepEqual(resultOf({ ...result, other: 1 }), result);
});

test('structured content alone is shown as text too', () => {
  assert.deepEqual(resultOf({ structuredContent: { a: 1 } }), { content: text('{"a":1}'), structuredContent: { a: 1 } });
});

test('after an interruption by navigation nobody knows, though 1.4 to 4.0 do not say so', () => {
  const told = { content: text('Tool execution interrupted'), metadata: { navigationInterrupted: true } };
  assert.throws(() => resultOf(told), OutcomeUnknown);
});

for (const junk of [undefined, 7, [], { content: [{ text: 1n }] }, { content: text('x'.repeat(5_000_000)) }]) {
  test('an answer that cannot be passed on is an error', () => assert.equal(resultOf(junk).isError, true));
}
