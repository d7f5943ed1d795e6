/**
 * Functions that travel into pages as source text. They close over nothing, and answer values instead of throwing, as
 * exceptions lose their shape on the way back.
 */

/** @typedef {import('./input.js').Located} Located */

/**
 * Where to click an element: the middle of its first visible box, after scrolling it into view.
 * @param {string} selector
 * @returns {Located}
 */
export function locateElement(selector) {
  let element;
  try {
    element = document.querySelector(selector);
  } catch {
    return { ok: false, invalid: true, reason: `"${selector}" is not a CSS selector.` };
  }
  if (!element) return { ok: false, reason: `Nothing on the page matches "${selector}".` };
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  // A link broken over two lines has two boxes with foreign text between: the middle of the whole may miss both.
  const box = Array.from(element.getClientRects()).find(({ width, height }) => width > 0 && height > 0);
  if (!box) return { ok: false, reason: `"${selector}" is not visible.` };
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  const hit = root.elementFromPoint(point.x, point.y);
  // What lets clicks through, as an icon in a button, is rightly hit in the element around it.
  const lets = getComputedStyle(element).pointerEvents === 'none' && hit?.contains(element);
  if (hit && (element.contains(hit) || lets || hit.closest('label')?.control === element)) return { ok: true, point };
  const cover = hit ? `<${hit.localName}${hit.id ? ` id="${hit.id}"` : ''}>` : 'the edge of the window';
  return { ok: false, reason: `"${selector}" is covered by ${cover}.` };
}

/**
 * Puts the caret into an element.
 * @param {string} selector
 * @returns {Located}
 */
export function focusElement(selector) {
  let element;
  try {
    element = document.querySelector(selector);
  } catch {
    return { ok: false, invalid: true, reason: `"${selector}" is not a CSS selector.` };
  }
  if (!(element instanceof HTMLElement)) return { ok: false, reason: `Nothing on the page matches "${selector}".` };
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  element.focus();
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  if (!root.activeElement || !element.contains(root.activeElement)) {
    return { ok: false, reason: `"${selector}" does not take text: it cannot be focused.` };
  }
  return { ok: true, point: { x: 0, y: 0 } };
}
