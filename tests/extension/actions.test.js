import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Actions } from '../../src/tabwright/extension/background/actions.js';
import { FrameGone } from '../../src/tabwright/extension/background/pages.js';

const never = () => new Promise(() => {});
const turn = () => new Promise((resolve) => { setTimeout(resolve); });
const calm = { lines: ['Nothing visible changed.'], errors: [], changed: false, navigated: false };

/** A frame that answers `settled` as told. */
const frame = (frameId, settled, documentId = `d${frameId}`) => ({
  tabId: 1, frameId, documentId, gone: false, asked: [], toldNetwork: 0,
  async ask(_, { service, params }, signal) {
    this.asked.push(params?.patient ? `${service} patiently` : service);
    if (service === 'observe') return { json: '{}' };
    const aborted = new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    return { json: JSON.stringify(await Promise.race([settled(), aborted])) };
  },
});

let status;
let isAlone = false;

function world(...frames) {
  let counting = 0;
  const uncounted = { began: false, stop: () => {} };
  let comeToNothing;
  const came = new Promise((resolve) => { comeToNothing = resolve; });
  const parts = {
    activity: { begin() {
      counting += 1;
      return () => { counting -= 1; };
    }, pending: () => 0, page: () => ({ status, stop: () => {} }), uncounted: () => uncounted },
    company: { isAlone: async () => isAlone },
    pages: { inTab: () => frames, arrival: async () => ({ ask: async () => ({ title: 'Next', url: 'https://b.test/', lines: ['Heading: “Next”.'] }) }) },
    tabs: { get: async () => ({ title: 'Now', url: 'https://a.test/' }), peek: async () => ({ title: 'Next', url: 'https://b.test/' }) },
    navigation: { documentId: async () => 'next', failure: () => undefined, nothing: () => ({ happened: came, stop: () => {} }) },
    feed: { sync: async () => {} },
  };
  return { actions: new Actions(parts), parts, uncounted, counting: () => counting, comeToNothing: (url) => comeToNothing(url) };
}

const settle = (actions) => actions.settle(1, undefined, new AbortController().signal);

test('actions: what changed in the page and in frames is told, what did not is not', async () => {
  const { actions, counting } = world(
    frame(0, () => calm), frame(3, () => ({ ...calm, changed: true, lines: ['New on the page: “Paid”.'] })), frame(4, () => calm));
  await actions.begin(1);
  assert.equal(counting(), 1);
  assert.deepEqual(await settle(actions), {
    lines: ['New on the page: “Paid”.'], errors: [], changed: true, navigated: false, title: 'Now', url: 'https://a.test/' });
  // After the answer, which does not wait for it.
  await turn();
  assert.equal(counting(), 0);
});

test('actions: where the page is and what a field holds is told by the frames themselves', async () => {
  const { actions } = world(
    frame(0, () => ({ ...calm, title: 'Here', url: 'https://a.test/here' })),
    frame(3, () => ({ ...calm, title: 'Inner', url: 'https://b.test/', held: { value: 'Ann' } })));
  await actions.begin(1);
  const { title, url, held } = await settle(actions);
  assert.deepEqual({ title, url, held }, { title: 'Here', url: 'https://a.test/here', held: { value: 'Ann' } });
});

test('actions: a frame that begins to note with what it is asked is not asked to once more', async () => {
  const [page, inner] = [frame(0, () => calm), frame(3, () => calm)];
  const { actions } = world(page, inner);
  await actions.begin(1, inner);
  await settle(actions);
  assert.deepEqual([page.asked, inner.asked], [['observe', 'settled patiently'], ['settled patiently']]);
});

test('actions: a frame alone does not say where its page is', async () => {
  const { actions } = world(frame(3, () => ({ ...calm, title: 'Inner', url: 'https://b.test/' })));
  await actions.begin(1);
  assert.equal((await settle(actions)).url, 'https://a.test/');
});

test('actions: nothing is asked before the page has taken the gesture, and whoever gave up waiting may ask again', async () => {
  const page = frame(0, () => ({ ...calm, changed: true, lines: ['New on the page: “Paid”.'] }));
  const { actions } = world(page);
  let take;
  await actions.begin(1);
  actions.presses(1, new Promise((resolve) => { take = resolve; }));
  const givenUp = new AbortController();
  const first = actions.settle(1, undefined, givenUp.signal);
  await turn();
  assert.deepEqual(page.asked, ['observe']);
  givenUp.abort(new Error('A dialog is open.'));
  await assert.rejects(first, { message: 'A dialog is open.' });
  take({ isCutOff: false });
  assert.deepEqual((await settle(actions)).lines, ['New on the page: “Paid”.']);
});

test('actions: a gesture that could not be made fails whoever asks what came of it, and one that ended the attachment says so', async () => {
  const { actions } = world(frame(0, () => calm));
  await actions.begin(1);
  actions.presses(1, Promise.reject(new Error('refused')));
  await assert.rejects(settle(actions), { message: 'refused' });
  await actions.begin(1);
  actions.presses(1, Promise.resolve({ isCutOff: true }));
  assert.equal((await settle(actions)).cutOff, true);
});

const word = { ...calm, title: 'Here', url: 'https://a.test/', heard: 0 };
const paid = { ...word, changed: true, lines: ['New on the page: “Paid”.'], heard: 1 };

for (const [when, rested] of [['rests', true], ['has waited to the end', false]]) {
  test(`actions: a page that ${when} before Chrome has told of its request is asked once more`, async () => {
    const answers = [{ ...word, rested }, paid];
    const page = frame(0, () => answers.shift());
    const { actions, parts } = world(page);
    parts.tabs.get = async () => {
      // The question counts that is asked when the page has said its word: what it began before is told by then.
      await turn();
      if (answers.length === 1) page.toldNetwork = 1;
      return {};
    };
    await actions.begin(1);
    assert.deepEqual((await settle(actions)).lines, ['New on the page: “Paid”.']);
    assert.deepEqual(page.asked, ['observe', 'settled patiently', 'settled patiently']);
  });
}

test('actions: a page that heard of all requests before its last word is not asked once more', async () => {
  const page = frame(0, () => paid);
  const { actions } = world(page);
  page.toldNetwork = 1;
  await actions.begin(1);
  await settle(actions);
  assert.deepEqual(page.asked, ['observe', 'settled patiently']);
});

test('actions: a page at rest that may not have read the answer to a request is asked once more, and no oftener', async () => {
  const page = frame(0, () => ({ ...word, rested: true }));
  const { actions, parts } = world(page);
  parts.activity.pending = () => 1;
  await actions.begin(1);
  await settle(actions);
  assert.deepEqual(page.asked, ['observe', 'settled patiently', 'settled patiently']);
});

test('actions: a page whose requests go on and on is not asked for ever', async () => {
  const page = frame(0, () => {
    page.toldNetwork += 1;
    return word;
  });
  const { actions } = world(page);
  await actions.begin(1);
  await settle(actions);
  assert.equal(page.asked.length, 5);
});

test('actions: what a page said is kept where it is too late to ask it once more', async () => {
  const answers = [{ ...paid, heard: 0 }, calm];
  const page = frame(0, () => answers.shift());
  const { actions } = world(page);
  page.toldNetwork = 1;
  await actions.begin(1);
  assert.deepEqual((await settle(actions)).lines, ['New on the page: “Paid”.']);
});

const early = { ...word, changed: true, rested: true, early: true, lines: ['New on the page: “Please wait”.'] };

test('actions: a page that nobody else could change need not be patient', async (context) => {
  isAlone = true;
  context.after(() => { isAlone = false; });
  const page = frame(0, () => early);
  const { actions } = world(page);
  await actions.begin(1);
  await turn();
  assert.deepEqual((await settle(actions)).lines, early.lines);
  assert.deepEqual(page.asked, ['observe', 'settled']);
});

for (const [why, happens] of [
  ['got company by the gesture', () => { isAlone = false; }],
  ['asks for a picture', ({ uncounted }) => { uncounted.began = true; }],
]) {
  test(`actions: one that ${why} is asked once more, and is patient then`, async (context) => {
    isAlone = true;
    context.after(() => { isAlone = false; });
    const answers = [early, { ...paid, heard: 0 }];
    const page = frame(0, () => answers.shift());
    const made = world(page);
    await made.actions.begin(1);
    await turn();
    happens(made);
    assert.deepEqual((await settle(made.actions)).lines, paid.lines);
    assert.deepEqual(page.asked, ['observe', 'settled', 'settled patiently']);
  });
}

test('actions: frames share the questions to Chrome', async () => {
  const { actions, parts } = world(...Array.from({ length: 50 }, (_, frameId) => frame(frameId, () => word)));
  let questions = 0;
  parts.tabs.get = async () => {
    questions += 1;
    await turn();
    return {};
  };
  await actions.begin(1);
  await settle(actions);
  assert.ok(questions <= 2, `asked ${questions} times`);
});

test('actions: if nothing changed anywhere that is said once', async () => {
  const { actions } = world(frame(0, () => calm), frame(3, () => ({ ...calm })));
  await actions.begin(1);
  assert.deepEqual((await settle(actions)).lines, ['Nothing visible changed.']);
});

test('actions: a page that was left is told of by the next one', async () => {
  const left = frame(0, () => {
    left.gone = true;
    throw new FrameGone(true);
  });
  const { actions } = world(left);
  await actions.begin(1);
  const { lines, navigated } = await settle(actions);
  assert.deepEqual(lines, ['The page is now Next https://b.test/.', 'Heading: “Next”.']);
  assert.equal(navigated, true);
});

test('actions: a page that does not answer holds no gesture up, and a new one ends the one before', async () => {
  const { actions, counting } = world({ ...frame(0, never), ask: never });
  await actions.begin(1);
  await actions.begin(1);
  assert.equal(counting(), 1);
});

test('actions: a way that leads to no page, say to a file, is not waited for', async () => {
  const { actions, comeToNothing } = world(frame(0, never));
  await actions.begin(1);
  const settled = settle(actions);
  comeToNothing('https://a.test/file');
  assert.deepEqual((await settled).lines, ['That led to no other page.']);
});

test('actions: an address for another program is told as such', async () => {
  const { actions, comeToNothing } = world(frame(0, never));
  await actions.begin(1);
  const settled = settle(actions);
  comeToNothing('tel:123');
  assert.match((await settled).lines[0], /^tel:123 is for another program/);
});

test('actions: of the next page a status that is none of success is told', async () => {
  const left = frame(0, () => {
    left.gone = true;
    throw new FrameGone(true);
  });
  status = 404;
  const { actions } = world(left);
  await actions.begin(1);
  assert.equal((await settle(actions)).lines[1], 'The server answered HTTP 404.');
  status = undefined;
});

test('actions: a tab that the gesture opened is told of before the gesture is answered', async () => {
  const { actions } = world(frame(0, () => calm));
  await actions.begin(1);
  const order = [];
  let tell;
  actions.opens(1, new Promise((resolve) => { tell = resolve; }).then(() => { order.push('told'); }));
  actions.opens(2, never());
  const settled = settle(actions).then(() => order.push('settled'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(order, []);
  tell();
  await settled;
  assert.deepEqual(order, ['told', 'settled']);
  await actions.begin(1);
  actions.opens(1, Promise.reject(new Error('its tab is gone')));
  await settle(actions);
});
