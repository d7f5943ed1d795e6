import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentCommands } from '../../src/tabwright/extension/background/agent_commands.js';
import { FrameGone } from '../../src/tabwright/extension/background/pages.js';
import { Params } from '../../src/tabwright/extension/common/params.js';

const WHERE = { tabId: 1, frameId: 0, documentId: 'd', service: 'locate', params: { target: 'e1' } };

/** One frame, and what was done with it in order. */
function world({ begin = async () => {}, json = '{}', frameId = 0, isReady = true, ask } = {}) {
  const done = [];
  const frame = { tabId: 1, frameId, documentId: 'd', ask: ask ?? async function answer(_, asked) {
    done.push(['asked', asked]);
    return { json };
  } };
  const actions = { begin(tabId, asked) {
    done.push(['begun', tabId, asked === frame]);
    return begin();
  }, presses: (tabId, taken) => done.push(['presses', tabId, taken]) };
  const input = { ready: async () => (isReady ? (point, press) => ['click', point, press] : undefined) };
  const { askFrame, tellFrame } = agentCommands({ actions, input, agents: { of: async () => frame }, navigation: {} });
  const run = (command, params) => command.run(new Params(params), { signal: new AbortController().signal });
  return { done, ask: (params) => run(askFrame, params), tell: (params) => run(tellFrame, params) };
}

test('agent commands: a question begins no gesture by itself', async () => {
  const { done, ask } = world();
  assert.deepEqual(await ask(WHERE), { json: '{}' });
  assert.deepEqual(done, [['asked', { service: 'locate', params: { target: 'e1' } }]]);
});

test('agent commands: one that begins a gesture has all frames note before anything is done', async () => {
  for (const way of ['ask', 'tell']) {
    const { done, [way]: send } = world();
    await send({ ...WHERE, begin: true });
    assert.deepEqual(done, [['begun', 1, true], ['asked', { service: 'locate', params: { target: 'e1' }, observe: true }]]);
  }
});

test('agent commands: it is answered once the other frames note, too', async () => {
  let noted;
  const { ask } = world({ begin: () => new Promise((resolve) => { noted = resolve; }) });
  let isAnswered = false;
  const answered = ask({ ...WHERE, begin: true }).then(() => { isAnswered = true; });
  await new Promise((resolve) => { setTimeout(resolve); });
  assert.equal(isAnswered, false);
  noted();
  await answered;
});

const PRESS = { ...WHERE, begin: true, press: { button: 'left', buttons: 1, count: 1 } };
const PLAIN = { role: 'button', name: 'Send', kind: '', disabled: false, x: 10, y: 20 };

test('agent commands: a click is made where the page says that the element is, once all frames note', async () => {
  const { done, tell } = world({ json: JSON.stringify(PLAIN) });
  assert.deepEqual(await tell(PRESS), { json: JSON.stringify(PLAIN), pressed: true });
  assert.deepEqual(done, [
    ['asked', { service: 'locate', params: { target: 'e1' }, observe: true }], ['begun', 1, true],
    ['presses', 1, ['click', { x: 10, y: 20 }, { button: 'left', buttons: 1, count: 1 }]]]);
});

for (const [why, how] of [
  ['is covered', { json: JSON.stringify({ ...PLAIN, problem: 'covered' }) }],
  ['is disabled', { json: JSON.stringify({ ...PLAIN, disabled: true }) }],
  ['opens what no pointer reaches', { json: JSON.stringify({ ...PLAIN, kind: 'select' }) }],
  ['has no place', { json: JSON.stringify({ ...PLAIN, x: null }) }],
  ['is in a frame of the page', { json: JSON.stringify(PLAIN), frameId: 3 }],
  ['is in a tab without a debugger', { json: JSON.stringify(PLAIN), isReady: false }],
]) {
  test(`agent commands: nothing is clicked that ${why}`, async () => {
    const { done, tell } = world(how);
    assert.equal((await tell(PRESS)).pressed, false);
    assert.ok(!done.some(([what]) => what === 'presses'));
  });
}

test('agent commands: a page that goes before it has said where the element is was not clicked', async () => {
  const { done, tell } = world({ ask: async () => { throw new FrameGone(true); } });
  await assert.rejects(tell(PRESS), { data: { code: 'stale_target' } });
  assert.ok(!done.some(([what]) => what === 'presses'));
});

test('agent commands: no other buttons are pressed than a pointer has', async () => {
  const { tell } = world({ json: JSON.stringify(PLAIN) });
  for (const press of [{}, { ...PRESS.press, button: 'fourth' }, { ...PRESS.press, count: 40 }]) await assert.rejects(tell({ ...PRESS, press }), { code: -32602 });
});
