/** A JSON Schema as people read it: one row a field, what is inside a field below it. */

import { make } from './elements.js';

const DEEPEST = 4;
const MOST = 60;

/** @param {any} schema */
export function shapeOf(schema) {
  const rows = fields(schema, '', 0).slice(0, MOST);
  if (!rows.length) return make('p.quiet', {}, 'Nothing.');
  return make(
    'div.scroll',
    { tabindex: 0, role: 'region', 'aria-label': 'What it takes' },
    make(
      'table.shape',
      {},
      make(
        'thead',
        {},
        make('tr', {}, ...['Field', 'Kind', 'Meaning'].map((word) => make('th', { scope: 'col' }, word))),
      ),
      make(
        'tbody',
        {},
        ...rows.map(({ name, kind, meaning, needed }) =>
          make(
            'tr',
            {},
            make(
              'th',
              { scope: 'row' },
              make('code', {}, name),
              ...(needed ? [' ', make('span.badge', {}, 'required')] : []),
            ),
            make('td', {}, kind),
            make('td', {}, meaning),
          ),
        ),
      ),
    ),
  );
}

/**
 * @param {any} schema @param {string} before @param {number} depth
 * @returns {{name: string, kind: string, meaning: string, needed: boolean}[]}
 */
function fields(schema, before, depth) {
  if (depth >= DEEPEST || typeof schema?.properties !== 'object' || schema.properties === null) return [];
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties)
    .slice(0, MOST)
    .flatMap(([name, each]) => {
      const field = /** @type {any} */ (each) ?? {};
      const path = before + name;
      return [
        { name: path, kind: kindOf(field), meaning: meaningOf(field), needed: needed.has(name) },
        ...fields(field, `${path}.`, depth + 1),
        ...fields(field.items, `${path}[].`, depth + 1),
      ];
    });
}

/** @param {any} field @returns {string} */
export function kindOf(field) {
  if (Array.isArray(field?.enum)) return 'choice';
  if ('const' in (field ?? {})) return 'constant';
  if (field?.type === 'array') return field.items ? `list of ${kindOf(field.items)}` : 'list';
  if (Array.isArray(field?.type)) return field.type.join(' or ');
  const either = field?.anyOf ?? field?.oneOf;
  if (Array.isArray(either)) return [...new Set(either.map(kindOf))].join(' or ');
  return typeof field?.type === 'string' ? field.type : 'anything';
}

/** @param {any} field */
function meaningOf(field) {
  const bounds = [
    ['minimum', 'at least'],
    ['maximum', 'at most'],
    ['minLength', 'characters at least'],
    ['maxLength', 'characters at most'],
    ['pattern', 'like'],
    ['format', 'format'],
    ['default', 'usually'],
  ];
  const said = bounds.filter(([key]) => field[key] !== undefined).map(([key, words]) => `${words} ${word(field[key])}`);
  const choices = Array.isArray(field.enum) ? [`one of ${field.enum.slice(0, 20).map(word).join(', ')}`] : [];
  return [typeof field.description === 'string' ? field.description : '', [...choices, ...said].join('; ')]
    .filter(Boolean)
    .join(' — ');
}

/** @param {unknown} value */
const word = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
