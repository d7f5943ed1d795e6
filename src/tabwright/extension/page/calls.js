/**
 * Calls of the page's tools: those that the isolated world orders, and those of forms, which the page itself calls and the
 * isolated world carries out. Both are known by numbers; each side counts its own.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];
  if (!page.interfaces) return;

  const { AbortController, Promise, String, TypeError, apply, dispatch, listen, stringify } = page.natives;
  const { ToolActivatedEvent, ToolCancelEvent, context } = page.interfaces;
  const { withInteraction } = page.older;
  const { orders, tell } = page.bridge;
  const { refusal, registered } = page.tools;
  /** How to end calls that the isolated world waits for, by number. @type {any} */
  const endings = { __proto__: null };
  /** Calls of the page that the isolated world serves, by number. @type {any} */
  const asked = { __proto__: null };
  let lastAsked = 0;

  /** As executeTool answers: text. @param {any} value */
  const asText = (value) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return String(value) || 'Operation succeeded';
    return stringify(value) ?? 'undefined';
  };

  /** @type {import('./page').Calls['run']} */
  const run = async (tool, input, signal) => asText(await apply(tool.execute, undefined, [input, withInteraction({ signal })]));

  /** @type {import('./page').Calls['runForm']} */
  const runForm = (name, input, signal) => new Promise((resolve, reject) => {
    const number = lastAsked += 1;
    asked[number] = { resolve, reject };
    if (signal) apply(listen, signal, ['abort', () => { tell({ type: 'cancelForm', number }); reject(signal.reason); }, { once: true }]);
    tell({ type: 'runForm', number, name, input: stringify(input) });
  });

  /** What a tool threw, in words; to ask it for them may throw again. @param {any} thrown */
  const complaint = (thrown) => {
    try {
      const said = thrown?.message;
      return String(said === undefined ? thrown : said);
    } catch {
      return 'The tool threw something that cannot be shown.';
    }
  };

  /** @type {import('./page').Calls['answer']} */
  const answer = async (work, done) => {
    try {
      done({ text: asText(await work()) });
    } catch (thrown) {
      done({ error: complaint(thrown) });
    }
  };

  orders.call = ({ number, name, input }) => {
    const done = (/** @type {object} */ outcome) => {
      if (!endings[number]) return;
      delete endings[number];
      tell({ type: 'done', number, ...outcome });
    };
    const controller = new AbortController();
    endings[number] = () => { delete endings[number]; controller.abort(); };
    const tool = registered(name);
    answer(async () => {
      if (!tool) throw new TypeError(`The page has no tool "${name}" any more.`);
      return await run(tool, input, controller.signal);
    }, done);
  };

  orders.cancel = ({ number, form }) => {
    endings[number]?.();
    if (form !== undefined) apply(dispatch, context, [new ToolCancelEvent('toolcancel', { toolName: form })]);
  };

  orders.activated = ({ name }) => {
    apply(dispatch, context, [new ToolActivatedEvent('toolactivated', { toolName: name })]);
  };

  orders.formDone = ({ number, text, error }) => {
    const asker = asked[number];
    delete asked[number];
    if (error === undefined) asker?.resolve(text);
    else asker?.reject(refusal('UnknownError', error));
  };

  page.calls = { endings, run, runForm, answer };
})();
