/**
 * What the scripts of the page's own world need of the browser, taken at the start: a page may put something else in the
 * place of everything later, on every prototype. For the same reason state lives in objects without a prototype, and
 * lists grow by `append`.
 *
 * The files of this folder are loaded one after another, as the manifest lists them, before any script of the page. They
 * meet in one object under a name of `window`, which the last of them takes away: no page finds it there.
 */
(() => {
  const {
    AbortController, DOMException, Event, MessageEvent, Promise, Proxy, String, TypeError, WeakMap,
  } = globalThis;
  const { apply, defineProperty } = Reflect;
  const { getOwnPropertyDescriptor, getOwnPropertyDescriptors, keys } = Object;

  /** @param {object} owner @param {string} name @returns {any} */
  const method = (owner, name) => getOwnPropertyDescriptor(owner, name)?.value;

  /** @param {object} owner @param {string} name @param {'get' | 'set'} [kind] @returns {any} */
  const accessor = (owner, name, kind = 'get') => getOwnPropertyDescriptor(owner, name)?.[kind];

  /** Not by assignment, which a setter on Array.prototype would swallow. @param {any[]} list @param {any} value */
  const append = (list, value) => defineProperty(list, list.length, /** @type {any} */ ({
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  }));

  /** Looks built in to whoever prints it. @template {Function} F @param {F} made @returns {F} */
  const builtIn = (made) => /** @type {any} */ (new Proxy(made, {}));

  /** @type {import('./page').Natives['define']} */
  const define = (target, members, enumerable = true) => {
    const descriptors = /** @type {any} */ (getOwnPropertyDescriptors(members));
    const names = keys(descriptors);
    for (let index = 0; index < names.length; index += 1) {
      const { get, set, value } = descriptors[names[index]];
      defineProperty(target, names[index], get
        ? { get: builtIn(get), set: set && builtIn(set), enumerable, configurable: true }
        : { value: builtIn(value), writable: true, enumerable, configurable: true });
    }
  };

  const listen = method(EventTarget.prototype, 'addEventListener');
  /** What listens as long as there is the document. @type {any[]} */
  const kept = [];

  /** @type {import('./page').Natives['keep']} */
  const keep = (target, type, listener, capture = false) => {
    append(kept, /** @type {any} */ ({ __proto__: null, target, type, listener, capture }));
    apply(listen, target, [type, listener, capture]);
  };

  // A page that writes itself anew (document.open) takes away every listener of its window and document, ours too.
  const rewritten = new MutationObserver(() => {
    for (let index = 0; index < kept.length; index += 1) {
      const { target, type, listener, capture } = kept[index];
      apply(listen, target, [type, listener, capture]);
    }
  });
  apply(method(MutationObserver.prototype, 'observe'), rewritten, [document, { childList: true }]);

  /** @type {import('./page').Natives} */
  const natives = {
    AbortController, DOMException, Event, MessageEvent, Promise, Proxy, String, TypeError, WeakMap,
    apply, defineProperty, getOwnPropertyDescriptor, getOwnPropertyDescriptors, keys,
    parse: JSON.parse,
    stringify: JSON.stringify,
    method,
    accessor,
    append,
    builtIn,
    define,
    keep,
    listen,
    unlisten: method(EventTarget.prototype, 'removeEventListener'),
    dispatch: method(EventTarget.prototype, 'dispatchEvent'),
    prevent: method(Event.prototype, 'preventDefault'),
    data: accessor(MessageEvent.prototype, 'data'),
    remember: method(WeakMap.prototype, 'set'),
    recall: method(WeakMap.prototype, 'get'),
    then: method(Promise.prototype, 'then'),
    sort: method(Array.prototype, 'sort'),
    matches: method(RegExp.prototype, 'exec'),
  };
  defineProperty(window, 'tabwright.page', { value: { __proto__: null, natives }, configurable: true });
})();
