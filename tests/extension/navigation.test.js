import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Activity } from '../../src/tabwright/extension/background/activity.js';
import { Navigation } from '../../src/tabwright/extension/background/navigation.js';
import { settle } from './fakes.js';

const NO_DOCUMENT = '0'.repeat(32);
const ABORTED = { error: 'net::ERR_ABORTED', documentId: NO_DOCUMENT };
const make = () => new Navigation({ getFrame: async () => ({ documentId: 'here' }), getAllFrames: async () => [] });

/** Whether a way that leads nowhere has been noticed. */
async function noticed(navigation, happens) {
  let came = false;
  const { happened, stop } = navigation.nothing(1);
  void happened.then(() => { came = true; });
  happens();
  await settle();
  stop();
  return came;
}

test('navigation: one that becomes a file or an answer without content comes to nothing', async () => {
  const navigation = make();
  assert.equal(await noticed(navigation, () => {
    navigation.started(1);
    navigation.failed(1, { url: 'https://a.test/file', ...ABORTED });
  }), true);
});

test('navigation: one that another replaced, or that leaves a page still loading, does not', async () => {
  const navigation = make();
  assert.equal(await noticed(navigation, () => {
    navigation.started(1);
    navigation.started(1);
    navigation.failed(1, { url: 'https://a.test/first', ...ABORTED });
  }), false);
  navigation.committed(1);
  assert.equal(await noticed(navigation, () => {
    navigation.started(1);
    navigation.failed(1, { url: 'https://a.test/here', error: 'net::ERR_ABORTED', documentId: 'here' });
    navigation.committed(1);
  }), false);
});

test('navigation: an error page is an arrival, not nothing', async () => {
  const navigation = make();
  assert.equal(await noticed(navigation, () => {
    navigation.started(1);
    navigation.failed(1, { url: 'https://no.test/', error: 'net::ERR_NAME_NOT_RESOLVED', documentId: NO_DOCUMENT });
  }), false);
});

test('navigation: whoever travels is told of the end of that way only', async () => {
  const navigation = make();
  const urls = new Set(['https://a.test/']);
  const arriving = navigation.arrive(1, { expects: (url) => urls.has(url), withinMs: 1_000 }, async () => {
    navigation.failed(1, { url: 'https://other.test/', ...ABORTED });
    urls.add('https://b.test/');
    navigation.failed(1, { url: 'https://b.test/', ...ABORTED });
  });
  assert.deepEqual(await arriving, { outcome: 'failed', error: 'net::ERR_ABORTED' });
});

test('activity: of a navigation the last status and all its addresses are noted', () => {
  const listeners = new Map();
  const onHeadersReceived = {
    addListener: (listener, filter) => listeners.set(listener, filter),
    removeListener: (listener) => listeners.delete(listener),
  };
  const answer = new Activity({ onHeadersReceived }, { inTab: () => [] }).page(7);
  const [[listener, filter]] = listeners;
  assert.deepEqual([filter.tabId, filter.types], [7, ['main_frame']]);
  assert.equal(listener({ url: 'https://a.test/', statusCode: 302 }), undefined, 'an answer could change the request');
  listener({ url: 'https://b.test/', statusCode: 404 });
  assert.deepEqual([answer.status, [...answer.urls]], [404, ['https://a.test/', 'https://b.test/']]);
  answer.stop();
  assert.equal(listeners.size, 0);
});
