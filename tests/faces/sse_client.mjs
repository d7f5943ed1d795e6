// One visit by the TypeScript SDK's own SSE client: node sse_client.mjs SDK_FOLDER URL
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, url] = process.argv.slice(2);
const part = (name) => import(pathToFileURL(join(folder, 'dist', 'esm', 'client', name)).href);
const { Client } = await part('index.js');
const { SSEClientTransport } = await part('sse.js');

const told = { changes: 0 };
const client = new Client(
  { name: 'typescript', version: '1' },
  { listChanged: { tools: { onChanged: () => { told.changes += 1; } } } },
);
await client.connect(new SSEClientTransport(new URL(url)));
told.server = client.getServerVersion().name;
told.capabilities = client.getServerCapabilities();
told.tools = (await client.listTools()).tools.map((tool) => tool.name);
await client.ping();
told.called = told.tools.includes('connect_browser')
  ? (await client.callTool({ name: 'connect_browser', arguments: {} })).structuredContent
  : null;
await client.close();
console.log(JSON.stringify(told));
