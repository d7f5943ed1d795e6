import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HubOrigins, isAllowed } from '../../src/tabwright/extension/background/hub_origins.js';
import { Settings } from '../../src/tabwright/extension/background/settings.js';
import { FakeArea, FakePort } from './fakes.js';

const at = (origin) => new FakePort({ origin });
const told = (port) => port.sent.map(({ hub }) => hub);

test('an origin is allowed by its name or by a domain above it', () => {
  const patterns = ['https://shop.example', 'https://*.bank.example'];
  for (const origin of ['https://shop.example', 'https://a.bank.example', 'https://a.b.bank.example']) assert.ok(isAllowed(origin, patterns));
  for (const origin of ['http://shop.example', 'https://shop.example:8443', 'https://bank.example', 'https://evilbank.example',
    'https://shop.example.evil.example', 'null', 'file://', 'chrome-extension://abc']) assert.ok(!isAllowed(origin, patterns), origin);
  assert.ok(isAllowed('http://any.example:81', []));
  assert.ok(!isAllowed('null', []) && !isAllowed('file://', []));
});

test('every frame is told, again when the gateway tells others, and by what it told last before it does', async () => {
  const area = new FakeArea();
  const origins = new HubOrigins(new Settings(area, async () => ({})));
  const [shop, ad, gone] = ['https://shop.example', 'https://ad.example', 'https://gone.example'].map(at);
  for (const port of [shop, ad, gone]) await origins.accept(port);
  gone.breaks();
  await origins.update(['https://shop.example']);
  await origins.update(['https://shop.example']);
  assert.deepEqual([shop, ad, gone].map(told), [[true], [true, false], [true]]);
  const restarted = new HubOrigins(new Settings(area, async () => ({})));
  const early = at('https://ad.example');
  await restarted.accept(early);
  await restarted.update([]);
  assert.deepEqual(told(early), [false, true]);
});
