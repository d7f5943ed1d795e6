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
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./agent').PageTool} PageTool */

  const PROTOCOL_VERSION = '2025-06-18';
  const ANSWER_MS = 5_000;
  const POLL_MS = 60_000;
  const MOST_PAGES = 16;
  const MOST_TOOLS = 64;
  const METHOD_NOT_FOUND = -32601;

  agent.part('mcp_client', (agent) => ({
    create({ post, changed }) {
      const { NAVIGATED, OutcomeUnknown, cleanList, resultOf } = agent.get('tool_shape');

      /** @type {Map<string | number, {resolve: (result: any) => void, reject: (reason: Error) => void}>} */
      const waiting = new Map();
      /** @type {'none' | 'stale' | 'open'} */
      let session = 'none';
      /** @type {PageTool[]} */
      let tools = [];
      let omitted = 0;
      /** What the server says of itself in hub.md's words. @type {any} */
      let browser;
      /** @type {ReturnType<typeof setInterval> | undefined} */
      let poll;
      /** @type {Promise<void> | undefined} */
      let running;

      /**
       * @param {string} method
       * @param {object} params
       * @param {number | undefined} ms
       * @param {AbortSignal} [signal]
       * @param {string | number} [id]
       * @returns {Promise<any>}
       */
      const request = (method, params, ms, signal, id = agent.unguessable()) => new Promise((resolve, reject) => {
        const settle = () => {
          clearTimeout(timer);
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
        const abort = () => give(signal?.reason instanceof Error ? signal.reason : new Error('Cancelled.'));
        const timer = ms && setTimeout(() => give(new Error(`The page did not answer ${method} within ${ms / 1000} s.`)), ms);
        signal?.addEventListener('abort', abort);
        waiting.set(id, {
          resolve: (result) => { settle(); resolve(result); },
          reject: (reason) => { settle(); reject(reason); },
        });
        post({ jsonrpc: '2.0', id, method, params });
      });

      const shakeHands = async () => {
        const { capabilities } = await request('initialize', {
          protocolVersion: PROTOCOL_VERSION,
          // Nothing of MCP's own: a server then asks us for nothing. The block is hub.md's, where MCP has a place for it.
          capabilities: { experimental: { browser: { multiTabSupport: true, cacheSupported: true, elicitation: true } } },
          clientInfo: { name: 'tabwright', version: '1' },
        }, ANSWER_MS);
        post({ jsonrpc: '2.0', method: 'notifications/initialized' });
        browser = capabilities?.browser ?? capabilities?.experimental?.browser;
        clearInterval(poll);
        if (capabilities?.tools?.listChanged !== true) poll = setInterval(changed, POLL_MS);
      };

      const list = async () => {
        /** @type {PageTool[]} */
        const listed = [];
        /** @type {string | undefined} */
        let cursor;
        let seen = 0;
        for (let page = 0; page < MOST_PAGES && listed.length < MOST_TOOLS; page += 1) {
          const told = await request('tools/list', cursor === undefined ? {} : { cursor }, ANSWER_MS);
          listed.push(...cleanList(told.tools));
          seen += Array.isArray(told.tools) ? told.tools.length : 0;
          // A cursor that stands still would never end.
          if (typeof told.nextCursor !== 'string' || told.nextCursor === cursor) break;
          cursor = told.nextCursor;
        }
        const fitting = cleanList(listed);
        omitted = seen - fitting.length;
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

      /** @param {string} why */
      const end = (why) => {
        clearInterval(poll);
        session = 'none';
        browser = undefined;
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
            end('The page stopped its server.');
            return changed();
          }
          if (typeof payload !== 'object' || payload?.jsonrpc !== '2.0') return;
          if (typeof payload.method === 'string') {
            if (payload.method === 'notifications/tools/list_changed') {
              // Whoever says so is ready, even if its announcement was missed.
              if (session === 'none') session = 'stale';
              changed();
            } else if (payload.id !== undefined && session !== 'none') answer(payload);
            return;
          }
          const asker = waiting.get(payload.id);
          if (payload.error) asker?.reject(new Error(String(payload.error.message ?? 'The page answered an error.')));
          else asker?.resolve(payload.result ?? {});
        },

        refresh: () => running ??= refresh().finally(() => { running = undefined; }),

        async call(/** @type {string} */ name, /** @type {object} */ args, /** @type {AbortSignal} */ signal, /** @type {string | number} */ callId) {
          // Under the id that the hub gave the call: what the page asks meanwhile may name it. Whoever calls has the clock.
          return resultOf(await request('tools/call', { name, arguments: args }, undefined, signal, callId));
        },

        /** It ended without saying so: its window is gone or shows another document. */
        lost: () => end(NAVIGATED),
        tools: () => tools,
        omitted: () => omitted,
        says: () => ['cacheSupported', 'elicitation'].filter((word) => browser?.[word] === true),
        isOpen: () => session !== 'none',
      };
    },
  }));
})();
