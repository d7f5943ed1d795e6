// The shop itself, for people: what is on sale, a search box, a cart. Nothing in here knows of agents.

export const PRODUCTS = [
  { id: 'sencha', name: 'Sencha', kind: 'green', price: 9.5, from: 'Shizuoka', colour: '#7fa650' },
  { id: 'assam', name: 'Assam', kind: 'black', price: 7.2, from: 'Assam', colour: '#8a4b2d' },
  { id: 'oolong', name: 'Oolong', kind: 'oolong', price: 12, from: 'Anxi', colour: '#c08a3e' },
  { id: 'jasmine', name: 'Jasmine', kind: 'green', price: 8.4, from: 'Fujian', colour: '#b7bf6a' },
  { id: 'earl-grey', name: 'Earl Grey', kind: 'black', price: 6.9, from: 'Kenya', colour: '#4d5a75' },
  { id: 'gyokuro', name: 'Gyokuro', kind: 'green', price: 24, from: 'Uji', colour: '#3f7d5a' },
];
/** @type {Map<string, number>} */
const cart = new Map();

export function search(kind, maxPrice = Infinity) {
  return PRODUCTS.filter((each) => (!kind || each.kind === kind) && each.price <= maxPrice);
}

export function addToCart(id, count = 1) {
  cart.set(id, (cart.get(id) ?? 0) + count);
  const lines = [...cart].map(([each, many]) => `${many} × ${PRODUCTS.find((one) => one.id === each).name}`);
  document.querySelector('#cart').textContent = lines.join(', ');
  return lines;
}

function card({ id, name, kind, price, from, colour }) {
  const item = document.createElement('li');
  item.style.setProperty('--tea', colour);
  item.innerHTML = '<span class="cup" aria-hidden="true"></span><h2></h2><p></p><strong></strong><button>Add to cart</button>';
  item.querySelector('h2').textContent = name;
  item.querySelector('p').textContent = `${kind} tea from ${from}`;
  item.querySelector('strong').textContent = `${price.toFixed(2)} €`;
  item.querySelector('button').addEventListener('click', () => addToCart(id));
  return item;
}

function show(words = '') {
  const found = PRODUCTS.filter(({ name, kind }) => `${name} ${kind}`.toLowerCase().includes(words.toLowerCase().trim()));
  document.querySelector('#products').replaceChildren(...found.map(card));
}

document.querySelector('#search').addEventListener('input', ({ target }) => show(target.value));
show();
