/** What the gateway was started with. */

import { api } from './api.js';
import { byId, make } from './elements.js';
import { blank, fill } from './filling.js';
import { moment } from './figures.js';

/** @typedef {{name: string, value: unknown, usual: boolean, session: boolean, description: string}} Setting */

const AUTH = /** @type {Record<string, string>} */ ({
  'same-user': 'your own processes on this machine',
  token: 'whoever has the token',
  off: 'everyone on this machine',
});

export async function drawSettings() {
  const place = byId('settings');
  if (!place.childElementCount) fill(place, [make('div.card', {}, blank('Looking …'))]);
  try {
    const { about, files, settings } = await api('settings');
    fill(place, [
      main(about, files, settings),
      table(
        'Gateway',
        settings.filter((/** @type {Setting} */ { session }) => !session),
      ),
      table(
        'Sessions, unless a client asks otherwise',
        settings.filter((/** @type {Setting} */ { session }) => session),
      ),
    ]);
  } catch (problem) {
    fill(place, [
      make('div.card', {}, blank('The settings cannot be shown now', /** @type {Error} */ (problem).message)),
    ]);
  }
}

/** @param {import('./state.js').About} about @param {any} files @param {Setting[]} settings */
function main(about, files, settings) {
  const auth = String(settings.find(({ name }) => name === 'auth')?.value ?? '');
  const started =
    typeof about.startedAt === 'number' ? moment(about.startedAt) : new Date(about.startedAt).toLocaleString();
  const facts = [
    ['Version', about.version],
    ['Process', String(about.pid)],
    ['Running since', started],
    ['MCP clients', `http://127.0.0.1:${about.port}/mcp`],
    ['Extension', `port ${about.extensionPort}`],
    ['Let in', `${AUTH[auth] ?? auth} (${auth})`],
    ['Policy', files.policyExists ? files.policy : `${files.policy} (not there: the usual rules)`],
    ['Settings', files.settings],
    ['Log', files.log],
    ['Recordings', files.output],
  ];
  return make(
    'dl.details.card',
    {},
    ...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
  );
}

/** @param {string} head @param {Setting[]} settings */
const table = (head, settings) =>
  make(
    'div.stack',
    {},
    make('h3.heading', {}, head),
    make(
      'div.card.scroll',
      { tabindex: 0, role: 'region', 'aria-label': head },
      make(
        'table.settings',
        {},
        make(
          'thead',
          {},
          make('tr', {}, ...['Setting', 'Value', 'Meaning'].map((word) => make('th', { scope: 'col' }, word))),
        ),
        make(
          'tbody',
          {},
          ...settings.map(({ name, value, usual, description }) =>
            make(
              'tr',
              {},
              make('th', { scope: 'row' }, make('code', {}, name)),
              make(
                'td',
                {},
                make(usual ? 'span.quiet' : 'b', {}, value === null || value === '' ? 'not set' : String(value)),
              ),
              make(
                'td',
                {},
                ...description.split('`').map((part, index) => (index % 2 ? make('code', {}, part) : part)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
