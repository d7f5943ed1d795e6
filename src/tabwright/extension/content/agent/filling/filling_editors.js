/**
 * Editors that keep their text to themselves and draw only the lines in sight. They take a text as a paste, once all
 * of theirs is selected by their own shortcut. Those without one are like every text that is edited in place.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const EDITORS = '.cm-editor,.CodeMirror,.monaco-editor,.ace_editor';
  /** Those in which nothing that takes text can be seen. */
  const DRAWN = '.CodeMirror,.monaco-editor:has(.view-lines),.ace_editor';
  /** Where keys and pastes go. */
  const RECEIVER = '.cm-content,.monaco-editor textarea.inputarea,.monaco-editor .native-edit-context,textarea';
  const LINES = '.cm-line,.CodeMirror-line,.view-line,.ace_line';
  const TOLD_MOST = 1000;
  const DRAWN_MS = 60;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const { pause } = parts.get('rest');

    const isEditor = (/** @type {Element} */ element) => element.matches(EDITORS);
    /** @type {import('./filling').FillingEditors['isDrawn']} */
    const isDrawn = (element) => element.localName === 'div' && element.matches(DRAWN);
    const receiverOf = (/** @type {Element} */ editor) => editor.querySelector(RECEIVER);

    const drawn = (/** @type {Element} */ editor) =>
      [...editor.querySelectorAll(LINES)]
        .map((line) => /** @type {HTMLElement} */ (line).innerText.replace(/\u00a0/g, ' ').replace(/[\u200b\n]/g, ''))
        .join('\n').slice(0, TOLD_MOST);

    /** Whether the editor did so. */
    const selectAll = (/** @type {Element} */ receiver) => {
      const mac = /Mac/.test(navigator.platform);
      return parts.get('keys').press(receiver, 'a', { ctrlKey: !mac, metaKey: mac });
    };

    const paste = (/** @type {Element} */ receiver, /** @type {string} */ text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      receiver.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }));
    };

    const erase = (/** @type {Element} */ receiver) => parts.get('keys').press(receiver, 'Backspace');

    const focus = (/** @type {HTMLElement} */ receiver) => {
      receiver.focus({ preventScroll: true });
      // In a window without the focus Chrome moves it silently.
      if (!document.hasFocus()) receiver.dispatchEvent(new FocusEvent('focus', { composed: true }));
    };

    /** @type {import('./filling').FillingEditors['set']} */
    const set = async (editor, text) => {
      const receiver = receiverOf(editor);
      if (!(receiver instanceof HTMLElement)) return { ok: false, value: '', problem: 'It is an editor that takes no text now. Click it with computer, then type.' };
      const before = dom.collapse(drawn(editor));
      focus(receiver);
      if (!selectAll(receiver) && receiver.isContentEditable) return parts.get('filling_rich').set(receiver, text);
      await pause(0);
      if (text === '') erase(receiver);
      else paste(receiver, text);
      await pause(DRAWN_MS);
      const value = drawn(editor);
      const start = dom.collapse(text).slice(0, 40);
      // What is drawn may be any part of a long text.
      const told = dom.collapse(value);
      const isBeside = before !== '' && told.includes(before) && !dom.collapse(text).includes(before);
      const isThere = told.includes(start) || dom.collapse(text).includes(told.slice(0, 40)) && told !== '';
      const ok = text === '' ? told === '' : isThere && !isBeside;
      return ok ? { ok, value } : { ok, value, problem: 'The editor did not take the text. Click it with computer, press ctrl+a and type.' };
    };

    return {
      isEditor,
      isDrawn,
      receiver: receiverOf,
      set,
      current: drawn,
      around: (/** @type {Element} */ element) => element.closest(EDITORS),
      inside: (/** @type {Element} */ element) => element.querySelector(EDITORS),
    };
  };

  agent.part('filling_editors', make);
})();
