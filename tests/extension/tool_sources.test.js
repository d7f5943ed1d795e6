import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { settle } from './fakes.js';

const makers = new Map();
const parts = new Map();
const agent = {
  adapter: { origin: 'https://shop.example' },
  part: (name, make) => makers.set(name, make),
  get: (name) => parts.get(name),
};
globalThis[Symbol.for('tabwright.agent')] = agent;
globalThis.document = { readyState: 'complete' };
globalThis.location = { href: 'https://shop.example/cart' };
await import('../../src/tabwright/extension/content/agent/offered/questions.js');
await import('../../src/tabwright/extension/content/agent/offered/tool_shape.js');
await import('../../src/tabwright/extension/content/agent/offered/tool_sources.js');

/** A source whose page the test plays. */
class Source {
  constructor(kind) {
    Object.assign(this, { kind, list: [], live: false, called: [], answer: async () => ({ content: [] }) });
  }

  start(changed) { this.changed = changed; }
  stop() {}
  async refresh() {}
  tools() { return this.list; }
  isLive() { return this.live; }

  call(name, args, signal) {
    this.called.push(name);
    return this.answer(args, signal);
  }
}

let native, wire, standIn, frames, emitted, due, tools;

beforeEach(() => {
  globalThis.window = new EventTarget();
  [native, wire, standIn, frames] = ['webmcp', 'mcp-b', 'stand-in', 'mcp-b'].map((kind) => new Source(kind));
  for (const [name, source] of Object.entries({ native, mcpb: wire, standin: standIn, frames })) parts.set(`source_${name}`, source);
  due = undefined;
  parts.set('lasting', { listen(target, type, listener) {
    target.addEventListener(type, listener);
    return () => target.removeEventListener(type, listener);
  } });
  parts.set('pace', { after(ms, action) { due = { ms, action }; return () => { due = undefined; }; } });
  emitted = [];
  parts.set('turns', { timer: (action, ms) => setTimeout(action, ms) });
  parts.set('questions', makers.get('questions')(agent));
  parts.set('tool_shape', makers.get('tool_shape')(agent));
  tools = makers.get('tool_sources')(agent);
  tools.start((message) => emitted.push(message));
});

const tool = (name, more) => ({ name, description: name, inputSchema: { type: 'object' }, ...more });
const pass = async () => {
  const { action } = due;
  due = undefined;
  action();
  await settle();
};
const told = async (source, list) => {
  source.list = list;
  source.changed();
  await pass();
};
const listed = () => tools.current().map(({ name, source }) => `${name} ${source}`);
const run = (toolName, signal = new AbortController().signal, digest = undefined) => tools.execute({ id: 1, toolName, args: {}, digest }, signal);

test('a page without tools says nothing', async () => {
  native.changed();
  await pass();
  assert.deepEqual(emitted, []);
});

test('its timers are told from those of the page, which is waited for', async () => {
  const [asked, own] = [[], []];
  const { setTimeout: real } = globalThis;
  parts.set('turns', { timer: (action, ms) => { own.push(ms); return setTimeout(action, ms); } });
  globalThis.setTimeout = (action, ms) => { asked.push(ms); return real(action, ms); };
  try {
    await told(wire, [tool('add')]);
  } finally {
    globalThis.setTimeout = real;
  }
  assert.ok(own.length > 0);
  assert.deepEqual(asked.filter((ms) => ms > 0), own);
});

test('the first list registers, later ones update', async () => {
  await told(wire, [tool('add')]);
  await told(wire, []);
  assert.deepEqual(emitted.map(({ method, params }) => [method, params.tools.length, params.tabUrl]), [
    ['browser/registerTools', 1, 'https://shop.example/cart'], ['browser/updateTools', 0, 'https://shop.example/cart'],
  ]);
});

test('what a server says of itself is told with its tools', async () => {
  wire.says = () => ['elicitation'];
  await told(wire, [tool('add')]);
  assert.deepEqual(emitted[0].params.extensions, { browser: { elicitation: true } });
  assert.deepEqual(tools.registration(), emitted[0].params);
});

test('an empty list of a server that is there is an update', async () => {
  wire.live = true;
  await told(wire, []);
  await told(wire, [tool('add')]);
  assert.deepEqual(emitted.map(({ method }) => method), ['browser/updateTools', 'browser/updateTools']);
});

test('the same list is told once', async () => {
  await told(wire, [tool('add')]);
  await told(wire, [tool('add')]);
  assert.equal(emitted.length, 1);
});

test('a page that is just met has a moment to show its tools on both paths', () => {
  native.changed();
  assert.ok(due.ms > 10 && due.ms <= 24, String(due.ms));
});

test('a lone change is told within milliseconds, the next after half a second', async (t) => {
  const started = Math.round(performance.now());
  t.mock.method(performance, 'now', () => started + 1_000);
  wire.list = [tool('add')];
  wire.changed();
  assert.ok(due.ms <= 10, String(due.ms));
  await pass();
  wire.changed();
  assert.ok(due.ms > 400 && due.ms <= 500, String(due.ms));
});

test('the longer a list is, the longer the next waits, five seconds at most', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [characters, least, most] of [[200_000, 1_500, 2_100], [5_000_000, 4_500, 5_000]]) {
    await told(native, [tool('cart', { description: 'x'.repeat(characters) })]);
    native.changed();
    assert.ok(due.ms > least && due.ms <= most, String(due.ms));
  }
});

test('what changes while the sources are asked is told with the rest', async () => {
  wire.refresh = async () => {
    wire.refresh = async () => {};
    wire.list = [tool('add'), tool('late')];
    wire.changed();
  };
  await told(wire, [tool('add')]);
  assert.deepEqual(emitted.map(({ params }) => params.tools.length), [2]);
});

test('the order is native, MCP-B, stand-in, frames', async () => {
  frames.list = [tool('d')];
  standIn.list = [tool('c')];
  wire.list = [tool('b')];
  await told(native, [tool('a')]);
  assert.deepEqual(listed(), ['a webmcp', 'b mcp-b', 'c stand-in', 'd mcp-b']);
});

test('a tool on two paths is listed once, by the wire, with the hints that the wire loses', async () => {
  native.list = [tool('add', { annotations: { untrustedContentHint: true, readOnlyHint: false } })];
  await told(wire, [tool('add', { annotations: { readOnlyHint: true } })]);
  assert.deepEqual(listed(), ['add mcp-b']);
  assert.deepEqual(tools.current()[0].annotations, { untrustedContentHint: true, readOnlyHint: true });
});

test('a form on two paths is listed once, by the API, and nobody is told that it is a form', async () => {
  standIn.list = [tool('book', { isForm: true })];
  await told(wire, [tool('book')]);
  assert.deepEqual(listed(), ['book stand-in']);
  assert.equal('isForm' in tools.current()[0], false);
});

test('at most 64 tools are listed', async () => {
  wire.list = Array.from({ length: 60 }, (_, at) => tool(`w${at}`));
  await told(frames, Array.from({ length: 60 }, (_, at) => tool(`f${at}`)));
  assert.equal(tools.current().length, 64);
  assert.deepEqual(emitted[0].params.extensions, { omitted: 56 });
});

test('what a source left out itself is told too, once for a tool on two paths', async () => {
  wire.omitted = () => 7;
  native.omitted = () => 7;
  native.list = [tool('add')];
  await told(wire, [tool('add')]);
  assert.deepEqual(emitted[0].params.extensions, { omitted: 7 });
});

test('a call goes to the source that lists the tool', async () => {
  wire.list = [tool('add')];
  await told(native, [tool('add'), tool('other')]);
  assert.deepEqual(await run('add'), { success: true, payload: { content: [] } });
  assert.deepEqual([native.called, wire.called], [[], ['add']]);
});

test('a tool that is not listed is refused', async () => {
  assert.deepEqual(await run('toString'), { success: false, payload: 'No tool "toString" on this page.' });
});

test('what the page put in the place of a tool is not run before it was told', async () => {
  await told(wire, [tool('pay')]);
  const [{ digest }] = emitted[0].params.tools;
  wire.list = [tool('pay', { description: 'Pays everything' })];
  wire.changed();
  const { extensions } = await run('pay', undefined, digest);
  assert.deepEqual([extensions, wire.called], [{ code: 'stale_target' }, []]);
  assert.deepEqual(emitted.at(-1).params.tools.map(({ description }) => description), ['Pays everything']);
  assert.equal((await run('pay', undefined, emitted.at(-1).params.tools[0].digest)).success, true);
});

test('a tool that says the same again is the same', async () => {
  await told(wire, [tool('pay')]);
  wire.list = [tool('pay')];
  wire.changed();
  assert.equal((await run('pay', undefined, emitted[0].params.tools[0].digest)).success, true);
});

test('what a call changes is told before its answer, and what shows a moment later at once', async (t) => {
  const started = performance.now();
  t.mock.method(performance, 'now', () => started + 1_000);
  await told(wire, [tool('go')]);
  wire.answer = async () => {
    wire.list = [tool('go'), tool('buy')];
    wire.changed();
    return { content: [] };
  };
  await run('go');
  assert.deepEqual(emitted.map(({ params }) => params.tools.length), [1, 2]);
  wire.changed();
  assert.ok(due.ms <= 60, String(due.ms));
});

test("a failed call says the page's reason", async () => {
  wire.answer = async () => { throw new Error('no luck'); };
  await told(wire, [tool('add')]);
  assert.deepEqual(await run('add'), { success: false, payload: 'no luck' });
});

test('of a call that its page left behind the outcome is unknown', async () => {
  await told(wire, [tool('add')]);
  const { OutcomeUnknown } = parts.get('tool_shape');
  wire.answer = async () => { throw new OutcomeUnknown('The page navigated.'); };
  assert.deepEqual(await run('add'), { success: false, payload: 'The page navigated.', extensions: { code: 'outcome_unknown' } });
});

test('what the wire could not hand to the browser is called there', async () => {
  const text = "Failed to execute 'executeTool' on 'ModelContext': invalid input object: value is not an object";
  wire.answer = async () => ({ content: [{ type: 'text', text }], isError: true });
  native.list = [tool('add')];
  await told(wire, [tool('add')]);
  assert.equal((await run('add')).success, true);
  assert.deepEqual([wire.called, native.called], [['add'], ['add']]);
});

test('a call outlives its tool', async () => {
  let finish;
  wire.answer = () => new Promise((resolve) => { finish = resolve; });
  await told(wire, [tool('add')]);
  const running = run('add');
  await told(wire, []);
  finish({ content: [] });
  assert.equal((await running).success, true);
});

test('a cancelled call ends, even if the page does not care', async () => {
  wire.answer = () => new Promise(() => {});
  await told(wire, [tool('add')]);
  const controller = new AbortController();
  const running = run('add', controller.signal);
  controller.abort(new Error('Cancelled.'));
  assert.deepEqual(await running, { success: false, payload: 'Cancelled.' });
});

test('leaving the page ends its calls, coming back makes room for new ones', async () => {
  wire.answer = () => new Promise(() => {});
  await told(wire, [tool('add')]);
  const running = run('add');
  window.dispatchEvent(new Event('pagehide'));
  assert.equal((await running).success, false);
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  wire.answer = async () => ({ content: [] });
  assert.equal((await run('add')).success, true);
});

test('a source that hangs keeps nobody back for more than a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  wire.refresh = () => new Promise(() => {});
  native.list = [tool('add')];
  native.changed();
  const { action } = due;
  action();
  await settle();
  assert.deepEqual(emitted, []);
  t.mock.timers.tick(1_000);
  await settle();
  assert.equal(emitted.length, 1);
});

test('after stop nothing is told any more', async () => {
  tools.stop();
  wire.changed();
  assert.equal(due, undefined);
});

for (const origin of ['null', 'file://', 'chrome-extension://abc']) {
  test(`pages of ${origin} offer nothing`, () => {
    const silent = new Source('mcp-b');
    parts.set('source_mcpb', silent);
    makers.get('tool_sources')({ ...agent, adapter: { origin } }).start(() => {});
    assert.equal(silent.changed, undefined);
  });
}
