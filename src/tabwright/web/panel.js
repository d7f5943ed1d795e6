/** The panel that opens in front: a head, where it is about, and what is in it. Escape closes it. */

import { byId } from './elements.js';

/** What is shown now, so that an answer that comes late does not show in another's place. */
let turn = 0;

/**
 * @param {string} head @param {string} where @param {Node[]} body
 * @returns {(body: Node[]) => void} shows something else in it, while it is about the same
 */
export function openPanel(head, where, body) {
  const panel = /** @type {HTMLDialogElement} */ (byId('panel'));
  const mine = ++turn;
  byId('panel-head').textContent = head;
  byId('panel-where').textContent = where;
  byId('panel-body').replaceChildren(...body);
  if (!panel.open) panel.showModal();
  panel.scrollTop = 0;
  return (other) => {
    if (mine === turn && panel.open) byId('panel-body').replaceChildren(...other);
  };
}

/** A press beside the panel closes it. */
export function listenToPanel() {
  const panel = /** @type {HTMLDialogElement} */ (byId('panel'));
  panel.addEventListener('click', ({ target, clientX, clientY }) => {
    const { left, right, top, bottom } = panel.getBoundingClientRect();
    const inside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
    if (target === panel && !inside) panel.close();
  });
}
