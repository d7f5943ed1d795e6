/**
 * The tools of the page: what it registered, as the standard converts and checks it, and what its forms offer, as the
 * isolated world tells. Behaviour and error texts are those of Chromium 156.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  if (!page.interfaces) return;

  const {
    DOMException, Event, Promise, String, TypeError, append, apply, dispatch, keys, listen, matches, method, sort, stringify, then,
  } = page.natives;
  const { context } = page.interfaces;
  const { orders, tell } = page.bridge;
  const { URL } = globalThis;
  const { isArray } = Array;
  const resolved = Promise.resolve();
  const cut = method(String.prototype, 'slice');
  const LISTED_MAX = 64;
  const SCHEMA_MAX = 262_144;
  const DESCRIPTION_MAX = 16_384;
  /** @type {any} */
  const registered = { __proto__: null };
  /** @type {any} */
  let forms = { __proto__: null };

  /** @param {string} name @param {string} message */
  const refusal = (name, message) => new DOMException(message, name);

  /** @param {string} operation @param {string} message */
  const mistake = (operation, message) => new TypeError(`Failed to execute '${operation}' on 'ModelContext': ${message}`);

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

  /** @type {import('./page').Tools['checkOrigins']} */
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

  /** @type {import('./page').Tools['register']} */
  const register = (tool, options) => {
    const made = converted(tool);
    const { exposedTo, signal } = options ?? {};
    // Accepted, and of no effect: every frame lists its own tools here, and none to another.
    checkOrigins(exposedTo, 'exposedTo');
    if (window.origin === 'null') throw refusal('NotAllowedError', 'Access to the feature "tools" is disallowed by permissions policy.');
    if (!apply(matches, /^[A-Za-z0-9_.-]{1,128}$/, [made.name])) throw refusal('InvalidStateError', 'Invalid tool name');
    if (made.description === '') throw refusal('InvalidStateError', 'Description is required');
    if (made.name in registered || made.name in forms) throw refusal('InvalidStateError', 'Duplicate tool name');
    if (signal?.aborted) throw signal.reason;
    registered[made.name] = made;
    if (signal) apply(listen, signal, ['abort', () => { if (registered[made.name] === made) remove(made.name); }, { once: true }]);
    change();
  };

  /** @type {import('./page').Tools['remove']} */
  const remove = (name) => {
    if (!(name in registered)) return;
    delete registered[name];
    change();
  };

  orders.list = () => {
    /** @type {any[]} */
    const listed = [];
    // The first that the page registered: they are what it thought of first.
    const names = keys(registered);
    for (let index = 0; index < names.length && listed.length < LISTED_MAX; index += 1) {
      const { annotations, description, name, schema, title } = registered[names[index]];
      // No use in copying what nobody would read.
      if (schema !== undefined && schema.length > SCHEMA_MAX) continue;
      append(listed, { annotations, description: apply(cut, description, [0, DESCRIPTION_MAX]), name, schema, title });
    }
    tell({ type: 'tools', tools: listed, omitted: names.length - listed.length });
  };

  orders.forms = ({ forms: found }) => {
    forms = { __proto__: null };
    for (let index = 0; index < found.length; index += 1) forms[found[index].name] = found[index];
    apply(dispatch, context, [new Event('toolchange')]);
  };

  page.tools = {
    refusal,
    mistake,
    checkOrigins,
    register,
    remove,
    clear() {
      const names = keys(registered);
      for (let index = 0; index < names.length; index += 1) remove(names[index]);
    },
    names: () => apply(sort, keys({ ...registered, ...forms }), []),
    find: (name) => registered[name] ?? forms[name],
    registered: (name) => registered[name],
    isForm: (name) => name in forms && !(name in registered),
  };
})();
