/**
 * A stand-in for WebMCP in browsers that have none: `document.modelContext` with the promises of the standard, in the
 * page's own world, before any of its scripts. Behaviour and error texts are those of Chromium 156. Properties are
 * configurable: libraries that bring their own replace them.
 *
 * Older pages: `provideContext`, `clearContext`, `unregisterTool` and, for `execute`, `requestUserInteraction` are there
 * too, as in Chromium 146 to 152, only not to be enumerated; `navigator.modelContext` is `navigator_context.js`.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  if (!page.interfaces) return;

  const { AbortController, Promise, String, TypeError, apply, define, defineProperty, getOwnPropertyDescriptor, listen, parse, stringify, then } = page.natives;
  const { ModelContext, context } = page.interfaces;
  const { checkOrigins, clear, find, isForm, mistake, names, refusal, register, registered, remove } = page.tools;
  const { run, runForm } = page.calls;
  const { create } = Object;
  /** @type {any} */
  const handlers = { __proto__: null };

  /** WebIDL's conversion of a RegisteredTool. @param {any} tool */
  const checkRegistered = (tool) => {
    if (tool === null || typeof tool !== 'object') throw mistake('executeTool', "The provided value is not of type 'RegisteredTool'.");
    const required = ['description', 'name', 'origin', 'window'];
    for (let index = 0; index < required.length; index += 1) {
      if (tool[required[index]] !== undefined) continue;
      throw mistake('executeTool', `Failed to read the '${required[index]}' property from 'RegisteredTool': Required member is undefined.`);
    }
    if (tool.window?.window !== tool.window || !tool.window) {
      throw mistake('executeTool', "Failed to read the 'window' property from 'RegisteredTool': Failed to convert value to 'Window'.");
    }
  };

  const operations = {
    registerTool(/** @type {any} */ tool, /** @type {any} */ options = {}) {
      const done = (async () => {
        if (this !== context) throw new TypeError('Illegal invocation');
        if (arguments.length === 0) throw mistake('registerTool', '1 argument required, but only 0 present.');
        register(tool, options);
      })();
      // What registering gave with @mcp-b/global 1.x, whose earliest leave the place to us.
      return defineProperty(done, 'unregister', { value: () => remove(tool.name), configurable: true }) && done;
    },

    async getTools(/** @type {any} */ options = {}) {
      if (this !== context) throw new TypeError('Illegal invocation');
      checkOrigins(options?.fromOrigins, 'fromOrigins');
      const all = names();
      const found = [];
      for (let index = 0; index < all.length; index += 1) {
        const { annotations, description, name, schema, title } = find(all[index]);
        found[index] = {
          ...(annotations && { annotations: { ...annotations } }), description,
          ...(schema !== undefined && { inputSchema: parse(schema) }), name, origin: window.origin, title, window,
        };
      }
      // Frames of the same origin are one with the page.
      for (let index = 0; index < window.length; index += 1) {
        try {
          const theirs = await /** @type {any} */ (window[index].document).modelContext.getTools();
          for (let at = 0; at < theirs.length; at += 1) found[found.length] = theirs[at];
        } catch {
          // Another origin, or no tools there.
        }
      }
      return found;
    },

    async executeTool(/** @type {any} */ tool, /** @type {any} */ input = {}, /** @type {any} */ options = {}) {
      if (this !== context) throw new TypeError('Illegal invocation');
      if (arguments.length === 0) throw mistake('executeTool', '1 argument required, but only 0 present.');
      checkRegistered(tool);
      // @mcp-b up to 5.1 hands over JSON, as was right until Chromium 154, and works in browsers without WebMCP.
      const given = typeof input === 'string' ? parse(input) : input;
      if (given === null || typeof given !== 'object') throw mistake('executeTool', 'invalid input object: value is not an object');
      const signal = options?.signal;
      if (signal?.aborted) throw signal.reason;
      if (tool.window !== window) return await tool.window.document.modelContext.executeTool(tool, given, options);
      const isOwn = tool.origin === window.origin;
      if (isOwn && isForm(tool.name)) return await runForm(tool.name, given, signal);
      const found = isOwn ? registered(tool.name) : undefined;
      if (!found) throw refusal('UnknownError', 'The operation failed for an unknown transient reason (e.g. out of memory).');
      const controller = new AbortController();
      const aborted = new Promise((_, reject) => {
        if (signal) apply(listen, signal, ['abort', () => { controller.abort(signal.reason); reject(signal.reason); }, { once: true }]);
      });
      // A copy, so that neither side sees what the other does to it.
      const answer = apply(then, run(found, parse(stringify(given)), controller.signal), [undefined, () => {
        throw refusal('UnknownError', 'Tool was executed but the invocation failed. For example, the script function threw an error');
      }]);
      // Waited for here, as everywhere: handed on, a promise would be asked for its `then`, which may be the page's.
      return await new Promise((resolve, reject) => {
        apply(then, answer, [resolve, reject]);
        apply(then, aborted, [undefined, reject]);
      });
    },
  };

  /** @param {string} type @returns {PropertyDescriptor} */
  const handlerAttribute = (type) => {
    /** @param {Event} event */
    const call = (event) => { if (handlers[type]) apply(handlers[type], context, [event]); };
    const made = {
      get [`on${type}`]() { return handlers[type] ?? null; },
      set [`on${type}`](/** @type {any} */ handler) {
        if (!(type in handlers)) apply(listen, context, [type, call]);
        handlers[type] = typeof handler === 'function' ? handler : null;
      },
    };
    return /** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(made, `on${type}`));
  };

  for (const type of ['toolchange', 'toolactivated', 'toolcancel']) {
    define(ModelContext.prototype, create(null, { [`on${type}`]: { ...handlerAttribute(type) } }));
  }
  define(ModelContext.prototype, operations);
  define(ModelContext.prototype, {
    provideContext(/** @type {any} */ provided) {
      clear();
      for (let index = 0; index < (provided?.tools?.length ?? 0); index += 1) register(provided.tools[index], {});
    },
    clearContext() { clear(); },
    unregisterTool(/** @type {any} */ name) { remove(String(name)); },
  }, false);

  define(Document.prototype, {
    get modelContext() {
      if (!(this instanceof Document)) throw new TypeError('Illegal invocation');
      return this === document ? context : undefined;
    },
  });

  page.bridge.open();
})();
