/** The tools of one tab: what each is, where it comes from, and trying it by hand. */

import { api } from './api.js';
import { make } from './elements.js';
import { blank } from './filling.js';
import { counted } from './figures.js';
import { formOf } from './form.js';
import { openPanel } from './panel.js';
import { shapeOf } from './schema.js';

/**
 * @typedef {{name: string, description: string, inputSchema: any, source: string, origin: string}} Tool
 * @typedef {{isError: boolean, text: string, pictures: {data: string, mimeType: string}[], hidden: number}} Told
 */

const STEP = 50;
const SOURCES = /** @type {Record<string, string>} */ ({
  introspection: 'found in the page',
  generic: 'works on any page',
});

/** @param {import('./state.js').Tab} tab */
export async function openTools(tab) {
  const show = openPanel(tab.title || 'Tab', tab.url, [waiting('Looking at the page …')]);
  try {
    const { tools } = await api(`tabs/${tab.id}/tools`);
    show(
      tools.length
        ? listed(tab.id, tools)
        : [
            make(
              'div.card',
              {},
              blank('This page offers no tools', 'Agents can still read it and act on it with their own.'),
            ),
          ],
    );
  } catch (problem) {
    show([make('div.card', {}, blank('The tools cannot be shown', /** @type {Error} */ (problem).message))]);
  }
}

/** @param {string} words */
const waiting = (words) => make('p.card.blank', { role: 'status' }, words);

/** @param {number} tabId @param {Tool[]} tools */
function listed(tabId, tools) {
  const place = make('div.stack', { id: 'panel-tools' });
  const rest = make('p.rest', {});
  const search = /** @type {HTMLInputElement} */ (
    make('input', { type: 'search', id: 'tool-search', autocomplete: 'off' })
  );
  let most = STEP;
  const show = () => {
    const words = search.value.trim().toLowerCase();
    const found = tools.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words));
    place.replaceChildren(...found.slice(0, most).map((tool) => entry(tabId, tool)));
    rest.replaceChildren(
      ...(found.length > most
        ? [
            make(
              'button.button',
              {
                type: 'button',
                click: () => {
                  most += STEP;
                  show();
                },
              },
              `Show ${Math.min(STEP, found.length - most)} more of ${found.length.toLocaleString()}`,
            ),
          ]
        : []),
    );
    if (!found.length) place.replaceChildren(make('p.card.blank', {}, 'No tool is called like that.'));
  };
  search.addEventListener('input', () => {
    most = STEP;
    show();
  });
  show();
  const head = make('label.search', {}, make('span.quiet', {}, counted(tools.length, 'tool')), search);
  search.setAttribute('aria-label', 'Search the tools');
  return tools.length > 5 ? [head, place, rest] : [place, rest];
}

/** @param {number} tabId @param {Tool} tool */
function entry(tabId, tool) {
  const body = make('div.tool-try');
  const details = /** @type {HTMLDetailsElement} */ (
    make(
      'details.entry.card',
      {},
      make(
        'summary',
        {},
        make('code', {}, tool.name),
        ' ',
        make('span.badge', {}, SOURCES[tool.source] ?? tool.source),
      ),
      body,
    )
  );
  // a page may offer a thousand: what is inside is made when somebody looks
  details.addEventListener('toggle', () => {
    if (details.open && !body.childElementCount) body.append(...inside(tabId, tool));
  });
  return details;
}

/** @param {number} tabId @param {Tool} tool */
function inside(tabId, tool) {
  const form = formOf(tool.inputSchema, tool.name);
  const answer = make('div.answer', { hidden: true, role: 'status', 'aria-label': `Answer of ${tool.name}` });
  const button = /** @type {HTMLButtonElement} */ (make('button.button.primary', {}, 'Try it'));
  const sending = make(
    'form.try',
    {
      novalidate: true,
      submit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        const given = form.read();
        if (!given) return;
        button.disabled = true;
        await run(tabId, tool.name, given, answer);
        button.disabled = false;
      },
    },
    form.element,
    button,
  );
  return [
    make('p', {}, tool.description || 'No description.'),
    make('p.quiet', {}, `From ${tool.origin || 'this page'}`),
    make('details.plain', {}, make('summary', {}, 'What it takes'), shapeOf(tool.inputSchema)),
    make(
      'details.plain',
      {},
      make('summary', {}, 'Schema as JSON'),
      make(
        'pre',
        { tabindex: 0, role: 'region', 'aria-label': `Schema of ${tool.name}` },
        JSON.stringify(tool.inputSchema, null, 2),
      ),
    ),
    sending,
    answer,
  ];
}

/** @param {number} tabId @param {string} name @param {Record<string, unknown>} given @param {HTMLElement} answer */
async function run(tabId, name, given, answer) {
  answer.hidden = false;
  answer.replaceChildren(make('p.quiet', {}, 'Running …'));
  try {
    /** @type {Told} */
    const told = await api(`tabs/${tabId}/call`, { name, arguments: given });
    answer.replaceChildren(
      make(`b.${told.isError ? 'bad' : 'good'}`, {}, told.isError ? 'It did not work' : 'It answered'),
      ...(told.text || !told.pictures.length
        ? [make('pre', { tabindex: 0, role: 'region', 'aria-label': 'Answer' }, told.text || 'Nothing.')]
        : []),
      ...told.pictures.map(({ data, mimeType }) =>
        make('img.large', { src: `data:${mimeType};base64,${data}`, alt: 'Picture in the answer' }),
      ),
      ...(told.hidden ? [make('p.quiet', {}, `${counted(told.hidden, 'picture')} not shown`)] : []),
    );
  } catch (problem) {
    answer.replaceChildren(
      make('b.bad', {}, 'It was not called'),
      make('p', {}, /** @type {Error} */ (problem).message),
    );
  }
}
