import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Bar } from '../../src/tabwright/extension/background/bar.js';
import { Debugger } from '../../src/tabwright/extension/background/debugger.js';

/** Chrome's debugger as far as we use it. */
const fakeChrome = () => {
  const attached = new Set();
  return {
    attached,
    attachments: 0,
    async attach({ tabId }) {
      this.attachments += 1;
      attached.add(tabId);
    },
    async detach({ tabId }) {
      attached.delete(tabId);
    },
    async getTargets() {
      return [...attached].map((tabId) => ({ tabId, attached: true }));
    },
    async sendCommand({ tabId }, method) {
      if (!attached.has(tabId)) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`);
      return { method };
    },
  };
};
const memory = { read: async (_key, fallback) => fallback, update: async () => {} };

test('the first command attaches, and waits until the page has the size it keeps', async () => {
  const api = fakeChrome();
  const settled = [];
  const debug = new Debugger(api, memory, async (tabId) => { settled.push(tabId); });
  assert.deepEqual(await debug.send(1, 'Page.enable'), { method: 'Page.enable' });
  await debug.send(2, 'Page.enable');
  assert.equal(api.attachments, 2);
  assert.deepEqual(settled, [1], 'the bar is there already for the second');
});

test('a command that may not attach does not, and says so', async () => {
  const api = fakeChrome();
  const debug = new Debugger(api, memory);
  const refused = { data: { code: 'detached' } };
  await assert.rejects(debug.send(1, 'Input.dispatchMouseEvent', {}, undefined, false), refused);
  await debug.send(1, 'Page.enable');
  api.attached.clear();
  await assert.rejects(debug.send(1, 'Input.dispatchMouseEvent', {}, undefined, false), refused);
  assert.equal(api.attachments, 1);
});

test('dialogs of a tab that has just opened are told from the moment of the attachment, whatever else that waits for', async () => {
  const api = fakeChrome();
  const asked = [];
  const attach = api.attach;
  api.attach = async function attachLate(target) {
    asked.push('attach');
    await attach.call(api, target);
    // Chrome has attached; its answer is on its way.
    await new Promise(() => {});
  };
  api.sendCommand = async (_target, method) => { asked.push(method); };
  const debug = new Debugger(api, memory);
  void debug.watch(1);
  await new Promise(setImmediate);
  assert.deepEqual(asked, ['attach', 'Page.enable']);
});

test('a tab that is watched counts as attached, and one that cannot be says so', async () => {
  const api = fakeChrome();
  const debug = new Debugger(api, memory);
  await debug.watch(1);
  assert.equal(await debug.isAttached(1), true);
  await debug.watch(1);
  assert.equal(api.attachments, 1);
  api.attach = async () => { throw new Error('Cannot access a chrome:// URL'); };
  await assert.rejects(debug.watch(2), { data: { code: 'unreachable_page' } });
  assert.equal(await debug.isAttached(2), false);
});

test('the bar is waited for where it moves the page', async () => {
  let looks = 0;
  const tabs = { get: async () => ({ active: true, height: (looks += 1) < 4 ? 800 : 744 }) };
  await new Bar(tabs, async () => false).shown(1);
  assert.equal(looks, 4, 'and no longer');
});

test('nothing is waited for in a tab nobody sees, nor where no bar is shown', async () => {
  let asked = 0;
  const tabs = { get: async () => { asked += 1; return { active: false, height: 800 }; } };
  await new Bar(tabs, async () => false).shown(1);
  assert.equal(asked, 1);
  await new Bar(tabs, async () => true).shown(1);
  assert.equal(asked, 1);
});
