/**
 * Typing letter by letter, for fields that write for themselves what each key says and take back all that comes otherwise.
 * A number that comes out as another one, as where a decimal point is not heard, is no success.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const MOST = 60;
  const TYPED = 'input:is([type=text],[type=tel],[type=search],:not([type]))';
  const NUMBER = /^-?\d+(?:\.\d+)?$/;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { pause } = parts.get('rest');
    const { moveFocus, squeezed } = parts.get('writing');

    const codeOf = (/** @type {string} */ letter) =>
      /\d/.test(letter) ? `Digit${letter}` : /[a-z]/i.test(letter) ? `Key${letter.toUpperCase()}` : '';

    const send = (/** @type {Element} */ element, /** @type {string} */ type, /** @type {string} */ letter) => {
      const number = /** @type {object} */ ({ keyCode: letter.charCodeAt(0), which: letter.charCodeAt(0), charCode: type === 'keypress' ? letter.charCodeAt(0) : 0 });
      return element.dispatchEvent(new KeyboardEvent(type, { key: letter, code: codeOf(letter), bubbles: true, cancelable: true, composed: true, ...number }));
    };

    const digits = (/** @type {string} */ text) => text.replace(/\D/g, '');

    /** Whether a field shows a number with just these digits, as many of them behind its point. */
    const isNumber = (/** @type {string} */ held, /** @type {string} */ text) => {
      const behind = text.split('.')[1]?.replace(/0+$/, '') ?? '';
      const shown = /[.,](\d+)\D*$/.exec(held)?.[1] ?? '';
      const filled = behind.padEnd(shown.length, '0');
      const isWhole = behind === '' && digits(held) === digits(text.split('.')[0]);
      return (isWhole || (shown === filled && digits(held) === digits(text.split('.')[0]) + filled)) && /^\D*-/.test(held) === /^-/.test(text);
    };

    /** @type {import('./filling').FillingLetters['says']} */
    const says = (held, text) => (NUMBER.test(text) ? isNumber(held, text) : squeezed(held) === squeezed(text) || (digits(text) !== '' && digits(held) === digits(text)));

    const over = async (/** @type {HTMLInputElement} */ element, /** @type {string} */ text) => {
      moveFocus(element, 'focus');
      element.select();
      for (const letter of text) {
        const isLeft = send(element, 'keydown', letter) && send(element, 'keypress', letter);
        if (isLeft) document.execCommand('insertText', false, letter);
        send(element, 'keyup', letter);
        // What draws itself anew notes what it holds in a later task.
        await pause(0);
      }
    };

    /** @type {import('./filling').FillingLetters['type']} */
    const type = async (element, text) => {
      const was = element.value;
      if (!element.matches(TYPED) || text === '' || text.length > MOST || /[\r\n]/.test(text)) return false;
      await over(element, text);
      if (says(element.value, text)) return true;
      if (element.value !== was && was !== '') await over(element, was);
      return false;
    };

    return { says, type };
  };

  agent.part('filling_letters', make);
})();
