/**
 * Tools of MCP-B servers in this very window: `@mcp-b/global` of any generation, or an MCP server on a
 * TabServerTransport. The wire is `window.postMessage`, mostly on channel `mcp-default`; a server on a channel of its own
 * is known by what it says as it starts, and has a client of its own.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const CHANNEL = 'mcp-default';
  /** Of frames, which listen to their parent alone. */
  const FRAMES = 'mcp-iframe';
  const MOST_CHANNELS = 4;
  const LONGEST_CHANNEL = 100;

  agent.part('source_mcpb', (agent) => {
    /** By their channels, the usual one first. @type {Map<string, import('./offered').McpClient>} */
    const clients = new Map();
    let changed = () => {};
    let unlisten = () => {};

    /** @param {string} channel */
    const postOn = (channel) => (/** @type {unknown} */ payload) => {
      // To our own window: whoever hears it is of this document, whatever its origin is called.
      window.postMessage({ channel, type: 'mcp', direction: 'client-to-server', payload }, '*');
    };

    /** @param {string} channel */
    const adopt = (channel) => {
      const made = agent.get('mcp_client').create({ post: postOn(channel), changed: () => changed() });
      clients.set(channel, made);
      return made;
    };

    /** @param {unknown} channel @param {unknown} payload */
    const clientOf = (channel, payload) => {
      if (typeof channel !== 'string' || channel === FRAMES || channel.length > LONGEST_CHANNEL) return undefined;
      const isNew = payload === 'mcp-server-ready' && clients.size > 0 && clients.size < MOST_CHANNELS;
      return clients.get(channel) ?? (isNew ? adopt(channel) : undefined);
    };

    /** @param {MessageEvent} event */
    const heard = ({ source, data }) => {
      if (source !== window || data?.type !== 'mcp' || data.direction !== 'server-to-client') return;
      const client = clientOf(data.channel, data.payload);
      if (client && !agent.get('questions').heard(data.payload, postOn(data.channel))) client.received(data.payload);
    };

    const all = () => [...clients.values()];

    /** Of two channels with a tool of one name the first has it. */
    const listed = () => {
      /** @type {Map<string, {client: import('./offered').McpClient, tool: import('./offered').PageTool}>} */
      const found = new Map();
      for (const client of all())
        for (const tool of client.tools()) if (!found.has(tool.name)) found.set(tool.name, { client, tool });
      return found;
    };

    return {
      kind: 'mcp-b',
      start(onChange) {
        changed = onChange;
        adopt(CHANNEL);
        // Servers that start after hydration say so once: listen from the first moment to the last.
        unlisten = agent.get('lasting').listen(window, 'message', heard, () => {
          for (const client of all()) client.lost();
          changed();
          for (const channel of clients.keys()) postOn(channel)('mcp-check-ready');
        });
        postOn(CHANNEL)('mcp-check-ready');
      },
      stop() {
        unlisten();
        for (const client of all()) client.lost();
        clients.clear();
        changed = () => {};
      },
      async refresh() {
        await Promise.all(all().map((client) => client.refresh()));
      },
      tools: () => [...listed().values()].map(({ tool }) => tool),
      omitted: () => all().reduce((sum, client) => sum + client.omitted() + client.tools().length, 0) - listed().size,
      says: () => [...new Set(all().flatMap((client) => client.says()))],
      isLive: () => all().some((client) => client.isOpen()),
      async call(name, args, signal, callId, progressed) {
        const found = listed().get(name) ?? { client: clients.get(CHANNEL) };
        if (!found.client) throw new Error('The page has no server any more.');
        return found.client.call(name, args, signal, callId, progressed);
      },
    };
  });
})();
