/**
 * The page's end of a port to the worker. Classic script; it runs in every frame of every page, where it serves the
 * page agent to the worker, and in the hidden page of the extension, where there is no agent.
 *
 * The port does two things by merely existing. When Chrome stops the worker the port breaks, and opening it again
 * starts the worker at once, page event or not. When the page's process dies it breaks on the other side, which is
 * how the worker hears of a crash. While there is no gateway to serve, the worker asks for rest: then a broken port
 * stays broken and the worker may sleep.
 *
 * On it travel requests of the worker `{id, method, params}`, answered once on the port they came by, or by nobody if
 * that broke; `{hub}`, whether the page may register tools; `{cancel: id}`; `{network: count, told: n}`, requests under way during an action; and events of the frame: `hub` (tools the page registers, and what it
 * asks the person), `introspected` (tools derived from it, while watched), `still` (it has loaded, and nothing is due). A new port may lead to a new worker: everything it must know is said again.
 */
(() => {
  const MARK = Symbol.for('tabwright.relay');
  /** @type {any} */
  const world = globalThis;
  // Injected again after an install or after rest: one relay per document is enough, it only has to be awake.
  if (world[MARK]?.wake()) return;

  /** @typedef {import('./agent/agent').Agent} Agent */
  /** @typedef {import('./agent/agent').HubMessage} HubMessage */

  const HASTY_MS = 200;
  const LONGEST_WAIT_MS = 30_000;
  const RELOADED_AFTER_MS = 1_000;
  /** A document still being parsed offers little; less than the worker's patience with a slow frame. */
  const PARSED_WITHIN_MS = 200;
  /** What a page has just registered is to be told before what is found by looking; little more is waited for it. */
  const REGISTERED_WITHIN_MS = 40;
  /** Where somebody was led to another page, it is waited for so long: what is not there yet cannot be told or used. */
  const ARRIVED_WITHIN_MS = 1_500;

  /** @type {Agent | undefined} */
  const agent = world[Symbol.for('tabwright.agent')];
  /** @type {chrome.runtime.Port | undefined} */
  let port;
  let resting = false;
  let openedAt = 0;
  let wait = 0;
  /** Ends the watch that the worker asked for. @type {(() => void) | undefined} */
  let unwatch;
  /** @type {Map<number, AbortController>} */
  const running = new Map();

  /** False once the extension was reloaded or removed: then this copy is an orphan. */
  const isAlive = () => chrome.runtime?.id !== undefined;

  /** An orphan must not go on talking to the page beside its successor. */
  const retire = () => {
    left();
    agent?.get('tool_sources').stop?.();
  };

  const open = () => {
    if (!isAlive()) return retire();
    if (port || resting) return;
    openedAt = Date.now();
    try {
      port = chrome.runtime.connect({ name: 'relay' });
    } catch {
      // The extension vanished between the check and the call.
      return retire();
    }
    port.onMessage.addListener(receive);
    port.onDisconnect.addListener(broken);
    const params = agent?.get('tool_sources').registration();
    if (params?.tools.length) tellHub({ jsonrpc: '2.0', method: 'browser/registerTools', params });
  };

  const broken = () => {
    // Reading it tells Chrome that the failure was noticed, or it is logged as an error.
    void chrome.runtime?.lastError;
    left();
    if (Date.now() - openedAt > HASTY_MS) wait = 0;
    if (wait === 0) open();
    else setTimeout(open, wait);
    // A worker that cannot start must not be hammered.
    wait = Math.min(LONGEST_WAIT_MS, wait * 2 || 250);
    // While the extension is being reloaded it still seems alive, and its end is told to nobody.
    setTimeout(() => { if (!isAlive()) retire(); }, RELOADED_AFTER_MS);
  };

  const close = () => {
    if (isAlive()) port?.disconnect();
    left();
  };

  /** Whoever asked for anything is gone, or will ask again. */
  const left = () => {
    port = undefined;
    unwatch?.();
    unwatch = undefined;
    running.clear();
    agent?.get('questions').end();
    agent?.get('network').lose();
  };

  /** Only pages whose origin may register tools are spoken to; the worker knows which. @param {boolean} may */
  const mayRegister = (may) => {
    if (may) agent?.get('tool_sources').start(tellHub);
    else agent?.get('tool_sources').stop?.();
  };

  /** @param {any} message */
  const receive = (message) => {
    if (typeof message.rest === 'boolean') resting = message.rest;
    else if (typeof message.hub === 'boolean') mayRegister(message.hub);
    else if (typeof message.network === 'number') agent?.get('network').update(message.network, message.told);
    else if (message.cancel !== undefined) running.get(message.cancel)?.abort();
    else if (port) void answer(port, message);
  };

  /**
   * @param {chrome.runtime.Port} asker
   * @param {{id: number, method: string, params: any}} request
   */
  const answer = async (asker, { id, method, params }) => {
    const controller = new AbortController();
    running.set(id, controller);
    /** @type {object} */
    let reply;
    try {
      if (!agent || !Object.hasOwn(methods, method)) throw new Error(`The page agent knows no "${method}".`);
      // If the page goes before it answers, the worker must know whether anything was done at all.
      if (method === 'runTool' || method === 'serve') say({ begun: id });
      // Whether it lives can be told at once.
      if (params?.service !== 'ping') await agent.get('stillness').drawn();
      reply = { id, result: await methods[method](agent, params, controller.signal) };
    } catch (thrown) {
      const { message = String(thrown), code, word } = /** @type {any} */ (thrown) ?? {};
      reply = { id, error: { message: String(message), code, word } };
    }
    // Another port may lead to another worker, whose ids mean other requests.
    if (port !== asker) return;
    running.delete(id);
    if (!say(reply)) say({ id, error: { message: 'The answer cannot be written as JSON.' } });
  };

  /** @type {Record<string, (agent: Agent, params: any, signal: AbortSignal) => unknown>} */
  const methods = {
    async introspect(agent) {
      await parsed();
      await registered(agent);
      return { tools: agent.get('introspection').list() };
    },

    async watch(agent, { on }) {
      if (!on) {
        unwatch?.();
        unwatch = undefined;
        return { tools: [] };
      }
      await parsed();
      await registered(agent);
      const introspection = agent.get('introspection');
      unwatch ??= introspection.watch((tools) => say({ event: 'introspected', tools }));
      return { tools: introspection.list() };
    },

    async whereabouts(agent) {
      await parsed(ARRIVED_WITHIN_MS);
      const { lines, failed, news } = agent.get('settle').arrived();
      const more = document.readyState === 'loading' ? ['It is still loading; what is there already can be used.'] : [];
      return { title: document.title, url: location.href, lines: [...lines, ...more], failed, news };
    },

    async serve(agent, { service, params, observe = false }, signal) {
      if (observe) agent.get('settle').observe();
      // One string: Chrome passes it on several times faster than the objects it stands for.
      const json = JSON.stringify((await agent.service(service)(params, signal)) ?? null);
      // Where it is now: a page may give itself another address without another document.
      return { json, place: placeInParent(), url: location.href };
    },

    runTool: (agent, { name, arguments: args, digest }) => agent.get('introspection').run(name, args ?? {}, digest),

    async hub(agent, { message }, signal) {
      const { id, method, params } = message;
      if (message.type === 'confirm-result' || (method === undefined && message.result)) {
        agent.get('questions').answered(message);
        return {};
      }
      if (method !== 'browser/executeTool') throw new Error(`Pages understand no "${method}".`);
      const call = { id, toolName: params.toolName, args: params.args ?? {}, digest: params.digest };
      return { jsonrpc: '2.0', id, result: await agent.get('tool_sources').execute(call, signal) };
    },
  };

  /** Which of its parent's frames this is, as the parent counts them too; comparing windows works across origins. */
  const placeInParent = (/** @type {Window} */ framed = window) => {
    if (framed === window.top) return 0;
    const { parent } = framed;
    for (let place = 0; place < parent.length; place += 1) if (parent[place] === framed) return place;
    return -1;
  };

  /** Where in the page this frame stands, from the top: "0.2"; undefined for the page itself, and where a parent does not count it. */
  const path = () => {
    const places = [];
    for (let framed = /** @type {Window} */ (window); framed !== window.top; framed = framed.parent) places.unshift(placeInParent(framed));
    return places.length === 0 || places.includes(-1) ? undefined : places.join('.');
  };

  const parsed = (withinMs = PARSED_WITHIN_MS) => new Promise((resolve) => {
    if (document.readyState !== 'loading') return resolve(undefined);
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
    if (agent) agent.get('turns').timer(() => resolve(undefined), withinMs);
  });

  const registered = (/** @type {Agent} */ agent) => new Promise((resolve) => {
    const callOff = agent.get('pace').after(REGISTERED_WITHIN_MS, () => resolve(undefined));
    void agent.get('tool_sources').upToDate().then(() => {
      callOff();
      resolve(undefined);
    });
  });

  /** @param {object} message */
  const say = (message) => {
    try {
      port?.postMessage(message);
      return true;
    } catch {
      // Not JSON, or the port is breaking; what is lost with it is said again on the next one.
      return false;
    }
  };

  /** @param {HubMessage | import('./agent/agent').HubQuestion | import('./agent/agent').HubProgress} message */
  const tellHub = (message) => say({ event: 'hub', message, path: path() });

  agent?.get('stillness').report((heard) => void say({ event: 'still', heard }));
  // An open port would keep the page out of the back/forward cache.
  const shown = (/** @type {PageTransitionEvent} */ { persisted }) => { if (persisted) open(); };
  const listen = (/** @type {string} */ type, /** @type {(event: any) => void} */ listener) =>
    (agent ? agent.get('lasting').listen(window, type, listener) : addEventListener(type, listener));
  listen('pagehide', close);
  listen('pageshow', shown);

  world[MARK] = {
    wake() {
      if (!isAlive()) return false;
      resting = false;
      open();
      return true;
    },
  };
  // A page prepared ahead of its visit gets its place in the tab only when it is shown.
  if (/** @type {any} */ (document).prerendering) document.addEventListener('prerenderingchange', open, { once: true });
  else open();
})();
