/**
 * Numbers by which the gateway means elements of this document. An element keeps its number for life, and a number is
 * never given twice. Where the extension was reloaded a fresh agent has given no numbers yet: it takes an element only
 * if role and name of what is at the remembered place are exactly those remembered.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const own = crypto.getRandomValues(new Uint32Array(2)).join('-');
    /** @type {WeakMap<Element, number>} */
    const numbers = new WeakMap();
    /** @type {Map<number, WeakRef<Element>>} */
    const elements = new Map();
    let last = 0;

    const stale = () =>
      parts.refusal('It is not on the page any more. Look at the page again.', -32016, 'stale_ref');

    /** @type {import('./agent').Refs['numberOf']} */
    const numberOf = (element) => {
      const known = numbers.get(element);
      if (known !== undefined) return known;
      last += 1;
      numbers.set(element, last);
      elements.set(last, new WeakRef(element));
      return last;
    };

    const again = (/** @type {import('./agent').Target} */ { path, role, name }) => {
      const roles = parts.get('roles');
      const element = tree.byPath(path);
      if (!element || roles.roleOf(element) !== role || roles.nameOf(element) !== name) throw stale();
      return element;
    };

    /** @type {import('./agent').Refs['resolve']} */
    const resolve = (target) => {
      if (target.agent !== own) return again(target);
      const element = elements.get(target.number)?.deref();
      if (!element || !tree.bare(element).isConnected) throw stale();
      return element;
    };

    return { agent: own, numberOf, resolve };
  };

  agent.part('refs', make);
})();
