/** Making elements: text is always text, never markup. */

/** @param {string} id @returns {HTMLElement} */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * @param {string} tag with its classes: `li.entry.new`
 * @param {Record<string, unknown>} attributes a function is a listener, `true` an attribute without a value
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, /** @type {EventListener} */ (value));
    else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(key, value === true ? '' : String(value));
    }
  }
  element.append(...children);
  return element;
}

/**
 * Put these in place of what is there; nothing is touched if they look the same, so that focus and selection stay.
 * @param {Element} place
 * @param {Node[]} children
 */
export function fill(place, children) {
  const wanted = make('div', {}, ...children);
  if (wanted.innerHTML !== place.innerHTML) place.replaceChildren(...wanted.childNodes);
}
