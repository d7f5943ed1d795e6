import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Journey } from '../../src/tabwright/extension/background/journey.js';
import { Activity } from '../../src/tabwright/extension/background/activity.js';
import { moverOf, Navigation } from '../../src/tabwright/extension/background/navigation.js';
import { Restless } from '../../src/tabwright/extension/background/restless.js';
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

test('navigation: the document that Chrome told of last is known until one fails', () => {
  const navigation = make();
  assert.equal(navigation.shown(1), undefined);
  navigation.committed(1, 'https://a.test/', 'a');
  navigation.movedWithin(1, 'https://a.test/#b', 'a');
  assert.deepEqual(navigation.shown(1), { documentId: 'a', url: 'https://a.test/#b' });
  navigation.failed(1, { url: 'https://b.test/', ...ABORTED });
  assert.equal(navigation.shown(1), undefined);
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

test('activity: of a navigation the last status and all its addresses are noted', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const listeners = new Map();
  const onHeadersReceived = {
    addListener: (listener, filter) => listeners.set(listener, filter),
    removeListener: (listener) => listeners.delete(listener),
  };
  const before = new Journey('https://earlier.test/', undefined);
  before.urls.add('https://earlier.test/');
  const journey = new Journey('https://a.test/', before);
  const deaf = { addListener() {}, removeListener() {} };
  const api = { onHeadersReceived, onBeforeRequest: deaf, onCompleted: deaf, onErrorOccurred: deaf };
  const answer = new Activity(api, { inTab: () => [] }).page(7, journey);
  const [[listener, filter]] = listeners;
  assert.deepEqual([filter.tabId, filter.types], [7, ['main_frame']]);
  const heard = (requestId, url, statusCode) => listener({ requestId, url, statusCode });
  assert.equal(heard('2', 'https://a.test/', 302), undefined, 'an answer could change the request');
  heard('2', 'https://b.test/', 404);
  heard('1', 'https://earlier.test/', 200);
  assert.deepEqual([answer.status, [...journey.urls]], [404, ['https://a.test/', 'https://b.test/']]);
  heard('2', 'https://earlier.test/', 500);
  assert.equal(answer.status, 500, 'its own request may be redirected anywhere');
  answer.stop();
  heard('3', 'https://later.test/', 200);
  assert.equal(answer.status, 500, 'the next one is another’s');
  context.mock.timers.runAll();
  assert.equal(listeners.size, 0);
});

test('navigation: a page of an earlier way is not where a later one leads', async () => {
  const navigation = make();
  const before = new Journey('https://earlier.test/', undefined);
  before.urls.add('https://earlier.test/');
  const journey = new Journey('https://b.test/', before);
  journey.urls.add('https://b.test/');
  const whose = { isOther: (url) => journey.isOther(url), begins: (url) => journey.begins(url) };
  const arriving = navigation.arrive(1, { ...whose, withinMs: 50 }, async () => {
    navigation.started(1, 'https://earlier.test/');
    navigation.committed(1, 'https://earlier.test/');
    navigation.started(1, 'https://b.test/');
  });
  assert.deepEqual(await arriving, { outcome: 'running' });
  assert.equal(journey.begun, 1);
});

test('navigation: a page that moves within itself is still awaited elsewhere', async () => {
  const navigation = make();
  const within = (url) => url === 'https://a.test/#there';
  const arriving = navigation.arrive(1, { within, withinMs: 1_000 }, async () => {
    navigation.started(1, 'https://never.test/');
    navigation.movedWithin(1, 'https://a.test/#here');
    assert.equal(navigation.awaited(1), 'https://never.test/');
    navigation.movedWithin(1, 'https://a.test/#there');
  });
  assert.deepEqual(await arriving, { outcome: 'committed' });
});

test('journey: a later one takes over once, and whoever wants the same address goes along', async () => {
  const first = new Journey('https://a.test/', undefined);
  assert.equal(first.leadsTo('https://a.test/'), true);
  const second = new Journey('https://b.test/', first);
  assert.equal(await first.overtaken, 'overtaken');
  assert.deepEqual([first.stage, first.leadsTo('https://a.test/'), second.stage], ['overtaken', false, 'under way']);
  first.finish();
  assert.equal(first.stage, 'overtaken');
  assert.equal(new Journey('reload', undefined).leadsTo('reload'), false, 'each reload is one of its own');
});

test('journey: only when the last of those who wait has gone is it given up', () => {
  const journey = new Journey('https://a.test/', undefined);
  journey.follow();
  journey.follow();
  assert.deepEqual([journey.leave(), journey.stage], [false, 'under way']);
  assert.deepEqual([journey.leave(), journey.stage], [true, 'given up']);
  const over = new Journey('https://a.test/', undefined);
  over.follow();
  over.finish();
  assert.equal(over.leave(), false, 'what is over is not stopped');
});

const HERE = 'https://restless.test/';
const THERE = 'https://there.test/';

/** A journey that waits for a tab which its page keeps moving. */
function restless(navigation, happens) {
  const journey = new Journey(THERE, undefined);
  journey.urls.add(THERE);
  const whose = { isOther: (url, by) => journey.isOther(url, by), begins: (url) => journey.begins(url) };
  return navigation.arrive(1, { ...whose, withinMs: 50 }, async () => happens(journey));
}

test('navigation: where the page sends the tab is not where the journey leads', async () => {
  const navigation = make();
  assert.deepEqual(await restless(navigation, () => {
    navigation.started(1, THERE);
    navigation.committed(1, HERE, 'a', 'page');
    navigation.committed(1, HERE, 'b', 'history');
    assert.equal(navigation.awaited(1), THERE, 'its own is still under way');
  }), { outcome: 'running' });
  assert.deepEqual(await restless(navigation, (journey) => {
    navigation.started(1, THERE);
    navigation.started(1, HERE);
    assert.equal(journey.isBegun, true);
    navigation.committed(1, HERE, 'c');
  }), { outcome: 'running' });
});

test('navigation: one that the page began in the last moment takes over from what arrives', async () => {
  const navigation = make();
  assert.deepEqual(await restless(navigation, () => {
    navigation.started(1, THERE);
    navigation.started(1, HERE);
    navigation.committed(1, THERE, 'a');
    assert.equal(navigation.awaited(1), HERE);
  }), { outcome: 'committed', isOverrun: true });
});

test('navigation: who moved a tab is read from what Chrome says of it', () => {
  const mover = (transitionType, ...transitionQualifiers) => moverOf({ transitionType, transitionQualifiers });
  assert.deepEqual(
    [mover('reload'), mover('link', 'client_redirect'), mover('link', 'forward_back'), mover('link', 'server_redirect')],
    ['page', 'page', 'history', 'address'],
  );
});

test('restless: a page is told from a person who goes elsewhere once', async () => {
  const navigation = make();
  const taken = (...moves) => {
    const isPage = new Restless({ navigation }).isPage(1, 5);
    for (const by of moves) if (by === 'begun') navigation.started(1, HERE); else navigation.committed(1, HERE, 'a', by);
    return isPage;
  };
  assert.equal(await taken(), false);
  assert.equal(await taken('begun', 'page'), true);
  assert.equal(await taken('history', 'history', 'history'), true);
  assert.equal(await taken('begun', 'address'), false);
});

test('restless: scripts stand still only until the empty page is there, and the debugger goes again', async () => {
  const navigation = make();
  const did = [];
  const parts = {
    navigation,
    tabs: { go: async (tabId, url) => { did.push(url); navigation.started(tabId, url); navigation.committed(tabId, url, 'b'); } },
    debugger: {
      isAttached: async () => false,
      hold: async () => async (method, { value }) => { did.push([method, value]); },
      detach: async () => { did.push('detached'); },
    },
  };
  await new Restless(parts).end(1);
  const disabled = 'Emulation.setScriptExecutionDisabled';
  assert.deepEqual(did, [[disabled, true], 'about:blank', [disabled, false], 'detached']);
});
