/**
 * The nodes of an outline while a page is walked, in the order they are shown, with how deep each lies; and what is known
 * of one only when all that is in it is told: that it says nothing more than that, or only listens for it.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./outline').SnapshotNode} Node */

  /** Something with a listener that holds so many others listens for them. */
  const DELEGATES = 3;
  /** Around a control and a picture or text of it. */
  const WRAPPED_MAX = 2;
  /** With one control in them that says all they say, as the days of a calendar are. */
  const HOLDERS = new Set(['cell', 'gridcell', 'listitem']);
  const MOVED = /\bdr(?:agg|opp)able\b/;
  const TYPED = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'checkbox', 'radio', 'switch', 'date', 'slider']);
  const PRESSED = new Set(['button', 'option', 'menuitem', 'tab']);
  const ICONS_OF = new Set([...PRESSED, 'link', 'checkbox', 'radio', 'switch']);
  const NOWHERE = /** @type {[number, number, number, number]} */ ([0, 0, 0, 0]);

  /** Whether a press in the middle of one is a press on the other. @param {Node['box']} box @param {Node['box']} around */
  const isInMiddle = ([left, top, width, height], [x, y, across, down]) => {
    const [middle, centre] = [x + across / 2, y + down / 2];
    return left <= middle && middle <= left + width && top <= centre && centre <= top + height;
  };

  const isSame = (/** @type {Node} */ one, /** @type {Node} */ other) =>
    one.role === other.role && one.name === other.name && one.clickable === other.clickable;

  class Nodes {
    /** @type {Node[]} */
    list = [];

    /** @param {Node} node */
    add(node) { return this.list.push(node) - 1; }

    /** @param {number} depth @param {string} role @param {string} name */
    addUnplaced(depth, role, name) {
      return this.add({ depth, role, name, states: '', clickable: false, number: 0, path: -1, box: NOWHERE, extra: undefined });
    }

    /** @param {number} place @returns {Node} */
    at(place) { return /** @type {Node} */ (this.list[place]); }

    /** @param {number} place */
    demote(place) {
      // A title that sorts does so whatever else stands in it.
      if (this.at(place).role === 'columnheader') return;
      let inner = 0;
      for (let at = place + 1; at < this.list.length && inner < DELEGATES; at += 1) inner += this.at(at).clickable ? 1 : 0;
      if (inner === DELEGATES) this.at(place).clickable = false;
    }

    /** @param {number} place */
    isHolder(place) { return HOLDERS.has(this.at(place).role); }

    /** @param {number} place @param {() => boolean} isSilent */
    isWrapper(place, isSilent) {
      const { role, name, states } = this.at(place);
      const inner = this.list.slice(place + 1, place + 2 + WRAPPED_MAX);
      const [control] = inner;
      if (!control) return false;
      if (role === 'generic' && name !== '' && control.name === name && PRESSED.has(control.role) && this.#holdsAll(place + 1)) return true;
      if (HOLDERS.has(role) && inner.length === 1 && !MOVED.test(states) && control.clickable && (name === '' || control.name === name)) return true;
      if (role !== 'generic' || inner.length > WRAPPED_MAX) return false;
      // The rail that thumbs are moved along.
      if (inner.every((each) => each.role === 'slider') && isSilent()) return true;
      const pressed = inner.filter((each) => each.clickable);
      if (TYPED.has(control.role) && control.name === name && name !== '') return true;
      if (control.clickable && control.role === 'generic') return false;
      if (pressed.length === inner.length && name === pressed.map((each) => each.name).join(' ')) return true;
      // A box without a name is that of what it stands in.
      const isNamed = control.name !== '' || name === '';
      return pressed.length === 1 && ((TYPED.has(control.role) && isNamed) || (control.clickable && isSilent()));
    }

    /** Whether all that was told after it is in it. @param {number} place */
    #holdsAll(place) {
      const { depth } = this.at(place);
      for (let at = place + 1; at < this.list.length; at += 1) if (this.at(at).depth <= depth) return false;
      return true;
    }

    /** @param {number} place */
    isTwice(place) {
      const [outer, inner, more] = this.list.slice(place, place + 3);
      if (!outer || !inner) return false;
      // A tab within a tab may hold what closes it.
      if (more) return PRESSED.has(outer.role) && outer.name !== '' && isSame(outer, inner) && outer.states === inner.states && isInMiddle(inner.box, outer.box) && this.#holdsAll(place + 1);
      // The icon that a button is, heard by itself.
      if (inner.role === 'generic' && ICONS_OF.has(outer.role)) return outer.clickable && inner.clickable && inner.states === '' && isInMiddle(inner.box, outer.box);
      if (!isSame(outer, inner)) return false;
      if (TYPED.has(outer.role)) return outer.states === inner.states;
      return PRESSED.has(outer.role) && outer.name !== '' && inner.states === '' && isInMiddle(inner.box, outer.box);
    }

    /** @param {number} place */
    unwrap(place) {
      this.list.splice(place, 1);
      for (let at = place; at < this.list.length; at += 1) this.at(at).depth -= 1;
    }
  }

  /** @type {import('./outline').SnapshotNodesPart['wire']} */
  const wire = (nodes) => nodes.map(({ depth, role, name, states, clickable, number, path, box, extra }) => (
    [depth, role, name, states, clickable ? 1 : 0, number, path, ...box, extra]));

  agent.part('snapshot_nodes', () => ({ begin: () => new Nodes(), wire }));
})();
