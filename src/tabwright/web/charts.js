/** Charts drawn by hand: lines and bars over time, each with the same numbers in a table. */

import { make } from './elements.js';
import { draw } from './filling.js';
import { clock } from './figures.js';

const HEIGHT = 190;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 10;
const LINES = 4;

/**
 * @typedef {{from: number, values: (number | undefined)[]}} Slot values of each series from that second on
 * @typedef {{name: string, kind: 'line' | 'bar', shown: (value: number) => string}} Series
 */

/**
 * @param {HTMLElement} place @param {string} label @param {Slot[]} slots @param {Series[]} series
 */
export function drawChart(place, label, slots, series) {
  const width = Math.max(240, place.clientWidth || 560);
  const most = nice(Math.max(...slots.flatMap(({ values }) => values.map((value) => value ?? 0)), 1));
  const x = (/** @type {number} */ index) => LEFT + ((index + 0.5) / slots.length) * (width - LEFT - 8);
  const y = (/** @type {number} */ value) => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const picture = draw(
    'svg',
    { class: 'plot', viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: 'img', 'aria-label': label },
    ...grid(most, y, width, series[0].shown),
    ...times(slots, x, width),
    ...series.flatMap((each, index) => {
      const points = slots.flatMap(({ values }, at) =>
        values[index] === undefined ? [] : [[x(at), y(values[index])]],
      );
      return each.kind === 'bar' ? bars(points, (width - LEFT) / slots.length, y(0)) : line(points, index);
    }),
  );
  const open = place.querySelector('details')?.open;
  place.replaceChildren(
    picture,
    make('details.plain', { open }, make('summary', {}, 'The same as a table'), table(label, slots, series)),
  );
}

/** @param {number} most @param {(value: number) => number} y @param {number} width @param {(value: number) => string} shown */
const grid = (most, y, width, shown) =>
  Array.from({ length: LINES + 1 }, (_, index) => (most * index) / LINES).flatMap((value) => [
    draw('line', { class: 'grid', x1: LEFT, x2: width - 4, y1: y(value), y2: y(value) }),
    draw('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, shown(value)),
  ]);

/** @param {Slot[]} slots @param {(index: number) => number} x @param {number} width */
function times(slots, x, width) {
  const every = Math.max(1, Math.ceil((slots.length * 90) / (width - LEFT)));
  return slots.flatMap(({ from }, index) =>
    index % every
      ? []
      : [draw('text', { class: 'tick', x: x(index), y: HEIGHT - 6, 'text-anchor': 'middle' }, clock(from))],
  );
}

/** @param {number[][]} points @param {number} index */
const line = (points, index) => [
  draw('polyline', {
    class: `line series-${index}`,
    points: points.map((point) => point.map(Math.round).join()).join(' '),
  }),
  ...points.map(([cx, cy]) => draw('circle', { class: `dot series-${index}`, cx, cy, r: 2.5 })),
];

/** @param {number[][]} points @param {number} step @param {number} ground */
const bars = (points, step, ground) =>
  points.map(([cx, top]) =>
    draw('rect', {
      class: 'column',
      x: cx - step * 0.35,
      y: top,
      width: Math.max(1, step * 0.7),
      height: Math.max(0, ground - top),
      rx: 1.5,
    }),
  );

/** @param {string} label @param {Slot[]} slots @param {Series[]} series */
const table = (label, slots, series) =>
  make(
    'div.scroll',
    { tabindex: 0, role: 'region', 'aria-label': label },
    make(
      'table',
      {},
      make(
        'thead',
        {},
        make(
          'tr',
          {},
          make('th', { scope: 'col' }, 'From'),
          ...series.map(({ name }) => make('th.number', { scope: 'col' }, name)),
        ),
      ),
      make(
        'tbody',
        {},
        ...slots.map(({ from, values }) =>
          make(
            'tr',
            {},
            make('th', { scope: 'row' }, clock(from)),
            ...values.map((value, index) =>
              make('td.number', {}, value === undefined ? '–' : series[index].shown(value)),
            ),
          ),
        ),
      ),
    ),
  );

/** The next round number. @param {number} value */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((each) => each * power >= value) ?? 10) * power;
}
