/**
 * A stand-in for WebMCP in browsers that have none: `document.modelContext` with the promises of the standard, in the
 * page's own world, before any of its scripts. Behaviour and error texts are those of Chromium 156.
 *
 * Self-contained, and wary: a page may patch every prototype later, so what is needed is taken at the start, and state
 * lives in objects without a prototype. Properties are configurable: libraries that bring their own replace them.
 *
 * Forms with `toolname` are found, described and filled by the isolated world (`source_forms`), which asks for the
 * submission by an event whose name only the two know. Everything else goes over a MessagePort handed over at once.
 *
 * Older pages: `provideContext`, `clearContext`, `unregisterTool` and `navigator.modelContext` are there too, as in
 * Chromium 146 to 152, only not to be enumerated.
 */
(() => {
  // Present: the browser's own, another's, or this one injected before.
  if (!isSecureContext || 'modelContext' in document) return;

  // Taken now, under their own names, whatever the page puts in their place.
  const {
    AbortController, DOMException, Event, MessageChannel, MessageEvent, Promise, Proxy, String, TypeError, URL, setTimeout,
  } = globalThis;
  const { apply, defineProperty } = Reflect;
  const { stringify, parse } = JSON;
  const { create, getOwnPropertyDescriptor, getOwnPropertyDescriptors, keys, setPrototypeOf } = Object;
  const { isArray } = Array;
  const resolved = Promise.resolve();
  /** @param {object} owner @param {string} name @returns {any} */
  const method = (owner, name) => getOwnPropertyDescriptor(owner, name)?.value;
  /** @param {object} owner @param {string} name @param {'get' | 'set'} [kind] @returns {any} */
  const accessor = (owner, name, kind = 'get') => getOwnPropertyDescriptor(owner, name)?.[kind];
  const listen = method(EventTarget.prototype, 'addEventListener');
  const unlisten = method(EventTarget.prototype, 'removeEventListener');
  const dispatch = method(EventTarget.prototype, 'dispatchEvent');
  const path = method(Event.prototype, 'composedPath');
  const prevent = method(Event.prototype, 'preventDefault');
  const post = method(MessagePort.prototype, 'postMessage');
  const submitForm = method(HTMLFormElement.prototype, 'requestSubmit');
  const remember = method(WeakMap.prototype, 'set');
  const recall = method(WeakMap.prototype, 'get');
  const forget = method(WeakMap.prototype, 'delete');
  const matches = method(RegExp.prototype, 'exec');
  const then = method(Promise.prototype, 'then');
  const sort = method(Array.prototype, 'sort');
  const cut = method(String.prototype, 'slice');
  const target = accessor(Event.prototype, 'target');
  const prevented = accessor(Event.prototype, 'defaultPrevented');
  const trusted = accessor(new Event(''), 'isTrusted');
  const detail = accessor(UIEvent.prototype, 'detail');
  const formOfButton = accessor(HTMLButtonElement.prototype, 'form');
  const formOfInput = accessor(HTMLInputElement.prototype, 'form');
  const button = accessor(MouseEvent.prototype, 'button');
  const data = accessor(MessageEvent.prototype, 'data');
  const onMessage = accessor(MessagePort.prototype, 'onmessage', 'set');
  /** @type {any} */
  const tools = { __proto__: null };
  /** Tools of forms, as the isolated world tells them. @type {any} */
  let forms = { __proto__: null };
  /** @type {any} */
  const handlers = { __proto__: null };
  /** Calls that the isolated world waits for, by number. @type {any} */
  const calls = { __proto__: null };
  /** Calls of the page that the isolated world serves, by number. @type {any} */
  const asked = { __proto__: null };
  let lastAsked = 0;
  /** Forms being sent for an agent. */
  const sending = new WeakMap();
  /** Their submit events. */
  const submits = new WeakMap();
  /** @type {MessagePort | undefined} */
  let port;

  /** Looks built in to whoever prints it. @template {Function} F @param {F} made @returns {F} */
  const builtIn = (made) => /** @type {any} */ (new Proxy(made, {}));

  /** Not by assignment, which a setter on Array.prototype would swallow. @param {any[]} list @param {any} value */
  const append = (list, value) => defineProperty(list, list.length, /** @type {any} */ ({
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  }));

  /** @param {object} message */
  const tell = (message) => { if (port) apply(post, port, [message]); };

  /** @param {string} name @param {string} message */
  const refusal = (name, message) => new DOMException(message, name);

  /** @param {string} operation @param {string} message */
  const mistake = (operation, message) => new TypeError(`Failed to execute '${operation}' on 'ModelContext': ${message}`);

  /** As executeTool answers: text. @param {any} value */
  const asText = (value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return String(value) || 'Operation succeeded';
    return stringify(value) ?? 'undefined';
  };

  const change = () => {
    tell({ type: 'changed' });
    apply(then, resolved, [() => apply(dispatch, context, [new Event('toolchange')])]);
  };

  /** WebIDL's conversion of a ModelContextTool. @param {any} tool */
  const converted = (tool) => {
    if (tool === null || (typeof tool !== 'object' && typeof tool !== 'function')) {
      throw mistake('registerTool', "The provided value is not of type 'ModelContextTool'.");
    }
    /** @param {string} member @param {string} why */
    const wrong = (member, why) => mistake('registerTool', `Failed to read the '${member}' property from 'ModelContextTool': ${why}`);
    const { annotations, description, execute, inputSchema, name, title } = tool;
    if (description === undefined) throw wrong('description', 'Required member is undefined.');
    if (execute === undefined) throw wrong('execute', 'Required member is undefined.');
    if (typeof execute !== 'function') throw wrong('execute', 'The given value is not a function.');
    if (inputSchema !== undefined && (inputSchema === null || (typeof inputSchema !== 'object' && typeof inputSchema !== 'function'))) {
      throw wrong('inputSchema', "Failed to convert value to 'object'.");
    }
    if (name === undefined) throw wrong('name', 'Required member is undefined.');
    let schema;
    try {
      schema = inputSchema && stringify(inputSchema);
    } catch (thrown) {
      throw mistake('registerTool', String(/** @type {any} */ (thrown)?.message));
    }
    if (inputSchema && schema === undefined) throw mistake('registerTool', 'invalid input schema: toJSON() returns undefined');
    return {
      __proto__: null, name: String(name), title: title === undefined ? '' : String(title), description: String(description),
      schema, execute, annotations: annotations && {
        consequentialHint: !!annotations.consequentialHint, debugging: !!annotations.debugging,
        readOnlyHint: !!annotations.readOnlyHint, untrustedContentHint: !!annotations.untrustedContentHint,
        // Not of the standard, and only where a page says so: what it warns of, and what outlives its tab.
        ...(annotations.destructiveHint && { destructiveHint: true }), ...(annotations.cache === true && { cache: true }),
      },
    };
  };

  /** @param {any} origins @param {string} list */
  const checkOrigins = (origins, list) => {
    if (origins === undefined) return;
    if (!isArray(origins)) throw new TypeError(`Failed to read the '${list}' property: The provided value cannot be converted to a sequence.`);
    for (let index = 0; index < origins.length; index += 1) {
      let isSecure = false;
      try {
        const { protocol, hostname } = new URL(origins[index]);
        isSecure = protocol === 'https:' || !!apply(matches, /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/, [hostname]);
      } catch {
        // No origin at all.
      }
      if (!isSecure) throw refusal('SecurityError', `Only secure origins are allowed in the ${list} list.`);
    }
  };

  /** @param {any} tool @param {any} options */
  const register = (tool, options) => {
    const made = converted(tool);
    const { exposedTo, signal } = options ?? {};
    // Accepted, and of no effect: every frame lists its own tools here, and none to another.
    checkOrigins(exposedTo, 'exposedTo');
    if (window.origin === 'null') throw refusal('NotAllowedError', 'Access to the feature "tools" is disallowed by permissions policy.');
    if (!apply(matches, /^[A-Za-z0-9_.-]{1,128}$/, [made.name])) throw refusal('InvalidStateError', 'Invalid tool name');
    if (made.description === '') throw refusal('InvalidStateError', 'Description is required');
    if (made.name in tools || made.name in forms) throw refusal('InvalidStateError', 'Duplicate tool name');
    if (signal?.aborted) throw signal.reason;
    tools[made.name] = made;
    if (signal) apply(listen, signal, ['abort', () => { if (tools[made.name] === made) remove(made.name); }, { once: true }]);
    change();
  };

  /** @param {string} name */
  const remove = (name) => {
    if (!(name in tools)) return;
    delete tools[name];
    change();
  };

  const clear = () => {
    const names = keys(tools);
    for (let index = 0; index < names.length; index += 1) remove(names[index]);
  };

  /** What the page gave for a call, with its own error if it threw. @param {any} tool @param {any} input @param {AbortSignal} signal */
  const run = async (tool, input, signal) => asText(await apply(tool.execute, undefined, [input, { signal }]));

  /** A form's tool, called by the page itself. @param {string} name @param {any} input @param {any} signal */
  const runForm = (name, input, signal) => new Promise((resolve, reject) => {
    const number = lastAsked += 1;
    asked[number] = { resolve, reject };
    if (signal) apply(listen, signal, ['abort', () => { tell({ type: 'cancelForm', number }); reject(signal.reason); }, { once: true }]);
    tell({ type: 'runForm', number, name, input: stringify(input) });
  });

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
      const names = apply(sort, keys({ ...tools, ...forms }), []);
      const found = [];
      for (let index = 0; index < names.length; index += 1) {
        const { annotations, description, name, schema, title } = tools[names[index]] ?? forms[names[index]];
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
      if (isOwn && tool.name in forms) return await runForm(tool.name, given, signal);
      const found = isOwn ? tools[tool.name] : undefined;
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

  /** Puts members on a prototype as a browser would. @param {object} target @param {object} members @param {boolean} [enumerable] */
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

  /** Makes a class look like an interface of the browser. @param {any} made @param {string} name */
  const expose = (made, name) => {
    const shown = builtIn(made);
    defineProperty(made.prototype, 'constructor', { value: shown, writable: true, configurable: true });
    defineProperty(made.prototype, Symbol.toStringTag, { value: name, configurable: true });
    defineProperty(window, name, { value: shown, writable: true, configurable: true });
    return shown;
  };

  /** @returns {never} */
  const illegal = () => { throw new TypeError("Failed to construct 'ModelContext': Illegal constructor"); };
  class ModelContext extends EventTarget {
    constructor() {
      illegal();
      super();
    }
  }
  /** @type {any} */
  const context = setPrototypeOf(new EventTarget(), ModelContext.prototype);
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
  expose(ModelContext, 'ModelContext');

  /** @param {string} name */
  const toolEvent = (name) => {
    const made = { [name]: class extends Event {
      #toolName;
      constructor(/** @type {string} */ type, /** @type {any} */ init = {}) {
        super(type, init);
        this.#toolName = String(init.toolName ?? '');
      }
      get toolName() { return this.#toolName; }
    } }[name];
    const { toolName } = getOwnPropertyDescriptors(made.prototype);
    define(made.prototype, create(null, { toolName: { ...toolName, enumerable: true } }));
    return expose(made, name);
  };
  const ToolActivatedEvent = toolEvent('ToolActivatedEvent');
  const ToolCancelEvent = toolEvent('ToolCancelEvent');

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
  define(Document.prototype, {
    get modelContext() {
      if (!(this instanceof Document)) throw new TypeError('Illegal invocation');
      return this === document ? context : undefined;
    },
  });
  define(Navigator.prototype, { get modelContext() { return isLibraryHere ? undefined : context; } }, false);

  /** The sending that an event belongs to, while the page handles it. @param {Event} event */
  const sendingOf = (event) => {
    if (!apply(recall, submits, [event]) && apply(trusted, event, [])) {
      const record = apply(recall, sending, [apply(target, event, []) ?? event]);
      if (record) apply(remember, submits, [event, record]);
    }
    return apply(recall, submits, [event]);
  };

  define(SubmitEvent.prototype, {
    get agentInvoked() { return sendingOf(/** @type {any} */ (this)) !== undefined; },
    respondWith(/** @type {any} */ answer) {
      const why = "Failed to execute 'respondWith' on 'SubmitEvent': ";
      const record = sendingOf(/** @type {any} */ (this));
      if (!record) {
        throw refusal('InvalidStateError', `${why}You can only call respondWith on an submit event that has agentInvoked == true.`);
      }
      if (!apply(prevented, this, [])) throw refusal('InvalidStateError', `${why}To call respondWith, you must first call preventDefault.`);
      record.answer = { given: answer };
    },
  });

  /** The isolated world wants a filled form sent, or marked until the person sends it; the event is on its button. @param {any} order */
  const send = (order) => {
    const at = apply(path, order, [])[0];
    const submitter = at instanceof HTMLFormElement ? undefined : at;
    const form = submitter ? apply(at instanceof HTMLButtonElement ? formOfButton : formOfInput, at, []) : at;
    const number = apply(detail, order, []);
    const isAutomatic = apply(button, order, []) === 1;
    apply(prevent, order, []);
    /** @type {any} */
    const record = { __proto__: null };
    const end = () => {
      delete calls[number];
      apply(forget, sending, [form]);
      apply(unlisten, form, ['submit', submitted, true]);
      apply(unlisten, form, ['reset', reset, true]);
    };
    /** @param {object} outcome */
    const done = (outcome) => tell({ type: 'done', number, ...outcome });
    const finish = () => {
      end();
      if (record.answer) answer(async () => await record.answer.given, done);
      else if (!record.event) done({ error: 'The form was not submitted; the page or the browser refused it.' });
      else if (!apply(prevented, record.event, [])) done({ isLeaving: true });
      else done({ error: "The site has a programming error: it called preventDefault() on the 'submit' event, without also calling respondWith() with the tool result" });
    };
    /** @param {Event} event */
    const submitted = (event) => {
      record.event = event;
      sendingOf(event);
      // After every listener of the page.
      if (!isAutomatic) apply(setTimeout, window, [finish, 0]);
    };
    const reset = () => {
      end();
      done({ error: 'Tool execution cancelled by a form reset' });
    };
    calls[number] = end;
    apply(remember, sending, [form, record]);
    apply(listen, form, ['submit', submitted, true]);
    apply(listen, form, ['reset', reset, true]);
    if (!isAutomatic) return;
    apply(submitForm, form, submitter ? [submitter] : []);
    finish();
  };

  /** What a tool threw, in words; to ask it for them may throw again. @param {any} thrown */
  const complaint = (thrown) => {
    try {
      const said = thrown?.message;
      return String(said === undefined ? thrown : said);
    } catch {
      return 'The tool threw something that cannot be shown.';
    }
  };

  /** @param {() => Promise<any>} work @param {(outcome: object) => void} done */
  const answer = async (work, done) => {
    try {
      done({ text: asText(await work()) });
    } catch (thrown) {
      done({ error: complaint(thrown) });
    }
  };

  /** What the isolated world says over the port. @type {Record<string, (message: any) => void>} */
  const orders = /** @type {any} */ ({
    __proto__: null,
    list() {
      /** @type {any[]} */
      const listed = [];
      const names = apply(sort, keys(tools), []);
      for (let index = 0; index < names.length && listed.length < 64; index += 1) {
        const { annotations, description, name, schema, title } = tools[names[index]];
        // No use in copying what nobody would read.
        if (schema !== undefined && schema.length > 262_144) continue;
        append(listed, { annotations, description: apply(cut, description, [0, 16_384]), name, schema, title });
      }
      tell({ type: 'tools', tools: listed });
    },
    call(/** @type {any} */ { number, name, input }) {
      const done = (/** @type {object} */ outcome) => {
        if (!calls[number]) return;
        delete calls[number];
        tell({ type: 'done', number, ...outcome });
      };
      const controller = new AbortController();
      calls[number] = () => { delete calls[number]; controller.abort(); };
      const tool = tools[name];
      answer(async () => {
        if (!tool) throw new TypeError(`The page has no tool "${name}" any more.`);
        return await run(tool, input, controller.signal);
      }, done);
    },
    cancel(/** @type {any} */ { number, form }) {
      calls[number]?.();
      if (form !== undefined) apply(dispatch, context, [new ToolCancelEvent('toolcancel', { toolName: form })]);
    },
    activated(/** @type {any} */ { name }) {
      apply(dispatch, context, [new ToolActivatedEvent('toolactivated', { toolName: name })]);
    },
    forms(/** @type {any} */ { forms: found }) {
      forms = { __proto__: null };
      for (let index = 0; index < found.length; index += 1) forms[found[index].name] = found[index];
      apply(dispatch, context, [new Event('toolchange')]);
    },
    formDone(/** @type {any} */ { number, text, error }) {
      const asker = asked[number];
      delete asked[number];
      if (error === undefined) asker?.resolve(text);
      else asker?.reject(refusal('UnknownError', error));
    },
  });

  // not randomUUID: pages without https have none
  const secret = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  /** Only whoever asked takes the port: an orphan of an earlier extension may be listening too. @param {MessageEvent} want */
  const offer = (want) => {
    const { port1, port2 } = new MessageChannel();
    port = port1;
    apply(onMessage, port1, [(/** @type {MessageEvent} */ event) => {
      const message = apply(data, event, []);
      orders[message?.type]?.(message);
    }]);
    const asker = apply(data, want, []);
    apply(dispatch, document, [new MessageEvent('tabwright:port', { data: { asker, secret }, ports: [port2] })]);
  };
  apply(listen, window, [secret, send, true]);
  apply(listen, document, ['tabwright:want', offer]);
  // Whichever of the two worlds comes first: the other asks at its start, or is told now that there is somebody to ask.
  apply(dispatch, document, [new Event('tabwright:here')]);
})();
