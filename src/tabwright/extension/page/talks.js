/**
 * Notes when the page said something to others who may answer, and when they did: sockets and workers; and streams that
 * only tell; and whether it may say something to itself. In the page's own world before any of its scripts, so that
 * whoever waits for what a gesture causes knows whether an answer is outstanding. The page agent asks and is told times,
 * never what was said.
 *
 * Pages see constructors and methods that look built in, and the question only if they asked it themselves.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];

  const ASK = 'tabwright:talks';
  const HERE = 'tabwright:talking';
  /** Of a page that makes one after the other and closes none, the latest. */
  const MOST = 100;

  const { Event, Proxy, WeakMap, accessor, append, apply, data, defineProperty, dispatch, getOwnPropertyDescriptor, keep, listen, method, prevent, recall, remember } = page.natives;
  const { InputEvent } = globalThis;
  const construct = Reflect.construct;
  const now = /** @type {() => number} */ (performance.now.bind(performance));
  const join = method(Array.prototype, 'join');
  const stop = method(Event.prototype, 'stopImmediatePropagation');

  // Injected again: the one before answers.
  if (!apply(dispatch, window, [new Event(HERE, { cancelable: true })])) return;

  /** When it was begun, when something was said to it last, and heard of it. @typedef {{kind: string, begun: number, said: number, heard: number, over: boolean}} Talk */
  /** @type {WeakMap<object, Talk>} */
  const known = new WeakMap();
  /** @type {Talk[]} */
  let talks = [];
  /** Whoever has a channel, a listener for messages or tasks of a scheduler may give itself turn after turn. */
  let talksToItself = false;

  /** Those that go on. */
  const sweep = () => {
    /** @type {Talk[]} */
    const left = [];
    for (let index = talks.length > MOST ? 1 : 0; index < talks.length; index += 1) if (!talks[index].over) append(left, talks[index]);
    talks = left;
  };

  /** @param {any} partner @param {string} kind */
  const follow = (partner, kind) => {
    if (kind === 'channel') return void (talksToItself = true);
    /** @type {Talk} */
    const talk = /** @type {any} */ ({ __proto__: null, kind, begun: now(), said: 0, heard: 0, over: false });
    apply(remember, known, [partner, talk]);
    sweep();
    append(talks, talk);
    const heard = () => { talk.heard = now(); };
    const ended = () => { talk.over = true; };
    apply(listen, partner, ['message', heard]);
    apply(listen, partner, ['open', heard]);
    // A stream that broke is opened again by the browser.
    apply(listen, partner, ['error', heard]);
    apply(listen, partner, ['close', ended]);
  };

  /** @param {string} name @param {string} kind @param {string} [say] the method by which it is spoken to */
  const watch = (name, kind, say) => {
    const own = getOwnPropertyDescriptor(window, name);
    const made = own?.value;
    if (!own || typeof made !== 'function') return;
    const shown = new Proxy(made, /** @type {any} */ ({
      __proto__: null,
      construct(/** @type {any} */ original, /** @type {any[]} */ args, /** @type {any} */ target) {
        const partner = construct(original, args, target);
        follow(partner, kind);
        return partner;
      },
    }));
    defineProperty(window, name, { ...own, value: shown });
    const { constructor } = /** @type {any} */ (Object.getOwnPropertyDescriptors(made.prototype));
    defineProperty(made.prototype, 'constructor', { ...constructor, value: shown });
    const spoken = say && getOwnPropertyDescriptor(made.prototype, say);
    if (!spoken) return;
    const value = new Proxy(spoken.value, /** @type {any} */ ({
      __proto__: null,
      apply(/** @type {any} */ original, /** @type {any} */ self, /** @type {any[]} */ args) {
        const result = apply(original, self, args);
        const talk = apply(recall, known, [self]);
        if (talk) talk.said = now();
        return result;
      },
    }));
    defineProperty(made.prototype, say, { ...spoken, value });
  };
  watch('WebSocket', 'socket', 'send');
  watch('Worker', 'worker', 'postMessage');
  watch('EventSource', 'stream');
  watch('MessageChannel', 'channel');

  // By a hook on `postMessage` messages of frames would seem to come from the window that they go to.
  page.hears = () => { talksToItself = true; };
  const handler = accessor(window, 'onmessage');
  const isHeard = () => handler && apply(handler, window, []) !== null;

  const scheduler = globalThis.Scheduler?.prototype ?? {};
  for (const name of ['postTask', 'yield']) {
    const own = getOwnPropertyDescriptor(scheduler, name);
    if (!own) continue;
    const value = new Proxy(own.value, /** @type {any} */ ({
      __proto__: null,
      apply(/** @type {any} */ original, /** @type {any} */ self, /** @type {any[]} */ args) {
        talksToItself = true;
        return apply(original, self, args);
      },
    }));
    defineProperty(scheduler, name, { ...own, value });
  }

  /** @param {MessageEvent} question */
  const answer = (question) => {
    apply(stop, question, []);
    const name = apply(data, question, []);
    if (typeof name !== 'string') return;
    /** @type {string[]} */
    const lines = talksToItself || isHeard() ? ['itself 0 0 0'] : [];
    for (let index = 0; index < talks.length; index += 1) {
      const { kind, begun, said, heard, over } = talks[index];
      if (!over) append(lines, `${kind} ${begun} ${said} ${heard}`);
    }
    apply(dispatch, window, [new InputEvent(name, { data: apply(join, lines, ['\n']) })]);
  };
  keep(window, ASK, answer, true);
  keep(window, HERE, (/** @type {Event} */ event) => {
    apply(stop, event, []);
    apply(prevent, event, []);
  }, true);
})();
