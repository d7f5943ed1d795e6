import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentCommands } from '../../src/tabwright/extension/background/agent_commands.js';
import { Params } from '../../src/tabwright/extension/shared/params.js';

const WHERE = { tabId: 1, frameId: 0, documentId: 'd', service: 'locate', params: { target: 'e1' } };

/** One frame, and what was done with it in order. */
function world({ begin = async () => {} } = {}) {
  const done = [];
  const frame = { tabId: 1, frameId: 0, documentId: 'd', async ask(_, asked) {
    done.push(['asked', asked]);
    return { json: '{}' };
  } };
  const actions = { begin(tabId, asked) {
    done.push(['begun', tabId, asked === frame]);
    return begin();
  } };
  const { askFrame, tellFrame } = agentCommands({ actions, agents: { of: async () => frame }, navigation: {} });
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
