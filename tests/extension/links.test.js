import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Links, isHeard } from '../../src/tabwright/extension/background/links.js';

const DIALOG = 'Page.javascriptDialogOpening';
const LOADED = 'Page.loadEventFired';

test('links: what our gateway hears of the debugger is what it acts on', () => {
  const acted = [DIALOG, 'Page.fileChooserOpened', 'Page.downloadWillBegin', 'Inspector.detached', 'Network.loadingFinished'];
  assert.deepEqual(acted.filter(isHeard), acted);
  assert.deepEqual([LOADED, 'Page.frameNavigated', 'Page.frameStartedLoading'].filter(isHeard), []);
});

test('links: an event of the debugger is sent to those who hear it', () => {
  const sent = [];
  const local = { hearsDebugger: (_, method) => isHeard(method), send: (message) => sent.push(message) };
  const links = new Links(/** @type {any} */ (local));
  for (const method of [LOADED, DIALOG]) links.sendOfDebugger(7, method, /** @type {any} */ ({ method }));
  assert.deepEqual(sent, [{ method: DIALOG }]);
});
