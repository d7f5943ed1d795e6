/**
 * Where to put the pointer to reach an element. Services for trusted input:
 *
 *   locate    scrolls an element into view within its document and gives a point of it that a click reaches; where
 *             something covers it, that is named
 *   frameBox  the same for a point of a child frame: where it is in this document
 *   frameBoxes  where all child frames are drawn
 *   pointed   whether the pointer has arrived at a point of this frame: Chrome sends its events to the frame it drew there
 *             last, which may lag behind what was scrolled
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Point} Point */

  const CONTROLS = `a[href],button,input,select,textarea,summary,option,label,[role=button],[role=link],[role=checkbox],
    [role=radio],[role=switch],[role=tab],[role=menuitem],[role=option],[role=textbox],[role=combobox],[role=slider],
    [contenteditable],[tabindex],[onclick]`;
  const MODAL = 'dialog,[role=dialog],[role=alertdialog],[aria-modal=true]';
  const NESTED = 'a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox],[role=switch]';
  /** Where in a box to try: the middle first, then towards its edges. */
  const TRIES = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.1, 0.1], [0.9, 0.9]];
  const MOVING_MS = 500;
  const FRAME_MS = 16;
  const POINTED_MS = 120;
  const NEAR_PX = 4;
  const MOST_OPTIONS = 12;
  const TICKED = 'input:is([type=checkbox],[type=radio])';
  const CUT_AWAY = /^rect\((?:0px,? ?){4}\)$/;
  /** So far out may be what is drawn in the place of something. */
  const AROUND_MAX = 4;
  /** The parts of an element that may lie over others. */
  const DRAWN = [undefined, '::before', '::after'];

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('tree');
    const roles = parts.get('roles');
    const texts = parts.get('texts');
    const boxes = parts.get('boxes');
    const { boxOf, boxesOf, view, overlap, isThere, inside, deepest } = boxes;
    const { bare, clippers } = tree;

    const isFor = (/** @type {Element | null} */ label, /** @type {Element} */ element) =>
      label instanceof HTMLLabelElement && label.control === element;

    const isClipped = (/** @type {Element} */ element) => {
      const { clip, clipPath } = getComputedStyle(element);
      return clip !== 'auto' || clipPath !== 'none';
    };

    /** @type {import('./acting').Locate['reaches']} */
    const reaches = (element, hit) =>
      tree.contains(element, hit) ||
      isFor(tree.closest(hit, 'label'), element) ||
      (element instanceof HTMLLabelElement && element.control !== null && tree.contains(element.control, hit)) ||
      (getComputedStyle(element).pointerEvents === 'none' && tree.contains(hit, element)) ||
      // a slider or list that a page draws around what it hides
      (hit === bare(element).parentElement && bare(element).matches(boxes.CHOICES) && isClipped(element)) ||
      // the word of an option, or a part of a map, stands for what it is in
      (element instanceof HTMLAreaElement && hit instanceof HTMLImageElement);

    /**
     * A point of the element that is in sight, and what is hit there if that is something else.
     * @param {Element} element
     * @returns {{point?: Point, cover?: Element | null}}
     */
    const spot = (element) => {
      const clips = clippers(element).map(inside);
      const seen = boxesOf(element).map((box) => clips.reduce(overlap, overlap(box, view()))).filter(isThere);
      /** @type {Point | undefined} */
      let second;
      /** @type {Element | null | undefined} */
      let cover;
      for (const box of seen) {
        for (const [across, down] of TRIES) {
          const point = { x: box.left + (box.right - box.left) * across, y: box.top + (box.bottom - box.top) * down };
          const hit = deepest(point.x, point.y);
          if (!hit || !reaches(element, hit)) {
            cover ??= hit;
            continue;
          }
          const nested = hit === element ? null : tree.closest(hit, NESTED);
          // A button within a card is not the card.
          if (!nested || nested === element || !tree.contains(element, nested)) return { point };
          second ??= point;
        }
      }
      return second ? { point: second } : { cover: seen.length > 0 ? (cover ?? null) : undefined };
    };

    /** @type {import('./acting').Locate['drawnAround']} */
    const drawnAround = (element) => {
      let at = tree.around(element);
      for (let up = 1; at && up < AROUND_MAX && !tree.isVisible(at); up += 1) at = tree.around(at);
      return at && tree.isVisible(at) ? at : null;
    };

    /** Cut away or deaf it takes no click, though it has its size, and may lie under the label of another. @param {Element} element */
    const isOutOfReach = (element) => {
      const { clip, pointerEvents } = getComputedStyle(element);
      return pointerEvents === 'none' || CUT_AWAY.test(clip);
    };

    /** What is drawn in the place of a control that is not drawn itself. @param {Element} element */
    const standIn = (element) => {
      const hider = boxes.hiderOf(element);
      const isDrawn = !hider && (tree.isRendered(boxes.imageOf(element) ?? element) || boxes.isUnderLabel(element)) && boxesOf(element).length > 0;
      const { width, height } = boxOf(element);
      // Hidden as a single pixel, perhaps far from what is drawn for it.
      if (isDrawn && (width > 1 || height > 1) && !(bare(element).matches(TICKED) && isOutOfReach(element))) return element;
      // Its label only puts the caret there.
      if (bare(element).matches(boxes.PICKED)) return drawnAround(element) ?? (isDrawn ? element : null);
      const labels = /** @type {HTMLInputElement} */ (element).labels;
      // Transparent over what is drawn for it, it still takes the clicks.
      const isThrough = bare(element).matches(boxes.CHOICES) && bare(element).checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1;
      return [...(labels ?? [])].find((label) => tree.isVisible(label)) ?? hider?.parentElement ?? (isDrawn || isThrough ? element : null);
    };

    /** The list that folds out over the page, for one of its options too. @param {Element} element */
    const dropDown = (element) => {
      const list = element instanceof HTMLOptionElement ? element.closest('select') : element;
      return list instanceof HTMLSelectElement && !list.multiple && list.size <= 1 ? list : null;
    };

    const kindOf = (/** @type {Element} */ element) => {
      if (dropDown(element)) return 'select';
      return element instanceof HTMLInputElement && /^(?:file|color)$/.test(element.type) ? element.type : '';
    };

    const say = (/** @type {Element} */ element) => ({ role: roles.roleOf(element), name: texts.cut(roles.nameOf(element), 80) });

    const optionsOf = (/** @type {Element} */ element) =>
      element instanceof HTMLSelectElement
        ? [...element.options].slice(0, MOST_OPTIONS).map(({ label }) => texts.cut(texts.collapse(label), 40))
        : [];

    /** Something that moves is waited for, within bounds. @param {Element} element */
    const still = async (element) => {
      const moves = () => document.getAnimations().some(({ playState, effect }) => {
        const { target = null } = /** @type {KeyframeEffect} */ (effect ?? {});
        const isEndless = effect?.getComputedTiming().endTime === Infinity;
        return playState === 'running' && !isEndless && target !== null && tree.contains(target, element);
      });
      for (let waited = 0; waited < MOVING_MS && moves(); waited += FRAME_MS) await parts.get('rest').pause(FRAME_MS);
    };

    /** @type {import('./acting').Locate['locate']} */
    const locate = async ({ target, scroll = true }) => {
      const element = parts.get('refs').resolve(target);
      const about = { ...say(element), kind: kindOf(element), disabled: !tree.isEnabled(element) };
      const shown = standIn(boxes.handleOf(dropDown(element) ?? element));
      if (!shown) return { ...about, problem: 'hidden' };
      await still(shown);
      const look = () => parts.get('covers').past(shown, () => spot(shown));
      let found = await look();
      for (let round = 0; scroll && round < 2 && !found.point; round += 1) {
        await boxes.reveal(shown, () => boxesOf(shown)[0] ?? boxOf(shown), found.cover !== undefined);
        parts.get('settle_signs').reached(shown);
        found = await look();
      }
      const box = boxOf(shown);
      const at = { box: [box.left, box.top, box.width, box.height].map(Math.round) };
      if (!parts.adapter.isTopFrame) watchPointer();
      if (found.point) {
        parts.get('aim').at(element, shown);
        return { ...about, ...at, ...boxes.told(found.point) };
      }
      if (found.cover === undefined) return { ...about, ...at, problem: boxesOf(shown).length > 0 ? 'outside' : 'hidden' };
      return { ...about, ...at, problem: 'covered', ...(found.cover ? { cover: sayCover(found.cover) } : {}) };
    };

    /** Where the person's or our own pointer was last in this frame. @type {Point | undefined} */
    let pointer;
    let watches = false;
    const watchPointer = () => {
      if (watches) return;
      watches = true;
      for (const type of ['pointermove', 'mousemove', 'pointerover', 'mouseover']) {
        addEventListener(type, (event) => {
          const { clientX, clientY, isTrusted } = /** @type {MouseEvent} */ (event);
          if (isTrusted) pointer = { x: clientX, y: clientY };
        }, { capture: true, passive: true });
      }
    };

    /** @type {import('./acting').Locate['pointed']} */
    const pointed = async ({ x, y }) => {
      for (let waited = 0; waited < POINTED_MS; waited += FRAME_MS) {
        if (pointer && Math.hypot(pointer.x - x, pointer.y - y) <= NEAR_PX) return { held: true };
        await parts.get('rest').pause(FRAME_MS);
      }
      return { held: false };
    };

    /** What a person would call the thing in the way. @param {Element} cover */
    const sayCover = (cover) => {
      const around = tree.closest(cover, MODAL) ?? tree.closest(cover, CONTROLS) ?? cover;
      const { role, name } = say(around);
      const id = bare(around).id ? `#${bare(around).id}` : '';
      return { role: /^(?:|generic|none)$/.test(role) ? `${bare(around).localName}${id}` : role, name: name || texts.textOf(around, 60) };
    };

    /** @type {import('./acting').Locate['frameBox']} */
    const frameBox = async ({ place, x, y, scroll = true }) => {
      const frame = boxes.frameAt(place);
      if (!frame) throw parts.refusal('The frame it was in is gone. Look at the page again.', -32016, 'stale_ref');
      const point = () => {
        const { left, top, wide, high } = boxes.contentOf(frame);
        return { x: left + x * wide, y: top + y * high };
      };
      const around = () => {
        const { x: across, y: down } = point();
        return { left: across - 8, top: down - 8, right: across + 8, bottom: down + 8 };
      };
      if (scroll) await boxes.reveal(frame, around);
      const { at, cover: hit } = await parts.get('covers').past(frame, () => {
        const now = point();
        const there = deepest(now.x, now.y);
        return { at: now, cover: there === frame ? undefined : there };
      });
      if (hit === undefined) return boxes.told(at);
      return hit ? { problem: 'covered', cover: sayCover(hit) } : { problem: 'outside' };
    };

    /** Where this document draws its frames, each with its place. @type {import('./acting').Locate['frameBoxes']} */
    const frameBoxes = () => (displaces() ? null : tree.queryAll(document, 'iframe,frame,object,embed').flatMap((frame) => {
      const place = boxes.placeOf(frame);
      const { left, top, width, height } = boxOf(frame);
      const at = boxes.told({ x: left, y: top });
      return place < 0 ? [] : [[place, at.x, at.y, width, height]];
    }));

    /**
     * Whether what a frame shows may be drawn elsewhere than in its box: as it was before a view transition, or shifted by
     * a filter that the page lays over it. Filters of the frame itself, and of what it is in, Chrome does not apply to it.
     */
    const displaces = () =>
      parts.get('covers').isPassing() ||
      (window.length > 0 && tree.queryAll(document, '*').some(shifts));

    const shifts = (/** @type {Element} */ element) =>
      DRAWN.some((part) => getComputedStyle(element, part).backdropFilter.includes('url('));

    const controlAround = (/** @type {Element} */ hit) => tree.closest(hit, CONTROLS) ?? hit;

    return { locate, frameBox, frameBoxes, pointed, reaches, drawnAround, kindOf, optionsOf, say, sayCover, controlAround };
  };

  agent.part('locate', make);
  agent.serve('locate', (params) => agent.get('locate').locate(params));
  agent.serve('frameBox', (params) => agent.get('locate').frameBox(params));
  agent.serve('frameBoxes', () => agent.get('locate').frameBoxes());
  agent.serve('pointed', (params) => agent.get('locate').pointed(params));
  agent.serve('ping', () => ({}));
})();
