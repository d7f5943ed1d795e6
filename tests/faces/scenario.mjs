// Runs a scenario of tool calls with the TypeScript SDK and prints what each call answered, one JSON line a call.
// node scenario.mjs stdio|sse|http TARGET STEPS.json VALUES.json; TARGET is the command line or the address.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../page_tools/package.json', import.meta.url));
const load = (name) => import(require.resolve(`@modelcontextprotocol/sdk/${name}`));
const { Client } = await load('client/index.js');

const [kind, target, stepsFile, valuesText] = process.argv.slice(2);
const values = JSON.parse(valuesText);

async function transport() {
  if (kind === 'stdio') {
    const { StdioClientTransport } = await load('client/stdio.js');
    const [command, ...args] = JSON.parse(target);
    return new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' });
  }
  const name = kind === 'sse' ? ['client/sse.js', 'SSEClientTransport'] : ['client/streamableHttp.js', 'StreamableHTTPClientTransport'];
  return new (await load(name[0]))[name[1]](new URL(target));
}

const fill = (value) => {
  if (typeof value === 'string') {
    const number = /^\{\{#(\w+)\}\}$/.exec(value);
    return number ? Number(values[number[1]]) : value.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? `no ${name}`);
  }
  if (Array.isArray(value)) return value.map(fill);
  return value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each)])) : value;
};

const client = new Client({ name: 'scenario', version: '1' });
await client.connect(await transport());
const { tools } = await client.listTools();
console.log(JSON.stringify({ tools: tools.map(({ name }) => name) }));
for (const { tool, arguments: args, save = {} } of JSON.parse(readFileSync(stepsFile, 'utf8'))) {
  const { content, isError = false } = await client.callTool({ name: tool, arguments: fill(args) });
  const text = content.filter(({ type }) => type === 'text').map((part) => part.text).join('\n');
  for (const [name, pattern] of Object.entries(save)) values[name] = new RegExp(pattern).exec(text)?.[1] ?? values[name];
  console.log(JSON.stringify({ tool, text, isError, kinds: content.map(({ type }) => type) }));
}
await client.close();
