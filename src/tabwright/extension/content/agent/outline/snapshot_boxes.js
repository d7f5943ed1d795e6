/** Where elements are and whether a person can see them, for a pass over everything: as few questions as will do. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Laid transparent over what a page draws in their place, they take its clicks. */
  const LAID_OVER = 'a[href],button,input,textarea,[role=button],[role=link]';
  /** How much of what is drawn they cover then. */
  const COVERED = 0.5;
  /** Of what is inside a box without size. */
  const LOOKED_AT = 100;
  const CLIPS = /hidden|clip/;
  /** Borders keep a list of one pixel from being one pixel large. */
  const ROOMY = 9;
  /** Larger than an icon, and in no control: parts of it are used one by one. */
  const DRAWING_PX = 64;
  const PRESSED = `a[href],button,summary,label,option,${['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'combobox', 'slider', 'treeitem'].map((role) => `[role=${role}]`).join(',')}`;

  agent.part('snapshot_boxes', (parts) => {
    const { bare, closest, isVisible, isBeyond, labelsOf } = parts.get('snapshot_tree');
    const { CHOICES, TYPED, hiderOf, isUnderLabel } = parts.get('boxes');
    const hasSize = (/** @type {DOMRect} */ { width, height }) => width > 1 && height > 1;

    /** Transparent itself, over something that shows. @param {Element} element @param {CSSStyleDeclaration} style */
    const isLaidOver = (element, { opacity, position, pointerEvents }) => {
      if (opacity !== '0' || !/absolute|fixed/.test(position) || pointerEvents === 'none' || !bare(element).matches(LAID_OVER)) return false;
      // What holds the value of a list that is drawn there, for the browser to check.
      if (bare(element).matches('input[aria-hidden=true][tabindex="-1"]')) return false;
      const { parentElement } = bare(element);
      if (!parentElement || !isVisible(parentElement)) return false;
      const [own, under] = [element, parentElement].map((each) => bare(each).getBoundingClientRect());
      const across = Math.min(own.right, under.right) - Math.max(own.left, under.left);
      const down = Math.min(own.bottom, under.bottom) - Math.max(own.top, under.top);
      return across > 0 && down > 0 && across * down >= under.width * under.height * COVERED;
    };

    /** A field for text, also one that is shown here but written elsewhere. @param {Element} element */
    const holdsTyped = (element) => {
      const own = bare(element);
      const isOne = (/** @type {Element} */ each) => bare(each).matches(TYPED) || bare(each).querySelector(TYPED) !== null;
      if (isOne(element)) return true;
      return own.getRootNode() instanceof ShadowRoot && [...own.querySelectorAll('slot')].some((slot) => slot.assignedElements({ flatten: true }).some(isOne));
    };

    /** @type {import('./outline').SnapshotBoxes['mayHold']} */
    const mayHold = (element, style) => {
      if (style.display === 'none') return false;
      if (style.display === 'contents') return true;
      const own = bare(element);
      // Hidden text cannot be seen, but controls drawn over something else take clicks all the same.
      if (style.visibility !== 'visible') return own.firstElementChild !== null || own.localName === 'slot';
      if (!own.checkVisibility()) return false;
      return own.matches(CHOICES) || own.querySelector(CHOICES) !== null || holdsTyped(element) || isLaidOver(element, style);
    };

    /** @type {import('./outline').SnapshotBoxes['isClosedOff']} */
    const isClosedOff = (element, style) => {
      // The box costs more to ask for than the style.
      if (!CLIPS.test(style.overflow) || style.display === 'contents' || style.display === 'inline') return false;
      // What these two say of overflow is about the window.
      if (element === document.body || element === document.documentElement) return false;
      return !hasSize(bare(element).getBoundingClientRect()) && !escapes(element, style) && !hidesChoice(element);
    };

    const hidesChoice = (/** @type {Element} */ element) => {
      const only = bare(element).firstElementChild;
      return only !== null && hiderOf(only) !== null;
    };

    /**
     * What is placed by another box is cut by that one, not by this.
     * @param {Element} element
     * @param {CSSStyleDeclaration} style
     */
    const escapes = (element, style) => {
      const freed = style.position === 'static' ? /^(?:absolute|fixed)$/ : /^fixed$/;
      const below = bare(element).querySelectorAll('*');
      for (let index = 0; index < Math.min(below.length, LOOKED_AT); index += 1) {
        if (freed.test(getComputedStyle(below[index]).position)) return true;
      }
      return false;
    };

    /** Taken from everybody: what is drawn for it is a control itself. */
    const isReplaced = (/** @type {Element} */ own) =>
      own.matches('select[tabindex="-1"]') && (own.getAttribute('aria-hidden') === 'true' || own.closest('[role=combobox]') !== null);

    const standIn = (/** @type {Element} */ element, /** @type {DOMRect | null} */ box) => {
      const own = bare(element);
      if (!own.matches(`button,${CHOICES}`) || isReplaced(own)) return null;
      const label = labelsOf(element).find(isVisible);
      if (label) return label.getBoundingClientRect();
      if (own.localName === 'button') return null;
      // Two thumbs of one slider, each where it is drawn.
      if (own.matches('input[type=range]') && box && hasSize(box) && own.parentElement && isVisible(own.parentElement)) return box;
      const { parentElement } = bare(hiderOf(element) ?? element);
      if (!parentElement || bare(parentElement).childElementCount > 3 || !isVisible(parentElement)) return null;
      return box && hasSize(box) ? box : bare(parentElement).getBoundingClientRect();
    };

    /** Text wider than its element shows all the same. @param {Element} element @param {DOMRect} box */
    const overflows = (element, box) =>
      Math.max(box.height, box.width) > 4 && bare(element).textContent?.trim() !== '' && !CLIPS.test(getComputedStyle(element).overflow);

    /** An inline link around a block has no size of its own. @param {Element} element @param {DOMRect} own */
    const inner = (element, own) => {
      for (const child of bare(element).children) {
        const box = isVisible(child) ? bare(child).getBoundingClientRect() : null;
        if (box && hasSize(box)) return box;
      }
      return overflows(element, own) ? own : null;
    };

    /** Of what has no box of its own, or is transparent. @param {Element} element @param {DOMRect} box */
    const unseen = (element, box) => {
      const style = getComputedStyle(element);
      if (style.visibility !== 'visible') return null;
      if (style.display !== 'contents') return isLaidOver(element, style) || isUnderLabel(element) ? box : standIn(element, box);
      const range = document.createRange();
      range.selectNodeContents(element);
      const content = range.getBoundingClientRect();
      return hasSize(content) ? content : null;
    };

    /** @type {import('./outline').SnapshotBoxes['boxOf']} */
    const boxOf = (element, shown) => {
      const box = bare(element).getBoundingClientRect();
      if (!shown) return unseen(element, box);
      if (isReplaced(bare(element)) && (box.width < ROOMY || box.height < ROOMY)) return null;
      if (!hasSize(box)) return standIn(element, null) ?? inner(element, box);
      if (hiderOf(element)) return standIn(element, null);
      return isBeyond(element, box) ? standIn(element, null) : box;
    };

    /** @type {import('./outline').SnapshotBoxes['isDrawing']} */
    const isDrawing = (svg) => {
      const { width, height } = bare(svg).getBoundingClientRect();
      return width > DRAWING_PX && height > DRAWING_PX && closest(svg, PRESSED) === null;
    };

    return { mayHold, isClosedOff, isDrawing, boxOf };
  });
})();
