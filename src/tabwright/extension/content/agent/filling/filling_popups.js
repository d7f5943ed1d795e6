/**
 * Which lists of the page belong to a field: those it names, those drawn for one that only screen readers see, else those
 * that came when it was opened. Of a field that may be open already only what lies at it is taken for its list.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LISTS = '[role=listbox],[role=tree],[role=grid],[role=menu],.ui-autocomplete,.select2-results__options';
  // In the flow of a page these are mostly its content.
  const CONTENT = '[role=grid],[role=tree],[role=menu]';
  const FIELDS = 'input,select,textarea';
  const TYPED = 'input:is([type=search],[type=text],:not([type])):not([readonly])';
  const NEAR_PX = 24;
  const OWN_UP = 3;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    const isExpanded = (/** @type {Element} */ element) => element.getAttribute('aria-expanded') === 'true';

    /** @type {import('./filling').FillingPopups['named']} */
    const named = (element) => {
      const root = /** @type {Document} */ (element.getRootNode());
      const ids = ['aria-controls', 'aria-owns'].flatMap((name) => element.getAttribute(name)?.split(/\s+/) ?? []);
      return [...new Set(ids)].map((id) => root.getElementById(id) ?? document.getElementById(id)).filter((list) => list !== null);
    };

    /** The outermost box around a list that lies over the page, and not around the field too. */
    const floatOf = (/** @type {Element} */ list, /** @type {Element} */ element) => {
      let found = null;
      for (let at = /** @type {Element | null} */ (list); at && at !== document.body && !dom.contains(at, element); at = dom.parentOf(at)) {
        if (/absolute|fixed/.test(getComputedStyle(at).position) || at.matches(':popover-open')) found = at;
      }
      return found;
    };

    const isNear = (/** @type {Element} */ box, /** @type {Element} */ element) => {
      const [one, other] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
      return one.top < other.bottom + NEAR_PX && one.bottom > other.top - NEAR_PX && one.left < other.right + NEAR_PX && one.right > other.left - NEAR_PX;
    };

    /** Drawn into the same widget, which holds no other field. */
    const isBeside = (/** @type {Element} */ list, /** @type {Element} */ element) => {
      for (let at = dom.parentOf(element), up = 0; at && up < OWN_UP && !at.matches('form,fieldset,main,body'); at = dom.parentOf(at), up += 1) {
        if ([...at.querySelectorAll(FIELDS)].some((each) => each !== element && !dom.contains(list, each) && dom.isVisible(each))) return false;
        if (dom.contains(at, list)) return true;
      }
      return false;
    };

    const mayBelong = (/** @type {Element} */ list, /** @type {Element} */ element) => {
      if (named(element).some((each) => dom.contains(each, list) || dom.contains(list, each)) || isBeside(list, element)) return true;
      const float = floatOf(list, element);
      return isNear(float ?? list, element) && (float !== null || !list.matches(CONTENT));
    };

    /** @type {import('./filling').FillingPopups['inSight']} */
    const inSight = (element) => {
      // Where nothing says whether it is open, it may be while it has the focus.
      const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
      const mayBeOpen = element.hasAttribute('aria-expanded') ? isExpanded(element) : element === root.activeElement;
      const shown = dom.queryAll(document, LISTS).filter(dom.isVisible);
      return new Set(mayBeOpen ? shown.filter((list) => !mayBelong(list, element)) : shown);
    };

    /** What is drawn for a list that only screen readers see. */
    const popupOf = (/** @type {Element} */ list, /** @type {Element} */ element) => {
      let at = list.parentElement;
      while (at && !dom.isVisible(at)) at = at.parentElement;
      return at && at !== document.body && !at.contains(element) ? at : null;
    };

    /** @type {import('./filling').FillingPopups['open']} */
    const open = (element, before) => {
      const own = named(element);
      const shown = own.filter(dom.isVisible);
      if (shown.length) return shown;
      const popups = own.map((list) => popupOf(list, element)).filter((popup) => popup !== null);
      if (popups.length) return popups;
      return dom.queryAll(document, LISTS).filter((list) =>
        !before.has(list) && !dom.contains(list, element) && dom.isVisible(list));
    };

    /** @type {import('./filling').FillingPopups['searchOf']} */
    const searchOf = (element, before) => {
      for (const list of open(element, before)) {
        for (let at = /** @type {Element | null} */ (list), up = 0; at && up <= OWN_UP; at = dom.parentOf(at), up += 1) {
          if (at === document.body || dom.contains(at, element)) break;
          const typed = [...at.querySelectorAll(TYPED)].filter(dom.isVisible);
          if (typed.length > 1) break;
          if (typed[0] instanceof HTMLInputElement) return typed[0];
        }
      }
      return null;
    };

    return { named, inSight, open, searchOf };
  };

  agent.part('filling_popups', make);
})();
