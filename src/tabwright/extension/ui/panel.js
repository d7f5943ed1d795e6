/** The side panel: the calls in this browser as they end, per session; questions, and the way to stop. It decides nothing. */
import { duration, outcomeLook, siteOf, timeOf } from './deeds.js';
import { byId, copies, keep, make, mark, part, put } from './elements.js';
import { SILENT, isLinked, linkLook } from './link_look.js';
import { showQuestions } from './questions_view.js';
import { pressAll, showAll, showSessions, tabsOf } from './sessions_view.js';
import { connect } from './worker_port.js';

/** @typedef {import('../common/protocol').CallView} CallView */
/** @typedef {import('../common/protocol').PopupPress} PopupPress */
/** @typedef {import('../common/protocol').PopupView} PopupView */
/** @typedef {{id: string, name: string, color: string}} Filter */

const EVERY_MS = 1_000;
/** Gateways that tell of calls do it within a moment. */
const TOLD_WITHIN_MS = 1_500;

/** @type {PopupView | undefined} */
let shown;
/** The session whose calls are shown; empty: all. */
let filter = '';
let isLate = false;
setTimeout(() => {
  isLate = true;
  if (shown) show(shown);
}, TOLD_WITHIN_MS);

/** @param {PopupView} view */
function show(view) {
  shown = view;
  const { state, servers, sessions } = view;
  const { tone, headline } = linkLook(view);
  byId('mark').dataset.tone = tone;
  put(byId('headline'), headline);
  mark(byId('switch'), 'aria-checked', String(state !== 'off'));
  byId('switch').hidden = state === 'unpaired' && servers.length === 0;
  const busy = sessions.filter(({ tabs, stopped }) => tabs.length > 0 || stopped);
  byId('work').hidden = !isLinked(view) || busy.length === 0;
  showSessions(byId('sessions'), busy, press);
  byId('all').hidden = sessions.length < 2;
  showAll(byId('all'), sessions);
  showQuestions(view.questions, (askId, answer, chosen) => press({ press: 'answer', askId, answer, chosen }));
  showCalls(view);
  put(byId('news'), busy.map(({ name, stopped, tabs }) => `${name}: ${stopped ? 'stopped' : tabsOf(tabs.length)}`).join('. '));
}

/** @param {PopupView} view */
function showCalls(view) {
  const { calls, sessions } = view;
  const colors = new Map(sessions.map(({ id, color }) => [id, color]));
  const colorOf = (/** @type {string} */ id) => colors.get(id) ?? 'grey';
  // the oldest first: who calls next must not move what a pointer is on its way to
  const names = new Map([...calls].reverse().map(({ sessionId, client }) => [sessionId, client]));
  if (filter && !names.has(filter)) filter = '';
  const filters = [...names].map(([id, name]) => ({ id, name, color: colorOf(id) }));
  keep(byId('filters'), filters.length > 1 ? [{ id: '', name: 'All', color: 'grey' }, ...filters] : [], {
    key: ({ id }) => `of ${id}`, make: makeFilter, fill: fillFilter,
  });
  const chosen = calls.filter(({ sessionId }) => !filter || sessionId === filter);
  keep(byId('calls'), chosen, {
    key: ({ number, endedAt }) => `${endedAt} ${number}`,
    make: makeCall,
    fill: (row, call) => fillCall(row, call, colorOf(call.sessionId)),
  });
  byId('calls').hidden = chosen.length === 0;
  byId('none').hidden = chosen.length > 0;
  const { headline, words, command = '' } = nothing(view);
  put(part(byId('none'), '.headline'), headline);
  put(part(byId('none'), '.words'), words);
  part(byId('none'), '.command').hidden = command === '';
  put(part(byId('none'), 'code'), command);
}

/** Why there is nothing to see. @param {PopupView} view @returns {{headline: string, words: string, command?: string}} */
function nothing(view) {
  if (!isLinked(view)) {
    const { explanation, command } = linkLook(view);
    return { headline: 'No agent can work here now', words: explanation, command };
  }
  if (view.isMute || (isLate && !view.isTold)) {
    return {
      headline: 'No news from this server',
      words: 'It speaks the plain tabs protocol, which tells nothing of calls. The tabs its agents hold are not shown either.',
    };
  }
  if (!view.isTold) return { headline: 'Loading …', words: '' };
  return { headline: 'Nothing has happened yet', words: 'What agents do in this browser appears here as it ends: which tool, where, how it went. Never what they type.' };
}

/** @param {Filter} item */
function makeFilter({ id }) {
  const chip = make('button.chip', {}, make('span.mark'), make('span.name', { dir: 'auto' }));
  chip.addEventListener('click', () => {
    filter = id;
    if (shown) show(shown);
  });
  return chip;
}

/** @param {HTMLElement} chip @param {Filter} item */
function fillFilter(chip, { id, name, color }) {
  put(part(chip, '.name'), name);
  part(chip, '.mark').hidden = id === '';
  mark(part(chip, '.mark'), 'data-color', color);
  mark(chip, 'aria-pressed', String(id === filter));
}

/** @param {CallView} call */
function makeCall({ tabId }) {
  const lines = [
    make('span.line', {}, make('span.tool'), make('span.outcome')),
    make('span.line', {}, make('span.host'), make('span.when')),
  ];
  const what = make(tabId === null ? 'span.what' : 'button.what', {}, ...lines);
  what.addEventListener('click', () => { if (tabId !== null) press({ press: 'show', tabId }); });
  return make('li.call', {}, make('span.mark'), what);
}

/** @param {HTMLElement} row @param {CallView} call @param {string} color */
function fillCall(row, { tool, origin, client, outcome, ms, endedAt, tabId }, color) {
  const { tone, words } = outcomeLook(outcome);
  mark(part(row, '.mark'), 'data-color', color);
  put(part(row, '.tool'), tool);
  put(part(row, '.host'), siteOf(origin) || client);
  mark(part(row, '.outcome'), 'data-tone', tone);
  put(part(row, '.outcome'), words);
  put(part(row, '.when'), `${duration(ms)} · ${timeOf(endedAt)}`);
  if (tabId !== null) mark(part(row, '.what'), 'title', 'Show this tab');
}

byId('switch').addEventListener('click', () => {
  press({ press: byId('switch').getAttribute('aria-checked') === 'true' ? 'disconnect' : 'connect' });
});
copies(part(byId('none'), 'button'), () => part(byId('none'), 'code').textContent ?? '');
byId('all').addEventListener('click', () => pressAll(byId('all'), shown?.sessions ?? [], press));
setInterval(() => { if (shown?.questions.length) show(shown); }, EVERY_MS);

/** @type {(press: PopupPress) => void} */
const press = connect('panel', show, () => put(byId('headline'), SILENT.headline));
