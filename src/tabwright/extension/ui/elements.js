/** Elements of our own pages, which are known to be there. */

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
