import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Input } from '../../src/tabwright/extension/background/input.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A tab whose pictures fail with these messages, one after the other, before there is one. */
function camera(...messages) {
  let asked = 0;
  const cdp = async () => {
    asked += 1;
    const message = messages.shift();
    if (message) throw new Error(message);
    return { data: PIXEL };
  };
  const during = (_tab, _cdp, _options, work) => work();
  const frames = { during: async (_tab, work) => ({ done: await work(), sites: {} }) };
  const input = new Input({ hold: async () => cdp, held: async () => cdp }, { during }, frames);
  return { shoot: () => input.screenshot(1, 'png', 80), asked: () => asked };
}

test('pictures: one that Chrome misses while the page is exchanged is taken again', async () => {
  const { shoot, asked } = camera('Unable to capture screenshot', 'Unable to capture screenshot');
  const { width, height } = await shoot();
  assert.deepEqual([width, height, asked()], [1, 1, 3]);
});

test('pictures: any other failure is told at once', async () => {
  const { shoot, asked } = camera('Cannot take screenshot with 0 width.');
  await assert.rejects(shoot(), /0 width/);
  assert.equal(asked(), 1);
});
