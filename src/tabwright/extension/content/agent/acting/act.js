/**
 * Acting on an element as a person would: the events of pointer and keyboard in their order, then the browser's own
 * activation. Events made by a script are not trusted; where only trusted ones count, the automation tools serve.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @type {ScrollIntoViewOptions} */
  const CENTRE = { block: 'center', inline: 'nearest', behavior: 'instant' };

  const bringIntoView = (/** @type {Element} */ element) => {
    const box = element.getBoundingClientRect();
    const isInView = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
    if (!isInView && box.width > 0) element.scrollIntoView(CENTRE);
    const { left, top, width, height } = element.getBoundingClientRect();
    return { clientX: Math.round(left + width / 2), clientY: Math.round(top + height / 2) };
  };

  const point = (/** @type {Element} */ element, /** @type {string} */ type, /** @type {MouseEventInit} */ at) => {
    const init = { bubbles: true, cancelable: true, composed: true, view: window, detail: 1, ...at };
    const isPointer = type.startsWith('pointer');
    // by the prototype: what the pointer comes into may be a form, whose fields may be named like any of its members
    return EventTarget.prototype.dispatchEvent.call(
      element,
      isPointer
        ? new PointerEvent(type, { ...init, pointerId: 1, pointerType: 'mouse', isPrimary: true })
        : new MouseEvent(type, init),
    );
  };

  /**
   * A click without a person behind it may open no window, so what would go to a new one stays in this tab, which is
   * also the one the client can see.
   */
  const keepInTab = (/** @type {Element} */ element) => {
    /** @type {Element | null} */
    const opener =
      element instanceof HTMLFormElement
        ? element
        : (element.closest('a[target],area[target]') ?? /** @type {HTMLButtonElement} */ (element).form);
    // by the prototype: a field of the form may be named like any of its members
    const target = opener && Element.prototype.getAttribute.call(opener, 'target');
    if (!opener || !target || /^_(?:self|parent|top)$/i.test(target)) return () => {};
    if (document.querySelector(`iframe[name="${CSS.escape(target)}"]`)) return () => {};
    const aim = (/** @type {string} */ at) => Element.prototype.setAttribute.call(opener, 'target', at);
    aim('_self');
    return () => aim(target);
  };

  /** Where the pointer was before. @type {WeakRef<Element> | null} */
  let last = null;

  /** What the pointer comes into is told each for itself, from the outside. */
  const enter = (/** @type {Element} */ element, /** @type {MouseEventInit} */ at) => {
    const { contains, parentOf } = agent.get('dom');
    const before = last?.deref();
    /** @type {Element[]} */
    const entered = [];
    for (let each = /** @type {Element | null} */ (element); each && !(before && contains(each, before)); each = parentOf(each)) entered.unshift(each);
    for (const type of ['pointerenter', 'mouseenter']) for (const each of entered) point(each, type, { ...at, bubbles: false, cancelable: false });
    last = new WeakRef(element);
  };

  /** @type {import('./acting').Act['hover']} */
  const hover = (element) => {
    const at = bringIntoView(element);
    for (const type of ['pointerover', 'mouseover']) point(element, type, at);
    enter(element, at);
    for (const type of ['pointermove', 'mousemove']) point(element, type, at);
    return at;
  };

  /** @type {import('./acting').Act['click']} */
  const click = async (element) => {
    const at = hover(element);
    point(element, 'pointerdown', { ...at, buttons: 1 });
    const mayFocus = point(element, 'mousedown', { ...at, buttons: 1 });
    const focusable = element.closest('a[href],button,input,select,textarea,[tabindex],[contenteditable],summary');
    if (mayFocus && focusable instanceof HTMLElement) focusable.focus({ preventScroll: true });
    point(element, 'pointerup', at);
    point(element, 'mouseup', at);
    const restore = keepInTab(element);
    if (element instanceof HTMLElement) element.click();
    else point(element, 'click', at);
    // Form submission reads the target in a task of its own.
    agent.get('turns').timer(restore, 0);
    // Frameworks render in microtasks: let them, before anyone looks.
    await null;
  };

  const key = (/** @type {Element} */ element, /** @type {string} */ type) =>
    element.dispatchEvent(
      new KeyboardEvent(type, {
        key: 'Enter',
        code: 'Enter',
        bubbles: true,
        cancelable: true,
        composed: true,
        // Old code asks for the numbers, which the types no longer know.
        .../** @type {object} */ ({ keyCode: 13, which: 13, charCode: type === 'keypress' ? 13 : 0 }),
      }),
    );

  /** @type {import('./acting').Act['pressEnter']} */
  const pressEnter = async (element) => {
    const goesOn = key(element, 'keydown') && key(element, 'keypress');
    const form = /** @type {HTMLInputElement} */ (element).form;
    if (goesOn && form && element instanceof HTMLInputElement) submitForm(form);
    key(element, 'keyup');
    await null;
  };

  /** What Enter does in a form: its default button, or the form alone. */
  const submitForm = (/** @type {HTMLFormElement} */ form) => {
    const button = [...Element.prototype.querySelectorAll.call(form, 'button,input')].find((each) =>
      each.matches('button:not([type]),button[type=submit],input[type=submit],input[type=image]'),
    );
    if (button instanceof HTMLElement) button.click();
    else HTMLFormElement.prototype.requestSubmit.call(form);
  };

  /** @type {import('./acting').Act['submit']} */
  const submit = async (form, button) => {
    if (button) await click(button);
    else if (form instanceof HTMLFormElement) {
      const restore = keepInTab(form);
      HTMLFormElement.prototype.requestSubmit.call(form);
      agent.get('turns').timer(restore, 0);
    } else await pressEnter(form);
    await null;
  };

  agent.part('act', () => ({ hover, click, submit, pressEnter }));
})();
