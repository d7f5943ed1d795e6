/**
 * Tools that pages register with our stand-in for WebMCP (`page/model_context.js`), and forms with `toolname`; where the
 * browser has WebMCP itself, nothing of this is there.
 *
 * The two worlds meet at document_start, before any script of the page: `page/bridge.js` hands over a MessagePort by an
 * event when asked, whichever world comes first.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./offered').PageTool} PageTool */
  /** @typedef {import('./offered').Submission} Submission */

  const WAITS = 'The form is filled in and waits for the person to submit it.';
  const LEAVES = 'Submitted; the page is loading the answer.';

  agent.part('source_standin', (agent) => {
    const { cleanList, resultOfText } = agent.get('tool_shape');
    const forms = agent.get('source_forms');
    /** @type {MessagePort | undefined} */
    let port;
    const asker = agent.unguessable();
    const want = () => document.dispatchEvent(new MessageEvent('tabwright:want', { data: asker }));
    /** Name of the event that sends a form; nobody else knows it. */
    let secret = '';
    /** @type {() => void} */
    let changed = () => {};
    /** @type {PageTool[]} */
    let tools = [];
    /** What the page registered itself: as in Chromium, a form of that name is no tool then. @type {Set<string>} */
    let ownNames = new Set();
    let omitted = 0;
    let toldForms = '[]';
    let last = 0;
    /** @type {Map<number, (outcome: any) => void>} */
    const waiting = new Map();
    /** @type {((told: {tools: any[], omitted: number}) => void)[]} */
    const listing = [];
    /** Forms that the page itself called, by its numbers. @type {Map<number, AbortController>} */
    const asked = new Map();

    /** @param {object} message */
    const tell = (message) => port?.postMessage(message);

    /** @param {MessageEvent} event */
    const attach = ({ data, ports }) => {
      if (data?.asker !== asker || ports.length !== 1) return;
      port?.close();
      // Whoever still waits for the bridge before gets no answer from it.
      for (const done of listing.splice(0)) done({ tools: [], omitted: 0 });
      for (const done of [...waiting.values()]) done({ error: 'The page lost its tools.' });
      [port] = ports;
      secret = String(data.secret);
      toldForms = '[]';
      port.onmessage = ({ data: message }) => heard(message);
      changed();
    };

    /** @param {any} message */
    const heard = (message) => {
      if (message.type === 'changed') changed();
      else if (message.type === 'tools') listing.shift()?.(message);
      else if (message.type === 'done') waiting.get(message.number)?.(message);
      else if (message.type === 'runForm') void runForPage(message);
      else if (message.type === 'cancelForm') asked.get(message.number)?.abort();
    };

    /** @param {any} tool */
    const parsed = ({ schema, ...tool }) => ({ ...tool, inputSchema: schema === undefined ? undefined : JSON.parse(schema) });

    const registered = async () => {
      omitted = 0;
      if (!port) return [];
      /** @type {{tools: any[], omitted: number}} */
      const found = await new Promise((resolve) => {
        listing.push(resolve);
        tell({ type: 'list' });
      });
      omitted = found.omitted;
      return cleanList(found.tools.map(parsed));
    };

    /**
     * What the page world answers under this number; its own error if it says so.
     * @param {number} number
     * @param {AbortSignal} signal
     * @param {object} [cancel]
     * @returns {Promise<string>}
     */
    const outcome = (number, signal, cancel) => new Promise((resolve, reject) => {
      const abort = () => {
        waiting.delete(number);
        tell({ type: 'cancel', number, ...cancel });
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort);
      waiting.set(number, ({ text, error, isLeaving }) => {
        waiting.delete(number);
        signal.removeEventListener('abort', abort);
        if (error === undefined) resolve(isLeaving ? LEAVES : text);
        else reject(new Error(error));
      });
    });

    /** @param {Submission} submission @returns {Promise<string>} */
    const submit = async ({ name, form, submitter, isAutomatic, signal }) => {
      const number = last += 1;
      const order = new MouseEvent(secret, {
        detail: number, button: isAutomatic ? 1 : 0, composed: true, cancelable: true,
      });
      const answered = outcome(number, signal, { form: name });
      const isTaken = secret !== '' && !(submitter ?? form).dispatchEvent(order);
      if (isTaken) return answered;
      // Out of the page world's sight, in a closed shadow tree: then it is sent without word of an agent.
      waiting.delete(number);
      if (isAutomatic) HTMLFormElement.prototype.requestSubmit.call(form, submitter);
      else await new Promise((resolve) => form.addEventListener('submit', resolve, { once: true, signal }));
      return 'Submitted.';
    };

    /** @param {string} name @param {any} args @param {AbortSignal} signal */
    const runForm = (name, args, signal) => {
      const answered = forms.call(name, args, signal, submit);
      // Also when it was refused, as in Chromium.
      tell({ type: 'activated', name });
      return answered;
    };

    /** @param {{number: number, name: string, input: string}} wanted */
    const runForPage = async ({ number, name, input }) => {
      const controller = new AbortController();
      asked.set(number, controller);
      try {
        tell({ type: 'formDone', number, text: await runForm(name, JSON.parse(input), controller.signal) });
      } catch (thrown) {
        tell({ type: 'formDone', number, error: thrown instanceof Error ? thrown.message : String(thrown) });
      }
      asked.delete(number);
    };

    const isNeeded = () => isSecureContext && !('modelContext' in document);

    return {
      kind: 'stand-in',
      start(onChange) {
        changed = onChange;
        if (!isNeeded()) return;
        document.addEventListener('tabwright:port', /** @type {any} */ (attach));
        document.addEventListener('tabwright:here', want);
        want();
        forms.start(() => changed());
      },

      stop() {
        document.removeEventListener('tabwright:port', /** @type {any} */ (attach));
        document.removeEventListener('tabwright:here', want);
        forms.stop();
        port?.close();
        port = undefined;
        changed = () => {};
        tools = [];
      },

      async refresh() {
        if (!isNeeded()) {
          tools = [];
          return;
        }
        const found = cleanList(forms.refresh()).map((tool) => ({ ...tool, isForm: true }));
        const shown = found.map(({ name, description, title = '', inputSchema }) => (
          { name, description, title, schema: JSON.stringify(inputSchema) }));
        if (JSON.stringify(shown) !== toldForms) tell({ type: 'forms', forms: shown });
        toldForms = JSON.stringify(shown);
        const own = await registered();
        ownNames = new Set(own.map(({ name }) => name));
        tools = [...own, ...found.filter(({ name }) => !ownNames.has(name))];
      },

      tools: () => tools,
      omitted: () => omitted,
      isLive: () => false,
      overdue: (name) => (forms.isAwaited(name) ? WAITS : undefined),

      async call(name, args, signal) {
        if (!ownNames.has(name) && forms.has(name)) return resultOfText(await runForm(name, args, signal));
        const number = last += 1;
        const answered = outcome(number, signal);
        tell({ type: 'call', number, name, input: args });
        return resultOfText(await answered);
      },
    };
  });
})();
