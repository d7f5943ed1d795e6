/**
 * Writing into a field so that whoever owns the page notices: the browser's own setters, which frameworks cannot have
 * replaced, and the events of a person pointing and typing.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const STEP_MS = 30;
  const TAKEN_MS = 600;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const { pause } = parts.get('rest');

    const event = (/** @type {Element} */ element, /** @type {string} */ type, composed = true) =>
      element.dispatchEvent(new Event(type, { bubbles: true, composed }));

    /** In a window that has not the focus Chrome moves it silently; then the events are made by hand. */
    const moveFocus = (/** @type {Element} */ element, /** @type {'focus' | 'blur'} */ type) => {
      let told = false;
      element.addEventListener(
        type,
        () => {
          told = true;
        },
        { once: true, capture: true },
      );
      /** @type {HTMLElement} */ (element)[type]?.({ preventScroll: true });
      if (told) return;
      element.dispatchEvent(new FocusEvent(type, { composed: true }));
      element.dispatchEvent(
        new FocusEvent(type === 'focus' ? 'focusin' : 'focusout', { bubbles: true, composed: true }),
      );
    };

    const setter = (/** @type {Element} */ element) => {
      const owner =
        element instanceof HTMLTextAreaElement
          ? HTMLTextAreaElement
          : element instanceof HTMLSelectElement
            ? HTMLSelectElement
            : HTMLInputElement;
      return Object.getOwnPropertyDescriptor(owner.prototype, 'value')?.set;
    };

    const write = (/** @type {Element} */ element, /** @type {string} */ text) => {
      const init = { key: text.at(-1) ?? 'Backspace', bubbles: true, cancelable: true, composed: true };
      element.dispatchEvent(new KeyboardEvent('keydown', init));
      setter(element)?.call(element, text);
      element.dispatchEvent(
        new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: text }),
      );
      element.dispatchEvent(new KeyboardEvent('keyup', init));
    };

    /** The same as far as it counts: fields write numbers and dates in their own way. */
    const isAlike = (/** @type {string} */ held, /** @type {string} */ text) => {
      const digits = (/** @type {string} */ each) => [...each.replace(/\D/g, '')].sort().join('');
      const amount = (/** @type {string} */ each) => Number.parseFloat(each.replace(/[^\d.-]/g, ''));
      return squeezed(held) === squeezed(text) || (digits(text) !== '' && digits(held) === digits(text)) || amount(held) === amount(text);
    };

    const point = (/** @type {Element} */ element) => {
      for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
        element.dispatchEvent(
          new (type.startsWith('pointer') ? PointerEvent : MouseEvent)(type, {
            bubbles: true,
            composed: true,
            cancelable: true,
          }),
        );
      }
    };

    /** Spaces and marks that nobody sees make no difference. */
    const squeezed = (/** @type {string} */ text) => text.normalize('NFC').replace(/[\s\u200b\ufeff]+/g, '');

    const taken = async (/** @type {() => boolean} */ isTaken, most = TAKEN_MS) => {
      await null;
      for (let waited = 0; waited < most && !isTaken(); waited += STEP_MS) await pause(STEP_MS);
      return isTaken();
    };

    return { event, moveFocus, write, point, isAlike, squeezed, taken };
  };

  agent.part('writing', make);
})();
