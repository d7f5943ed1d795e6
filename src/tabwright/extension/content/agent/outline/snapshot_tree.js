/**
 * The tree for a pass over everything: as `tree`, but an element is asked for its tag instead of its kind, and the
 * labels of all fields are found at once. Chrome looks through the whole document for those of one.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const HOSTS = new Set('article aside blockquote div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '));

  agent.part('snapshot_tree', (parts) => {
    const tree = parts.get('tree');
    // Only a form's fields can hide its tag: then it is no text.
    const bare = (/** @type {any} */ node) =>
      typeof node?.localName === 'string' && node.localName !== 'form' ? node : tree.bare(node);

    /** By tree, for this turn of the event loop. @type {Map<Node, Map<Element, HTMLLabelElement[]>> | undefined} */
    let turn;

    const labelsIn = (/** @type {Node} */ root) => {
      if (!turn) {
        turn = new Map();
        queueMicrotask(() => { turn = undefined; });
      }
      const known = turn.get(root);
      if (known) return known;
      /** @type {Map<Element, HTMLLabelElement[]>} */
      const found = new Map();
      for (const label of /** @type {Document} */ (root).querySelectorAll('label')) {
        const { control } = label;
        if (control) found.set(control, [...(found.get(control) ?? []), label]);
      }
      turn.set(root, found);
      return found;
    };

    /** @type {import('./outline').SnapshotTree['labelsOf']} */
    const labelsOf = (field) => {
      const root = bare(field).getRootNode();
      const found = labelsIn(root).get(field);
      // The labels of a web component are those of the one field in it.
      const isOnly = !found && root instanceof ShadowRoot && root.querySelectorAll('input,select,textarea').length === 1 && bare(field).matches('input,select,textarea');
      return found ?? (isOnly ? labelsOf(root.host) : []);
    };

    /** @type {import('../agent').Tree['shadowOf']} */
    const shadowOf = (element) => {
      const tag = element.localName;
      // Closed roots hide in custom elements, and in plain ones that hold nothing else.
      if (typeof tag !== 'string' || tag === 'form') return null;
      if (element.shadowRoot) return element.shadowRoot;
      return tag.includes('-') || (HOSTS.has(tag) && tree.isHollow(element)) ? parts.adapter.openOrClosedShadowRoot(element) : null;
    };

    return { ...tree, bare, shadowOf, labelsOf };
  });
})();
