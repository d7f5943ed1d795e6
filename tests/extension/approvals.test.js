/** Questions to the person: one window, one answer each; closing, cancelling and time say no. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Approvals } from '../../src/tabwright/extension/background/approvals.js';
import { FakePort, settle } from './fakes.js';

/** @param {string} askId */
const question = (askId) => ({
  askId, client: 'codex', origin: 'https://a.test', tool: 'javascript_tool', kind: 'script', question: 'May it?',
  lasting: true, details: [], seconds: 60,
});

const never = new AbortController().signal;

/** A worker whose windows open at once, as the last port. */
function made() {
  /** @type {any} */
  const world = { opened: 0, port: undefined };
  world.approvals = new Approvals(async () => {
    world.opened += 1;
    world.port = new FakePort();
    world.approvals.accept(world.port);
    for (const { questions } of world.port.sent) {
      if (questions[0]) world.port.says({ seen: questions[0].askId });
    }
  });
  return world;
}

test('the answer is what is pressed, and the window is told that nothing is left', async () => {
  const world = made();
  const asked = world.approvals.ask(question('q1'), never);
  await settle();
  world.port.says({ askId: 'q1', answer: 'session' });
  assert.deepEqual(await asked, { answer: 'session' });
  assert.deepEqual(world.port.sent.at(-1), { questions: [] });
});

test('two questions share a window, oldest first', async () => {
  const world = made();
  const first = world.approvals.ask(question('q1'), never);
  await settle();
  const second = world.approvals.ask(question('q2'), never);
  await settle();
  assert.equal(world.opened, 1);
  assert.deepEqual(world.port.sent.at(-1).questions.map((/** @type {any} */ each) => each.askId), ['q1', 'q2']);
  world.port.says({ askId: 'q2', answer: 'deny' });
  world.port.says({ askId: 'q1', answer: 'once' });
  assert.deepEqual(await Promise.all([first, second]), [{ answer: 'once' }, { answer: 'deny' }]);
});

test('closing the window answers no to what it showed, and asks the rest again', async () => {
  const world = made();
  const first = world.approvals.ask(question('q1'), never);
  await settle();
  const second = world.approvals.ask(question('q2'), never);
  await settle();
  world.port.breaks();
  assert.deepEqual(await first, { answer: 'deny' });
  await settle();
  assert.equal(world.opened, 2);
  world.port.says({ askId: 'q2', answer: 'always' });
  assert.deepEqual(await second, { answer: 'always' });
});

test('a question that is sent again is the same question, answered or not', async () => {
  const world = made();
  const first = world.approvals.ask(question('q1'), never);
  await settle();
  const again = world.approvals.ask(question('q1'), never);
  world.port.says({ askId: 'q1', answer: 'once' });
  assert.deepEqual(await Promise.all([first, again]), [{ answer: 'once' }, { answer: 'once' }]);
  assert.deepEqual(await world.approvals.ask(question('q1'), never), { answer: 'once' });
  assert.equal(world.opened, 1);
});

test('whoever no longer waits takes the question along', async () => {
  const world = made();
  const controller = new AbortController();
  const asked = world.approvals.ask(question('q1'), controller.signal);
  await settle();
  controller.abort();
  assert.deepEqual(await asked, { answer: 'deny' });
  assert.deepEqual(world.port.sent.at(-1), { questions: [] });
});

test('time is an answer', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const world = made();
    const asked = world.approvals.ask(question('q1'), never);
    await Promise.resolve();
    mock.timers.tick(60_000);
    assert.deepEqual(await asked, { answer: 'timeout' });
  } finally {
    mock.timers.reset();
  }
});

test('nothing but the four answers counts', async () => {
  const world = made();
  const asked = world.approvals.ask(question('q1'), never);
  await settle();
  world.port.says({ askId: 'q1', answer: 'forever' });
  world.port.says({ askId: 'q9', answer: 'once' });
  world.port.says({ askId: 'q1', answer: 'deny' });
  assert.deepEqual(await asked, { answer: 'deny' });
});

test('without a window nobody was asked, and that is said', async () => {
  const approvals = new Approvals(() => Promise.reject(new Error('no windows here')));
  await assert.rejects(approvals.ask(question('q1'), never), /No window could be opened/);
});

test('of the choices only those that were offered and left are passed on', async () => {
  const world = made();
  const asked = world.approvals.ask({ ...question('q1'), choices: ['https://a.test', 'https://b.test'] }, never);
  await settle();
  world.approvals.answer('q1', 'once', ['https://b.test', 'https://evil.test']);
  assert.deepEqual(await asked, { answer: 'once', chosen: ['https://b.test'] });
});
