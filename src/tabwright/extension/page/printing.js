/**
 * Keeps pages from printing while an agent's gesture is under way: Chrome's print window stands over the page until the
 * person answers it, and nothing can be read or done there meanwhile. In the page's own world before any of its scripts.
 * The page agent says when a gesture begins, by the name of an event that nobody can guess, and hears by it that the page
 * asked to print. At all other times pages print as ever.
 *
 * Pages see a function that looks built in, and none of these events, unless they sent them themselves.
 */
(() => {
  /** @type {import('./page').Page} */
  const page = /** @type {any} */ (window)['tabwright.page'];

  const GESTURE = 'tabwright:gesture';
  const ASK = 'tabwright:prints';
  const HERE = 'tabwright:printing';
  const DEEPEST = 20;

  const { Event, Proxy, apply, data, defineProperty, dispatch, getOwnPropertyDescriptor, keep, method, prevent } = page.natives;
  const stop = method(Event.prototype, 'stopImmediatePropagation');

  // Injected again: the one before answers.
  if (!apply(dispatch, window, [new Event(HERE, { cancelable: true })])) return;

  /** Whom to tell; empty while no gesture is under way. */
  let hearer = '';

  const isKept = () => {
    if (hearer === '') return false;
    apply(dispatch, window, [new Event(hearer)]);
    return true;
  };

  /** @param {any} other a window of the same origin, or one that cannot be asked */
  const isKeptBy = (other) => {
    try {
      return !apply(dispatch, other, [new Event(ASK, { cancelable: true })]);
    } catch {
      return false;
    }
  };

  /** The gesture was made in this page, in one that it is part of, or in the one that opened it: whoever waits there hears. */
  const isGesture = () => {
    let kept = isKept();
    if (window.opener && isKeptBy(window.opener)) kept = true;
    let at = /** @type {Window} */ (window);
    for (let depth = 0; depth < DEEPEST && at !== at.parent; depth += 1) {
      at = at.parent;
      if (isKeptBy(at)) kept = true;
    }
    return kept;
  };

  const own = getOwnPropertyDescriptor(window, 'print');
  if (own && typeof own.value === 'function') {
    const value = new Proxy(own.value, /** @type {any} */ ({
      __proto__: null,
      apply: (/** @type {any} */ original, /** @type {any} */ self, /** @type {any[]} */ args) =>
        (isGesture() ? undefined : apply(original, self, args)),
    }));
    defineProperty(window, 'print', { ...own, value });
  }

  keep(window, GESTURE, (/** @type {Event} */ event) => {
    apply(stop, event, []);
    const name = apply(data, event, []);
    hearer = typeof name === 'string' ? name : '';
  }, true);
  keep(window, ASK, (/** @type {Event} */ event) => {
    apply(stop, event, []);
    if (isKept()) apply(prevent, event, []);
  }, true);
  keep(window, HERE, (/** @type {Event} */ event) => {
    apply(stop, event, []);
    apply(prevent, event, []);
  }, true);
})();
