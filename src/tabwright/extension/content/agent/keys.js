/** Keys as a script can press them. Many pages still ask for a key's number, which the types no longer know. */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @type {Record<string, number>} */
  const NUMBERS = { Backspace: 8, Tab: 9, Enter: 13, Escape: 27, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, a: 65 };

  const send = (/** @type {Element} */ element, /** @type {string} */ type, /** @type {string} */ key, /** @type {KeyboardEventInit} */ held) => {
    const number = /** @type {object} */ ({ keyCode: NUMBERS[key], which: NUMBERS[key] });
    const code = key.length === 1 ? `Key${key.toUpperCase()}` : key;
    return element.dispatchEvent(new KeyboardEvent(type, { key, code, bubbles: true, cancelable: true, composed: true, ...number, ...held }));
  };

  /** @type {import('./agent').Keys['down']} */
  const down = (element, key, held = {}) => !send(element, 'keydown', key, held);

  /** @type {import('./agent').Keys['press']} */
  const press = (element, key, held = {}) => {
    const isTaken = down(element, key, held);
    send(element, 'keyup', key, held);
    return isTaken;
  };

  agent.part('keys', () => ({ down, press }));
})();
