/**
 * Notes which elements the page listens on for clicks, drags, drops and pointers that come, in the page's own world
 * before any of its scripts, so that a bare `div` with a listener can be told from one without. The page agent asks for
 * them and is told the element and for what it listens; nothing else is said.
 *
 * Pages see methods and setters that look built in, no property on any element, and the question only if they asked it
 * themselves.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  // The last of those that share it.
  delete /** @type {any} */ (window)['tabwright.page'];

  const ASK = 'tabwright:listened';
  const HERE = 'tabwright:listening';
  /** For what a kind of listener is there; the agent knows these numbers. */
  const CLICK = 1, PRESS = 2, DRAG = 4, DROP = 8, COME = 16;
  const TYPES = ['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'contextmenu',
    'dragstart', 'dragenter', 'dragover', 'drop', 'mouseenter', 'pointerenter'];
  const FOR = [CLICK, CLICK, PRESS, CLICK, PRESS, CLICK, PRESS, CLICK, CLICK, DRAG, DROP, DROP, DROP, COME, COME];
  /** Whoever listens to so many kinds hands events on to others: frameworks do so at the root of what they draw. */
  const DELEGATES = 7;
  const ANSWERED_MAX = 20_000;

  const {
    Event, Proxy, WeakMap, accessor, append, apply, data, defineProperty, dispatch, getOwnPropertyDescriptor, keep, method,
    prevent, recall, remember,
  } = page.natives;
  const { Element, HTMLElement, InputEvent, StaticRange, SVGElement, WeakRef } = globalThis;
  const stop = method(Event.prototype, 'stopImmediatePropagation');
  const deref = method(WeakRef.prototype, 'deref');
  const isConnected = accessor(Node.prototype, 'isConnected');

  // Injected again: the one before answers.
  if (!apply(dispatch, window, [new Event(HERE, { cancelable: true })])) return;

  /** Listeners by kind. @type {WeakMap<object, any>} */
  const counts = new WeakMap();
  /** @type {any} */
  const known = { __proto__: null };
  for (let index = 0; index < TYPES.length; index += 1) {
    known[TYPES[index]] = FOR[index];
    known[`on${TYPES[index]}`] = FOR[index];
  }
  /** Every element ever noted. @type {WeakRef<Element>[]} */
  let noted = [];
  let sweepAt = 1024;

  /** Frees the places of elements that are no more. */
  const sweep = () => {
    /** @type {WeakRef<Element>[]} */
    const alive = [];
    for (let index = 0; index < noted.length; index += 1) if (apply(deref, noted[index], [])) append(alive, noted[index]);
    noted = alive;
    sweepAt = 1024 + alive.length * 2;
  };

  /** @param {any} element @param {string} kind @param {number} change */
  const note = (element, kind, change) => {
    let count = apply(recall, counts, [element]);
    if (!count) {
      if (change < 0) return;
      count = { __proto__: null };
      apply(remember, counts, [element, count]);
      append(noted, new WeakRef(element));
      if (noted.length > sweepAt) sweep();
    }
    const now = (count[kind] ?? 0) + change;
    if (now > 0) count[kind] = now;
    else delete count[kind];
  };

  /** A method that looks built in and is followed by `after`. @param {string} name @param {(self: any, args: any[]) => void} after */
  const follow = (name, after) => {
    const own = /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(EventTarget.prototype, name));
    const value = new Proxy(own.value, /** @type {any} */ ({
      __proto__: null,
      apply(/** @type {any} */ original, /** @type {any} */ self, /** @type {any[]} */ args) {
        const result = apply(original, self, args);
        if (args[0] === 'message') page.hears?.();
        if (self instanceof Element && args.length > 1 && typeof args[0] === 'string' && args[1] && known[args[0]]) after(self, args);
        return result;
      },
    }));
    defineProperty(EventTarget.prototype, name, { ...own, value });
  };
  follow('addEventListener', (self, args) => note(self, args[0], 1));
  follow('removeEventListener', (self, args) => note(self, args[0], -1));

  /** `element.onclick = f`, which is how React marks what it handles. @param {object} owner @param {string} type */
  const followHandler = (owner, type) => {
    const own = getOwnPropertyDescriptor(owner, `on${type}`);
    if (!own?.set) return;
    const set = new Proxy(own.set, /** @type {any} */ ({
      __proto__: null,
      apply(/** @type {any} */ original, /** @type {any} */ self, /** @type {any[]} */ args) {
        apply(original, self, args);
        if (!(self instanceof Element)) return;
        const had = (apply(recall, counts, [self])?.[`on${type}`] ?? 0) > 0;
        if (!!args[0] !== had) note(self, `on${type}`, had ? -1 : 1);
      },
    }));
    defineProperty(owner, `on${type}`, { ...own, set });
  };
  for (let index = 0; index < TYPES.length; index += 1) {
    followHandler(HTMLElement.prototype, TYPES[index]);
    followHandler(SVGElement.prototype, TYPES[index]);
  }

  /** For what it listens, 0 for nothing that concerns it. @param {Element} element @returns {number} */
  const listensFor = (element) => {
    const count = apply(recall, counts, [element]);
    let kinds = 0;
    let found = 0;
    for (const kind in count) {
      if (count[kind] > 0) {
        kinds += 1;
        found |= known[kind];
      }
    }
    return kinds < DELEGATES && apply(isConnected, element, []) ? found : 0;
  };

  /** Nodes cross from world to world inside ranges, closed shadow roots or not. @param {MessageEvent} question */
  const answer = (question) => {
    apply(stop, question, []);
    const name = apply(data, question, []);
    if (typeof name !== 'string') return;
    /** Ranges by what is listened for. @type {any} */
    const groups = { __proto__: null };
    let left = ANSWERED_MAX;
    for (let index = 0; index < noted.length && left > 0; index += 1) {
      const element = apply(deref, noted[index], []);
      const found = element ? listensFor(element) : 0;
      if (found === 0) continue;
      left -= 1;
      groups[found] ??= [];
      append(groups[found], new StaticRange({ startContainer: element, startOffset: 0, endContainer: element, endOffset: 0 }));
    }
    for (const found in groups) apply(dispatch, window, [new InputEvent(name, { data: found, targetRanges: groups[found] })]);
  };
  keep(window, ASK, answer, true);
  keep(window, HERE, (/** @type {Event} */ event) => {
    apply(stop, event, []);
    apply(prevent, event, []);
  }, true);
})();
