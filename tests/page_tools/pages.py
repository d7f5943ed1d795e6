"""Pages that offer tools, built with the libraries that real pages are built with; see package.json for those.

Each page is a document as text. Scripts are written into it, so that it needs no second request and works on any
host. Every page offers `add(a, b)`, `fail()` and `wait(ms)`, whatever it is built with, and takes orders from a test
through `window.page`: `add(name)`, `remove(name)`.
"""

import subprocess
from functools import cache
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
PACKAGES: Final = HERE / "node_modules"

# Generations of @mcp-b/global, by the folder each is installed in.
GLOBALS: Final = {"1.4": "mcp-b-global-1", "4.0": "mcp-b-global-4", "5.1": "@mcp-b/global"}

_ENTRY: Final = """
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { IframeChildTransport, TabServerTransport } from '@mcp-b/transports';
import * as old from 'mcp-b-transports-1';
import { z } from 'zod';
const OldTabServerTransport = old.TabServerTransport;
Object.assign(globalThis, { McpServer, IframeChildTransport, TabServerTransport, OldTabServerTransport, z });
"""

_TOOLS: Final = """
const schema = (properties) => ({ type: 'object', properties, required: Object.keys(properties) });
const TOOLS = [
  { name: 'add', description: 'Adds two numbers', annotations: { readOnlyHint: true, untrustedContentHint: true },
    inputSchema: schema({ a: { type: 'number' }, b: { type: 'number' } }),
    execute: async ({ a, b }) => RESULT({ sum: a + b }) },
  { name: 'fail', description: 'Fails', inputSchema: schema({}),
    execute: async () => { throw new Error('no luck today'); } },
  { name: 'wait', description: 'Waits', inputSchema: schema({ ms: { type: 'number' } }),
    execute: async ({ ms }) => { await new Promise((done) => setTimeout(done, ms)); return RESULT({ waited: ms }); } },
];
const named = (name) => (
  { name, description: `Tool ${name}`, inputSchema: schema({}), execute: async () => RESULT({ name }) });
"""

# Registering by WebMCP: native, stand-in, or the object that @mcp-b/global puts in its place.
_REGISTER: Final = """
const RESULT = (value) => value;
const controllers = {};
window.page = {
  add(name, more = {}) {
    controllers[name] = new AbortController();
    return CONTEXT.registerTool({ ...named(name), ...more }, { signal: controllers[name].signal });
  },
  remove(name) { controllers[name].abort(); },
};
for (const tool of TOOLS) CONTEXT.registerTool(tool);
"""

# @mcp-b/global 1.x: no signals, results in the shape of MCP.
_REGISTER_OLD: Final = """
const RESULT = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const handles = {};
window.page = {
  add(name, more = {}) { handles[name] = navigator.modelContext.registerTool({ ...named(name), ...more }); },
  remove(name) { handles[name].unregister(); },
};
navigator.modelContext.provideContext({ tools: TOOLS });
"""

_SERVE: Final = """
const server = new McpServer({ name: 'shop', version: '1.0.0' });
const RESULT = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
const plain = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const made = {};
server.registerTool('add', {
  description: 'Adds two numbers', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() },
  annotations: { readOnlyHint: true, cache: true }, _meta: { 'shop/shelf': 7 },
}, async ({ a, b }) => RESULT({ sum: a + b }));
server.registerTool('fail', { description: 'Fails', inputSchema: {} },
  async () => { throw new Error('no luck today'); });
server.registerTool('wait', { description: 'Waits', inputSchema: { ms: z.number() } },
  async ({ ms }) => { await new Promise((done) => setTimeout(done, ms)); return plain({ waited: ms }); });
window.page = {
  add(name, more = {}) {
    const config = { description: `Tool ${name}`, inputSchema: {}, ...more };
    made[name] = server.registerTool(name, config, async () => plain({ name }));
  },
  remove(name) { made[name].remove(); },
  start: () => server.connect(new TRANSPORT({ allowedOrigins: ['*'] })),
  stop: () => server.close(),
};
"""

FORMS: Final = """
<form id=search toolname="search_flights" tooldescription="Searches flights" toolautosubmit>
<label>From <input name=from required></label><label>Date <input type=date name=day></label>
<input type=number name=passengers min=1 max=9 value=1 toolparamdescription="How many fly">
<label><input type=radio name=cabin value=eco checked>Economy</label>
<label><input type=radio name=cabin value=biz>Business</label>
<button>Search</button></form>
<form id=contact toolname="contact_us" tooldescription="Sends a message">
<textarea name=text></textarea><button>Send</button></form>
<form id=leave action="/left" toolname="go_away" tooldescription="Loads another page" toolautosubmit>
<input name=q><button>Go</button></form>
<script>
window.invoked = [];
for (const id of ['search', 'contact']) document.getElementById(id).addEventListener('submit', (event) => {
  event.preventDefault();
  window.invoked.push(event.agentInvoked);
  if (event.agentInvoked) event.respondWith(Promise.resolve(Object.fromEntries(new FormData(event.target))));
});
</script>
"""

# A server that speaks to its parent window alone, and says nothing when it goes.
CHILD: Final = """<!doctype html><title>Child</title><script>
addEventListener('message', ({ data, source }) => {
  if (source !== parent || data?.channel !== 'mcp-iframe' || data.direction !== 'client-to-server') return;
  const tools = [{ name: 'child', description: 'A child', inputSchema: { type: 'object' } }];
  const capabilities = { tools: { listChanged: true } };
  const results = { initialize: { protocolVersion: '2025-06-18', capabilities }, 'tools/list': { tools } };
  if (data.payload === 'mcp-check-ready') say('mcp-server-ready');
  else if (data.payload.id) say({ jsonrpc: '2.0', id: data.payload.id, result: results[data.payload.method] });
});
const say = (payload) =>
  parent.postMessage({ channel: 'mcp-iframe', type: 'mcp', direction: 'server-to-client', payload }, '*');
say('mcp-server-ready');
</script>"""


@cache
def library(generation: str) -> str:
    """The script of a generation of @mcp-b/global, as pages include it."""
    return (PACKAGES / GLOBALS[generation] / "dist" / "index.iife.js").read_text()


@cache
def server_library() -> str:
    """The TypeScript SDK's McpServer and the transports of @mcp-b, for pages that run a server of their own."""
    command = [PACKAGES / ".bin" / "esbuild", "--bundle", "--format=iife", "--platform=browser", "--log-level=error"]
    done = subprocess.run(command, input=_ENTRY, capture_output=True, text=True, cwd=HERE, check=True)
    return done.stdout


def script(text: str) -> str:
    """A script as a part of a document."""
    escaped = text.replace("</script", "<\\/script")
    return f"<script>{escaped}</script>\n"


def _document(title: str, body: str) -> str:
    return f"<!doctype html><html><head><meta charset=utf-8><title>{title}</title></head><body>\n{body}</body></html>"


def webmcp(body: str = "", *, context: str = "document.modelContext") -> str:
    """A page of plain WebMCP code."""
    return _document("webmcp", script(_TOOLS + _REGISTER.replace("CONTEXT", context)) + body)


def mcpb(generation: str, body: str = "") -> str:
    """A page with @mcp-b/global."""
    register = _REGISTER_OLD if generation.startswith("1.") else _REGISTER.replace("CONTEXT", "document.modelContext")
    return _document(f"mcp-b {generation}", script(library(generation)) + script(_TOOLS + register) + body)


def server(body: str = "", *, transport: str = "TabServerTransport", start: bool = True) -> str:
    """A page with an McpServer of its own; not started, it waits for `page.start()`."""
    serve = _SERVE.replace("TRANSPORT", transport) + ("page.start();" if start else "")
    return _document("server", script(server_library()) + script(serve) + body)


def forms(body: str = "") -> str:
    """A page with annotated forms, and no other tools."""
    return _document("forms", FORMS + body)


def framed(url: str, body: str = "") -> str:
    """A page with another one in a frame that may offer tools."""
    return _document("framed", f'<iframe src="{url}" allow="tools"></iframe>{body}')
