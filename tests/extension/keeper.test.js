import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keeper } from '../../src/tabwright/extension/background/keeper.js';

const [OURS, NEW_TAB] = ['chrome-extension://us/ui/keeper.html', 'chrome://newtab/'];

/** A keeper in a browser whose tabs show these addresses, by their ids, and which tab it had. */
function made(shown, keeperTabId) {
  const config = { keeper: true, keeperTabId };
  const tabs = {
    showing: async (url) => Object.keys(shown).map(Number).filter((id) => shown[id] === url),
    closeAll: async (ids) => { for (const id of ids) delete shown[id]; },
    turnInto: async (id, url, mayReplace) => {
      if (!(id in shown) || !mayReplace(shown[id])) return false;
      shown[id] = url;
      return true;
    },
  };
  const windows = { openMinimised: async (url) => { shown[9] = url; return { id: 9 }; } };
  const settings = { load: async () => config, saveKeeperTab: async (id) => { config.keeperTabId = id; } };
  return { keeper: new Keeper(tabs, windows, settings, OURS), shown, config };
}

test('keeper: one page of ours, however many there were', async () => {
  for (const shown of [{}, { 9: OURS }, { 9: OURS, 10: OURS }]) {
    const { keeper, config } = made(shown);
    await Promise.all([keeper.ensure(), keeper.ensure()]);
    assert.deepEqual([shown, config.keeperTabId], [{ 9: OURS }, 9]);
  }
});

test('keeper: turned back when Chrome has put its page there, before the worker or after it', async () => {
  const before = made({ 4: NEW_TAB }, 4);
  await before.keeper.ensure();
  assert.deepEqual(before.shown, { 4: OURS });

  const after = made({ 4: OURS }, 4);
  await after.keeper.ensure();
  after.shown[4] = NEW_TAB;
  await after.keeper.shows(4, NEW_TAB);
  assert.deepEqual(after.shown, { 4: OURS });
});

test('keeper: a tab of the person and another page in its own are left alone', async () => {
  const { keeper, shown } = made({ 4: OURS, 5: NEW_TAB }, 4);
  await keeper.ensure();
  await keeper.shows(5, NEW_TAB);
  shown[4] = 'https://else.example/';
  await keeper.shows(4, shown[4]);
  assert.deepEqual(shown, { 4: 'https://else.example/', 5: NEW_TAB });
});
