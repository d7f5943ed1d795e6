/**
 * Paths of many elements at once, as `tree.byPath` reads them. Each is told as the number of its parent's path and one
 * step, so that ten thousand rows cost ten thousand short steps; places among siblings are counted once a parent.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const STABLE_ID = /^[A-Za-z][\w-]*$/;

  agent.part('snapshot_paths', (parts) => {
    const { bare } = parts.get('snapshot_tree');

    const begin = () => {
      /** @type {[number, string][]} */
      const steps = [];
      /** @type {Map<Node, number>} */
      const known = new Map();
      /** @type {Map<Node, Map<Element, string>>} */
      const places = new Map();

      const placesIn = (/** @type {ParentNode & Node} */ parent) => {
        let counted = places.get(parent);
        if (counted) return counted;
        counted = new Map();
        /** @type {Map<string, number>} */
        const counts = new Map();
        for (let child = bare(parent).firstElementChild; child; child = bare(child).nextElementSibling) {
          const tag = bare(child).localName;
          const place = counts.get(tag) ?? 0;
          counts.set(tag, place + 1);
          counted.set(child, `${tag}:${place}`);
        }
        places.set(parent, counted);
        return counted;
      };

      const add = (/** @type {Node} */ node, /** @type {number} */ above, /** @type {string} */ step) => {
        steps.push([above, step]);
        known.set(node, steps.length - 1);
        return steps.length - 1;
      };

      /** A shadow root is one step below its host; the document is none. @returns {number} */
      const ofRoot = (/** @type {Node} */ root) => {
        if (!(root instanceof ShadowRoot)) return -1;
        return known.get(root) ?? add(root, of(root.host), '^');
      };

      /** @param {Element} element @returns {number} */
      const of = (element) => {
        const found = known.get(element);
        if (found !== undefined) return found;
        const id = bare(element).getAttribute('id');
        if (id && STABLE_ID.test(id) && !/\d{2,}/.test(id)) {
          const root = /** @type {Document | ShadowRoot} */ (bare(element).getRootNode());
          if (root.getElementById?.(id) === element) return add(element, ofRoot(root), `#${id}`);
        }
        const parent = /** @type {(ParentNode & Node) | null} */ (bare(element).parentNode);
        if (!parent) return add(element, -1, `${bare(element).localName}:0`);
        const step = placesIn(parent).get(element) ?? '';
        return add(element, parent.nodeType === Node.ELEMENT_NODE ? of(/** @type {Element} */ (/** @type {unknown} */ (parent))) : ofRoot(parent), step);
      };

      return { of, steps };
    };

    return { begin };
  });
})();
