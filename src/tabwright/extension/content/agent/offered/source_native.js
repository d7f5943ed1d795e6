/**
 * Tools of the browser's own `document.modelContext`, used straight from this isolated world: what page scripts put in
 * its place, stand-ins and polyfills, is not to be seen from here. Forms with `toolname` come by themselves.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./offered').PageTool} PageTool */

  agent.part('source_native', (agent) => {
    const { cleanList, resultOfText } = agent.get('tool_shape');
    const { soon } = agent.get('pace');
    /** @type {any} */
    let context;
    /** As the browser gave them: a call wants the object back. @type {Map<string, any>} */
    let registered = new Map();
    /** @type {PageTool[]} */
    let tools = [];
    let omitted = 0;
    /** @type {() => void} */
    let changed = () => {};

    const onToolChange = () => changed();

    const attach = () => {
      const found = /** @type {any} */ (document).modelContext;
      if (!found || context) return;
      context = found;
      context.addEventListener('toolchange', onToolChange);
      changed();
    };

    /** Schemas were strings until Chromium 154. @param {any} tool */
    const parsed = (tool) => {
      if (typeof tool.inputSchema !== 'string') return tool;
      try {
        return { ...tool, inputSchema: JSON.parse(tool.inputSchema) };
      } catch {
        return { ...tool, inputSchema: undefined };
      }
    };

    /** @param {string} name */
    const formOf = (name) => /** @type {HTMLFormElement | null} */ (
      document.querySelector(`form[toolname="${CSS.escape(name)}"]`));

    /**
     * A form that loads another page takes its answer along with the document; that it was sent is known before.
     * @param {string} name
     * @param {AbortSignal} over
     * @returns {Promise<string>}
     */
    const leaving = (name, over) => new Promise((resolve) => {
      window.addEventListener('submit', (event) => {
        if (event.target !== formOf(name) || !(/** @type {any} */ (event).agentInvoked)) return;
        // After all listeners, the page's included, had their say.
        soon(() => { if (!event.defaultPrevented) resolve('Submitted; the page is loading the answer.'); });
      }, { capture: true, signal: over });
    });

    /** Whether the page has set out for another document since. @param {AbortSignal} over @returns {() => boolean} */
    const navigating = (over) => {
      let hasLeft = false;
      /** @type {any} */ (window).navigation?.addEventListener('navigate', (/** @type {any} */ { destination }) => {
        hasLeft ||= !destination.sameDocument;
      }, { signal: over });
      return () => hasLeft;
    };

    return {
      kind: 'webmcp',
      start(onChange) {
        changed = onChange;
        attach();
        // A trial token in a <meta> element switches the API on while the page is parsed.
        document.addEventListener('DOMContentLoaded', attach, { once: true });
      },
      stop() {
        document.removeEventListener('DOMContentLoaded', attach);
        context?.removeEventListener('toolchange', onToolChange);
        changed = () => {};
        context = undefined;
        tools = [];
        omitted = 0;
      },
      async refresh() {
        if (!context) return;
        /** @type {any[]} */
        let found = [];
        try {
          // Frames of the same origin are listed too; each frame lists its own.
          found = (await context.getTools()).filter((/** @type {any} */ tool) => tool.window === window);
        } catch {
          // Not allowed here, by a policy of the page: then it has no tools either.
        }
        registered = new Map(found.map((tool) => [tool.name, tool]));
        tools = cleanList(found.map(parsed)).map((tool) => (formOf(tool.name) ? { ...tool, isForm: true } : tool));
        omitted = found.length - tools.length;
      },
      tools: () => tools,
      omitted: () => omitted,
      isLive: () => false,
      async call(name, args, signal) {
        const tool = registered.get(name);
        if (!context || !tool) throw new Error(`The page has no tool "${name}" any more.`);
        // Chromium 155 turned the input from a JSON string into an object, and made it optional.
        const input = context.executeTool.length === 1 ? args : JSON.stringify(args);
        const over = new AbortController();
        const hasLeft = navigating(over.signal);
        try {
          const left = formOf(name) ? [leaving(name, over.signal)] : [];
          const text = await Promise.race([context.executeTool(tool, input, { signal }), ...left]);
          // Nothing is also what Chromium makes of a text that is no Unicode.
          return resultOfText(text, hasLeft());
        } finally {
          over.abort();
        }
      },
    };
  });
})();
