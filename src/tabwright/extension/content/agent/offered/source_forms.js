/**
 * Forms with `toolname` and `tooldescription` as tools, where the browser does not see to it: finds them, keeps the
 * list in step with the document, fills and sends them.
 *
 * With `toolautosubmit` a call sends the form; without, it is filled in, its button focused, and the call waits for the
 * person. Sending goes through the page world (`page/submissions.js`), where the submit event must say that an agent
 * caused it.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./offered').PageTool} PageTool */

  const SELECTOR = 'form[toolname][tooldescription]';
  const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
  const ATTRIBUTES = [
    'toolname', 'tooldescription', 'tooltitle', 'toolparamdescription', 'toolautosubmit', 'name', 'type', 'min', 'max',
    'step', 'pattern', 'required', 'disabled', 'readonly', 'multiple', 'value',
  ];
  const MOST_FORMS = 64;
  /** Between two looks into components that the page adds; longer and longer while they bring no forms. */
  const REST_MS = 500;
  const LONGEST_REST_MS = 8_000;
  /** A page that is being parsed for so long is looked at meanwhile, and watched when it takes even longer. */
  const LONG_MS = 300;
  const LONGER_MS = 1_200;

  agent.part('source_forms', (agent) => {
    const { describe, fill, problems, submitterOf } = agent.get('form_schema');
    /** @type {Map<string, HTMLFormElement>} */
    let forms = new Map();
    /** Trees that hold tool forms, besides the document. @type {Set<ShadowRoot>} */
    const shadows = new Set();
    /** Forms that wait for the person, and what calls that off. @type {Map<HTMLFormElement, AbortController>} */
    const waiting = new Map();
    /** @type {() => void} */
    let changed = () => {};
    let isDeep = true;
    /** Whether the components that were there when the watch began are still to be gathered. */
    let isBegun = false;
    /** Components added since the last look. @type {Set<Element>} */
    let fresh = new Set();
    /** Those of the last look: many fill their shadow tree only a moment after they are added. @type {Set<Element>} */
    let seen = new Set();
    let rest = REST_MS;
    let isLooking = false;
    /** Calls off the look that is due. */
    let callOff = () => {};
    /** Of a page that is being parsed each element would be news, and all of it is looked at when it is there. */
    let isWatching = document.readyState !== 'loading';
    /** Calls off the beginning of that. */
    let stay = () => {};

    /** @param {Node} node */
    const mayHold = (node) => node instanceof Element && (node.matches(SELECTOR) || node.querySelector(SELECTOR) !== null);

    /** Cheap while there are no such forms, which is nearly always. */
    const observer = new MutationObserver((records) => {
      let isNews = forms.size > 0;
      for (const { type, addedNodes } of records) {
        isNews ||= type === 'attributes';
        for (const node of addedNodes) {
          // A component may bring its form in a shadow tree, which selectors do not enter.
          if (node instanceof Element && node.localName.includes('-')) fresh.add(node);
          isNews ||= mayHold(node);
        }
      }
      if (isNews) changed();
      if (fresh.size > 0 && !isLooking) lookSoon(0);
    });

    /** @param {number} ms */
    const lookSoon = (ms) => {
      isLooking = true;
      callOff = agent.get('pace').after(ms, lookIntoAdded);
    };

    /** Into what was added and nothing else: some pages add components all the time. */
    const lookIntoAdded = () => {
      isLooking = false;
      if (fresh.size + seen.size === 0) {
        rest = REST_MS;
        return;
      }
      const before = shadows.size;
      for (const component of [...seen, ...fresh]) if (component.isConnected) keepShadows(component);
      seen = fresh;
      fresh = new Set();
      const isNews = shadows.size > before;
      lookSoon(isNews ? REST_MS : rest);
      rest = isNews ? REST_MS : Math.min(rest * 2, LONGEST_REST_MS);
      if (isNews) changed();
    };

    /** @param {Document | Element} root */
    const keepShadows = (root) => {
      for (const inner of agent.get('tree').roots(root)) {
        if (inner instanceof ShadowRoot && inner.querySelector(SELECTOR)) shadows.add(inner);
      }
    };

    /** @param {Node} root */
    const observe = (root) => {
      if (!isWatching) return;
      observer.observe(root, {
        subtree: true, childList: true, attributes: true, attributeFilter: ATTRIBUTES.slice(0, forms.size > 0 ? undefined : 2),
      });
    };

    const lookDeep = () => {
      isDeep = false;
      shadows.clear();
      keepShadows(document);
      if (!isBegun) return;
      isBegun = false;
      for (const each of document.getElementsByTagName('*')) if (each.localName.includes('-')) fresh.add(each);
      if (fresh.size > 0 && !isLooking) lookSoon(0);
    };

    const find = () => {
      if (isDeep) lookDeep();
      for (const root of shadows) if (!root.isConnected) shadows.delete(root);
      /** @type {Map<string, HTMLFormElement>} */
      const found = new Map();
      for (const root of [document, ...shadows]) {
        for (const form of root.querySelectorAll(SELECTOR)) {
          const name = form.getAttribute('toolname') ?? '';
          const isValid = form instanceof HTMLFormElement && NAME.test(name) && form.getAttribute('tooldescription') !== '';
          // Of two alike the first stands.
          if (isValid && !found.has(name) && found.size < MOST_FORMS) found.set(name, form);
        }
      }
      forms = found;
      for (const [form, gone] of waiting) if (!form.isConnected) gone.abort(new Error('The page took the form away.'));
      observer.disconnect();
      for (const root of [document, ...shadows]) observe(root);
    };

    /** @param {[string, HTMLFormElement]} entry @returns {PageTool} */
    const toolOf = ([name, form]) => ({
      name,
      description: form.getAttribute('tooldescription') ?? '',
      ...(form.hasAttribute('tooltitle') && { title: form.getAttribute('tooltitle') ?? '' }),
      inputSchema: describe(form),
      isForm: true,
    });

    /**
     * @param {HTMLFormElement} form
     * @param {(gone: AbortSignal) => Promise<string>} submit
     */
    const awaited = async (form, submit) => {
      const gone = new AbortController();
      const forget = () => { if (waiting.get(form) === gone) waiting.delete(form); };
      waiting.set(form, gone);
      // Once it is sent the page may well take it away, and still answer.
      form.addEventListener('submit', forget, { once: true, capture: true });
      try {
        return await submit(gone.signal);
      } finally {
        forget();
      }
    };

    const look = () => {
      isDeep = true;
      changed();
    };

    /** Once: when the page is there, or takes too long. */
    const begin = () => {
      stay();
      document.removeEventListener('DOMContentLoaded', begin);
      isWatching = true;
      isBegun = true;
      observe(document);
      look();
    };

    const lookMeanwhile = () => {
      look();
      stay = agent.get('pace').after(LONGER_MS, begin);
    };

    return {
      start(onChange) {
        changed = onChange;
        observe(document);
        if (!isWatching) {
          stay = agent.get('pace').after(LONG_MS, lookMeanwhile);
          document.addEventListener('DOMContentLoaded', begin);
        }
        window.addEventListener('load', look, { once: true });
      },

      stop() {
        observer.disconnect();
        stay();
        callOff();
        isLooking = false;
        fresh.clear();
        seen.clear();
        document.removeEventListener('DOMContentLoaded', begin);
        window.removeEventListener('load', look);
        changed = () => {};
      },

      refresh() {
        find();
        return [...forms].map(toolOf);
      },

      has: (name) => forms.has(name),

      async call(name, args, signal, submit) {
        const form = forms.get(name);
        if (!form?.isConnected) throw new Error(`The page has no form "${name}" any more.`);
        const isAutomatic = form.hasAttribute('toolautosubmit');
        const submitter = submitterOf(form);
        if (!isAutomatic && !submitter) throw new Error(`The form "${name}" has no button to submit it with.`);
        fill(form, args);
        const why = isAutomatic ? problems(form) : '';
        if (why) throw new Error(`Form validation failed: ${why}`);
        if (isAutomatic) return submit({ name, form, submitter, isAutomatic, signal });
        submitter?.focus();
        return awaited(form, (gone) => submit({ name, form, submitter, isAutomatic, signal: AbortSignal.any([signal, gone]) }));
      },

      isAwaited: (name) => forms.has(name) && !forms.get(name)?.hasAttribute('toolautosubmit'),
    };
  });
})();
