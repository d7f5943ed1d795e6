/** Filling places of the dashboard: what is drawn anew changes no more of the page than it must. */

import { byId, dress, make } from './elements.js';

/** @param {string} id @returns {HTMLSelectElement} */
export const selectById = (id) => /** @type {HTMLSelectElement} */ (byId(id));

/** A part of a drawing. @param {string} name @param {Record<string, unknown>} attributes @param {(Node | string)[]} children */
export const draw = (name, attributes = {}, ...children) =>
  dress(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

/**
 * Have a place show these. What is there already is changed no more than it must, so that focus and selection stay:
 * elements with the same `data-key`, or else of the same rank, are the same. Whoever listens to them listens at the place.
 * @param {Element} place
 * @param {Element[]} wanted
 */
export function fill(place, wanted) {
  /** @type {Map<string, Element>} */
  const there = new Map();
  let rank = 0;
  for (const child of place.children) there.set(child.getAttribute('data-key') ?? `#${rank++}`, child);
  rank = 0;
  arrange(
    place,
    wanted.map((child) => {
      const same = there.get(child.getAttribute('data-key') ?? `#${rank++}`);
      return same?.nodeName === child.nodeName ? become(same, child) : child;
    }),
  );
}

/** @param {Element} element @param {Element} wanted */
function become(element, wanted) {
  if (element.isEqualNode(wanted)) return element;
  for (const { name } of [...element.attributes]) if (!wanted.hasAttribute(name)) element.removeAttribute(name);
  for (const { name, value } of wanted.attributes) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
  const inside = [...wanted.childNodes, ...element.childNodes];
  if (inside.every((node) => node instanceof Element)) fill(element, [...wanted.children]);
  else if (!sameNodes(element, wanted)) element.replaceChildren(...wanted.childNodes);
  return element;
}

/** @param {Element} one @param {Element} other */
const sameNodes = (one, other) =>
  one.childNodes.length === other.childNodes.length &&
  [...one.childNodes].every((node, index) => node.isEqualNode(other.childNodes[index]));

/**
 * Have exactly these in this order, moving none that is there already.
 * @param {Element} place
 * @param {Element[]} wanted
 */
export function arrange(place, wanted) {
  const keep = new Set(wanted);
  for (const child of [...place.children]) if (!keep.has(child)) child.remove();
  wanted.forEach((child, index) => {
    if (place.children[index] !== child) place.insertBefore(child, place.children[index] ?? null);
  });
}

/**
 * A select's choices, its choice kept if it is still there.
 * @param {HTMLSelectElement} select
 * @param {[value: string, words: string][]} choices
 */
export function choices(select, choices) {
  const { value } = select;
  fill(
    select,
    choices.map(([each, words]) => make('option', { value: each }, words)),
  );
  select.value = choices.some(([each]) => each === value) ? value : (choices[0]?.[0] ?? '');
}

/** What is shown where there is nothing yet. @param {string} head @param {(Node | string)[]} words */
export const blank = (head, ...words) => make('div.blank', {}, make('b', {}, head), make('p', {}, ...words));
