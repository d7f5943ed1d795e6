import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

const makers = new Map();
globalThis[Symbol.for('tabwright.agent')] = { part: (name, make) => makers.set(name, make) };
await import('../../src/tabwright/extension/content/agent/offered/questions.js');

const question = (id, params = { message: 'Pay 12?' }) => ({ jsonrpc: '2.0', id, method: 'browser/elicitConfirmation', params });
const yes = (id) => ({ jsonrpc: '2.0', id, result: { confirmed: true } });
const no = (id, reason) => ({ jsonrpc: '2.0', id, result: { confirmed: false, reason } });

let questions, emitted, replies;
const heard = (payload) => questions.heard(payload, (reply) => replies.push(reply));

beforeEach(() => {
  [emitted, replies] = [[], []];
  questions = makers.get('questions')();
  questions.start((asked) => emitted.push(asked));
});

test('a question during a call goes to the hub in its own spelling, and its answer back', () => {
  const clock = questions.deadline(1_000, () => {});
  const old = { type: 'confirm-action', requestId: 'r', message: 'Pay 12?', callId: 'c' };
  assert.ok(heard(question(7)) && heard(old));
  assert.deepEqual(emitted, [question(7), old]);
  questions.answered({ type: 'confirm-result', requestId: 'r', confirmed: true });
  questions.answered(no(7, 'denied'));
  questions.answered(yes(7));
  assert.deepEqual(replies, [{ type: 'confirm-result', requestId: 'r', confirmed: true }, no(7, 'denied')], 'each once');
  clock.end();
});

test('without a call of its own a page is told no, and nobody is bothered', () => {
  assert.ok(heard(question('q')));
  assert.deepEqual([emitted, replies], [[], [no('q', 'no_call')]]);
});

test('what is no question is left to others, and what is kept of one is bounded', () => {
  const clock = questions.deadline(1_000, () => {});
  for (const other of [null, 'mcp-server-ready', 5, question({}), question('x'.repeat(201)), question(undefined), { type: 'confirm-action' }]) {
    assert.equal(heard(other), false);
  }
  heard(question('q', { message: 'x'.repeat(9_000), callId: 'c', more: 1 }));
  assert.deepEqual([emitted[0].params.message.length, Object.keys(emitted[0].params)], [4_000, ['message', 'callId']]);
  for (let id = 0; id < 20; id += 1) heard(question(id));
  assert.equal(emitted.length, 8);
  questions.end();
  clock.end();
});

test('a question that nobody can answer any more is answered no', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const clock = questions.deadline(1_000, () => {});
  heard(question('lost'));
  questions.end();
  heard(question('late'));
  t.mock.timers.tick(70_000);
  assert.deepEqual(replies, [no('lost', 'not_connected'), no('late', 'not_connected')]);
  clock.end();
});

test('the clock of a call stands still while a question is open, and goes on from where it stood', (t) => {
  let now = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => now);
  const pass = (ms) => { now += ms; t.mock.timers.tick(ms); };
  let isOver = false;
  questions.deadline(1_000, () => { isOver = true; });
  pass(900);
  heard(question('q'));
  heard(question('r'));
  pass(30_000);
  questions.answered(yes('q'));
  pass(1_000);
  questions.answered(yes('r'));
  pass(99);
  assert.equal(isOver, false);
  pass(1);
  assert.equal(isOver, true);
});
