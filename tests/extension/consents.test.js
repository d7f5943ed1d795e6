/** What the extension asks about by itself, of clients elsewhere; and whom it does not ask about. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Consents } from '../../src/tabwright/extension/background/consents.js';
import { Gateways, digitsOf } from '../../src/tabwright/extension/background/gateways.js';
import { Memory } from '../../src/tabwright/extension/background/memory.js';
import { Settings } from '../../src/tabwright/extension/background/settings.js';
import { Params } from '../../src/tabwright/extension/common/params.js';
import { FakeArea, until } from './fakes.js';

const SERVER = { id: 's', name: 'wss://proxy.test' };
const SIGNAL = new AbortController().signal;
const evaluate = (params = { expression: '1' }, more = {}) => ({ method: 'Runtime.evaluate', params, tabId: 1, ...more });

function made({ config = {}, url = 'https://a.test/', frames = [], tools = [], answers = [] } = {}) {
  const area = new FakeArea({ profileId: 'p', servers: [{ id: 's', url: `${SERVER.name}/extension`, token: '', on: true }] });
  const settings = new Settings(area, async () => config);
  const world = { url, frames, asked: [], now: 0, settings };
  const gateways = world.gateways = new Gateways(settings);
  const consents = new Consents({
    gateways, settings,
    memory: new Memory(new FakeArea()),
    approvals: { ask: async (question) => { world.asked.push(question); return { answer: await answers.shift() ?? 'deny' }; } },
    tabs: { get: async () => ({ id: 1, url: world.url }) },
    currentTabs: { get: async () => 1 },
    navigation: { frames: async () => world.frames },
    pages: { find: () => ({ registered: tools }) },
  }, () => world.now);
  world.permit = (command, params, connection = 's/c1') =>
    consents.permit(SERVER, command, new Params(params), { connection, signal: SIGNAL });
  return world;
}

const code = (word) => (error) => error.data?.code === word;

test('a yes holds for its origin, class and client, as long as was said', async () => {
  const world = made({ answers: ['once', 'session', 'always'] });
  for (const connection of ['s/c1', 's/c1', 's/c1', 's/c2', 's/c3']) await world.permit('forwardCDPCommand', evaluate(), connection);
  assert.equal(world.asked.length, 3, 'once, then for c1, then for all of the server');
  world.url = 'http://a.test/';
  await assert.rejects(world.permit('forwardCDPCommand', evaluate(), 's/c1'), code('denied'));
  await assert.rejects(world.permit('forwardCDPCommand', evaluate(), 's/c1'), code('denied'));
  assert.equal(world.asked.length, 4, 'a no stands for a while');
  world.now += 60_001;
  await assert.rejects(world.permit('forwardCDPCommand', evaluate(), 's/c1'), code('denied'));
  assert.equal(world.asked.length, 5);
  await world.settings.saveServers([]);
  assert.deepEqual((await world.settings.load()).consents, [], 'it ends with its server');
});

test('silence is a no, and so is a page that changed meanwhile', async () => {
  let answer;
  const world = made({ answers: ['timeout', new Promise((resolve) => { answer = resolve; })] });
  await assert.rejects(world.permit('forwardCDPCommand', evaluate()), code('approval_timeout'));
  const asked = world.permit('forwardCDPCommand', evaluate());
  await until(() => world.asked.length === 2);
  world.url = 'https://b.test/';
  answer('session');
  await assert.rejects(asked, code('stale_target'));
});

test('a command that may be meant for a frame is asked about for every site in the page', async () => {
  const frames = [{ frameId: 0, url: 'https://a.test/' }, { frameId: 1, url: 'https://bank.test/x' }, { frameId: 2, url: 'about:blank' }];
  for (const named of [evaluate({ expression: '1', contextId: 3 }), evaluate({ expression: '1' }, { sessionId: 'S' })]) {
    const world = made({ frames, answers: ['session'] });
    await world.permit('forwardCDPCommand', named);
    assert.match(world.asked[0].question, /https:\/\/a\.test, https:\/\/bank\.test\?/);
  }
  const world = made({ frames, answers: ['session'] });
  await world.permit('forwardCDPCommand', evaluate());
  assert.doesNotMatch(world.asked[0].question, /bank/);
});

test('nobody is asked about what clicks and pictures do anyway, nor in a launched browser or on this machine\'s pages', async () => {
  const world = made();
  for (const method of ['Page.captureScreenshot', 'Input.dispatchMouseEvent', 'Page.enable']) {
    assert.equal(await world.permit('forwardCDPCommand', { method, tabId: 1 }), false);
  }
  assert.equal(await world.permit('click', { x: 1, y: 1 }), false);
  assert.equal(await made({ config: { keeper: true } }).permit('forwardCDPCommand', evaluate()), true);
  assert.equal(await made({ url: 'http://localhost:3000/' }).permit('forwardCDPCommand', evaluate()), false);
  assert.deepEqual(world.asked, []);
  await assert.rejects(made({ url: 'file:///etc/passwd' }).permit('forwardCDPCommand', evaluate()), code('denied'));
});

test('a page that nobody may open can only be left, in a frame too, whoever launched the browser', async () => {
  const dashboard = 'http://127.0.0.1:3456/';
  const shown = [{ url: dashboard }, { url: 'file:///etc/passwd' }, { frames: [{ frameId: 1, url: 'http://169.254.169.254/' }] }];
  for (const config of [{}, { keeper: true, headless: true }]) {
    for (const page of shown) {
      const world = made({ config, ...page });
      for (const command of ['screenshot', 'click', 'tellFrame', 'settleAction']) {
        await assert.rejects(world.permit(command, { tabId: 1 }), code('denied'), command);
      }
      await assert.rejects(world.permit('forwardCDPCommand', evaluate()), code('denied'));
      for (const command of ['browser_navigate', 'goBack', 'closeTab', 'getTabs']) await world.permit(command, { tabId: 1 });
      await world.permit('forwardCDPCommand', { method: 'Page.navigate', params: { url: 'https://a.test/' }, tabId: 1 });
      assert.deepEqual(world.asked, []);
    }
  }
});

test('a tool that its page says has consequences is asked about each time, where somebody can be', async () => {
  const tools = [{ name: 'pay', annotations: { destructiveHint: true } }, { name: 'look', annotations: {} }];
  const call = (toolName) => ({ tabId: 1, frameId: 0, message: { method: 'browser/executeTool', params: { toolName, args: {} } } });
  const world = made({ tools, answers: ['always', 'once'], config: { keeper: true } });
  await world.permit('tabMessage', call('look'));
  await world.permit('tabMessage', call('pay'));
  await world.permit('tabMessage', call('pay'));
  assert.deepEqual(world.asked.map(({ tool, lasting }) => [tool, lasting]), [['pay', false], ['pay', false]]);
  await assert.rejects(world.permit('tabMessage', { tabId: 1, frameId: 0, message: { id: 'q', result: { confirmed: true } } }), code('denied'));
  await assert.rejects(made({ tools, config: { keeper: true, headless: true } }).permit('tabMessage', call('pay')), code('nobody_to_ask'));
});

test('a gateway is known by what it signs for this server, connection and browser, once', async () => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const sign = async (...fields) => {
    const bytes = new TextEncoder().encode(['tabwright gateway 2', ...fields].join('\n'));
    return Buffer.from(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes)).toString('base64url');
  };
  const world = made({ answers: ['once'] });
  const { gateways } = world;
  const prove = (signature) => gateways.prove('s/c1', 'c1', { name: 'far', x, y, signature });
  const here = SERVER.name;
  await assert.rejects(prove(await sign(here, '', 'c1', 'p')), /introduce comes first/);
  for (const wrong of [
    (nonce) => [here, nonce, 'c2', 'p'], (nonce) => [here, nonce, 'c1', 'q'], () => [here, '', 'c1', 'p'], (nonce) => [nonce, 'c1', 'p'],
    // as another server would have it, to which the gateway was led, and which knows our nonce as a client here
    (nonce) => ['wss://other.test', nonce, 'c1', 'p'], (nonce) => ['', nonce, 'c1', 'p'],
  ]) {
    await assert.rejects(prove(await sign(...wrong(gateways.challenge('s/c1')))), /not that of this key/);
  }
  const signature = await sign(here, gateways.challenge('s/c1'), 'c1', 'p');
  assert.deepEqual(await prove(signature), { trusted: false });
  await assert.rejects(prove(signature), /not that of this key/, 'a nonce is good once');
  await world.permit('forwardCDPCommand', evaluate());
  await world.permit('forwardCDPCommand', evaluate());
  assert.equal(world.asked.length, 1);
  assert.match(world.asked[0].question, /"far" run scripts in this browser/);
  gateways.forget('s');
  assert.equal(await gateways.trusts('s/c1'), false, 'the next connection proves it anew');
  assert.deepEqual(await prove(await sign(here, gateways.challenge('s/c1'), 'c1', 'p')), { trusted: true });
});

test('nobody is asked about raw commands that nobody may send', async () => {
  for (const method of ['Network.getAllCookies', 'Network.loadNetworkResource', 'Storage.getCookies', 'Target.attachToTarget', 'Tomorrow.command']) {
    const world = made({ answers: ['always'] });
    await assert.rejects(world.permit('forwardCDPCommand', { method, params: {}, tabId: 1 }), code('denied'), method);
    assert.deepEqual(world.asked, []);
  }
});

test('what goes on in later pages is asked about for every page, wherever it begins', async () => {
  const script = { method: 'Page.addScriptToEvaluateOnNewDocument', params: { source: 'steal()' }, tabId: 1 };
  for (const [method, params] of [
    ['Page.addScriptToEvaluateOnNewDocument', { source: '' }], ['Fetch.enable', {}], ['Network.enable', {}], ['Runtime.addBinding', { name: 'x' }],
    ['Debugger.setBreakpointByUrl', { urlRegex: '.', condition: 'steal()' }],
    ['Page.reload', { scriptToEvaluateOnLoad: 'steal()' }], ['Network.getResponseBody', { requestId: '1' }], ['WebAuthn.enable', {}],
    ['Page.commandOfTomorrow', {}],
  ]) {
    const world = made({ url: 'http://localhost:3000/' });
    await assert.rejects(world.permit('forwardCDPCommand', { method, params, tabId: 1 }), code('denied'), method);
    assert.match(world.asked[0].question, /every page that its tabs show/);
    assert.equal(world.asked[0].origin, '');
  }
  const world = made({ answers: ['session', 'session'] });
  assert.equal(await world.permit('forwardCDPCommand', evaluate()), false, 'a yes for one site hears nothing of the next');
  assert.equal(await world.permit('forwardCDPCommand', script), true);
  world.url = 'https://bank.test/';
  await world.permit('forwardCDPCommand', evaluate());
  assert.equal(world.asked.length, 2, 'every page is every page');
  assert.equal(await made({ config: { keeper: true } }).permit('forwardCDPCommand', script), true);
});

async function proven(gateways, connection) {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const wire = connection.slice(2);
  const text = ['tabwright gateway 2', SERVER.name, gateways.challenge(connection), wire, 'p'].join('\n');
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new TextEncoder().encode(text));
  await gateways.prove(connection, wire, { name: 'far', x, y, signature: Buffer.from(signed).toString('base64url') });
}

test('noes of a server add up, whatever its clients call themselves', async () => {
  const world = made();
  for (let each = 0; each < 20; each += 1) {
    await proven(world.gateways, `s/c${each}`);
    await assert.rejects(world.permit('forwardCDPCommand', evaluate(), `s/c${each}`), code('denied'));
  }
  assert.equal(world.asked.length, 5);
  world.now += 600_001;
  await assert.rejects(world.permit('forwardCDPCommand', evaluate(), 's/c1'), code('denied'));
  assert.equal(world.asked.length, 6);
});

test('nobody speaks to the person in our pages but a gateway they trust', async () => {
  const world = made({ answers: ['once'] });
  for (const command of ['askPerson', 'showActivity']) await assert.rejects(world.permit(command, {}), code('denied'), command);
  assert.deepEqual(world.asked, []);
  await proven(world.gateways, 's/c1');
  await assert.rejects(world.permit('showActivity', {}), code('denied'));
  await world.permit('askPerson', {});
  assert.deepEqual(world.asked.map(({ kind }) => kind), ['gateway'], 'first whether it is trusted');
  await world.permit('showActivity', {});
  await made({ config: { keeper: true } }).permit('askPerson', {});
});

test('the person\'s files, this extension and its pages are no stranger\'s business', async () => {
  const world = made({ answers: ['deny', 'once'] });
  for (const command of ['reload', 'judgeDownload', 'showHolds']) await assert.rejects(world.permit(command, {}), code('denied'), command);
  assert.deepEqual(world.asked, [], 'a stranger is not asked about');
  await proven(world.gateways, 's/c1');
  assert.equal(await world.permit('showHolds', {}), false, 'shown, and not in its own words');
  await assert.rejects(world.permit('reload', {}), code('denied'));
  assert.deepEqual(world.asked, []);
  await assert.rejects(world.permit('judgeDownload', {}), code('denied'), 'the person said no');
  world.now += 60_001;
  await world.permit('judgeDownload', {});
  assert.deepEqual(world.asked.map(({ kind }) => kind), ['gateway', 'gateway']);
  await world.permit('reload', {});
  assert.equal(await world.permit('showHolds', {}), true);
  await made({ config: { keeper: true } }).permit('reload', {});
});

test('the digits of a key are too many to look for another key with the same', () => {
  assert.equal(digitsOf('f'.repeat(64)), '57584 00791 31296 39935');
  assert.equal(digitsOf('0'.repeat(64)), '00000 00000 00000 00000');
});

test('a browser that nobody sits at trusts the gateways its config.json names, once they have proved it', async () => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { x, y } = await crypto.subtle.exportKey('jwk', publicKey);
  const id = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${x}.${y}`))).toString('hex');
  const trying = async (trustedGateways) => {
    const world = made({ config: { headless: true, trustedGateways } });
    const bytes = new TextEncoder().encode(['tabwright gateway 2', SERVER.name, world.gateways.challenge('s/c1'), 'c1', 'p'].join('\n'));
    const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes);
    assert.equal(await world.gateways.trusts('s/c1'), false, 'a name proves nothing');
    await world.gateways.prove('s/c1', 'c1', { name: 'far', x, y, signature: Buffer.from(signed).toString('base64url') });
    return world;
  };
  const world = await trying([id]);
  assert.equal(await world.gateways.trusts('s/c1'), true);
  await world.permit('forwardCDPCommand', evaluate());
  assert.deepEqual(world.asked, []);
  await assert.rejects(world.permit('forwardCDPCommand', evaluate(), 's/c2'), code('nobody_to_ask'), 'another connection proves its own');
  for (const wrong of [[`${id.slice(1)}0`], [id.slice(0, 10)], [''], id, undefined, [{ id }]]) {
    assert.equal(await (await trying(wrong)).gateways.trusts('s/c1'), false);
  }
});
