import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Handshake, WrongServer } from '../../src/tabwright/extension/background/handshake.js';

const KEY = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const NONCE = 'a'.repeat(32);
const THEIRS = 'b'.repeat(32);
const WHO = { extensionId: 'dpkekkdbbmdkdninljfoipajbjonchlb', profileId: 'profile-1', key: KEY };

/** The same texts, written out, signed by another implementation. */
const sign = (label, key = KEY) =>
  createHmac('sha256', Buffer.from(key, 'hex'))
    .update(`tabwright ${label}\ndpkekkdbbmdkdninljfoipajbjonchlb\nprofile-1\n${NONCE}\n${THEIRS}`)
    .digest('hex');

test('the texts are signed as documented', async () => {
  // Computed by an independent implementation, so that both sides can check against the same numbers.
  const answer = await new Handshake(WHO, NONCE).answer({
    nonce: THEIRS,
    proof: '2837206a86f9240402b2a361f1c8b060d79f52ac4cff7cf22c62db5e7b783655',
  });
  assert.equal(answer.proof, '7098529380388c11029a8a35edb5bc8a6ce24ec6dac600f7bc2dc85e3bae5b1b');
});

test('hello names the browser and says when it wants to pair', () => {
  const { key: _, ...identity } = WHO;
  const hello = { type: 'hello', protocol: 1, ...identity, nonce: NONCE };
  assert.deepEqual(new Handshake(WHO, NONCE).hello(), hello);
  assert.deepEqual(new Handshake({ ...WHO, pairing: true }, NONCE).hello(), { ...hello, pairing: true });
});

test('each handshake has a nonce of 128 random bits', () => {
  const [one, two] = [new Handshake(WHO).hello().nonce, new Handshake(WHO).hello().nonce];
  assert.match(one, /^[0-9a-f]{32}$/);
  assert.notEqual(one, two);
});

test('a server that knows the key gets our proof', async () => {
  const answer = await new Handshake(WHO, NONCE).answer({ nonce: THEIRS, proof: sign('server') });
  assert.deepEqual(answer, { type: 'proof', proof: sign('extension') });
});

test('a server that does not know the key gets nothing', async () => {
  const handshake = new Handshake(WHO, NONCE);
  for (const proof of [sign('server', 'ff'.repeat(32)), sign('extension'), sign('server').toUpperCase(), '', undefined, 7]) {
    await assert.rejects(handshake.answer({ nonce: THEIRS, proof }), WrongServer);
  }
  assert.equal(handshake.outcome, undefined);
});

test('a challenge without a proper nonce is no challenge', async () => {
  for (const nonce of ['', 'b'.repeat(31), `${'b'.repeat(31)}\n`, 'B'.repeat(32), undefined]) {
    await assert.rejects(new Handshake(WHO, NONCE).answer({ nonce, proof: sign('server') }), WrongServer);
  }
});

test('pairing yields the long-term key and six digits', async () => {
  const oneTime = 'cd'.repeat(16);
  const handshake = new Handshake({ ...WHO, key: oneTime, pairing: true }, NONCE);
  await handshake.answer({ nonce: THEIRS, proof: sign('server', oneTime) });
  const digits = String(Number.parseInt(sign('digits', oneTime).slice(0, 8), 16) % 1_000_000).padStart(6, '0');
  assert.deepEqual(handshake.outcome, { digits, longTermKey: sign('pairing', oneTime) });
});
