/** The tools of one tab: what each is, where it comes from, and trying it by hand. */

import { api } from './api.js';
import { byId, make } from './elements.js';

/** @typedef {{name: string, description: string, inputSchema: any, source: string, origin: string}} Tool */

const SOURCES = /** @type {Record<string, string>} */ ({
  introspection: 'found in the page',
  generic: 'works on any page',
});

/** @param {import('./dashboard.js').Tab} tab */
export async function openTools(tab) {
  const panel = /** @type {HTMLDialogElement} */ (byId('panel'));
  byId('panel-head').textContent = tab.title || 'Tab';
  byId('panel-where').textContent = tab.url;
  byId('panel-tools').replaceChildren(make('p.card.empty', {}, 'Looking at the page …'));
  panel.showModal();
  try {
    const { tools } = await api(`tabs/${tab.id}/tools`);
    const entries = tools.map((/** @type {Tool} */ tool) => entry(tab.id, tool));
    const none = make('p.card.empty', {}, 'This page offers no tools.');
    byId('panel-tools').replaceChildren(...(entries.length ? entries : [none]));
  } catch (problem) {
    byId('panel-tools').replaceChildren(make('p.card.empty', {}, /** @type {Error} */ (problem).message));
  }
}

/** @param {number} tabId @param {Tool} tool */
function entry(tabId, tool) {
  const input = /** @type {HTMLTextAreaElement} */ (make('textarea', {
    'aria-label': `Arguments of ${tool.name}`, spellcheck: 'false',
  }));
  input.value = JSON.stringify(example(tool.inputSchema), null, 2);
  const answer = make('pre', { tabindex: 0, hidden: true, 'aria-label': `Answer of ${tool.name}`, role: 'status' });
  const button = make('button.button', { click: () => void run(tabId, tool.name, input, answer) }, 'Try it');
  return make('details.entry.card', {},
    make('summary', {}, make('span', {}, tool.name), ' ',
      make('span.badge', {}, SOURCES[tool.source] ?? tool.source)),
    make('div.tool-try', {}, make('p', {}, tool.description || 'No description.'),
      make('details', {}, make('summary', {}, 'Schema'),
        make('pre', { tabindex: 0 }, JSON.stringify(tool.inputSchema, null, 2))),
      input, button, answer));
}

/** @param {number} tabId @param {string} name @param {HTMLTextAreaElement} input @param {HTMLElement} answer */
async function run(tabId, name, input, answer) {
  answer.hidden = false;
  answer.className = '';
  answer.textContent = 'Running …';
  try {
    const told = await api(`tabs/${tabId}/call`, { name, arguments: JSON.parse(input.value || '{}') });
    answer.className = told.isError ? 'bad' : '';
    answer.textContent = told.text || (told.pictures ? `${told.pictures} picture(s)` : 'Done; it answered nothing.');
  } catch (problem) {
    answer.className = 'bad';
    const wrong = problem instanceof SyntaxError ? 'The arguments are no JSON: ' : '';
    answer.textContent = wrong + /** @type {Error} */ (problem).message;
  }
}

/** What is required, with its default or an empty value. @param {any} schema */
function example(schema) {
  const empty = /** @type {Record<string, unknown>} */ ({ number: 0, integer: 0, boolean: false, array: [], object: {} });
  const entries = Object.entries(schema?.properties ?? {}).filter(([name]) => schema.required?.includes(name));
  return Object.fromEntries(entries.map(([name, each]) => {
    const { default: usual, enum: choices, type } = /** @type {any} */ (each);
    return [name, usual ?? choices?.[0] ?? empty[type] ?? ''];
  }));
}
