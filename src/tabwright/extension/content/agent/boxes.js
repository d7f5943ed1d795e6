/**
 * Boxes and points of what is drawn: what is in sight, what cuts it off, what has to be scrolled, what a point hits, and
 * where a child frame's pixels are. Points are CSS pixels of this frame's viewport. Scrolling stays within the document:
 * what the browser would scroll in the frames around comes later than any answer.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./agent').Box} Box */
  /** @typedef {import('./agent').Point} Point */

  const MOST_BOXES = 6;
  /** What is chosen in a list shows in it, or beside it; nobody need be able to type there. */
  const PICKED = 'input:is([role=combobox],[readonly]:is([aria-haspopup=listbox],[aria-haspopup=tree]))';
  const CHOICES = `input[type=checkbox],input[type=radio],input[type=file],input[type=range],input[type=color],select,${PICKED}`;
  const TICKED = '[role=switch],[role=checkbox]';
  const FOCUSED = '[tabindex]:not([tabindex="-1"],a,button,input,select,textarea)';
  const CLIPS = /hidden|clip/;
  const TYPED = 'textarea,input:is(:not([type]),[type=text],[type=email],[type=password],[type=tel],[type=url],[type=search],[type=number]),[role=spinbutton]';
  /** So far out, and so high at most, is what a field and the label over it are drawn in. */
  const LABELLED_UP = 12;
  const LABELLED_PX = 120;
  const DRAWN_MS = 30;
  const UNDRAWN_MS = 300;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const { bare, clippers } = tree;

    const boxOf = (/** @type {Element} */ element) => areaBox(element) ?? bare(element).getBoundingClientRect();

    /** The picture that an area is a part of. @type {import('./agent').Boxes['imageOf']} */
    const imageOf = (element) => {
      const map = element instanceof HTMLAreaElement ? element.closest('map') : null;
      return map && tree.queryAll(document, 'img[usemap]').find((each) => /** @type {HTMLImageElement} */ (each).useMap === `#${map.name}`);
    };

    /** Where a part of a picture is drawn, which has no box of its own. @param {Element} element */
    const areaBox = (element) => {
      const image = imageOf(element);
      if (!image) return null;
      const { shape, coords } = /** @type {HTMLAreaElement} */ (element);
      const { left, top, wide, high } = contentOf(image);
      const numbers = coords.split(',').map(Number);
      const [x, y, radius = 0] = numbers;
      const isRound = /^circ/i.test(shape);
      const across = isRound ? [x - radius, x + radius] : numbers.filter((_, at) => at % 2 === 0);
      const down = isRound ? [y - radius, y + radius] : numbers.filter((_, at) => at % 2 === 1);
      if (down.length < 2 || numbers.some(Number.isNaN)) return image.getBoundingClientRect();
      const [from, to] = [[Math.min(...across), Math.min(...down)], [Math.max(...across), Math.max(...down)]];
      return new DOMRect(left + from[0] * wide, top + from[1] * high, (to[0] - from[0]) * wide, (to[1] - from[1]) * high);
    };

    /** What is in sight of this document. @returns {Box} */
    const view = () => {
      const seen = parts.adapter.isTopFrame ? visualViewport : null;
      const left = seen?.offsetLeft ?? 0;
      const top = seen?.offsetTop ?? 0;
      return { left, top, right: left + (seen?.width ?? innerWidth), bottom: top + (seen?.height ?? innerHeight) };
    };

    /** @param {Box} one @param {Box} other @returns {Box} */
    const overlap = (one, other) => ({
      left: Math.max(one.left, other.left), top: Math.max(one.top, other.top),
      right: Math.min(one.right, other.right), bottom: Math.min(one.bottom, other.bottom),
    });
    const isThere = (/** @type {Box} */ box) => box.right - box.left >= 1 && box.bottom - box.top >= 1;

    /** The inside of a box that scrolls. @param {Element} element @returns {Box} */
    const inside = (element) => {
      const { left, top } = boxOf(element);
      const { clientLeft, clientTop, clientWidth, clientHeight } = bare(element);
      return { left: left + clientLeft, top: top + clientTop, right: left + clientLeft + clientWidth, bottom: top + clientTop + clientHeight };
    };

    /** How far to scroll so that a stretch is in the middle of another, or begins with it. */
    const middle = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ low, /** @type {number} */ high) =>
      to - from <= high - low ? (from + to) / 2 - (low + high) / 2 : from - low;

    /** @param {Box} box @param {Box} frame @param {boolean} always */
    const shift = (box, frame, always) => {
      const isAcross = box.left >= frame.left && box.right <= frame.right;
      const isDown = box.top >= frame.top && box.bottom <= frame.bottom;
      return {
        left: isAcross ? 0 : middle(box.left, box.right, frame.left, frame.right),
        top: isDown && !always ? 0 : middle(box.top, box.bottom, frame.top, frame.bottom),
      };
    };

    /**
     * Scrolls everything around an element so that `box()` of it comes into sight, or into the middle of it.
     * @param {Element} element
     * @param {() => Box} box
     * @param {boolean} [always] also if it is in sight, but under something that stays where it is
     */
    const reveal = async (element, box, always = false) => {
      const before = box();
      for (const clipper of clippers(element)) {
        const by = shift(box(), inside(clipper), always);
        if (by.left || by.top) clipper.scrollBy({ ...by, behavior: 'instant' });
      }
      const by = shift(box(), view(), always);
      if (by.left || by.top) scrollBy({ ...by, behavior: 'instant' });
      const after = box();
      if (before.left === after.left && before.top === after.top) return;
      // Which frame an event goes to, Chrome decides by what was drawn last.
      if (window.length > 0 || !parts.adapter.isTopFrame) await drawn();
      else await heard();
    };

    /** Pages hear of scrolling with the next frame, and close what is open then: what opens sooner would close at once. */
    const heard = () => Promise.race([
      new Promise((resolve) => { parts.get('turns').frame(resolve); }),
      parts.get('rest').pause(UNDRAWN_MS),
    ]);

    /** Only what is out of sight. @type {import('./agent').Boxes['bring']} */
    const bring = async (element) => {
      const seen = clippers(element).map(inside).reduce(overlap, overlap(boxOf(element), view()));
      if (tree.isVisible(element) && !isThere(seen)) await reveal(element, () => boxOf(element));
    };

    const drawn = async () => {
      const frame = () => new Promise((resolve) => {
        requestAnimationFrame(resolve);
      });
      const twice = frame().then(frame).then(() => parts.get('rest').pause(DRAWN_MS));
      await Promise.race([twice, parts.get('rest').pause(UNDRAWN_MS)]);
    };

    /** The boxes it is drawn in: several for words over several lines, its children's if it has none. @param {Element} element @returns {Box[]} */
    const boxesOf = (element) => {
      const area = areaBox(element);
      if (area) return [area];
      const own = [...bare(element).getClientRects()].filter(isThere);
      if (own.length > 0) return own.slice(0, MOST_BOXES);
      return [...bare(element).children].flatMap((child) => [...bare(child).getClientRects()].filter(isThere)).slice(0, MOST_BOXES);
    };

    /** A box of no size around a choice alone, which hides it where a widget is drawn around both. @param {Element} element */
    const hiderOf = (element) => {
      const { parentElement } = bare(element);
      if (!parentElement || !bare(element).matches(CHOICES) || bare(parentElement).childElementCount !== 1) return null;
      const { width, height } = boxOf(parentElement);
      return width <= 1 && height <= 1 && CLIPS.test(getComputedStyle(parentElement).overflow) ? parentElement : null;
    };

    /** What of a box or switch takes the focus where that is not itself: beside it are words that are deaf. @type {import('./agent').Boxes['handleOf']} */
    const handleOf = (element) => {
      if (!bare(element).matches(TICKED) || bare(element).matches('[tabindex],button,input')) return element;
      const [handle, other] = tree.queryAll(element, FOCUSED).filter(tree.isVisible);
      return handle && !other ? handle : element;
    };

    /** @type {import('./agent').Boxes['isUnderLabel']} */
    const isUnderLabel = (element, isShown = tree.isRendered) => {
      const own = bare(element);
      if (!own.matches(TYPED) || own.matches('[aria-hidden=true],input[tabindex="-1"]') || !own.checkVisibility() || !isThere(boxOf(element))) return false;
      const { visibility, pointerEvents } = getComputedStyle(element);
      if (visibility !== 'visible' || pointerEvents === 'none') return false;
      let at = tree.around(element);
      for (let up = 0; at && up < LABELLED_UP; at = tree.around(at), up += 1) {
        if (at instanceof HTMLSlotElement || !isShown(at)) continue;
        // A trap for robots shares what is drawn around it with fields for people.
        if (boxOf(at).height > LABELLED_PX || tree.queryAll(at, 'input:not([aria-hidden=true]),select,textarea').some((each) => each !== element)) return false;
        if (parts.get('snapshot_text').read(at, 80, true)) return true;
      }
      return false;
    };

    /** The element a click at this point would reach. @param {number} x @param {number} y */
    const deepest = (x, y) => {
      /** @type {Element | null} */
      let hit = document.elementFromPoint(x, y);
      for (;;) {
        const shadow = hit && tree.shadowOf(hit);
        const inner = shadow && shadow.elementFromPoint(x, y);
        if (!inner || inner === hit) return hit;
        hit = inner;
      }
    };

    /** The top frame's points count from what is in sight, which a pinch may have moved. @param {Point} point */
    const told = ({ x, y }) => {
      const { left, top } = view();
      return { x: x - left, y: y - top };
    };

    /** @param {Point} point */
    const untold = ({ x, y }) => {
      const { left, top } = view();
      return { x: x + left, y: y + top };
    };

    /** @param {number} place */
    const frameAt = (place) => {
      const child = window[place];
      return tree.queryAll(document, 'iframe,frame,object,embed').find((each) => /** @type {any} */ (each).contentWindow === child);
    };

    const placeOf = (/** @type {Element} */ frame) => {
      const child = /** @type {any} */ (frame).contentWindow;
      for (let place = 0; child && place < window.length; place += 1) if (window[place] === child) return place;
      return -1;
    };

    /** Where a frame's own pixels begin, and how large they are drawn. @type {import('./agent').Boxes['contentOf']} */
    const contentOf = (frame) => {
      const box = bare(frame).getBoundingClientRect();
      const { offsetWidth, offsetHeight } = /** @type {HTMLElement} */ (frame);
      const style = getComputedStyle(frame);
      const wide = offsetWidth > 0 ? box.width / offsetWidth : 1;
      const high = offsetHeight > 0 ? box.height / offsetHeight : 1;
      return {
        left: box.left + (bare(frame).clientLeft + parseFloat(style.paddingLeft)) * wide,
        top: box.top + (bare(frame).clientTop + parseFloat(style.paddingTop)) * high,
        wide, high,
      };
    };

    return {
      PICKED, CHOICES, TYPED, boxOf, boxesOf, hiderOf, handleOf, imageOf, isUnderLabel, view, overlap, isThere, inside, reveal, bring, deepest, told, untold, frameAt, placeOf, contentOf,
    };
  };

  agent.part('boxes', make);
})();
