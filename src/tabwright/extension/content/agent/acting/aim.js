/**
 * Whether a click reaches the element that it is meant for. Press and release are two events, and what a page does at the
 * first (it closes a list, it shows what is wrong with the field that was left) may move the element from under the second:
 * then Chrome gives the click to what both are in, and the element hears of none.
 *
 *   at       this element is meant, and here it is
 *   missed   why it has no click, once what the press did is over; nothing where it has one, or nobody can tell
 *
 * The press alone does it where the element is gone, hidden, drawn anew or in another state by it.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** What says that something has happened to an element; how a press looks, and a focus, does not. */
  const STATES = /^(?:aria-(?:expanded|selected|checked|pressed|current|disabled|busy|hidden)|disabled|hidden|open|href|value|checked|selected)$/;
  const STILL_PX = 2;

  /**
   * `box`: where it was; `left`: and when the focus left another element by the press; `isNew`: other things came.
   * @typedef {{element: Element, shown: Element, box: DOMRect, presses: Event[], left?: DOMRect, isHit: boolean, isReleased: boolean,
   *   lost?: 'moved' | 'covered', isClicked: boolean, isTurned: boolean, isPut: boolean, isNew: boolean}} Aimed
   */

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const { boxOf, deepest } = parts.get('boxes');
    /** @type {Aimed | undefined} */
    let aimed;

    const reaches = (/** @type {unknown} */ hit) =>
      aimed !== undefined && hit instanceof Element && [aimed.shown, aimed.element].some((each) => parts.get('locate').reaches(each, hit));
    /** A page may take all that follows a press elsewhere, and closed roots hide what was hit: then its place counts. */
    const isOver = (/** @type {MouseEvent} */ event) => reaches(event.composedPath()[0]) || reaches(deepest(event.clientX, event.clientY));
    const isStill = (/** @type {DOMRect} */ one, /** @type {DOMRect} */ other) =>
      Math.abs(one.left - other.left) < STILL_PX && Math.abs(one.top - other.top) < STILL_PX;
    const isSaid = (/** @type {Node} */ node) => /\S/.test(node.textContent ?? '');

    const note = (/** @type {MutationRecord[]} */ records) => {
      for (const { type, target, attributeName, addedNodes } of records) {
        if (!aimed) return;
        const { shown } = aimed;
        const added = [...addedNodes];
        const isIn = target === shown || shown.contains(target);
        if (isIn && (type === 'characterData' || STATES.test(attributeName ?? '') || added.some(isSaid))) aimed.isTurned = true;
        aimed.isPut ||= added.some((node) => node.contains(shown));
        aimed.isNew ||= !isIn && added.some(isSaid);
      }
    };
    const observer = new MutationObserver(note);

    const lose = () => {
      if (aimed && !aimed.lost) aimed.lost = isStill(aimed.box, boxOf(aimed.shown)) ? 'covered' : 'moved';
    };

    const press = (/** @type {PointerEvent} */ event) => {
      if (!aimed || !event.isTrusted || event.button !== 0 || aimed.presses.length > 0) return;
      aimed.presses.push(event);
      aimed.isHit = isOver(event);
      if (!aimed.isHit) lose();
      observer.observe(document, { subtree: true, childList: true });
      observer.observe(aimed.shown, { subtree: true, childList: true, characterData: true, attributes: true });
    };
    const release = (/** @type {PointerEvent} */ event) => {
      if (!aimed || !event.isTrusted || aimed.presses.length === 0 || aimed.isReleased) return;
      aimed.isReleased = true;
      note(observer.takeRecords());
      observer.disconnect();
      if (!isOver(event)) lose();
    };
    // For good: a gesture is over when it is over, and these cost next to nothing.
    addEventListener('pointerdown', press, { capture: true });
    addEventListener('mousedown', (event) => { if (aimed?.presses.length === 1 && event.isTrusted) aimed.presses.push(event); }, { capture: true });
    addEventListener('blur', () => { if (aimed?.presses.length && !aimed.isReleased) aimed.left ??= boxOf(aimed.shown); }, { capture: true });
    addEventListener('pointerup', release, { capture: true });
    addEventListener('click', (event) => { if (aimed && event.isTrusted && reaches(event.composedPath()[0])) aimed.isClicked = true; }, { capture: true });

    /** @type {import('./acting').Aim['missed']} */
    const missed = (seen) => {
      if (!aimed?.lost || aimed.isClicked) return {};
      const { element, shown, box, left, presses, lost } = aimed;
      const isDone = aimed.isTurned || !shown.isConnected || !tree.isRendered(shown) || [...seen.turned].some((each) => tree.contains(element, each));
      if (isDone) return {};
      if (lost === 'covered') return { missed: 'covered' };
      if (!aimed.isHit) return { missed: 'astray' };
      // Had the element done something by the press, it would have moved before the focus left the other one.
      const isOthers = (left && isStill(box, left)) || !aimed.isNew;
      const isTaken = aimed.isPut || presses.some(({ defaultPrevented }) => defaultPrevented);
      return { missed: isOthers && !isTaken ? 'again' : 'moved' };
    };

    /** @type {import('./acting').Aim['at']} */
    const at = (element, shown) => {
      aimed = { element, shown, box: boxOf(shown), presses: [], isHit: false, isReleased: false, isClicked: false, isTurned: false, isPut: false, isNew: false };
    };
    const end = () => {
      aimed = undefined;
      observer.disconnect();
    };

    return { at, missed, end };
  };

  agent.part('aim', make);
})();
