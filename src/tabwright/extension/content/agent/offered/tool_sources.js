/**
 * One list per frame of the tools its page registers, from four sources: the browser's WebMCP, an MCP-B server here,
 * our stand-in for WebMCP, MCP-B servers in child frames. Told to the hub in its own messages, called by name.
 *
 * 1. A source says that something may have changed; a burst is waited out, a few milliseconds.
 * 2. All sources are refreshed, their lists merged, and the result told if it differs from what was told last.
 * 3. After that at most one message each 500 ms.
 * 4. A call goes to the source that offered the tool, ends within 10 s, and with the document. While the page asks the
 *    person something (`questions`) that time stands still, and it begins anew when a server tells how far it is. A page that has just turned to something else may have given
 *    the name to another tool, which nobody has heard of yet: that one is not run, and what it offers now is told.
 * 5. What a call changed is told before its answer, or as soon as it shows.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Tool} Tool */
  /** @typedef {import('./offered').PageTool} PageTool */
  /** @typedef {import('./offered').ToolSource} ToolSource */
  /** @typedef {{tool: Tool, source: ToolSource, twin?: ToolSource}} Entry */

  /** hub.md: 10 s. A little less, so that the reason arrives before others give up waiting. */
  const CALL_MS = 9_500;
  /** However often a page says how far it is, its call ends then, and so often it is passed on. */
  const LONGEST_CALL_MS = 190_000;
  const PROGRESS_MS = 100;
  const PROGRESS_LENGTH = 1_000;
  const SOURCE_MS = 1_000;
  /** Registrations come in bursts: wait until it is quiet, but never long. */
  const QUIET_MS = 8;
  /** While a page is built, and while it is met: its libraries show a tool on one path a moment before the other. */
  const QUIET_LOADING_MS = 24;
  const MEETING_MS = 200;
  const BURST_MS = 60;
  const BLOCKED_MS = 16;
  /** hub.md: updates are debounced at 500 ms; leading edge, so that a lone change is told at once. */
  const WINDOW_MS = 500;
  /** A long list takes everybody's time on its way: one that keeps changing is told as seldom as it is long. */
  const CHARACTERS_A_MS = 100;
  const LONGEST_WINDOW_MS = 5_000;
  /** Changes that turn out to be none must not be looked at without pause. */
  const REFRESH_MS = 50;
  const MOST_TOOLS = 64;
  const NOTHING = '{"tools":[]}';

  /** What a server of @mcp-b 5 answers for tools it only found in a browser of 155 or later; they have not run. */
  const MISROUTED = /^(MCP error -?\d+: )?Failed to execute 'executeTool' on 'ModelContext'/;

  agent.part('tool_sources', (agent) => {
    const { after } = agent.get('pace');
    const { OutcomeUnknown, digest } = agent.get('tool_shape');
    const native = agent.get('source_native');
    const wire = agent.get('source_mcpb');
    const standIn = agent.get('source_standin');
    const frames = agent.get('source_frames');
    const questions = agent.get('questions');
    const sources = [native, wire, standIn, frames];

    /** @type {Map<string, Entry>} */
    let entries = new Map();
    /** How many tools found no place there. */
    let omitted = 0;
    /** @type {((message: import('../agent').HubMessage | import('../agent').HubQuestion | import('../agent').HubProgress) => void) | undefined} */
    let emit;
    let lastList = NOTHING;
    let hasTold = false;
    let lastTold = -Infinity;
    let restMs = WINDOW_MS;
    let lastRefresh = -Infinity;
    let burstStart = 0;
    let startedAt = -Infinity;
    /** The refresh that is under way. @type {Promise<void> | undefined} */
    let refreshing;
    let isDirty = false;
    /** Calls off the refresh that is due. */
    let callOff = () => {};
    /** Ends the calls of a document that is left. */
    let leaving = new AbortController();
    /** @type {(() => void)[]} */
    let unlisten = [];

    const changed = () => {
      if (!emit) return;
      const now = performance.now();
      if (!isDirty) burstStart = now;
      isDirty = true;
      if (refreshing) return;
      arm(Math.max(Math.min(now + quiet(), burstStart + BURST_MS), lastTold + restMs, lastRefresh + REFRESH_MS));
    };

    const quiet = () =>
      (document.readyState === 'loading' || performance.now() - startedAt < MEETING_MS ? QUIET_LOADING_MS : QUIET_MS);

    /** @param {number} due */
    const arm = (due) => {
      callOff();
      callOff = after(Math.max(0, due - performance.now()), () => {
        // Nobody could say anything while a long script kept the page from running: let them speak first.
        if (performance.now() - due > BLOCKED_MS) arm(performance.now() + quiet());
        else void refresh();
      });
    };

    const refresh = () => (refreshing ??= look().finally(() => {
      refreshing = undefined;
      if (isDirty) changed();
    }));

    const look = async () => {
      const begun = performance.now();
      do {
        isDirty = false;
        await Promise.all(sources.map(refreshed));
        // What changed meanwhile belongs to the same news, unless there is no end of it.
      } while (isDirty && emit && performance.now() - begun < BURST_MS);
      if (isHalfShown()) {
        await new Promise((resolve) => after(QUIET_LOADING_MS, () => resolve(undefined)));
        await Promise.all(sources.map(refreshed));
      }
      lastRefresh = performance.now();
      tell();
    };

    /**
     * Whether something new is in the browser and not on the wire, whose server shows it a moment later and in its own
     * words: listed as it is, it would be another tool by the time it is called.
     */
    const isHalfShown = () => {
      if (!wire.isLive()) return false;
      const known = new Set([...entries.keys(), ...wire.tools().map(({ name }) => name)]);
      return [native, standIn].some((source) => source.tools().some(({ name, isForm }) => !isForm && !known.has(name)));
    };

    /** What the page has said of its tools by now is known and told. */
    const upToDate = async () => {
      if (!emit || !(isDirty || refreshing)) return;
      callOff();
      await refresh();
    };

    /** One that hangs must not keep back the others; it has its own deadlines. @param {ToolSource} source */
    const refreshed = (source) => new Promise((resolve) => {
      let isLate = false;
      const timer = agent.get('turns').timer(() => {
        isLate = true;
        resolve(undefined);
      }, SOURCE_MS);
      void source.refresh().catch(() => {}).then(() => {
        clearTimeout(timer);
        if (isLate) changed();
        resolve(undefined);
      });
    });

    const tell = () => {
      if (!emit) return;
      entries = merged();
      omitted = known() - entries.size;
      const { tabUrl, ...told } = registration();
      const { tools } = told;
      const list = JSON.stringify(told);
      // hub.md: an empty first list is not registered, but of a server that is there it is told as an update.
      const isNews = list !== lastList || (!hasTold && sources.some((source) => source.isLive()));
      if (!isNews) return;
      const method = hasTold || tools.length === 0 ? 'browser/updateTools' : 'browser/registerTools';
      lastList = list;
      hasTold = true;
      lastTold = performance.now();
      restMs = Math.min(Math.max(WINDOW_MS, list.length / CHARACTERS_A_MS), LONGEST_WINDOW_MS);
      emit({ jsonrpc: '2.0', method, params: { ...told, tabUrl } });
    };

    const merged = () => {
      /** @type {Map<string, Entry>} */
      const found = new Map();
      /** @type {Map<string, {tool: PageTool, source: ToolSource}>} */
      const twins = new Map();
      for (const source of [standIn, native]) for (const tool of source.tools()) twins.set(tool.name, { tool, source });
      const onWire = new Set(wire.tools().map(({ name }) => name));

      for (const source of sources) {
        for (const tool of source.tools()) {
          if (found.has(tool.name) || found.size === MOST_TOOLS) continue;
          const isApi = source === native || source === standIn;
          // On two paths: the wire knows output schemas and the page's errors, but cannot submit forms.
          if (isApi && onWire.has(tool.name) && !tool.isForm) continue;
          const twin = source === wire ? twins.get(tool.name) : undefined;
          if (twin?.tool.isForm) continue;
          found.set(tool.name, { tool: listing(tool, source, twin?.tool), source, twin: twin?.source });
        }
      }
      return found;
    };

    /**
     * @param {PageTool} tool
     * @param {ToolSource} source
     * @param {PageTool} [twin] the same tool by the API, with hints that the wire loses
     * @returns {Tool}
     */
    const listing = ({ isForm: _, ...tool }, source, twin) => {
      const told = { ...tool, annotations: { ...twin?.annotations, ...tool.annotations }, source: source.kind };
      return { ...told, digest: digest(JSON.stringify(told)) };
    };

    const current = () => [...entries.values()].map(({ tool }) => tool);

    /** How many tools there are, at least: what sources left out themselves may be the same on two paths. */
    const known = () => {
      const names = new Set(sources.flatMap((source) => source.tools().map(({ name }) => name)));
      const most = sources.map((source) => source.tools().length + (source.omitted?.() ?? 0));
      return Math.max(names.size, ...most);
    };

    /** @returns {import('../agent').HubParams} */
    const registration = () => {
      const says = wire.says?.() ?? [];
      const extensions = {
        ...(says.length > 0 && { browser: Object.fromEntries(says.map((word) => [word, true])) }),
        ...(omitted > 0 && { omitted }),
      };
      return { tools: current(), tabUrl: location.href, ...(Object.keys(extensions).length > 0 && { extensions }) };
    };

    /**
     * @param {Entry} entry
     * @param {Record<string, unknown>} args
     * @param {AbortSignal} signal
     * @param {string | number} id
     * @param {import('./offered').Progressed} progressed
     */
    const run = async ({ tool, source, twin }, args, signal, id, progressed) => {
      const result = await source.call(tool.name, args, signal, id, progressed);
      if (twin && result.isError && MISROUTED.test(result.content[0]?.text ?? '')) return twin.call(tool.name, args, signal, id);
      return result;
    };

    /**
     * What a server says of how far a call is: a sign of life, passed on.
     * @param {string | number} id
     * @param {{renew(): void}} clock
     * @returns {import('./offered').Progressed}
     */
    const progressing = (id, clock) => {
      let passedOn = -Infinity;
      return ({ progress, total, message }) => {
        if (typeof progress !== 'number' || !Number.isFinite(progress)) return;
        clock.renew();
        if (performance.now() - passedOn < PROGRESS_MS) return;
        passedOn = performance.now();
        const params = {
          progressToken: id, progress,
          ...(typeof total === 'number' && Number.isFinite(total) && { total }),
          ...(typeof message === 'string' && { message: message.slice(0, PROGRESS_LENGTH) }),
        };
        emit?.({ jsonrpc: '2.0', method: 'notifications/progress', params });
      };
    };

    // In the back/forward cache a page is frozen, not gone: its calls are, its tools are looked at again.
    const left = () => leaving.abort(new Error('The page was left before the tool finished.'));
    /** @param {PageTransitionEvent} event */
    const shown = ({ persisted }) => {
      if (!persisted) return;
      leaving = new AbortController();
      changed();
    };

    return {
      current,
      registration,
      upToDate,

      start(emitter) {
        // hub.md 6: origins that may offer tools; all of http(s), whatever inherits from them included.
        if (emit || !/^https?:/.test(agent.adapter.origin)) return;
        emit = emitter;
        startedAt = performance.now();
        questions.start(emitter);
        const { listen } = agent.get('lasting');
        unlisten = [listen(window, 'pagehide', left), listen(window, 'pageshow', shown)];
        for (const source of sources) source.start(changed);
      },

      stop() {
        if (!emit) return;
        emit = undefined;
        questions.stop();
        callOff();
        [lastList, hasTold] = [NOTHING, false];
        for (const end of unlisten) end();
        for (const source of sources) source.stop();
        [entries, omitted] = [new Map(), 0];
      },

      async execute({ id, toolName, args, digest: listed }, signal) {
        await upToDate();
        // Kept for the whole call: unregistering a tool does not end what it began.
        const entry = entries.get(toolName);
        if (listed !== undefined && entry?.tool.digest !== listed) {
          const payload = `The page no longer offers ${toolName} as it was listed. List its tools again.`;
          return { success: false, payload, extensions: { code: 'stale_target' } };
        }
        if (!entry) return { success: false, payload: `No tool "${toolName}" on this page.` };
        const deadline = new AbortController();
        const late = new Error(entry.source.overdue?.(toolName) ?? `"${toolName}" gave no answer within 10 s.`);
        const clock = questions.deadline(CALL_MS, () => deadline.abort(late));
        const last = agent.get('turns').timer(() => deadline.abort(late), LONGEST_CALL_MS);
        const over = AbortSignal.any([signal, leaving.signal, deadline.signal]);
        try {
          const ended = new Promise((_, reject) => over.addEventListener('abort', () => reject(over.reason)));
          over.throwIfAborted();
          const payload = /** @type {any} */ (await Promise.race([run(entry, args, over, id, progressing(id, clock)), ended]));
          await upToDate();
          return { success: true, payload };
        } catch (thrown) {
          const message = thrown instanceof Error || thrown instanceof DOMException ? thrown.message : String(thrown);
          // A tool that was given up on may still do its work: whoever asked must not simply ask again.
          const isOpen = deadline.signal.aborted || leaving.signal.aborted || thrown instanceof OutcomeUnknown;
          return { success: false, payload: message, ...(isOpen ? { extensions: { code: 'outcome_unknown' } } : {}) };
        } finally {
          clock.end();
          clearTimeout(last);
          // What shows a moment later is of the call too: it is told at once.
          lastTold = -Infinity;
        }
      },
    };
  });
})();
