import assert from 'node:assert/strict';
import { test } from 'node:test';

/** Stands for the page's world: what Node lacks of it, as far as the hook looks at it. */
const world = /** @type {any} */ (globalThis);
world.Node = class Node extends EventTarget {
  connected = true;
  get isConnected() { return this.connected; }
};
world.Element = class Element extends world.Node {};
for (const name of ['HTMLElement', 'SVGElement']) {
  world[name] = class extends world.Element {};
  Object.defineProperty(world[name].prototype, 'onclick', { get() { return this.handler ?? null; }, set(handler) { this.handler = handler; }, configurable: true, enumerable: true });
}
world.StaticRange = class { constructor(/** @type {any} */ init) { this.startContainer = init.startContainer; } };
world.InputEvent = class extends Event {
  constructor(/** @type {string} */ type, /** @type {any} */ init) { super(type); this.ranges = init.targetRanges; this.data = init.data; }
};
world.MutationObserver = class { observe() {} };
world.document = new EventTarget();
world.window = new EventTarget();
await import('../../src/tabwright/extension/page/natives.js');
await import('../../src/tabwright/extension/page/listeners.js');

/** Elements, and for what they listen. @returns {Map<any, number>} */
const answered = () => {
  const found = new Map();
  const hear = (/** @type {any} */ event) => { for (const range of event.ranges) found.set(range.startContainer, Number(event.data)); };
  world.window.addEventListener('answer', hear);
  world.window.dispatchEvent(new MessageEvent('tabwright:listened', { data: 'answer' }));
  world.window.removeEventListener('answer', hear);
  return found;
};
const noted = () => [...answered().keys()];
const listen = (/** @type {EventTarget} */ element, /** @type {string[]} */ ...types) => {
  for (const type of types) element.addEventListener(type, () => {});
  return element;
};

test('what the scripts of the page share is gone when they are loaded', () => {
  assert.deepEqual(Reflect.ownKeys(world.window).filter((key) => String(key).includes('tabwright')), []);
});

test('elements with listeners for clicks are told, and no others', () => {
  const clicked = listen(new world.HTMLElement(), 'click');
  const shape = listen(new world.SVGElement(), 'pointerdown');
  listen(new world.HTMLElement(), 'keydown', 'scroll');
  listen(new EventTarget(), 'click');
  new world.HTMLElement().addEventListener('click', null);
  assert.deepEqual(noted(), [clicked, shape]);
});

test('for what an element listens is told: clicks, presses, drags, drops, pointers that come', () => {
  const elements = [['click'], ['pointerdown'], ['dragstart'], ['dragover', 'drop'], ['mouseenter'], ['mousedown', 'dragenter']]
    .map((types) => listen(new world.HTMLElement(), ...types));
  const found = answered();
  assert.deepEqual(elements.map((each) => found.get(each)), [1, 2, 4, 8, 16, 10]);
});

test('a listener taken back, and an element taken out, are told no more', () => {
  const before = noted().length;
  const element = new world.HTMLElement();
  const hear = () => {};
  element.addEventListener('click', hear);
  element.removeEventListener('click', hear);
  const gone = listen(new world.HTMLElement(), 'click');
  gone.connected = false;
  assert.equal(noted().length, before);
});

test('a handler set as a property counts until it is taken away', () => {
  const element = new world.HTMLElement();
  element.onclick = () => {};
  element.onclick = () => {};
  assert.ok(noted().includes(element));
  element.onclick = null;
  assert.ok(!noted().includes(element));
});

test('whoever listens to everything hands it on to others', () => {
  const root = listen(new world.HTMLElement(), 'click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart');
  assert.ok(!noted().includes(root));
});

test('listeners work as before, and what is wrapped looks built in', () => {
  const element = new world.HTMLElement();
  let heard = 0;
  element.addEventListener('click', () => { heard += 1; });
  element.dispatchEvent(new Event('click'));
  assert.equal(heard, 1);
  const { addEventListener } = EventTarget.prototype;
  assert.deepEqual([addEventListener.name, addEventListener.length], ['addEventListener', 2]);
  assert.match(Function.prototype.toString.call(addEventListener), /\[native code\]/);
  assert.deepEqual(Object.keys(element).filter((name) => name !== 'connected'), []);
});

test('loaded a second time it leaves everything as it is', async () => {
  const { addEventListener } = EventTarget.prototype;
  await import(`../../src/tabwright/extension/page/natives.js?${'again'}`);
  await import(`../../src/tabwright/extension/page/listeners.js?${'again'}`);
  assert.equal(EventTarget.prototype.addEventListener, addEventListener);
});
