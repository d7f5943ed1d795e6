/**
 * What an open dialog keeps from being used. Few pages say it, and some say it wrongly: where clicks would go tells it, as
 * something lies over all of the page, or the page has been made deaf. What lies over the dialog in turn, as its own menus
 * and messages do, can be used.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const TRIED_MAX = 200;
  /** Of what is in sight outside of a dialog, so much may lie over it. */
  const FREE_MOST = 0.3;
  const WHOLE = 0.95;
  const DIALOG = /^(?:alert)?dialog$/;
  const SAID = /^(?:alert|status)$/;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const tree = parts.get('snapshot_tree');
    const refs = parts.get('refs');

    /** Where what belongs to a node ends. @param {import('./outline').SnapshotNode[]} nodes @param {number} place */
    const endOf = (nodes, place) => {
      let end = place + 1;
      while (end < nodes.length && nodes[end].depth > nodes[place].depth) end += 1;
      return end;
    };

    /** The point of its box that is in sight and in the middle. @param {import('./outline').SnapshotNode} node */
    const middleOf = ({ box: [x, y, width, height] }) => {
      const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
      const [right, bottom] = [Math.min(x + width, innerWidth), Math.min(y + height, innerHeight)];
      return right - left > 1 && bottom - top > 1 ? { x: (left + right) / 2, y: (top + bottom) / 2 } : null;
    };

    /** @param {Element} dialog */
    const isOverAll = (dialog) => {
      if (tree.bare(dialog).getAttribute('aria-modal') === 'true') return true;
      const { width, height } = tree.bare(dialog).getBoundingClientRect();
      return width >= innerWidth * WHOLE && height >= innerHeight * WHOLE;
    };

    /** Whether a click there reaches it, and what it reaches else; undefined for what is out of sight. @param {import('./outline').SnapshotNode} node */
    const hitAt = (node) => {
      const point = middleOf(node);
      const element = point && refs.elementOf(node.number);
      if (!point || !element) return undefined;
      const hit = parts.get('boxes').deepest(point.x, point.y);
      return { hit, isFree: hit !== null && parts.get('locate').reaches(element, hit) };
    };

    /** Where the dialogs are among the nodes; those under others are none. @param {import('./outline').SnapshotNode[]} nodes @returns {{dialog: Element, from: number, to: number}[]} */
    const dialogsIn = (nodes) => {
      const all = nodes.flatMap((node, from) => {
        const dialog = DIALOG.test(node.role) && node.extra?.k === 'over' ? refs.elementOf(node.number) : undefined;
        return dialog ? [{ dialog, from, to: endOf(nodes, from) }] : [];
      });
      const isUsed = (/** @type {{from: number, to: number}} */ { from, to }) => {
        const hits = nodes.slice(from, Math.min(to, from + TRIED_MAX)).filter((node) => node.clickable).map(hitAt).filter((each) => each !== undefined);
        return hits.length === 0 || hits.some(({ isFree }) => isFree);
      };
      const used = all.filter(isUsed);
      // Something small may lie over all that it holds.
      return used.length ? used : all;
    };

    /** What can be used of what is outside of the dialogs, where they keep the rest from it. @param {import('./outline').SnapshotNode[]} nodes @param {number[]} outside @param {Element[]} dialogs */
    const freeOf = (nodes, outside, dialogs) => {
      /** @type {Set<number>} */
      const free = new Set();
      let tried = 0;
      let isModal = dialogs.some(isOverAll);
      for (const place of outside) {
        const found = tried < TRIED_MAX ? hitAt(nodes[place]) : undefined;
        if (!found) continue;
        tried += 1;
        const { hit, isFree } = found;
        if (isFree) free.add(place);
        else if (!hit || !dialogs.some((dialog) => tree.contains(dialog, hit))) isModal = true;
      }
      return isModal && tried > 0 && free.size <= tried * FREE_MOST ? free : null;
    };

    /** @type {import('./outline').SnapshotReach['reachable']} */
    const reachable = (nodes) => {
      const dialogs = dialogsIn(nodes);
      const isWithin = (/** @type {number} */ at) => dialogs.some(({ from, to }) => at >= from && at < to);
      const outside = dialogs.length ? [...nodes.keys()].filter((at) => !isWithin(at) && (nodes[at].clickable || nodes[at].role === 'iframe')) : [];
      const free = outside.length ? freeOf(nodes, outside, dialogs.map(({ dialog }) => dialog)) : null;
      const within = free && new Set([...nodes.keys()].filter((at) => free.has(at) || isWithin(at) || SAID.test(nodes[at].role)));
      const kept = within ?? parts.get('snapshot_shades').placesLeft(nodes, hitAt);
      if (!kept) return { nodes, behind: 0 };
      // What holds something that is kept says where it is.
      for (let place = nodes.length - 1, depth = -1; place >= 0; place -= 1) {
        if (nodes[place].depth < depth) kept.add(place);
        if (kept.has(place)) depth = nodes[place].depth;
      }
      return { nodes: nodes.filter((_, place) => kept.has(place)), behind: nodes.filter((node, place) => node.clickable && !kept.has(place)).length };
    };

    return { reachable };
  };

  agent.part('snapshot_reach', make);
})();
