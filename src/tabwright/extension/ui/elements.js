/** Elements of our own pages, the dashboard among them: finding those that are known to be there, and making new ones. */

/** The command that pairs this browser, as the person types it. */
export const PAIR_COMMAND = 'tabwright pair';

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {Element} root @param {string} selector @returns {HTMLElement} */
export const part = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector));

/** A fresh copy of a template's element. @param {string} id @returns {HTMLElement} */
export function stamp(id) {
  const { content } = /** @type {HTMLTemplateElement} */ (byId(id));
  return /** @type {HTMLElement} */ (content.firstElementChild?.cloneNode(true));
}

/**
 * A new element; no markup is ever read from text.
 * @param {string} spec like `button.button.stop`
 * @param {Record<string, unknown>} [attributes] a function is a listener, `true` an attribute without a value
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function make(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.classList.add(...classes);
  return dress(element, attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element @param {Record<string, unknown>} attributes @param {(Node | string)[]} children
 * @returns {E}
 */
export function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, /** @type {EventListener} */ (value));
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

/** What has not changed is not written again, or screen readers would say it again. @param {Element} element @param {string} text */
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {Element} element @param {string} name @param {string} value */
export function mark(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Makes the children of a list stand for its items: those that stay keep their elements, and with them the focus. Where
 * the one with the focus goes, its neighbour gets it.
 * @template T
 * @param {HTMLElement} list
 * @param {readonly T[]} items
 * @param {{key: (item: T) => string, make: (item: T) => HTMLElement, fill: (element: HTMLElement, item: T) => void}} how
 */
export function keep(list, items, { key, make, fill }) {
  const known = new Map([...list.children].map((child) => [/** @type {HTMLElement} */ (child).dataset.key, /** @type {HTMLElement} */ (child)]));
  const wanted = items.map((item) => {
    const element = known.get(key(item)) ?? make(item);
    element.dataset.key = key(item);
    fill(element, item);
    return element;
  });
  const focused = [...list.children].findIndex((child) => child.contains(document.activeElement));
  const isLost = focused >= 0 && !wanted.includes(/** @type {HTMLElement} */ (list.children[focused]));
  for (const child of [...list.children]) if (!wanted.includes(/** @type {HTMLElement} */ (child))) child.remove();
  wanted.forEach((element, place) => {
    if (list.children[place] !== element) list.insertBefore(element, list.children[place] ?? null);
  });
  if (isLost) focusNear(list, focused);
}

/** @param {HTMLElement} list @param {number} place */
function focusNear(list, place) {
  const next = list.children[Math.min(place, list.children.length - 1)] ?? list.closest('section, main') ?? document.body;
  const target = /** @type {HTMLElement} */ (next.querySelector('button, a, summary, [tabindex]') ?? next);
  if (!target.matches('button, a, summary, [tabindex]')) target.tabIndex = -1;
  target.focus();
}

/** Puts the text of a code element on the clipboard and says so on the button. @param {HTMLElement} button @param {() => string} text */
export function copies(button, text) {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1_500);
  });
}
