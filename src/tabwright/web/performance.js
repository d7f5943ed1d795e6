/** Where time and tokens go: over time, and by tool. */

import { drawChart } from './charts.js';
import { duration } from './deeds.js';
import { byId, make } from './elements.js';
import { blank, choices, draw, fill, selectById } from './filling.js';
import { counted, isFailure, quantile, short, tokens } from './figures.js';
import { state } from './state.js';

/** @typedef {import('./state.js').Call} Call */

const SLOTS = 24;
const TOOLS = 50;
let drawn = '';

export function drawPerformance() {
  const names = [...new Set(state.calls.map(({ tool }) => tool))].sort();
  choices(selectById('chart-tool'), [
    ['', 'all'],
    ...names.map((name) => /** @type {[string, string]} */ ([name, name])),
  ]);
  const tool = selectById('chart-tool').value;
  const width = byId('latency').clientWidth;
  const now = [state.calls.length, state.calls.at(-1)?.number, tool, width].join();
  if (now === drawn) return;
  drawn = now;
  drawCharts(
    state.calls.filter((call) => !tool || call.tool === tool),
    tool || 'all tools',
  );
  drawTable();
}

/** @param {Call[]} calls @param {string} what */
function drawCharts(calls, what) {
  if (!calls.length) {
    for (const id of ['latency', 'tokens'])
      byId(id).replaceChildren(blank('Nothing to compare yet', 'Charts begin with the first call.'));
    return;
  }
  const slots = slotted(calls);
  const times = slots.map(({ from, inside }) => ({
    from,
    values: [0.5, 0.95].map((part) =>
      quantile(
        inside.map(({ ms }) => ms),
        part,
      ),
    ),
  }));
  const all = calls.map(({ ms }) => ms);
  drawChart(
    byId('latency'),
    `Time a call takes, ${what}: the median of ${counted(calls.length, 'call')} is ${duration(quantile(all, 0.5))}, the 95th percentile ${duration(quantile(all, 0.95))}`,
    times,
    [
      { name: 'Median', kind: 'line', shown: duration },
      { name: '95th percentile', kind: 'line', shown: duration },
    ],
  );
  const spent = slots.map(({ from, inside }) => ({ from, values: [sum(inside)] }));
  drawChart(
    byId('tokens'),
    `Tokens answered, ${what}: about ${sum(calls).toLocaleString()} in ${counted(calls.length, 'call')}`,
    spent,
    [{ name: 'Tokens', kind: 'bar', shown: (value) => short(Math.round(value)) }],
  );
}

/** @param {Call[]} calls */
const sum = (calls) => tokens(calls.reduce((all, { characters }) => all + characters, 0));

/** The time of these calls in equal parts. @param {Call[]} calls */
function slotted(calls) {
  const begin = calls[0].ended;
  const span = Math.max(calls[calls.length - 1].ended - begin, SLOTS);
  const slots = Array.from({ length: SLOTS }, (_, index) => ({
    from: begin + (span * index) / SLOTS,
    inside: /** @type {Call[]} */ ([]),
  }));
  for (const call of calls)
    slots[Math.min(SLOTS - 1, Math.floor(((call.ended - begin) / span) * SLOTS))].inside.push(call);
  return slots;
}

function drawTable() {
  /** @type {Map<string, Call[]>} */
  const groups = new Map();
  for (const call of state.calls) {
    const same = groups.get(call.tool);
    if (same) same.push(call);
    else groups.set(call.tool, [call]);
  }
  const rows = [...groups]
    .map(([tool, some]) => ({ tool, some, total: some.reduce((all, { ms }) => all + ms, 0) }))
    .sort((one, other) => other.total - one.total);
  const all = rows.reduce((sum_, { total }) => sum_ + total, 0) || 1;
  const head = ['Tool', 'Share of time', 'Calls', 'Failed', 'Median', '95th percentile', 'Tokens'];
  fill(
    byId('tools-table'),
    rows.length
      ? [
          make(
            'table',
            { 'aria-labelledby': 'by-tool-head' },
            make(
              'thead',
              {},
              make(
                'tr',
                {},
                ...head.map((word, index) => make(index > 1 ? 'th.number' : 'th', { scope: 'col' }, word)),
              ),
            ),
            make(
              'tbody',
              {},
              ...rows.slice(0, TOOLS).map(({ tool, some, total }) =>
                make(
                  'tr',
                  { 'data-key': tool },
                  make('th.long', { scope: 'row' }, tool),
                  make('td', {}, share(total / all)),
                  ...[
                    short(some.length),
                    short(some.filter(isFailure).length),
                    duration(
                      quantile(
                        some.map(({ ms }) => ms),
                        0.5,
                      ),
                    ),
                    duration(
                      quantile(
                        some.map(({ ms }) => ms),
                        0.95,
                      ),
                    ),
                    short(sum(some)),
                  ].map((each) => make('td.number', {}, each)),
                ),
              ),
            ),
          ),
        ]
      : [blank('No call yet', 'Each tool that was used gets a row.')],
  );
}

/** @param {number} part */
const share = (part) =>
  make(
    'span.share',
    {},
    draw(
      'svg',
      { class: 'meter', width: 90, height: 8, 'aria-hidden': 'true' },
      draw('rect', { class: 'ground', width: 90, height: 8, rx: 4 }),
      draw('rect', { class: 'column', width: Math.max(2, 90 * part), height: 8, rx: 4 }),
    ),
    make('span', {}, `${Math.round(part * 100)} %`),
  );

export function listenToPerformance() {
  byId('chart-tool').addEventListener('change', drawPerformance);
  new ResizeObserver(() => {
    if (byId('latency').clientWidth) drawPerformance();
  }).observe(byId('latency'));
}
