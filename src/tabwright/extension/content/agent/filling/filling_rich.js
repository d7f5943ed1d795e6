/**
 * Texts that are edited in place (`contenteditable`). Editors with a model of their own believe what the browser tells them
 * before it writes, not what then stands in the page: so they are told, in the browser's order, and the browser's own
 * writing follows only where nobody took it over. What they draw beside their text, such as a placeholder, is no text.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const STEP_MS = 30;
  const TAKEN_MS = 600;
  /** On a busy machine a frame may be long in coming. */
  const UNDRAWN_MS = 2500;
  const FOCUSED_MS = 60;
  const FRAME_MS = 120;
  const ROUNDS = 3;
  // Of a long text an editor draws only what is in sight.
  const COMPARED = 80;
  const TOLD_MOST = 1000;
  const ASIDE = '[contenteditable=false]';
  const PLACEHOLDER = /placeholder/i;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const { pause } = parts.get('rest');
    const turns = parts.get('turns');

    /** Editors draw with the next frame; of a selection they are told after it. @type {import('./filling').FillingRich['frame']} */
    const frame = async () => {
      await Promise.race([new Promise((done) => { turns.frame(() => done(undefined)); }), pause(FRAME_MS)]);
      await pause(0);
    };

    /** Drawn over an empty text, which a person types through. */
    const isAside = (/** @type {Element} */ element) => {
      const marks = [...element.attributes].map(({ name, value }) => (name === 'class' ? value : name)).join(' ');
      const { position, pointerEvents } = getComputedStyle(element);
      return PLACEHOLDER.test(marks) || (position === 'absolute' && pointerEvents === 'none');
    };

    const textOf = (/** @type {Element} */ element) => {
      const aside = [...element.querySelectorAll(ASIDE)].find(isAside)?.textContent ?? '';
      return aside ? (element.textContent ?? '').replace(aside, '') : element.textContent ?? '';
    };

    /** Editors colour words by elements of their own and write spaces and lines in their own way. */
    const squeezed = (/** @type {string} */ text) => text.normalize('NFC').replace(/[\s\u200b\ufeff]+/g, '');

    /** @type {import('./filling').FillingRich['isBlank']} */
    const isBlank = (element) => element.querySelector(ASIDE) !== null && squeezed(textOf(element)) === '';

    const event = { bubbles: true, cancelable: true, composed: true };

    /** What the browser is about to do to all of the text; whether somebody else does it. */
    const announce = (/** @type {Element} */ element, /** @type {InputEventInit} */ what) => {
      const selection = getSelection();
      const targetRanges = selection?.rangeCount ? [new StaticRange(selection.getRangeAt(0))] : [];
      return !element.dispatchEvent(new InputEvent('beforeinput', { ...event, ...what, targetRanges }));
    };

    /** Lines come as from the clipboard: Enter may mean to send. */
    const paste = (/** @type {Element} */ element, /** @type {string} */ text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      return !element.dispatchEvent(new ClipboardEvent('paste', { ...event, clipboardData }))
        || announce(element, { inputType: 'insertFromPaste', dataTransfer: clipboardData });
    };

    /** Frameworks older than `beforeinput` hear of what is typed by this one. */
    const typed = (/** @type {Element} */ element, /** @type {string} */ text) => {
      const told = document.createEvent('TextEvent');
      told.initTextEvent('textInput', true, true, window, text);
      return !element.dispatchEvent(told);
    };

    /** Whether an editor took away by its own key what is selected: one that is told of nothing more than keys believes no text written over it. */
    const clear = (/** @type {Element} */ element) =>
      element.querySelector(':not(br)') !== null && getSelection()?.isCollapsed === false && parts.get('keys').down(element, 'Backspace');

    const write = async (/** @type {Element} */ element, /** @type {string} */ text) => {
      if (text.includes('\n') ? paste(element, text) : announce(element, { inputType: 'insertText', data: text }) || typed(element, text)) return;
      if (clear(element)) await frame();
      if (document.execCommand('insertText', false, text) || element.getAttribute('contenteditable') === null) return;
      element.textContent = text;
      element.dispatchEvent(new InputEvent('input', { ...event, inputType: 'insertText', data: text }));
    };

    const erase = (/** @type {Element} */ element) => {
      if (parts.get('keys').down(element, 'Backspace') || announce(element, { inputType: 'deleteContentBackward' })) return;
      document.execCommand('delete');
    };

    /** Whether a text stands there, once, and not beside the one that was there before. */
    const holds = (/** @type {Element} */ element, /** @type {string} */ text, /** @type {string} */ before) => {
      const [held, wanted] = [squeezed(textOf(element)), squeezed(text)];
      if (wanted === '') return held === '';
      const isAdded = before !== '' && held.length >= wanted.length + before.length && held.includes(before);
      return held.split(wanted.slice(0, COMPARED)).length === 2 && !isAdded;
    };

    /** Editors learn of a selection by the browser's event, which comes later. */
    const select = async (/** @type {Element} */ element) => {
      const off = new AbortController();
      const heard = new Promise((done) => { document.addEventListener('selectionchange', done, { once: true, signal: off.signal }); });
      getSelection()?.selectAllChildren(element);
      await Promise.race([heard, pause(FRAME_MS)]);
      off.abort();
      await pause(0);
    };

    /** One that has just got the focus may put its own selection in the place of this once more. */
    const selectAll = async (/** @type {Element} */ element) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await select(element);
        if (squeezed(textOf(element)) === '' || getSelection()?.isCollapsed === false) return;
      }
    };

    /** @type {import('./filling').FillingRich['type']} */
    const type = async (element, letter) => {
      await selectAll(element);
      // What it drew meanwhile has taken the selection along.
      getSelection()?.selectAllChildren(element);
      if (letter === '') erase(element);
      else await write(element, letter);
    };

    /** All of it is selected and written over. */
    const replace = async (/** @type {Element} */ element, /** @type {string} */ text) => {
      const before = squeezed(textOf(element));
      await selectAll(element);
      if (squeezed(text) === '') erase(element);
      else await write(element, text);
      // Editors draw anew what was typed, in a later task or with the next frame; long texts only in part.
      let isDrawn = false;
      turns.frame(() => { isDrawn = true; });
      for (let waited = 0; waited < (isDrawn ? TAKEN_MS : UNDRAWN_MS) && !holds(element, text, before); waited += STEP_MS) await pause(STEP_MS);
      return holds(element, text, before);
    };

    /** @type {import('./filling').FillingRich['set']} */
    const set = async (element, text) => {
      // Editors that get the focus put their own selection there first.
      await pause(FOCUSED_MS);
      let ok = false;
      for (let round = 0; round < ROUNDS && !ok; round += 1) ok = await replace(element, text);
      const value = dom.cut(textOf(element), TOLD_MOST);
      if (ok) return { ok, value };
      const problem = `It did not take the text and holds ${JSON.stringify(dom.cut(dom.collapse(value), 60))}. Click it with computer, press ctrl+a and type.`;
      return { ok, value, problem };
    };

    return { set, type, frame, isBlank };
  };

  agent.part('filling_rich', make);
})();
