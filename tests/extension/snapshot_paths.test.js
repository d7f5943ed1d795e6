import assert from 'node:assert/strict';
import { test } from 'node:test';

/** @type {Map<string, (agent: any) => any>} */
const makers = new Map();
const world = /** @type {any} */ (globalThis);
world[Symbol.for('tabwright.agent')] = { part: (/** @type {string} */ name, /** @type {any} */ make) => makers.set(name, make) };
world.Node = { ELEMENT_NODE: 1 };
world.ShadowRoot = class {};
await import('../../src/tabwright/extension/content/agent/outline/snapshot_paths.js');
const parts = { get: () => ({ bare: (/** @type {any} */ node) => node }) };
const paths = () => /** @type {any} */ (makers.get('snapshot_paths'))(parts).begin();

/** A small tree: `[tag, id, ...children]`, a shadow root being `[host, '', shadow]` with the tag `#shadow`. */
const build = (/** @type {any[]} */ [localName, id, ...children], /** @type {any} */ parentNode, /** @type {any} */ root) => {
  const isRoot = localName.startsWith('#');
  const node = isRoot ? Object.assign(localName === '#shadow' ? new world.ShadowRoot() : {}, { nodeType: 11, host: parentNode }) : { nodeType: 1, localName, parentNode };
  const own = isRoot ? node : root;
  node.getAttribute = () => id || null;
  node.getRootNode = () => own;
  node.ids ??= new Map();
  if (id && !own.ids.has(id)) own.ids.set(id, node);
  node.getElementById = (/** @type {string} */ wanted) => node.ids.get(wanted) ?? null;
  node.children = children.map((child) => build(child, node, own));
  const elements = node.children.filter((/** @type {any} */ child) => child.nodeType === 1);
  node.firstElementChild = elements[0] ?? null;
  elements.forEach((/** @type {any} */ child, /** @type {number} */ place) => { child.nextElementSibling = elements[place + 1] ?? null; });
  return node;
};

const written = (/** @type {[number, string][]} */ steps, /** @type {number} */ number) => {
  /** @type {string[]} */
  const all = [];
  for (const [above, step] of steps) all.push(above >= 0 ? `${all[above]}/${step}` : step);
  return all[number];
};

test('elements are counted among siblings of their tag, and parents are told once', () => {
  const page = build(['#document', '', ['html', '', ['body', '', ['p', ''], ['a', ''], ['p', ''], ['a', '']]]]);
  const [, one, two, three] = page.children[0].children[0].children;
  const found = paths();
  const numbers = [one, two, three].map(found.of);
  assert.deepEqual(numbers.map((number) => written(found.steps, number)), ['html:0/body:0/a:0', 'html:0/body:0/p:1', 'html:0/body:0/a:1']);
  assert.equal(found.steps.length, 5);
  assert.equal(found.of(two), numbers[1]);
});

test('a path begins at the nearest id that is stable and the first of its name', () => {
  const page = build(['#document', '', ['html', '', ['div', 'box', ['a', '']], ['div', 'box', ['a', '']], ['div', 'row-1234', ['a', '']]]]);
  const found = paths();
  const told = page.children[0].children.map((/** @type {any} */ box) => written(found.steps, found.of(box.children[0])));
  assert.deepEqual(told, ['#box/a:0', 'html:0/div:1/a:0', 'html:0/div:2/a:0']);
});

test('a shadow root is a step of its own', () => {
  const page = build(['#document', '', ['html', '', ['x-host', '', ['#shadow', '', ['b', 'in'], ['b', '']]]]]);
  const [shadow] = page.children[0].children[0].children;
  const found = paths();
  const told = shadow.children.map((/** @type {any} */ inner) => written(found.steps, found.of(Object.assign(inner, { parentNode: shadow }))));
  assert.deepEqual(told, ['html:0/x-host:0/^/#in', 'html:0/x-host:0/^/b:1']);
});
