import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import { AWAY, Backoff, REFUSED } from '../../src/tabwright/extension/common/backoff.js';
import { Coalescer } from '../../src/tabwright/extension/common/coalescer.js';

beforeEach(() => mock.timers.reset());

test('a gateway that is away is looked for after 0.1 s, doubling to 2 s', () => {
  const backoff = new Backoff();
  assert.deepEqual(Array.from({ length: 7 }, () => backoff.wait(AWAY)), [100, 200, 400, 800, 1600, 2000, 2000]);
});

test('a wrong server is tried slowly, 2 s to 30 s', () => {
  const backoff = new Backoff();
  backoff.wait(AWAY);
  assert.deepEqual(Array.from({ length: 6 }, () => backoff.wait(REFUSED)), [2000, 4000, 8000, 16000, 30000, 30000]);
});

test('a change of pace, or success, starts over', () => {
  const backoff = new Backoff();
  backoff.wait(AWAY);
  backoff.wait(AWAY);
  backoff.wait(REFUSED);
  assert.equal(backoff.wait(AWAY), 100);
  backoff.wait(AWAY);
  backoff.reset();
  assert.equal(backoff.wait(AWAY), 100);
});

function storm(events, untilMs) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const acted = [];
  const coalescer = new Coalescer(() => acted.push(Date.now()), 100);
  while (Date.now() <= untilMs) {
    for (const key of events(Date.now())) coalescer.touch(key);
    mock.timers.tick(10);
  }
  return acted;
}

test('a lone event acts at once and once', () => {
  assert.deepEqual(storm((now) => (now === 0 ? [1] : []), 500), [0]);
});

test('a second event within the window acts at its end', () => {
  assert.deepEqual(storm((now) => (now === 0 || now === 30 ? [1] : []), 500), [0, 100]);
});

test('a storm acts at most once a window, and after its last event', () => {
  const acted = storm((now) => (now <= 1000 ? [1] : []), 1500);
  assert.ok(acted.length <= 12, `${acted.length} acts`);
  assert.ok(acted.at(-1) >= 1000);
  for (let i = 1; i < acted.length; i += 1) assert.ok(acted[i] - acted[i - 1] >= 100);
});

test('tabs do not delay one another', () => {
  assert.deepEqual(storm((now) => (now === 0 ? [1] : now === 20 ? [2] : []), 300), [0, 20]);
});

test('a forgotten tab acts no more', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const acted = [];
  const coalescer = new Coalescer((key) => acted.push(key), 100);
  coalescer.touch(1);
  coalescer.touch(1);
  coalescer.forget(1);
  mock.timers.tick(500);
  assert.deepEqual(acted, [1]);
});
