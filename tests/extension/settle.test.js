import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const FOLDER = new URL('../../src/tabwright/extension/content/agent/', import.meta.url);
const read = (name) => readFileSync(new URL(name, FOLDER), 'utf8');
const FRAME = 1000 / 60;
/** What a page notes of an answer that it has read. */
const READ = { responseEnd: Infinity, initiatorType: 'fetch' };
const microtasks = () => new Promise((resolve) => { setImmediate(resolve); });

/** A page whose clock goes on only when nothing is left to do; idle callbacks come `idleAfter` ms and may run for `idle` ms, errands take `errand` ms. */
function page({ idle = 12, idleAfter = 1, hasAsked = false, hasDrawn = false, mayIdle = false, hasTimed = false, isAlone = false, readyState = 'loading', errand = 0, talks = {}, isShell = false, isUnfolding = false, isWriting = false, noted = [] } = {}) {
  const presses = {};
  let now = 1_000;
  const due = [];
  const at = (time, run) => {
    due.push({ time, run });
    return due.length;
  };
  const turns = {
    timer: (run, ms) => at(now + ms, run),
    frame: (run) => at((Math.floor(now / FRAME) + 1) * FRAME, run),
    idle: (run) => at(now + idleAfter, () => run({ timeRemaining: () => idle })),
    since: () => () => hasAsked,
    frameSince: () => () => hasDrawn,
    idleSince: () => () => mayIdle,
    timerSince: () => () => hasTimed,
  };
  const seen = { changedAt: 0, wordsAt: 0, movedAt: 0, drawn: undefined, errands: undefined, gone: false, leaving: false, refused: new Map() };
  const globals = { performance: { now: () => now, getEntriesByType: () => noted }, document: { hidden: false, title: 'A page', readyState, querySelector: () => ({}), activeElement: { matches: () => isWriting } }, addEventListener: (kind, press) => { presses[kind] = press; }, location: { href: 'https://a.test/' },
    AbortController, Blob: class { arrayBuffer = async () => { if (errand) await new Promise((done) => { at(now + errand, done); }); }; }, crypto: { getRandomValues: (each) => crypto.getRandomValues(each) }, clearTimeout() {}, HTMLElement: class {}, origin: 'https://a.test' };
  globals.window = globals.top = globals;
  const context = vm.createContext(globals);
  for (const name of ['start.js', 'acting/errands.js', 'acting/network.js', 'acting/rest.js', 'acting/late.js', 'acting/answers.js', 'acting/quiet.js', 'acting/settle.js']) vm.runInContext(read(name), context);
  globals.document.readyState = 'complete';
  const agent = vm.runInContext("globalThis[Symbol.for('tabwright.agent')]", context);
  agent.part('turns', () => turns);
  agent.part('watching', () => ({ start: () => ({ seen, isBusy: () => false, isUnfolding: () => isUnfolding, stop() {} }) }));
  agent.part('company', () => ({ look: () => () => isAlone }));
  agent.part('talks', () => ({ since: () => ({ isAwaited: false, heardAt: 0, hasLine: false, streams: 0, ...talks }) }));
  agent.part('notices', () => ({ before: () => ({}), describe: () => ({ lines: [], errors: [], changed: seen.changedAt > 0, navigated: false }) }));
  agent.part('fading', () => ({ start: () => ({ isUnderWay: () => false }) }));
  agent.part('shell', () => ({ isShell: () => isShell }));
  agent.part('aim', () => ({ missed: () => ({}), end() {} }));
  agent.part('settle_signs', () => ({ isCalm: () => seen.wordsAt === 0, start: () => ({ scrolledAt: () => 0, isScrolling: () => false, isForeign: () => false, tell: (lines) => lines, stop() {} }) }));
  const goOn = () => {
    due.sort((one, other) => one.time - other.time);
    const { time, run } = due.shift();
    now = Math.max(now, time);
    run();
  };
  /** What the page says at last, and how long after a moment. */
  const concluded = async (since, params = {}) => {
    let told;
    void agent.get('settle').conclude(params).then((each) => { told = { ...each, after: now - since }; });
    await microtasks();
    while (!told) {
      goOn();
      await microtasks();
    }
    return told;
  };
  const passes = (ms) => { now += ms; };
  const changes = () => { seen.changedAt = now; };
  /** The frame after a change, close to the next one. */
  const draws = () => {
    seen.drawn = new Promise((done) => { at(now + 1, () => at(now + 1, () => done({ at: now - 1, idleAt: now, left: 2 }))); });
  };
  const moves = () => { seen.movedAt = seen.changedAt = now; };
  const says = () => { seen.wordsAt = seen.changedAt = now; };
  const clicked = () => presses.pointerdown({ isTrusted: true });
  const entered = (key = 'Enter') => presses.keydown({ isTrusted: true, key });
  return { clicked, entered, moves, says, settle: agent.get('settle'), network: agent.get('network'), now: () => now, at, passes, changes, draws, concluded };
}

test('settle: a page that changed and asked for no turn of its own is believed to rest before the wait is over', async () => {
  const { settle, changes, now, concluded } = page({ idle: 12 });
  settle.observe();
  changes();
  const { rested, after } = await concluded(now());
  assert.equal(rested, true);
  assert.ok(after >= 16 && after < 24, `after ${after} ms`);
});

test('settle: a page that nobody else could change says sooner that it rests, unless the worker knows of somebody', async () => {
  for (const [params, isEarly] of [[{}, true], [{ patient: true }, false]]) {
    const { settle, changes, now, concluded } = page({ isAlone: true });
    settle.observe();
    changes();
    const { rested, early, after } = await concluded(now(), params);
    assert.deepEqual({ rested, early }, { rested: true, early: isEarly });
    assert.equal(after < 16, isEarly, `after ${after} ms`);
    assert.ok(after >= 5, `after ${after} ms`);
  }
});

test('settle: where errands take long, what comes may take as long, and the word is not given sooner', async () => {
  for (const [errand, isEarly] of [[3, true], [4, false]]) {
    const { settle, changes, now, concluded } = page({ isAlone: true, errand });
    settle.observe();
    changes();
    const { early, after } = await concluded(now());
    assert.equal(early, isEarly);
    assert.equal(after < 16, isEarly, `after ${after} ms`);
  }
});

test('settle: a page that asked for no turn is believed however near the next frame is, which says nothing of what is due', async () => {
  for (const [how, isEarly] of [[{}, true], [{ hasAsked: true }, false]]) {
    const { settle, changes, draws, now, concluded } = page({ isAlone: true, ...how });
    settle.observe();
    changes();
    draws();
    const { rested, early, after } = await concluded(now());
    assert.deepEqual({ rested, early }, { rested: isEarly, early: isEarly });
    assert.ok(isEarly ? after >= 5 && after < 8 : after > 24, `after ${after} ms`);
  }
});

test('settle: asked once more, since the worker knows of somebody, it waits for the rest', async () => {
  const { settle, changes, now, concluded } = page({ isAlone: true });
  settle.observe();
  changes();
  const changed = now();
  await concluded(changed);
  const { early, after } = await concluded(changed, { patient: true });
  assert.equal(early, false);
  assert.ok(after >= 16, `after ${after} ms`);
});

for (const [why, how, before] of [
  ['asked for a turn', { idle: 49, hasAsked: true }, () => {}],
  ['is older than what looks after it', { readyState: 'complete' }, () => {}],
  ['lost its port, and with it what the worker knew', {}, ({ network }) => network.lose()],
]) {
  test(`settle: a page that ${why} does not`, async () => {
    const made = page({ isAlone: true, ...how });
    before(made);
    made.settle.observe();
    made.changes();
    const { early, after } = await made.concluded(made.now());
    assert.equal(early, false);
    assert.ok(after >= 16, `after ${after} ms`);
  });
}

test('settle: one that asked for a turn is not believed for being idle until the next frame, which says nothing of timers', async () => {
  const { settle, changes, now, concluded } = page({ idle: 16, hasAsked: true });
  settle.observe();
  changes();
  const { rested, after } = await concluded(now());
  assert.equal(rested, false);
  assert.ok(after > 24, `after ${after} ms`);
});

test('settle: it is believed for being idle longer than that', async () => {
  const { settle, changes, now, concluded } = page({ idle: 49, hasAsked: true });
  settle.observe();
  changes();
  const { rested, after } = await concluded(now());
  assert.equal(rested, true);
  assert.ok(after >= 16 && after < 24, `after ${after} ms`);
});

for (const [what, mayIdle, isTold] of [['an idle callback of the page is waited for, however late the thread is idle', true, true], ['one that it did not ask for is not', false, false]]) {
  test(`settle: ${what}`, async () => {
    const { settle, changes, at, now, concluded } = page({ idleAfter: 150, hasAsked: mayIdle, mayIdle });
    settle.observe();
    const asked = now();
    at(asked + 149, changes);
    const { changed, after } = await concluded(asked);
    assert.equal(changed, isTold);
    assert.equal(after > 149, isTold, `after ${after} ms`);
  });
}

test('settle: of a page that asked for a frame the one after it is waited for, once', async () => {
  const waits = [];
  for (const hasDrawn of [false, true]) {
    const { settle, changes, now, concluded } = page({ idle: 12, hasAsked: true, hasDrawn });
    settle.observe();
    changes();
    const { after } = await concluded(now());
    waits.push(after);
  }
  const [without, more] = [waits[0], waits[1] - waits[0]];
  assert.ok(without > 24 && more > 0 && more <= FRAME + 8, `after ${waits} ms`);
});

test('settle: a page whose thread is never idle is not waited for without end', async () => {
  const { settle, now, concluded } = page({ idleAfter: 60_000, hasAsked: true, mayIdle: true });
  settle.observe();
  const { changed, after } = await concluded(now());
  assert.equal(changed, false);
  assert.ok(after >= 400 && after < 500, `after ${after} ms`);
});

test('settle: a request that ended before the page was asked what came of the gesture gives it time to read the answer', async () => {
  const { settle, network, passes, now, concluded } = page({ idle: 49, noted: [READ] });
  settle.observe();
  passes(5);
  network.update(1, 1);
  passes(5);
  network.update(0, 2);
  const ended = now();
  passes(1);
  const { rested, heard, after } = await concluded(ended);
  assert.deepEqual({ rested, heard }, { rested: false, heard: 2 });
  assert.ok(after > 24 && after < 34, `after ${after} ms`);
});

test('settle: an answer that has ended and is not read yet is waited for, within bounds', async () => {
  for (const [wait, most] of [[120, 160], [Infinity, 290]]) {
    const noted = [{ responseEnd: Infinity, initiatorType: 'img' }];
    const { settle, network, passes, at, now, concluded } = page({ idle: 49, noted });
    settle.observe();
    passes(5);
    network.update(1, 1);
    network.update(0, 2);
    const ended = now();
    at(ended + wait, () => noted.push(READ));
    const { after } = await concluded(ended);
    assert.ok(after >= Math.min(wait, 250) && after < most, `after ${after} ms`);
  }
});

test('settle: what was told of requests after the last word is seen by its number, and asking once more waits for them', async () => {
  const { settle, network, changes, at, now, concluded } = page();
  settle.observe();
  changes();
  assert.equal((await concluded(now())).heard, 0);
  network.update(1, 1);
  const asked = now();
  at(asked + 90, () => network.update(0, 2));
  const { heard, after } = await concluded(asked);
  assert.equal(heard, 2);
  assert.ok(after > 90 + 24, `after ${after} ms`);
});

test('settle: an answer that has ended is under way until it must have reached the page, which takes long on a busy machine', async () => {
  const { settle, network, changes, at, now, concluded } = page({ idle: 49, errand: 60 });
  settle.observe();
  network.update(1, 1);
  network.update(0, 2);
  const ended = now();
  at(ended + 110, changes);
  const { changed, after } = await concluded(ended);
  assert.equal(changed, true);
  assert.ok(after > 2 * 60, `after ${after} ms`);
});

test('settle: a click is not over before a socket has answered what it made the page say, and the answer is shown', async () => {
  const talks = { isAwaited: true, hasLine: true };
  const { settle, at, now, changes, concluded } = page({ talks });
  settle.observe();
  changes();
  const began = now();
  at(began + 300, () => Object.assign(talks, { isAwaited: false, heardAt: began + 300 }));
  const { after } = await concluded(began);
  assert.ok(after >= 550, `after ${after} ms: no words came, and they may still`);
});

test('settle: who has a line open waits a moment for what comes by it after a request that changed nothing', async () => {
  for (const [hasLine, least, most] of [[true, 250, 300], [false, 20, 100]]) {
    const { settle, network, now, passes, concluded } = page({ talks: { hasLine }, noted: [READ] });
    settle.observe();
    passes(1);
    network.update(1, 1);
    network.update(0, 2);
    const { after } = await concluded(now());
    assert.ok(after >= least && after < most, `after ${after} ms`);
  }
});

test('settle: a page that has given itself another address is waited for until it shows something else, within bounds', async () => {
  const { settle, moves, says, at, now, concluded } = page();
  settle.observe();
  moves();
  at(now() + 150, says);
  const { after } = await concluded(now());
  assert.ok(after >= 150 && after < 190, `after ${after} ms`);
});

test('settle: one that shows nothing else there is not waited for any longer', async () => {
  const { settle, moves, now, concluded } = page();
  settle.observe();
  moves();
  const { after } = await concluded(now());
  assert.ok(after >= 250 && after < 290, `after ${after} ms`);
});

test('settle: what shows late after the pointer has come is waited for where the page has asked for a timer', async () => {
  for (const [hasTimed, shows, least, most] of [[true, 500, 500, 560], [true, 0, 600, 640], [false, 500, 16, 60]]) {
    const { settle, says, at, now, concluded } = page({ hasTimed });
    settle.observe({ hovering: true });
    if (shows) at(now() + shows, says);
    const { after } = await concluded(now());
    assert.ok(after >= least && after < most, `after ${after} ms`);
  }
});

test('settle: a page that changes without a word as the pointer comes is waited for all the same, and who waits by the clock is not', async () => {
  for (const [params, least, most] of [[{}, 300, 360], [{ ms: 50 }, 20, 100]]) {
    const { settle, changes, says, at, now, concluded } = page({ hasTimed: true });
    settle.observe({ hovering: true });
    changes();
    at(now() + 300, says);
    const { after } = await concluded(now(), params);
    assert.ok(after >= least && after < most, `after ${after} ms`);
  }
});

test('settle: what a pressed page puts off by a timer is waited for, unless it was pressed to write into it', async () => {
  const timed = { hasTimed: true };
  for (const [how, press, isAwaited] of [
    [timed, ({ clicked }) => clicked(), true],
    [{}, ({ clicked }) => clicked(), false],
    [timed, () => {}, false],
    [{ ...timed, isWriting: true }, ({ clicked }) => clicked(), false],
    [{ ...timed, isWriting: true }, ({ entered }) => entered(), true],
    [timed, ({ entered }) => entered('a'), false],
  ]) {
    const made = page(how);
    const { settle, says, at, now, concluded } = made;
    settle.observe();
    press(made);
    at(now() + 300, says);
    const { after } = await concluded(now());
    assert.equal(after >= 300, isAwaited, `${JSON.stringify(how)} ${press}: after ${after} ms`);
    assert.ok(after < 360, `after ${after} ms`);
  }
});

test('settle: a pressed page that shows nothing after its timer is not waited for longer than that', async () => {
  const { settle, clicked, now, concluded } = page({ hasTimed: true });
  settle.observe();
  clicked();
  const { after } = await concluded(now());
  assert.ok(after >= 600 && after < 700, `after ${after} ms`);
});

test('settle: a page that has loaded and shows nothing is waited for within bounds, and said to wait', async () => {
  const { settle, now, concluded } = page({ isShell: true });
  settle.observe({ arriving: true });
  const { waits, after } = await concluded(now());
  assert.equal(waits, true);
  assert.ok(after >= 2_000 && after < 2_200, `after ${after} ms`);
});

test('settle: what an empty page does after a click is not waited for', async () => {
  const { settle, now, concluded } = page({ isShell: true });
  settle.observe();
  const { waits, after } = await concluded(now());
  assert.equal(waits, false);
  assert.ok(after < 100, `after ${after} ms`);
});

test('settle: what unfolds is waited for within bounds', async () => {
  const { settle, changes, now, concluded } = page({ isUnfolding: true });
  settle.observe();
  changes();
  const { after } = await concluded(now());
  assert.ok(after >= 600 && after < 700, `after ${after} ms`);
});
