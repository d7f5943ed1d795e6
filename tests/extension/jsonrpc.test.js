import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionOf, failure, readFrame, success } from '../../src/tabwright/extension/common/jsonrpc.js';
import { CommandError } from '../../src/tabwright/extension/common/errors.js';

const codeOf = (text) => readFrame(text).error?.code;

test('zero and the empty string are ids', () => {
  assert.equal(readFrame('{"jsonrpc":"2.0","id":0,"method":"getTabs"}').request.id, 0);
  assert.equal(readFrame('{"jsonrpc":"2.0","id":"","method":"getTabs"}').request.id, '');
});

test('a request without id is a notification', () => {
  assert.equal(readFrame('{"jsonrpc":"2.0","method":"getTabs"}').request.id, undefined);
});

test('absent params read as an empty object', () => {
  assert.deepEqual(readFrame('{"jsonrpc":"2.0","id":1,"method":"getTabs"}').request.params, {});
});

test('what is not JSON is a parse error', () => assert.equal(codeOf('{'), -32700));

test('batches, binary frames and wrong envelopes are invalid requests', () => {
  assert.equal(codeOf('[]'), -32600);
  assert.equal(codeOf('null'), -32600);
  assert.equal(codeOf(new ArrayBuffer(1)), -32600);
  assert.equal(codeOf('{"id":1,"method":"getTabs"}'), -32600);
  assert.equal(codeOf('{"jsonrpc":"2.0","id":1,"method":7}'), -32600);
  assert.equal(codeOf('{"jsonrpc":"2.0","id":{},"method":"getTabs"}'), -32600);
  assert.equal(codeOf('{"jsonrpc":"2.0","id":null,"method":"getTabs"}'), -32600);
});

test('an invalid request is answered with its id where it has one', () => {
  assert.equal(readFrame('{"jsonrpc":"1.0","id":"a:7","method":"x"}').id, 'a:7');
});

test('an answer is recognised, so that it is never answered', () => {
  assert.equal(readFrame('{"jsonrpc":"2.0","id":1,"result":{}}').kind, 'answer');
});

test('a typed message is no JSON-RPC', () => {
  assert.deepEqual(readFrame('{"type":"pong"}'), { kind: 'typed', message: { type: 'pong' } });
});

test('an answer always carries a result', () => {
  assert.deepEqual(success('conn-a:1', undefined), { jsonrpc: '2.0', id: 'conn-a:1', result: {} });
});

test('an error carries data only where there is some', () => {
  assert.deepEqual(failure(1, new CommandError('no')).error, { code: -32000, message: 'no' });
});

test('the prefix of a wire id names the connection', () => {
  assert.equal(connectionOf('conn-abc:"1:2"'), 'conn-abc');
  assert.equal(connectionOf(4), 'direct');
  assert.equal(connectionOf('550e8400-e29b'), 'direct');
  assert.equal(connectionOf(':1'), 'direct');
  assert.equal(connectionOf(undefined), 'direct');
});
