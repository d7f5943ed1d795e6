/** Reading the DOM as a person sees it: the tree, its texts, labels and headings under one name, as the other parts use them. */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  agent.part('dom', (parts) => ({ ...parts.get('tree'), ...parts.get('texts'), ...parts.get('labels'), ...parts.get('headings') }));
})();
