/**
 * Tools of an MCP-B server in this very window: `@mcp-b/global` of any generation, or an MCP server on a
 * TabServerTransport. The wire is `window.postMessage` on channel `mcp-default`.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const CHANNEL = 'mcp-default';

  agent.part('source_mcpb', (agent) => {
    /** @type {import('../agent').McpClient | undefined} */
    let client;
    let unlisten = () => {};

    /** @param {unknown} payload */
    const post = (payload) => {
      // To our own window: whoever hears it is of this document, whatever its origin is called.
      window.postMessage({ channel: CHANNEL, type: 'mcp', direction: 'client-to-server', payload }, '*');
    };

    /** @param {MessageEvent} event */
    const heard = ({ source, data }) => {
      if (source !== window || data?.channel !== CHANNEL || data.type !== 'mcp') return;
      if (data.direction !== 'server-to-client' || !client || agent.get('questions').heard(data.payload, post)) return;
      client.received(data.payload);
    };

    return {
      kind: 'mcp-b',
      start(changed) {
        client = agent.get('mcp_client').create({ post, changed });
        // Servers that start after hydration say so once: listen from the first moment to the last.
        unlisten = agent.get('lasting').listen(window, 'message', heard, () => {
          client?.lost();
          changed();
          post('mcp-check-ready');
        });
        post('mcp-check-ready');
      },
      stop() {
        unlisten();
        client?.lost();
        client = undefined;
      },
      refresh: async () => client?.refresh(),
      tools: () => client?.tools() ?? [],
      omitted: () => client?.omitted() ?? 0,
      says: () => client?.says() ?? [],
      isLive: () => client?.isOpen() ?? false,
      async call(name, args, signal, callId, progressed) {
        if (!client) throw new Error('The page has no server any more.');
        return client.call(name, args, signal, callId, progressed);
      },
    };
  });
})();
