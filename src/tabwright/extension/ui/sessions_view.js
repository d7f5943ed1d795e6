/** The sessions at work in this browser and the tabs each holds: in the popup and in the side panel. */
import { keep, make, mark, part, put } from './elements.js';

/** @typedef {import('../common/protocol').HeldTabView} HeldTabView */
/** @typedef {import('../common/protocol').PopupPress} PopupPress */
/** @typedef {import('../common/protocol').SessionView} SessionView */
/** @typedef {(press: PopupPress) => void} Press */

/** @param {number} count */
export const tabsOf = (count) => (count === 1 ? '1 tab' : `${count} tabs`);

/** @param {HTMLElement} list @param {SessionView[]} sessions @param {Press} press */
export function showSessions(list, sessions, press) {
  keep(list, sessions, { key: ({ id }) => id, make: ({ id }) => makeCard(id, press), fill: (card, session) => fillCard(card, session, press) });
}

/** One button for everybody. @param {HTMLElement} button @param {SessionView[]} sessions */
export function showAll(button, sessions) {
  const isOver = sessions.every(({ stopped }) => stopped);
  button.dataset.press = isOver ? 'resume' : 'stop';
  put(button, isOver ? 'Resume all' : 'Stop all');
}

/** What that button does. @param {HTMLElement} button @param {SessionView[]} sessions @param {Press} press */
export function pressAll(button, sessions, press) {
  const deed = button.dataset.press === 'resume' ? 'resume' : 'stop';
  for (const { id } of sessions) press({ press: deed, sessionId: id });
}

/** @param {string} id @param {Press} press */
function makeCard(id, press) {
  const head = make('div.head', {}, make('span.mark'), make('h2.name', { dir: 'auto' }), make('span.count'), make('button.button.stop'));
  const card = make('article.session', {}, head, make('ul'));
  part(card, '.stop').addEventListener('click', () => {
    press({ press: card.dataset.stopped === 'true' ? 'resume' : 'stop', sessionId: id });
  });
  return card;
}

/** @param {HTMLElement} card @param {SessionView} session @param {Press} press */
function fillCard(card, { name, color, stopped, tabs }, press) {
  card.dataset.stopped = String(stopped);
  mark(part(card, '.mark'), 'data-color', color);
  mark(card, 'aria-label', name);
  put(part(card, '.name'), name);
  put(part(card, '.count'), stopped ? 'stopped' : tabsOf(tabs.length));
  const stop = part(card, '.stop');
  put(stop, stopped ? 'Resume' : 'Stop');
  mark(stop, 'aria-label', `${stopped ? 'Resume' : 'Stop'} ${name}`);
  keep(part(card, 'ul'), tabs, { key: ({ tabId }) => String(tabId), make: ({ tabId }) => makeTab(tabId, press), fill: fillTab });
}

/** @param {number} tabId @param {Press} press */
function makeTab(tabId, press) {
  const tab = make('button.tab', {}, make('span.title', { dir: 'auto' }), make('span.host'));
  const row = make('li', {}, tab, make('button.button', {}, 'Take back'));
  part(row, '.tab').addEventListener('click', () => press({ press: 'show', tabId }));
  part(row, '.button').addEventListener('click', () => press({ press: 'takeBack', tabId }));
  return row;
}

/** @param {HTMLElement} row @param {HeldTabView} tab */
function fillTab(row, { title, host, claimed }) {
  put(part(row, '.title'), title);
  put(part(row, '.host'), claimed ? `${host} · your tab` : host);
  mark(part(row, '.tab'), 'title', `Show this tab: ${title}`);
  mark(part(row, '.button'), 'aria-label', `Take back ${title}`);
}
