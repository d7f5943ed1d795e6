/**
 * Tools of MCP-B servers in child frames that listen to their parent window alone (channel `mcp-iframe`), which is how
 * `@mcp-b/global` starts in a frame. They are driven from here and listed with this frame's tools, as of their `origin`,
 * which the browser tells; their own name is in `_meta`. What the child's own page agent lists as well, the worker
 * leaves to it. Children that inherit no site, as sandboxed ones, offer nothing here either.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./offered').PageTool} PageTool */
  /** @typedef {{client: import('./offered').McpClient, origin: string, isAlive: boolean}} Child */

  const CHANNEL = 'mcp-iframe';
  const FRAME_KEY = 'tabwright/frame';
  const MOST_CHILDREN = 32;
  /** A frame that went leaves no word; only while there are children. */
  const LOOK_MS = 1_000;
  const READY_MS = 500;

  agent.part('source_frames', (agent) => {
    /** @type {Map<Window, Child>} */
    const children = new Map();
    /** What is listed, and whose tool it is. @type {Map<string, {child: Child, name: string, tool: PageTool}>} */
    let listed = new Map();
    /** @type {() => void} */
    let changed = () => {};
    /** @type {ReturnType<typeof setInterval> | undefined} */
    let look;
    let unlisten = () => {};

    /** @param {Window} child @param {string} origin @param {unknown} payload */
    const post = (child, origin, payload) => {
      child.postMessage({ channel: CHANNEL, type: 'mcp', direction: 'client-to-server', payload }, origin);
    };

    /** @param {Window} child */
    const isChild = (child) => !child.closed && child.parent === window;

    /** Only while there are children: a page has a word for every picture that has loaded. */
    const follow = () => {
      look = setInterval(lookAfter, LOOK_MS);
      document.addEventListener('load', loaded, true);
    };

    const unfollow = () => {
      clearInterval(look);
      document.removeEventListener('load', loaded, true);
    };

    /** @param {Window} child @param {string} origin */
    const adopt = (child, origin) => {
      if (children.size === 0) follow();
      const client = agent.get('mcp_client').create({
        post: (payload) => { if (isChild(child)) post(child, origin, payload); },
        changed: () => changed(),
      });
      const made = { client, origin, isAlive: true };
      children.set(child, made);
      return made;
    };

    /** @param {Window} child */
    const abandon = (child) => {
      children.get(child)?.client.lost();
      children.delete(child);
      if (children.size === 0) unfollow();
      changed();
    };

    const lookAfter = () => {
      for (const child of [...children.keys()]) if (!isChild(child)) abandon(child);
    };

    /** @param {MessageEvent} event */
    const heard = ({ source, origin, data, isTrusted }) => {
      // An event that this page made itself says whatever origin the page likes.
      if (!isTrusted || !/^https?:/.test(origin)) return;
      if (data?.channel !== CHANNEL || data.type !== 'mcp' || data.direction !== 'server-to-client') return;
      const child = /** @type {Window} */ (source);
      if (child === window || !child || !isChild(child)) return;
      let known = children.get(child);
      if (known && known.origin !== origin) {
        abandon(child);
        known = undefined;
      }
      if (!known && children.size === MOST_CHILDREN) return;
      known ??= adopt(child, origin);
      known.isAlive = true;
      known.client.received(data.payload);
    };

    /** The children in an element that loaded; an `embed` tells nobody which one is its own. @param {EventTarget | null} target */
    const childrenIn = (target) => {
      if (target instanceof HTMLEmbedElement) return [...children.keys()];
      const isFrame = target instanceof HTMLIFrameElement || target instanceof HTMLFrameElement || target instanceof HTMLObjectElement;
      return isFrame && target.contentWindow ? [target.contentWindow] : [];
    };

    /** A frame that loaded shows another document; if that has a server too, it answers. @param {Event} event */
    const loaded = ({ target }) => {
      for (const child of childrenIn(target)) {
        const known = children.get(child);
        if (!known) continue;
        known.isAlive = false;
        post(child, '*', 'mcp-check-ready');
        agent.get('turns').timer(() => { if (children.get(child) === known && !known.isAlive) abandon(child); }, READY_MS);
      }
    };

    /** @param {PageTool} tool @param {string} name @param {Child} child */
    const asOurs = (tool, name, { origin }) => ({
      ...tool,
      name,
      origin,
      _meta: { ...tool._meta, [FRAME_KEY]: { origin, name: tool.name } },
    });

    const relist = () => {
      const found = new Map();
      // In the order of the frames in the document, so that two alike keep their names.
      for (let index = 0; index < window.length; index += 1) {
        const child = children.get(window[index]);
        if (!child) continue;
        for (const tool of child.client.tools()) {
          let name = tool.name;
          for (let number = 2; found.has(name); number += 1) name = `${tool.name}_${number}`;
          found.set(name, { child, name: tool.name, tool: asOurs(tool, name, child) });
        }
      }
      listed = found;
    };

    return {
      kind: 'mcp-b',
      start(onChange) {
        changed = onChange;
        unlisten = agent.get('lasting').listen(window, 'message', heard);
        // Whoever started before us, because the extension came to an open page, said so when nobody heard it.
        for (let index = 0; index < window.length; index += 1) post(window[index], '*', 'mcp-check-ready');
      },
      stop() {
        unlisten();
        changed = () => {};
        for (const child of [...children.keys()]) abandon(child);
      },
      async refresh() {
        await Promise.all([...children.values()].map(({ client }) => client.refresh()));
        relist();
      },
      tools: () => [...listed.values()].map(({ tool }) => tool),
      omitted: () => [...children.values()].reduce((sum, { client }) => sum + client.omitted(), 0),
      isLive: () => [...children.values()].some(({ client }) => client.isOpen()),
      async call(name, args, signal, callId, progressed) {
        const found = listed.get(name);
        if (!found) throw new Error(`The page has no tool "${name}" any more.`);
        return found.child.client.call(found.name, args, signal, callId, progressed);
      },
    };
  });
})();
