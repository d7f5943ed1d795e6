/** Text as the input events a person's keyboard would cause. Pure. */

/** @typedef {{method: string, params: Record<string, unknown>}} Step */

/** Beyond this, real key events cost more than they are worth: whole lines are inserted instead. */
const KEY_BY_KEY_CHARS = 500;

const ENTER = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
const TAB = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };

/** Keys of a US keyboard that carry no letter or digit: [code, virtual key, unshifted, shifted]. */
const PUNCTUATION = /** @type {const} */ ([
  ['Space', 32, ' ', ' '], ['Semicolon', 186, ';', ':'], ['Equal', 187, '=', '+'], ['Comma', 188, ',', '<'],
  ['Minus', 189, '-', '_'], ['Period', 190, '.', '>'], ['Slash', 191, '/', '?'], ['Backquote', 192, '`', '~'],
  ['BracketLeft', 219, '[', '{'], ['Backslash', 220, '\\', '|'], ['BracketRight', 221, ']', '}'],
  ['Quote', 222, "'", '"'],
]);
const SHIFTED_DIGITS = ')!@#$%^&*(';
const SHIFT = 8;

/**
 * @param {string} text
 * @returns {Generator<Step>}
 */
export function* keystrokes(text) {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const keyByKey = text.length <= KEY_BY_KEY_CHARS;
  for (const [index, line] of lines.entries()) {
    if (index > 0) yield* press(ENTER);
    if (keyByKey) yield* typeLine(line);
    else if (line) yield insert(line);
  }
}

/** @param {string} line @returns {Generator<Step>} */
function* typeLine(line) {
  // By grapheme: an emoji or an accented letter is one stroke of some keyboard, even if not of this one.
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const key = segment === '\t' ? TAB : keyFor(segment);
    if (key) yield* press(key);
    else yield insert(segment);
  }
}

/** @param {string} char */
function keyFor(char) {
  if (/^[a-z]$/i.test(char)) {
    const upper = char.toUpperCase();
    return stroke(char, `Key${upper}`, upper.charCodeAt(0), char === upper);
  }
  const digit = /^[0-9]$/.test(char) ? Number(char) : SHIFTED_DIGITS.indexOf(char);
  if (digit >= 0) return stroke(char, `Digit${digit}`, 48 + digit, !/^[0-9]$/.test(char));
  const key = PUNCTUATION.find(([, , plain, shifted]) => char === plain || char === shifted);
  return key && stroke(char, key[0], key[1], char !== key[2]);
}

/**
 * @param {string} text
 * @param {string} code
 * @param {number} windowsVirtualKeyCode
 * @param {boolean} shifted
 */
const stroke = (text, code, windowsVirtualKeyCode, shifted) =>
  ({ key: text, code, windowsVirtualKeyCode, text, ...(shifted ? { modifiers: SHIFT } : {}) });

/** @param {Record<string, unknown>} key @returns {Generator<Step>} */
function* press(key) {
  const { text, ...bare } = key;
  yield { method: 'Input.dispatchKeyEvent', params: { type: text ? 'keyDown' : 'rawKeyDown', ...key } };
  yield { method: 'Input.dispatchKeyEvent', params: { type: 'keyUp', ...bare } };
}

/** @param {string} text @returns {Step} */
const insert = (text) => ({ method: 'Input.insertText', params: { text } });
