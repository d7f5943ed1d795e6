import assert from 'node:assert/strict';
import { test } from 'node:test';

/** @type {Map<string, (agent: any) => any>} */
const makers = new Map();
const agent = { part: (/** @type {string} */ name, /** @type {(agent: any) => any} */ make) => { makers.set(name, make); }, get: (/** @type {string} */ name) => makers.get(name)?.(agent) };
/** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')] = agent;
await import('../../src/tabwright/extension/content/agent/deeds.js');
await import('../../src/tabwright/extension/content/agent/wording.js');
const wording = /** @type {(agent: any) => import('../../src/tabwright/extension/content/agent/agent').Wording} */ (makers.get('wording'))(agent);

for (const [heading, thing] of [
  ['Threads', 'thread'], ['Recent threads (12)', 'thread'], ['Search results for cats', 'result'], ['12 products', 'product'],
  ['Inbox', 'thread'], ['My cart', 'item'], ['Companies', 'company'], ['Boxes', 'box'], ['People', 'person'], ['Todos', 'todo'],
  ['Folders and files', 'file'], ['Pinned repositories', 'repo'], ['Open issues', 'issue'],
  // nothing in these names what the rows are
  ['Trending', ''], ['News', ''], ['Settings', ''], ['anthropics / claude-code', ''], ['Select user to change', ''], ['', ''],
  ['Ergebnis', ''], ['日本語', ''],
]) {
  test(`the rows under "${heading}" are called "${thing}"`, () => assert.equal(wording.thing(heading), thing));
}

for (const [label, plain] of [
  ['Star 61.2k', 'Star'], ['Star this repository (61234)', 'Star this repository'], ['Cart, 0 items', 'Cart'],
  ['New Launcher (Ctrl+Shift+L)', 'New Launcher'], ['Search or jump to…', 'Search or jump to'], ['Next →', 'Next'],
  ['Step 2 of 3', 'Step of'], ['Save & close', 'Save close'], ['Users, sorted by name', 'Users'],
  ['Tickets (ordered by date, descending)', 'Tickets'],
]) {
  test(`"${label}" without what changes is "${plain}"`, () => assert.equal(wording.plain(label), plain));
}

test('a phrase has five words at most, and no determiners', () => {
  assert.equal(wording.phrase('Star this repository'), 'star repo');
  assert.equal(wording.phrase('Add the best of all mugs to your cart'), 'add best of all mugs');
});

test('what a label calls "this" is what the page is about', () => {
  assert.equal(wording.subject('Star this repository'), 'repo');
  assert.equal(wording.subject('Close this dialog'), '');
  assert.equal(wording.subject('Star'), '');
});

for (const label of ['Delete', 'Remove item', 'Pay now', 'Buy', 'Send', 'Publish post', 'Log out', 'Shut Down', 'Place order']) {
  test(`"${label}" is destructive`, () => assert.equal(wording.isDestructive(label), true));
}
for (const label of ['Add to cart', 'Undelete', 'Sender', 'Payment methods', 'Buyers guide', 'Order by', 'Open', 'Star', '']) {
  test(`"${label}" is not destructive`, () => assert.equal(wording.isDestructive(label), false));
}

for (const [tokens, name] of [
  ['btn btn-icon fa fa-trash', 'delete'], ['destroy', 'delete'], ['IconButton closeButton', 'close'], ['#icon-pencil', 'edit'],
  ['css-1a2b3c MuiButton-root', ''], ['', ''],
]) {
  test(`the picture of "${tokens}" shows "${name}"`, () => assert.equal(wording.picture(tokens), name));
}

for (const [token, name] of [
  ['product-card', 'product'], ['thread-list', 'thread'], ['todo_item', 'todo'], ['searchRow', 'search'],
  ['row', ''], ['card', ''], ['x9f3', ''], ['flex-row-item', ''], ['btn-primary', ''],
]) {
  test(`the class "${token}" speaks of "${name}"`, () => assert.equal(wording.className(token), name));
}
