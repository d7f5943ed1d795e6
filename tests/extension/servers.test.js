import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress, readClaims, readServers, readToken, shownAddress } from '../../src/tabwright/extension/common/servers.js';
import { lookOf } from '../../src/tabwright/extension/ui/server_look.js';

const URL_ = 'wss://proxy.example.com/extension';
const NOW = 1_000_000;

const token = (claims = {}) => `eyJh.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

for (const [written, read] of [
  ['wss://proxy.example.com', URL_],
  [' WSS://Proxy.Example.com:443/ ', URL_],
  ['wss://proxy.example.com/extension', URL_],
  ['wss://proxy.example.com:8443', 'wss://proxy.example.com:8443/extension'],
  ['ws://127.0.0.1:8787', 'ws://127.0.0.1:8787/extension'],
  ['ws://localhost:1', 'ws://localhost:1/extension'],
  ['ws://[::1]:1', 'ws://[::1]:1/extension'],
]) {
  test(`the address ${written} is understood`, () => assert.equal(readAddress(written), read));
}

for (const [written, words] of [
  ['', /Enter the address/],
  ['proxy.example.com', /not an address|begins with wss/],
  ['https://proxy.example.com', /Write wss:\/\/proxy\.example\.com/],
  ['http://proxy.example.com', /Write wss:\/\/proxy\.example\.com/],
  ['http://127.0.0.1:8787', /Write ws:\/\/127\.0\.0\.1:8787/],
  ['ftp://proxy.example.com', /begins with wss/],
  ['ws://proxy.example.com', /unencrypted/],
  ['ws://127.0.0.1.example.com', /unencrypted/],
  ['wss://me:secret@proxy.example.com', /No name or password/],
  ['wss://proxy.example.com/mcp', /Leave out \/mcp/],
  ['wss://proxy.example.com/else', /Nothing may follow/],
  ['wss://proxy.example.com?token=1', /Nothing may follow/],
]) {
  test(`the address ${written} is refused with what to do`, () => {
    assert.throws(() => readAddress(written), { field: 'url', message: words });
  });
}

test('a token for this server and side is taken as it is', () => {
  for (const claims of [{}, { role: 'extension' }, { connection_url: 'wss://PROXY.example.com:443/mcp' }, { exp: 1_001 }]) {
    assert.equal(readToken(` ${token(claims)}\n`, URL_, NOW), token(claims));
  }
});

for (const [claims, words] of [
  [{ role: 'mcp' }, /for an MCP client/],
  [{ exp: 999 }, /expired/],
  [{ connection_url: 'wss://evil.example/extension' }, /for wss:\/\/evil\.example, not for wss:\/\/proxy\.example\.com/],
  [{ connection_url: 'nothing' }, /another server/],
]) {
  test(`a token that says ${JSON.stringify(claims)} stays here`, () => {
    assert.throws(() => readToken(token(claims), URL_, NOW), { field: 'token', message: words });
  });
}

test('what is no token is refused', () => {
  for (const text of ['a', 'a.b', 'a.!.c', 'a.b.c', `eyJh.${Buffer.from('[1]').toString('base64url')}.c`, 'x'.repeat(9_000)]) {
    assert.throws(() => readToken(text, URL_, NOW), { field: 'token', message: /not a token/ });
  }
});

test('only a server on this machine may ask for no token', () => {
  assert.equal(readToken(' ', 'ws://127.0.0.1:1/extension', NOW), '');
  assert.throws(() => readToken('', URL_, NOW), { field: 'token' });
});

test('claims are read as far as they make sense', () => {
  assert.deepEqual(readClaims(token({ sub: 'ädä', exp: 5, role: 7, connection_url: URL_ })), { user: 'ädä', expires: 5_000, url: URL_ });
});

test('of what is stored only whole servers are used', () => {
  const whole = { id: 'a', url: URL_, token: 't', on: true };
  assert.deepEqual(readServers([whole, { ...whole, on: 'yes' }, { id: 'b' }, null, 7]), [whole, { ...whole, on: false }]);
  assert.deepEqual(readServers('x'), []);
});

test('an address is shown without its path', () => {
  assert.equal(shownAddress(URL_), 'wss://proxy.example.com');
  assert.equal(shownAddress('?'), '?');
});

const view = (more) => ({ id: 'a', url: URL_, on: true, state: 'connected', user: '', clients: 0, reason: '', tokenEnd: '', ...more });

for (const [more, state, detail] of [
  [{ user: 'ada' }, 'Connected as ada', 'No client uses this browser now.'],
  [{ clients: 1 }, 'Connected', '1 client uses this browser.'],
  [{ clients: 2 }, 'Connected', '2 clients use this browser.'],
  [{ state: 'looking' }, 'Connecting…', ''],
  [{ state: 'looking', nextTryAt: NOW + 2_400 }, 'No answer', 'Next try in 2 s.'],
  [{ state: 'refused', tokenEnd: 'x', reason: 'Authentication failed: Invalid token', nextTryAt: NOW }, 'Refused', 'Invalid token. Trying again now.'],
  [{ state: 'refused', reason: 'name and accessToken are required' }, 'Refused',
    'This server wants a token: press Edit and paste the one for this browser.'],
  [{ state: 'wrong-server' }, 'Wrong server', 'It gave no reason.'],
  [{ on: false }, 'Off', ''],
  [{ state: 'off' }, 'Off', ''],
]) {
  test(`a server that is ${JSON.stringify(more)} reads "${state}"`, () => {
    const look = lookOf(view(more), NOW);
    assert.deepEqual([look.state, look.detail], [state, detail]);
  });
}
