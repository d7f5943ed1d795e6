/**
 * The interfaces of WebMCP where the browser has none, as it would show them: `ModelContext` and the events of tools.
 * What the page calls on them is `model_context.js`.
 *
 * Everything else of the stand-in follows from this: where the browser has its own, none of it is there.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  // Present: the browser's own, another's, or this one injected before.
  if (!isSecureContext || 'modelContext' in document) return;

  const { Event, String, TypeError, builtIn, define, defineProperty, getOwnPropertyDescriptors } = page.natives;
  const { create, setPrototypeOf } = Object;

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

  expose(ModelContext, 'ModelContext');
  page.interfaces = {
    ModelContext,
    context: setPrototypeOf(new EventTarget(), ModelContext.prototype),
    ToolActivatedEvent: toolEvent('ToolActivatedEvent'),
    ToolCancelEvent: toolEvent('ToolCancelEvent'),
  };
})();
