// The shop for agents: the same functions the buttons call, given a name, a description and a schema.
import { PRODUCTS, addToCart, search } from './shop.js';

// Browsers without WebMCP and without tabwright have no modelContext; the page works all the same.
document.modelContext?.registerTool({
  name: 'search_products',
  description: 'Search the teas on sale, by kind and highest price.',
  inputSchema: {
    type: 'object',
    properties: {
      kind: { type: 'string', enum: ['green', 'black', 'oolong'] },
      maxPrice: { type: 'number', minimum: 0, description: 'In euros' },
    },
  },
  annotations: { readOnlyHint: true },
  execute: async ({ kind, maxPrice }) => {
    const found = search(kind, maxPrice).map(({ id, name, price }) => ({ id, name, price }));
    return { content: [{ type: 'text', text: JSON.stringify(found) }] };
  },
});

document.modelContext?.registerTool({
  name: 'add_to_cart',
  description: 'Put a tea into the cart.',
  inputSchema: {
    type: 'object',
    properties: {
      productId: { type: 'string', description: 'The id of a product from search_products' },
      count: { type: 'integer', minimum: 1, maximum: 99, default: 1 },
    },
    required: ['productId'],
  },
  execute: async ({ productId, count = 1 }) => {
    if (!PRODUCTS.some(({ id }) => id === productId)) throw new Error(`There is no product ${productId}.`);
    return { content: [{ type: 'text', text: `In the cart: ${addToCart(productId, count).join(', ')}` }] };
  },
});

// A form with a toolname is a tool already. Its answer is what the page gives back, if it wants to say more than the page shows.
document.querySelector('#newsletter').addEventListener('submit', (event) => {
  event.preventDefault();
  const answer = `${new FormData(event.target).get('email')} is subscribed.`;
  document.querySelector('#subscribed').textContent = answer;
  if (event.agentInvoked) event.respondWith(Promise.resolve(answer));
});

// A tool that is there only for a while: abort its signal, and it leaves every agent's list.
const sale = new AbortController();
document.modelContext?.registerTool({
  name: 'todays_offer',
  description: 'What is cheaper today.',
  inputSchema: { type: 'object', properties: {} },
  execute: async () => ({ content: [{ type: 'text', text: 'Jasmine, two for 15 €, until the shop closes.' }] }),
}, { signal: sale.signal });
addEventListener('shopclosed', () => sale.abort());
