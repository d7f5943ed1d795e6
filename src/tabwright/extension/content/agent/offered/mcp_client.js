/**
 * An MCP client of one page server: handshake, list, call. It owns the session and its requests; the envelope, the
 * window and when to ask are the business of whoever made it (`source_mcpb`, `source_frames`).
 *
 * 1. `mcp-server-ready`, asked for or not, announces a server, perhaps a new one: the session is stale.
 * 2. `refresh` shakes hands if it is stale and lists the tools; list_changed asks for a refresh.
 * 3. `mcp-server-stopped` ends the session, its tools and the calls under way.
 *
 * The channel is a bus that every script of the page hears and may write to. Ids nobody can guess keep answers of
 * other clients apart from ours; nothing keeps a page from forging its own.
 *
 * Several servers on one channel all hear and answer everything, and no message says which of them speaks. How many they
 * are is known by their answers to the handshake. Their lists become one; of their answers to a call that one counts which
 * does not say that it has no such tool. What several of them offer under one name all of them would run: it is left out,
 * unless it only reads.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./offered').PageTool} PageTool */

  const PROTOCOL_VERSION = '2025-06-18';
  const ANSWER_MS = 5_000;
  const POLL_MS = 60_000;
  const MOST_PAGES = 16;
  const MOST_TOOLS = 64;
  const METHOD_NOT_FOUND = -32601;
  /** How long the others are waited for once the first server of a channel has answered what all heard. */
  const TOGETHER_MS = 500;
  /** What a server says of a tool that is another's. */
  const NOT_MINE = /\b(unknown|no( such)?|invalid) tool\b|\btool\b.{0,200}\b(not found|unknown|not registered|not exist|not available)\b/is;

  /** @typedef {{result?: any, error?: any}} Answer */
  /** @typedef {{hear: (answer: Answer) => void, reject: (reason: Error) => void, progressed?: import('./offered').Progressed}} Waiting */
  /** The answer that counts; undefined while there may be a better one. @typedef {(answers: Answer[], areAll: boolean) => Answer | undefined} Pick */

  /** @type {Pick} */
  const theFirst = ([answer]) => answer;

  /** A tool that fails has a result; servers that have no such tool, or none at all, mostly answer an error. @type {Pick} */
  const theirTool = (answers, areAll) => {
    const isIts = (/** @type {Answer} */ { result, error }) => !((error || result?.isError) && NOT_MINE.test(error?.message ?? result?.content?.[0]?.text));
    return answers.find((answer) => !answer.error && isIts(answer)) ?? (areAll ? answers.find(isIts) ?? answers.at(-1) : undefined);
  };

  /** @type {Pick} */
  const allLists = (answers, areAll) => {
    if (!areAll) return undefined;
    const told = answers.flatMap(({ result, error }) => (error ? [] : [result ?? {}]));
    if (told.length === 0) return answers[0];
    const lists = told.map(({ tools }) => (Array.isArray(tools) ? tools : []));
    return { result: { lists, cursors: told.map(({ nextCursor }) => nextCursor).filter((cursor) => typeof cursor === 'string') } };
  };

  /** The names under which a call would do several things. @param {PageTool[][]} lists of as many servers, each name once */
  const ambiguous = (lists) => {
    const tools = lists.flat();
    const again = tools.filter(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
    const names = new Set(again.map(({ name }) => name));
    return tools.filter(({ name, annotations }) => names.has(name) && annotations?.readOnlyHint !== true).map(({ name }) => name);
  };

  agent.part('mcp_client', (agent) => ({
    create({ post, changed }) {
      const { NAVIGATED, OutcomeUnknown, cleanList, resultOf } = agent.get('tool_shape');

      /** By the ids of the requests. @type {Map<string | number, Waiting>} */
      const waiting = new Map();
      /** The last handshake, which each server answers. @type {string | number | undefined} */
      let greeting;
      let servers = 1;
      /** @type {'none' | 'stale' | 'open'} */
      let session = 'none';
      /** @type {PageTool[]} */
      let tools = [];
      let omitted = 0;
      /** What servers say of themselves in hub.md's words. @type {any} */
      let browser = {};
      /** @type {ReturnType<typeof setInterval> | undefined} */
      let poll;
      /** @type {Promise<void> | undefined} */
      let running;

      /**
       * @param {string} method
       * @param {object} params
       * @param {{
       *   id?: string | number, ms?: number, signal?: AbortSignal, pick?: Pick, togetherMs?: number,
       *   progressed?: import('./offered').Progressed,
       * }} [how]
       * @returns {Promise<any>}
       */
      const request = (method, params, how = {}) => new Promise((resolve, reject) => {
        const { id = agent.unguessable(), ms, signal, pick = theFirst, togetherMs, progressed } = how;
        const asked = servers;
        /** @type {Answer[]} */
        const answers = [];
        /** @type {ReturnType<typeof setTimeout> | undefined} */
        let together;
        const settle = () => {
          clearTimeout(timer);
          clearTimeout(together);
          signal?.removeEventListener('abort', abort);
          waiting.delete(id);
        };
        /** @param {Error} reason */
        const give = (reason) => {
          settle();
          // Nobody answers to this, and the function in the page may go on.
          const params = { requestId: id, reason: reason.message };
          if (method !== 'initialize') post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
          reject(reason);
        };
        /** @param {boolean} areAll */
        const decide = (areAll) => {
          const picked = pick(answers, areAll);
          if (!picked) return;
          settle();
          if (picked.error) reject(new Error(String(picked.error.message ?? 'The page answered an error.')));
          else resolve(picked.result ?? {});
        };
        const abort = () => give(signal?.reason instanceof Error ? signal.reason : new Error('Cancelled.'));
        const timer = ms && agent.get('turns').timer(() => give(new Error(`The page did not answer ${method} within ${ms / 1000} s.`)), ms);
        signal?.addEventListener('abort', abort);
        waiting.set(id, {
          hear(answer) {
            answers.push(answer);
            if (togetherMs) together ??= agent.get('turns').timer(() => decide(true), togetherMs);
            decide(answers.length >= Math.max(asked, servers));
          },
          reject: (reason) => { settle(); reject(reason); },
          progressed,
        });
        post({ jsonrpc: '2.0', id, method, params });
      });

      /** What one server says in answer to the handshake. @param {any} told */
      const met = ({ capabilities }) => {
        browser = { ...browser, ...(capabilities?.browser ?? capabilities?.experimental?.browser) };
        if (capabilities?.tools?.listChanged !== true) poll ??= setInterval(changed, POLL_MS);
      };

      const shakeHands = async () => {
        greeting = agent.unguessable();
        servers = 1;
        const told = await request('initialize', {
          protocolVersion: PROTOCOL_VERSION,
          // Nothing of MCP's own: a server then asks us for nothing. The block is hub.md's, where MCP has a place for it.
          capabilities: { experimental: { browser: { multiTabSupport: true, cacheSupported: true, elicitation: true } } },
          clientInfo: { name: 'tabwright', version: '1' },
        }, { id: greeting, ms: ANSWER_MS });
        post({ jsonrpc: '2.0', method: 'notifications/initialized' });
        forget();
        met(told);
      };

      const list = async () => {
        /** @type {PageTool[]} */
        const listed = [];
        /** @type {Set<string>} */
        const names = new Set();
        /** @type {Set<string>} */
        const unclear = new Set();
        /** Where the lists go on; one that was there already would never end. @type {Set<string | undefined>} */
        const cursors = new Set([undefined]);
        for (const cursor of cursors) {
          const told = await request('tools/list', cursor === undefined ? {} : { cursor }, { ms: ANSWER_MS, pick: allLists, togetherMs: TOGETHER_MS });
          const lists = told.lists.map(cleanList);
          listed.push(...lists.flat());
          for (const tool of told.lists.flat()) names.add(tool?.name);
          for (const name of ambiguous(lists)) unclear.add(name);
          if (listed.length >= MOST_TOOLS || cursors.size >= MOST_PAGES) break;
          for (const next of told.cursors) cursors.add(next);
        }
        const fitting = cleanList(listed.filter(({ name }) => !unclear.has(name)));
        omitted = names.size - fitting.length;
        return fitting;
      };

      const refresh = async () => {
        if (session === 'none') return;
        if (session === 'stale') {
          session = 'open';
          try {
            await shakeHands();
          } catch {
            // Unless another announced itself meanwhile; calls still waiting end by their own deadline.
            if (session === 'open') end('The page server did not answer.');
            return;
          }
        }
        try {
          tools = await list();
        } catch {
          // Without tools it answers -32601; and one that fell silent has none to offer.
          tools = [];
          omitted = 0;
        }
      };

      /** @param {any} asked a request of the server */
      const answer = ({ id, method }) => {
        const said = method === 'ping' ? { result: {} }
          : { error: { code: METHOD_NOT_FOUND, message: `This client does not serve ${method}.` } };
        post({ jsonrpc: '2.0', id, ...said });
      };

      /** What servers said of themselves. */
      const forget = () => {
        clearInterval(poll);
        poll = undefined;
        browser = {};
      };

      /** @param {string} why */
      const end = (why) => {
        forget();
        session = 'none';
        tools = [];
        omitted = 0;
        for (const { reject } of [...waiting.values()]) reject(new OutcomeUnknown(why));
      };

      return {
        /** A payload of the channel, whatever a page put there. */
        received(/** @type {any} */ payload) {
          if (payload === 'mcp-server-ready') {
            session = 'stale';
            return changed();
          }
          if (payload === 'mcp-server-stopped') {
            // Which of several it was, the others tell by answering.
            if (servers > 1) session = 'stale';
            else end('The page stopped its server.');
            return changed();
          }
          if (typeof payload !== 'object' || payload?.jsonrpc !== '2.0') return;
          if (typeof payload.method === 'string') {
            if (payload.method === 'notifications/tools/list_changed') {
              // Whoever says so is ready, even if its announcement was missed.
              if (session === 'none') session = 'stale';
              changed();
            } else if (payload.method === 'notifications/progress') {
              waiting.get(payload.params?.progressToken)?.progressed?.(payload.params);
            } else if (payload.id !== undefined && session !== 'none') answer(payload);
            return;
          }
          const asker = waiting.get(payload.id);
          if (asker) asker.hear(payload);
          else if (payload.id === greeting && payload.result) {
            servers += 1;
            met(payload.result);
            changed();
          }
        },

        refresh: () => running ??= refresh().finally(() => { running = undefined; }),

        async call(name, args, signal, callId, progressed) {
          // Under the id that the hub gave the call: what the page asks or tells meanwhile may name it. Whoever calls has the clock.
          const params = { name, arguments: args, _meta: { progressToken: callId } };
          return resultOf(await request('tools/call', params, { id: callId, signal, pick: theirTool, progressed }));
        },

        /** It ended without saying so: its window is gone or shows another document. */
        lost: () => end(NAVIGATED),
        tools: () => tools,
        omitted: () => omitted,
        says: () => ['cacheSupported', 'elicitation'].filter((word) => browser[word] === true),
        isOpen: () => session !== 'none',
      };
    },
  }));
})();
