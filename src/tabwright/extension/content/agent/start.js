/**
 * The page agent's shared object: parts register here and find each other here, so the files can be loaded in any
 * world that has a document. Loaded again into the same world it changes nothing, and neither do the parts.
 *
 * Nothing but the adapter knows `chrome`: where Chrome refuses content scripts the same files travel by the debugger.
 */
(() => {
  const MARK = Symbol.for('tabwright.agent');
  /** @type {any} */
  const world = globalThis;
  if (world[MARK]) return;

  /** @typedef {import('./agent').Agent} Agent */

  /** @type {Map<string, (agent: Agent) => unknown>} */
  const makers = new Map();
  /** @type {Map<string, unknown>} */
  const parts = new Map();
  /** @type {Map<string, import('./agent').Service>} */
  const services = new Map();

  const dom = world.chrome?.dom;

  /** @type {import('./agent').Adapter} */
  const adapter = Object.freeze({
    openOrClosedShadowRoot(/** @type {Element} */ element) {
      // Chrome answers for HTML elements only, and throws for others.
      if (!dom || !(element instanceof HTMLElement)) return element.shadowRoot;
      return dom.openOrClosedShadowRoot(element);
    },
    isTopFrame: window === window.top,
    origin: window.origin,
  });

  /** @type {Agent} */
  const agent = Object.freeze({
    adapter,
    part(/** @type {string} */ name, /** @type {(agent: Agent) => any} */ make) {
      if (!makers.has(name)) makers.set(name, make);
    },
    get(/** @type {string} */ name) {
      if (!parts.has(name)) {
        const make = makers.get(name);
        if (!make) throw new Error(`The page agent has no part "${name}".`);
        parts.set(name, make(agent));
      }
      return /** @type {any} */ (parts.get(name));
    },
    serve(/** @type {string} */ name, /** @type {import('./agent').Service} */ service) {
      if (!services.has(name)) services.set(name, service);
    },
    service(/** @type {string} */ name) {
      const service = services.get(name);
      if (!service) throw new Error(`The page agent has no service "${name}".`);
      return service;
    },
    unguessable() {
      // Not randomUUID: pages without https have none.
      return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
    refusal(/** @type {string} */ message, /** @type {number} */ code, /** @type {string} */ word) {
      return Object.assign(new Error(message), { code, word });
    },
  });
  // Not replaceable: another script of this world must not come between the parts.
  Object.defineProperty(world, MARK, { value: agent });
})();
