import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Company } from '../../src/tabwright/extension/background/company.js';
import { Debugger } from '../../src/tabwright/extension/background/debugger.js';

const page = { tabId: 1, frameId: 0, documentId: 'D1', origin: 'https://a.test' };
const target = (type, url) => ({ type, url });
/** What Chrome lists always: our own worker, pages, parts of its own window. */
const USUAL = [target('worker', 'chrome-extension://own/main.js'), target('page', 'https://a.test/'), target('other', 'chrome://omnibox/')];

/** Whether the page is alone beside these targets, frames and sockets. */
function isAlone({ targets = [], frames = [], sockets = [] } = {}) {
  const memory = { read: async () => [], update: async () => {} };
  const debug = new Debugger({ getTargets: async () => [...USUAL, ...targets] }, memory);
  return new Company({ all: () => [page, ...frames] }, { hasSocket: (id) => sockets.includes(id) }, debug).isAlone(page);
}

test('company: a page alone with its origin is alone, whatever others do', async () => {
  assert.equal(await isAlone(), true);
  assert.equal(await isAlone({
    targets: [target('worker', 'https://b.test/sw.js')], frames: [{ ...page, documentId: 'D2', origin: 'https://b.test' }], sockets: ['D2'],
  }), true);
});

for (const [who, beside] of [
  ['a worker of one page, of which Chrome does not say whose it is', { targets: [target('other', '')] }],
  ['a service worker or shared worker of its origin', { targets: [target('worker', 'https://a.test/sw.js')] }],
  ['another window or frame of its origin', { frames: [{ ...page, documentId: 'D2', tabId: 2 }] }],
  ['a socket of its own', { sockets: ['D1'] }],
]) {
  test(`company: ${who} could change a page`, async () => {
    assert.equal(await isAlone(beside), false);
  });
}
