/** Recordings that were saved: looked at, downloaded, deleted. */

import { api } from './api.js';
import { byId, make } from './elements.js';
import { blank, fill } from './filling.js';
import { counted, moment, size } from './figures.js';
import { openPanel } from './panel.js';
import { state, tabs } from './state.js';

/** @typedef {{session: string, name: string, size: number, saved: number}} Saved */

/** @type {Saved[] | null} */
let saved = null;
let asked = '';

/** @param {Saved} recording */
const address = ({ session, name }) => `recordings/${encodeURIComponent(session)}/${encodeURIComponent(name)}`;

export function drawRecordings() {
  // a new one comes of a call
  const now = String(state.calls.findLast(({ tool }) => tool === 'gif_creator')?.number ?? 0);
  if (saved === null || now !== asked) {
    asked = now;
    void load();
  }
  draw();
}

async function load() {
  try {
    saved = (await api('recordings')).recordings;
    draw();
  } catch (problem) {
    fill(byId('recordings'), [
      make('div.card', {}, blank('The recordings cannot be listed', /** @type {Error} */ (problem).message)),
    ]);
  }
}

function draw() {
  if (saved === null) return fill(byId('recordings'), [make('div.card', {}, blank('Looking …'))]);
  const titles = tabs();
  const going = state.view.sessions.flatMap(({ client, recording }) => recording.map((each) => ({ client, ...each })));
  const unsaved = going.map(({ client, tabId, frames, on }) =>
    make(
      'p.card.live',
      {},
      make('span.mark', { 'data-tone': on ? 'bad' : 'none' }),
      make(
        'span',
        {},
        `${client} ${on ? 'records' : 'has recorded, and not saved,'} ${titles.get(tabId)?.title || `tab ${tabId}`}: ${counted(frames, 'frame')}`,
      ),
    ),
  );
  const none = make(
    'div.card',
    {},
    blank(
      'Nothing is recorded yet',
      'Ask an agent to record what it does with ',
      make('code', {}, 'gif_creator'),
      ' and to export it.',
    ),
  );
  const cards = make(
    'div.gallery',
    {},
    ...saved.map((each, index) =>
      make(
        'article.card.film',
        { 'data-key': `${each.session}/${each.name}`, 'data-index': index },
        make(
          'button.film',
          { type: 'button', 'data-deed': 'open', 'aria-label': `Look at ${each.name}` },
          make('img', { src: `/api/${address(each)}`, alt: '', loading: 'lazy' }),
        ),
        make(
          'div.caption',
          {},
          make('b', {}, each.name),
          make('span.quiet', {}, `${moment(each.saved)} · ${size(each.size)}`),
        ),
        make(
          'div.deeds',
          {},
          make(
            'a.button',
            { href: `/api/${address(each)}`, download: each.name, 'aria-label': `Download ${each.name}` },
            'Download',
          ),
          make(
            'button.button',
            { type: 'button', 'data-deed': 'delete', 'aria-label': `Delete ${each.name}` },
            'Delete',
          ),
        ),
      ),
    ),
  );
  return fill(byId('recordings'), [make('div.stack', {}, ...unsaved, ...(saved.length ? [cards] : [none]))]);
}

/** @param {Saved} each */
function open(each) {
  openPanel(each.name, `${moment(each.saved)} · ${size(each.size)}`, [
    make('img.large', { src: `/api/${address(each)}`, alt: `Recording ${each.name}` }),
  ]);
}

/** Asked for twice: a file that is gone does not come back. @param {Element} button @param {Saved} each */
async function remove(button, each) {
  if (button.textContent === 'Delete') {
    button.textContent = 'Really delete?';
    return;
  }
  await api(`${address(each)}/delete`, {}).catch(() => {});
  await load();
  byId('main').focus();
}

export function listenToRecordings() {
  const chosen = (/** @type {EventTarget | null} */ target) => {
    const button = target instanceof Element ? target.closest('[data-deed]') : null;
    const index = Number(button?.closest('[data-index]')?.getAttribute('data-index'));
    return { button, each: saved?.[index] };
  };
  byId('recordings').addEventListener('click', ({ target }) => {
    const { button, each } = chosen(target);
    if (!button || !each) return;
    if (button.getAttribute('data-deed') === 'open') open(each);
    else void remove(button, each);
  });
  byId('recordings').addEventListener('focusout', ({ target }) => {
    const { button } = chosen(target);
    if (button?.getAttribute('data-deed') === 'delete') button.textContent = 'Delete';
  });
}
