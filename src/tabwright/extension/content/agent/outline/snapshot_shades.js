/**
 * What a shade over the whole page keeps from being used, where what lies over it does not say that it is a dialog: tours,
 * questions and editors that applications draw themselves. A shade lets what is below shine through, so it is no part of the
 * page's layout; and what can still be clicked is what it was laid for.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./outline').SnapshotNode} Node */

  const TRIED_MAX = 200;
  /** From the corners of the window, clear of its scroll bars. */
  const INSET_PX = 20;
  const WHOLE = 0.95;
  const SAID = /^(?:alert|status)$/;
  const PAGE = new Set(['html', 'body']);

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('snapshot_tree');
    const refs = parts.get('refs');
    const boxes = parts.get('boxes');

    const alphaOf = (/** @type {string} */ colour) =>
      Number(/^rgba\(.*,\s*([\d.]+)\)$/.exec(colour)?.[1] ?? /\/\s*([\d.]+)\)$/.exec(colour)?.[1] ?? 1);

    /** @param {Element} element */
    const isShade = (element) => {
      const { position, backgroundColor, opacity, backdropFilter } = getComputedStyle(element);
      if (!/fixed|absolute/.test(position)) return false;
      const ground = alphaOf(backgroundColor) * Number(opacity);
      return (ground > 0 && ground < 1) || backdropFilter !== 'none';
    };

    const isClear = (/** @type {Element} */ element) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      return alphaOf(backgroundColor) === 0 && backgroundImage === 'none';
    };

    /** What is hit, or the shade that shows through it: what holds a dialog in its place often fills the shade. @param {Element} hit */
    const shadeAt = (hit) => {
      let at = /** @type {Element | null} */ (hit);
      while (at && !isShade(at) && isClear(at)) at = tree.parentOf(at);
      return at && isShade(at) ? at : null;
    };

    /** Stays when the page is scrolled. @param {Element} shade */
    const isFixed = (shade) => {
      let at = /** @type {Element | null} */ (shade);
      while (at && getComputedStyle(at).position !== 'fixed') at = tree.parentOf(at);
      return at !== null;
    };

    /** One shade, or several side by side, over all that is in sight and can be scrolled to. @returns {Element[]} */
    const shades = () => {
      const [across, down] = [[INSET_PX, innerWidth - INSET_PX], [INSET_PX, innerHeight - INSET_PX]];
      const hits = new Set(across.flatMap((x) => down.map((y) => boxes.deepest(x, y))));
      const found = [...new Set([...hits].map((each) => each && shadeAt(each)))].filter((each) => each !== null);
      const areas = found.map((each) => {
        const { left, top, right, bottom } = boxes.overlap(boxes.boxOf(each), boxes.view());
        return Math.max(right - left, 0) * Math.max(bottom - top, 0);
      });
      if (areas.reduce((sum, area) => sum + area, 0) < innerWidth * innerHeight * WHOLE) return [];
      const end = (document.scrollingElement?.scrollHeight ?? 0) - scrollY;
      return found.every(isFixed) || found.some((each) => boxes.boxOf(each).bottom >= end * WHOLE) ? found : [];
    };

    /** @param {Iterable<Element>} elements */
    const withAncestors = (elements) => {
      /** @type {Set<Element>} */
      const all = new Set();
      for (const element of elements) {
        for (let at = /** @type {Element | null} */ (element); at && !all.has(at); at = tree.parentOf(at)) all.add(at);
      }
      return all;
    };

    /** All that is drawn with what is free, none of which is below a shade. @param {Element} free @param {Set<Element>} below */
    const outermost = (free, below) => {
      let at = free;
      for (let up = tree.parentOf(at); up && !below.has(up) && !PAGE.has(tree.bare(up).localName); up = tree.parentOf(up)) at = up;
      return at;
    };

    /** What is over the shades: with what stands between, as texts have no element. @param {Node[]} nodes @param {Set<Element>} over */
    const placesOver = (nodes, over) => {
      /** @type {Set<number>} */
      const kept = new Set();
      const isText = (/** @type {Node | undefined} */ node) => node?.role === 'text';
      nodes.forEach((node, place) => {
        let at = isText(node) ? null : refs.elementOf(node.number) ?? null;
        while (at && !over.has(at)) at = tree.parentOf(at);
        if (!at) return;
        kept.add(place);
        for (let before = place - 1; isText(nodes[before]); before -= 1) kept.add(before);
        for (let after = place + 1; isText(nodes[after]); after += 1) kept.add(after);
      });
      return kept;
    };

    /** @type {import('./outline').SnapshotShades['placesLeft']} */
    const placesLeft = (nodes, hitAt) => {
      const found = shades();
      if (!found.length) return null;
      const isOf = (/** @type {Element} */ hit) => {
        const shade = shadeAt(hit);
        return shade !== null && found.includes(shade);
      };
      /** @type {Element[]} */
      const free = [];
      /** @type {Element[]} */
      const below = [];
      let tried = 0;
      for (const node of nodes) {
        const reached = tried < TRIED_MAX && (node.clickable || node.role === 'iframe') ? hitAt(node) : undefined;
        const element = reached && refs.elementOf(node.number);
        if (!element) continue;
        tried += 1;
        if (reached.isFree) free.push(element);
        else if (reached.hit && isOf(reached.hit)) below.push(element);
      }
      const around = withAncestors(below);
      const used = free.filter((each) => !around.has(each) && !found.includes(each));
      // A shade alone, as while something loads, tells nothing of what can be used then.
      if (!below.length || !used.length) return null;
      // A click on the shade itself may close what lies over it.
      const kept = placesOver(nodes, new Set([...found, ...used.map((each) => outermost(each, around))]));
      nodes.forEach(({ role }, place) => { if (SAID.test(role)) kept.add(place); });
      return kept;
    };

    return { placesLeft };
  };

  agent.part('snapshot_shades', make);
})();
