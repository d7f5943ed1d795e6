/** What of a question can be struck out one by one, like the sites of a plan: in the window, the popup and the side panel. */
import { make } from './elements.js';

/**
 * A box for each, ticked.
 * @param {readonly string[]} choices
 * @param {() => void} changed
 * @returns {HTMLElement}
 */
export function makeChoices(choices, changed) {
  const boxes = choices.map((value) => {
    const box = /** @type {HTMLInputElement} */ (make('input', { type: 'checkbox', value }));
    box.checked = true;
    box.addEventListener('change', changed);
    return make('label', {}, box, make('span', {}, value));
  });
  return make('fieldset.choices', {}, make('legend', {}, 'Sites it may use'), ...boxes);
}

/** What the person left of the choices within; undefined where there are none. @param {HTMLElement} within */
export function chosenIn(within) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...within.querySelectorAll('.choices input')]);
  return boxes.length === 0 ? undefined : boxes.filter(({ checked }) => checked).map(({ value }) => value);
}

/** With everything struck out there is nothing to allow. @param {HTMLElement} within @param {string | undefined} answer */
export const isOffered = (within, answer) => answer === 'deny' || chosenIn(within)?.length !== 0;
