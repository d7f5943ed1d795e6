// The TypeScript SDK's SSE client through a restart of the gateway: node sse_restart.mjs SDK_FOLDER URL
// Says "waiting" once a call is under way; then the gateway may be stopped and started again.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, url] = process.argv.slice(2);
const part = (name) => import(pathToFileURL(join(folder, 'dist', 'esm', 'client', name)).href);
const { Client } = await part('index.js');
const { SSEClientTransport } = await part('sse.js');

const client = new Client({ name: 'typescript', version: '1' });
await client.connect(new SSEClientTransport(new URL(url)));
const began = client.callTool({ name: 'connect_browser', arguments: {} }, undefined, { timeout: 20_000 });
const outcome = began.then(() => ({ code: 0 }), (error) => ({ code: error.code, data: error.data }));
await client.listTools();
console.log('waiting');

const told = { cut: await outcome };
const deadline = Date.now() + 20_000;
while (told.tools === undefined && Date.now() < deadline) {
  try {
    told.tools = (await client.listTools(undefined, { timeout: 2_000 })).tools.map((tool) => tool.name);
  } catch (error) {
    // no gateway yet, or the stream of the old one: the event source is on its way back
    told.before = String(error);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}
await client.ping();
told.called = (await client.callTool({ name: 'list_tabs', arguments: {} })).content;
await client.close();
console.log(JSON.stringify(told));
