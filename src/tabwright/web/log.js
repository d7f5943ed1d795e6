/** The end of the gateway's log, as it grows. */

import { api } from './api.js';
import { byId, make } from './elements.js';
import { blank, fill, selectById } from './filling.js';

/** @typedef {{time: string, level: string, source: string, text: string}} Line */

const EVERY_MS = 2000;
let timer = 0;

/** Look now, and again while the page shows it. */
export async function followLog() {
  clearTimeout(timer);
  if (byId('view-log').hidden) return;
  await load();
  const follow = /** @type {HTMLInputElement} */ (byId('log-follow')).checked;
  if (follow) timer = setTimeout(followLog, EVERY_MS);
}

async function load() {
  const place = byId('log');
  const atEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 40;
  try {
    /** @type {{records: Line[]}} */
    const { records } = await api(`log?level=${selectById('log-level').value}`);
    fill(
      place,
      records.length
        ? records.map(line)
        : [blank('Nothing is in it at this level', 'What the gateway notes is shown here.')],
    );
    if (atEnd) place.scrollTop = place.scrollHeight;
  } catch (problem) {
    fill(place, [blank('The log cannot be read now', /** @type {Error} */ (problem).message)]);
  }
}

/** @param {Line} each*/
const line = ({ time, level, source, text }) =>
  make(
    'p.line',
    { 'data-level': level },
    make('time', { title: time }, time.replace(/^\S+ /, '').replace(',', '.')),
    make('b', {}, level.toLowerCase()),
    make('span.quiet', { title: source }, source.replace(/^tabwright\./, '')),
    make('span.said', {}, text),
  );

export function listenToLog() {
  byId('log-level').addEventListener('change', followLog);
  byId('log-follow').addEventListener('change', followLog);
}
