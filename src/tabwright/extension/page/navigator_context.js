/**
 * `navigator.modelContext`, where Chromium 146 to 152 had WebMCP and where pages and libraries of that time look for it:
 * the stand-in itself, or, where the browser has WebMCP by its newer name only, the same with the methods it had then.
 *
 * What is registered here is registered with the browser; a tool is taken back by the signal it was registered with.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  const native = page.interfaces ? undefined : /** @type {any} */ (document).modelContext;
  // Insecure, injected before, or a browser that still has it.
  if ((!page.interfaces && !native) || 'modelContext' in navigator) return;

  const { AbortController, Proxy, String, apply, builtIn, define, defineProperty, keys } = page.natives;
  const { get, set } = Reflect;
  const { AbortSignal } = globalThis;
  const { any } = AbortSignal;
  /** What was registered here, by name: its signal, and how to take it back. @type {any} */
  const registered = { __proto__: null };

  /** @param {string} name */
  const remove = (name) => {
    registered[name]?.abort();
    delete registered[name];
  };

  /** @param {any} tool @param {any} [options] */
  const register = (tool, options) => {
    const controller = new AbortController();
    const { execute } = tool;
    const signal = options?.signal ? apply(any, AbortSignal, [[options.signal, controller.signal]]) : controller.signal;
    const made = typeof execute !== 'function' ? tool : {
      ...tool,
      execute: (/** @type {any} */ input, /** @type {any} */ client) => apply(execute, tool, [input, page.older.withInteraction(client)]),
    };
    const done = native.registerTool(made, { ...options, signal });
    const abort = () => controller.abort();
    const name = String(tool.name);
    // The browser refuses a second one of its name, and the first is still the one to take back.
    if (registered[name]?.signal.aborted !== false) registered[name] = { signal, abort };
    return defineProperty(done, 'unregister', { value: abort, configurable: true }) && done;
  };

  const clear = () => {
    const names = keys(registered);
    for (let index = 0; index < names.length; index += 1) remove(names[index]);
  };

  /** @type {any} */
  const methods = {
    __proto__: null,
    registerTool: (/** @type {any} */ tool, /** @type {any} */ options) => register(tool, options),
    unregisterTool: (/** @type {any} */ name) => remove(String(name)),
    clearContext: clear,
    provideContext(/** @type {any} */ provided) {
      clear();
      for (let index = 0; index < (provided?.tools?.length ?? 0); index += 1) register(provided.tools[index]);
    },
  };
  const names = keys(methods);
  for (let index = 0; index < names.length; index += 1) methods[names[index]] = builtIn(methods[names[index]]);

  const older = native && new Proxy(native, /** @type {any} */ ({
    __proto__: null,
    get(/** @type {any} */ target, /** @type {any} */ name) {
      if (name in methods) return methods[name];
      const found = get(target, name, target);
      return typeof found === 'function' ? (/** @type {any[]} */ ...given) => apply(found, target, given) : found;
    },
    has: (/** @type {any} */ target, /** @type {any} */ name) => name in methods || name in target,
    set: (/** @type {any} */ target, /** @type {any} */ name, /** @type {any} */ value) => set(target, name, value, target),
  }));

  // @mcp-b/global 1.2 to 2.x starts only where navigator has nothing yet. Reading its options is the first thing it does.
  let isLibraryHere = false;
  define(Object.getPrototypeOf(window), {
    get __webModelContextOptions() {
      isLibraryHere = true;
      return undefined;
    },
    set __webModelContextOptions(value) {
      isLibraryHere = true;
      defineProperty(window, '__webModelContextOptions', { value, writable: true, enumerable: true, configurable: true });
    },
  }, false);
  const context = older ?? page.interfaces.context;
  define(Navigator.prototype, { get modelContext() { return isLibraryHere ? undefined : context; } }, false);
})();
