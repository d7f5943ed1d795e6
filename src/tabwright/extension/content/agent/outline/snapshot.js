/**
 * The page as an outline sees it: service `snapshot`, one flat list of nodes in the order they are shown, with how deep
 * each lies. Wrappers that say nothing are folded away; shadow roots and slots stand where they show; frames are nodes
 * that the gateway fills in by their place among `window.frames`.
 *
 * One walk over the flat tree that only reads: at most one style and layout update. Names cost most, so they are asked
 * only of what is told. What would be too much is counted instead.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** Deeper than what Chrome makes of any mark-up (512); scripts may go on. */
  const DEPTH_MAX = 600;
  const VISITED_MAX = 300_000;
  /** So many are told with name, value and states, and so many in all; of those between only what they are. */
  const TOLD_MAX = 15_000;
  const NUMBERED_MAX = 60_000;
  /** The gateway waits ten seconds: on a slow machine less is told rather than nothing. */
  const BRIEF_MS = 5_000;
  const VISITED_MS = 7_000;
  const NAMED_ROWS_MAX = 1_500;
  const TEXT_MAX = 120_000;
  const words = (/** @type {string} */ listed) => new Set(listed.split(/\s+/));

  /** Told by themselves. */
  const ALWAYS = words('heading canvas iframe alert status dialog alertdialog video audio embed progressbar meter');
  /** Told where something in them is. */
  const STRUCTURE = words(`banner navigation main complementary contentinfo search form region article list listitem table
    grid treegrid row menu menubar tablist tabpanel tree toolbar radiogroup group feed application listbox definition`);
  /** Told where text is asked for too. */
  const TEXTUAL = words('cell gridcell columnheader rowheader paragraph term blockquote caption img figure legend');
  const ROWS = words('row listitem article');
  /** Nothing without a name or text. */
  const SILENT = words('img alert status');
  /** Nothing to see below. */
  const CLOSED = words('select textarea input iframe frame object embed canvas video audio progress meter img');
  const SKIPPED = words('script style template noscript head title meta link datalist base param source track');

  class Walk {
    /** Those beyond what is told. */
    omitted = 0;
    unvisited = 0;
    /** Where the last modal dialog begins and ends among the nodes. @type {[number, number] | undefined} */
    modal;
    #began = performance.now();
    #isLate = false;
    #visited = 0;
    #numbered = 0;
    #rows = 0;
    #text = 0;
    #nodes;
    #asked;
    #tree;
    #roles;
    #unseen;
    #editors;
    /** What is behind which text. @type {Map<Element, number[] | null>} */
    #grounds = new Map();
    #shown;
    #boxes;
    #states;
    #details;
    #refs;
    #clickables;
    #paths;
    #focused;
    /** @type {Element | undefined} */
    #textBlock;
    /** So many of what is being visited are transparent. */
    #clear = 0;

    /** @param {import('../agent').Agent} parts @param {{all: boolean, viewport: boolean, detail: boolean}} asked */
    constructor(parts, asked) {
      this.#nodes = parts.get('snapshot_nodes').begin();
      this.#asked = asked;
      this.#tree = parts.get('snapshot_tree');
      this.#roles = parts.get('roles');
      this.#unseen = parts.get('unseen');
      this.#editors = parts.get('filling_editors');
      this.#shown = parts.get('snapshot_text');
      this.#boxes = parts.get('snapshot_boxes');
      this.#states = parts.get('snapshot_states');
      this.#details = parts.get('snapshot_details').begin();
      this.#refs = parts.get('refs');
      this.#clickables = parts.get('clickables').begin();
      this.#paths = parts.get('snapshot_paths').begin();
      this.#focused = this.#states.focused();
    }

    get nodes() { return this.#nodes.list; }

    get steps() { return this.#paths.steps; }

    #took() { return performance.now() - this.#began; }

    /**
     * @param {Element} element
     * @param {number} depth of what is told
     * @param {number} level of the tree
     * @param {import('./outline').Why} within something clickable, and why it is
     * @param {Element | undefined} row
     */
    visit(element, depth, level, within, row) {
      if (this.#visited % 1_024 === 1_023) this.#isLate ||= this.#took() > VISITED_MS;
      if (this.#isLate || this.#visited >= VISITED_MAX || level > DEPTH_MAX) {
        this.unvisited += 1;
        return;
      }
      this.#visited += 1;
      const own = this.#tree.bare(element);
      const tag = own.localName;
      if (SKIPPED.has(tag) || own.hasAttribute('inert')) return;
      const style = getComputedStyle(element);
      const shown = own.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (!shown && !this.#boxes.mayHold(element, style)) return;
      if (own.firstElementChild && this.#boxes.isClosedOff(element, style)) return;

      const isClear = !shown && style.display !== 'contents' && style.visibility === 'visible';
      if (isClear) this.#clear += 1;
      this.#enter(element, tag, depth, level, within, row, style, shown);
      if (isClear) this.#clear -= 1;
    }

    /** @param {Element} element @param {string} tag @param {number} depth @param {number} level @param {import('./outline').Why} within @param {Element | undefined} row @param {CSSStyleDeclaration} style @param {boolean} shown */
    #enter(element, tag, depth, level, within, row, style, shown) {
      const own = this.#tree.bare(element);
      const given = this.#roles.roleOf(element);
      const why = this.#clickables.why(element, given, within, style);
      // Who takes clicks is something, whatever it is asked to be.
      const role = why !== '' && given === 'none' ? 'generic' : given;
      // What can be dropped on may hold half of the page.
      const isPassed = why === '' || (why === 'heard' && within !== '') || (why === 'moved' && own.firstElementChild !== null);
      const inside = isPassed ? within : why;
      if (this.#told(element, role, depth, why !== '', shown, row, style)) {
        const place = this.nodes.length - 1;
        if (!this.#isWhole(element)) this.#below(element, tag, depth + 1, level, inside, ROWS.has(role) ? element : row, style);
        this.#folded(element, place, why);
      } else if (shown && this.#isStructure(element, role)) {
        const place = this.#nodes.addUnplaced(depth, role, '');
        this.#textBlock = undefined;
        this.#below(element, tag, depth + 1, level, inside, ROWS.has(role) ? element : row, style);
        if (this.nodes.length === place + 1) this.nodes.pop();
        else this.#close(element, place);
      } else {
        this.#below(element, tag, depth, level, inside, row, style);
      }
    }

    /** What is told with all that is in it, without what says the same. @param {Element} element @param {number} place @param {import('./outline').Why} why */
    #folded(element, place, why) {
      const nodes = this.#nodes;
      if (why === 'heard') nodes.demote(place);
      if (nodes.isTwice(place)) {
        nodes.unwrap(place + 1);
        this.#numbered -= 1;
      }
      const isHollow = why === 'heard' || why === 'looks' || nodes.isHolder(place) || (why === 'control' && this.#tree.shadowOf(element) !== null);
      const holdsModal = this.modal !== undefined && this.modal[0] >= place;
      if (isHollow && !holdsModal && nodes.isWrapper(place, () => this.#shown.read(element, 80) === '')) {
        nodes.unwrap(place);
        this.#numbered -= 1;
      } else this.#close(element, place);
    }

    /** Tells what is worth telling by itself. @param {Element} element @param {string} role @param {number} depth @param {boolean} clickable @param {boolean} shown @param {Element | undefined} row @param {CSSStyleDeclaration} style */
    #told(element, role, depth, clickable, shown, row, style) {
      if (!clickable && !(shown && (ALWAYS.has(role) || (this.#asked.all && role === 'img')))) return false;
      const box = this.#boxes.boxOf(element, shown);
      if (box === null || !this.#isInView(box)) return false;
      return this.#tell(element, role, depth, clickable, box, row, style);
    }

    /** @param {DOMRect} box */
    #isInView(box) {
      return !this.#asked.viewport || (box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth);
    }

    /** @param {Element} element @param {string} role */
    #isStructure(element, role) {
      if (STRUCTURE.has(role)) return true;
      if (this.#asked.all && TEXTUAL.has(role)) return true;
      return this.#isOverlay(element, role) !== '';
    }

    /** What lies over the page: '', `over`, or `modal` where the rest cannot be used. @param {Element} element @param {string} role */
    #isOverlay(element, role) {
      const own = this.#tree.bare(element);
      if (own.localName === 'dialog' && own.matches(':modal')) return 'modal';
      if (role === 'dialog' || role === 'alertdialog') return 'over';
      return own.hasAttribute('popover') && own.matches(':popover-open') ? 'over' : '';
    }

    /** @param {Element} element @param {string} role @param {number} depth @param {boolean} clickable @param {DOMRect} box @param {Element | undefined} row @param {CSSStyleDeclaration} style */
    #tell(element, role, depth, clickable, box, row, style) {
      const hasNumber = clickable || role === 'canvas' || role === 'iframe' || role === 'video' || role === 'embed';
      if (hasNumber && this.#numbered >= TOLD_MAX) return this.#brief(element, role, depth, clickable, box);
      if (hasNumber) this.#numbered += 1;
      const name = role === 'alert' || role === 'status' ? this.#shown.read(element, 200) : this.#roles.nameOf(element);
      if (SILENT.has(role) && !clickable && !name) return false;
      if (role === 'heading') this.#details.heading = name;
      const extra = this.#details.extraOf(element, role, name, clickable);
      if (this.#asked.detail && clickable) Object.assign(extra, this.#details.findableBy(element, role, name, row));
      const states = this.#states.statesOf(element, role, this.#focused);
      if (clickable) states.push(...this.#clickables.marksOf(element, style));
      this.#add(element, { depth, role, name, states: states.join(' '), clickable, extra }, box);
      return true;
    }

    /** @param {Element} element @param {Omit<import('./outline').SnapshotNode, 'number' | 'path' | 'box'>} told @param {DOMRect} box */
    #add(element, told, { x, y, width, height }) {
      this.#nodes.add({
        ...told,
        number: this.#refs.numberOf(element),
        path: this.#paths.of(element),
        box: [Math.round(x), Math.round(y), Math.round(width), Math.round(height)],
      });
    }

    /**
     * A page of tens of thousands is read by ranges of refs: names, which cost most, would not be shown. Who looks for
     * words has no use for those without.
     * @param {Element} element @param {string} role @param {number} depth @param {boolean} clickable @param {DOMRect} box
     */
    #brief(element, role, depth, clickable, box) {
      if (this.#asked.detail || this.#numbered >= NUMBERED_MAX || this.#took() > BRIEF_MS) {
        this.omitted += 1;
        return false;
      }
      this.#numbered += 1;
      this.#add(element, { depth, role, name: '', states: '', clickable, extra: {} }, box);
      return true;
    }

    /** An editor is one field, unless it has opened others. @param {Element} element */
    #isWhole(element) {
      const editors = this.#editors;
      if (!editors.isDrawn(element)) return false;
      const receiver = editors.receiver(element);
      return ![...element.querySelectorAll('input,textarea:not([readonly])')].some((each) => each !== receiver && this.#tree.isVisible(each));
    }

    /** What is known only once something in it is told. @param {Element} element @param {number} place */
    #close(element, place) {
      const node = this.#nodes.at(place);
      const { role } = node;
      const over = this.#isOverlay(element, role);
      if (over === 'modal') this.modal = [place, this.nodes.length];
      if (over) node.extra = { ...node.extra, k: over };
      if (node.path !== -1) return;
      if (!ROWS.has(role) || this.#rows < NAMED_ROWS_MAX) node.name = this.#roles.nameOf(element);
      if (ROWS.has(role)) this.#rows += 1;
      node.states = this.#states.statesOf(element, role, this.#focused).join(' ');
      node.number = this.#refs.numberOf(element);
      node.path = this.#paths.of(element);
    }

    /**
     * @param {Element} element @param {string} tag @param {number} depth @param {number} level @param {import('./outline').Why} within
     * @param {Element | undefined} row @param {CSSStyleDeclaration} style
     */
    #below(element, tag, depth, level, within, row, style) {
      if (tag === 'img' && this.#tree.bare(element).hasAttribute('usemap')) this.#areas(/** @type {HTMLImageElement} */ (element), depth, row);
      if (CLOSED.has(tag)) return;
      if (tag === 'svg' && within) {
        if (!this.#boxes.isDrawing(element)) return;
        within = '';
      }
      const isBlock = this.#asked.all && !style.display.startsWith('inline') && style.display !== 'contents';
      if (isBlock) this.#textBlock = undefined;
      const given = tag === 'slot' ? /** @type {HTMLSlotElement} */ (element).assignedNodes() : [];
      if (given.length) for (const child of given) this.#child(child, depth, level, within, row, element, style);
      else {
        // As shown: a shadow root in place of what its host holds.
        const holder = this.#tree.shadowOf(element) ?? this.#tree.bare(element);
        if (this.#asked.all) {
          for (let child = holder.firstChild; child; child = this.#tree.bare(child).nextSibling) this.#child(child, depth, level, within, row, element, style);
        } else {
          for (let child = holder.firstElementChild; child; child = this.#tree.bare(child).nextElementSibling) this.visit(child, depth, level + 1, within, row);
        }
      }
      if (isBlock) this.#textBlock = undefined;
    }

    /**
     * @param {Node} child @param {number} depth @param {number} level @param {import('./outline').Why} within @param {Element | undefined} row
     * @param {Element} parent @param {CSSStyleDeclaration} style of the parent
     */
    #child(child, depth, level, within, row, parent, style) {
      if (child.nodeType === Node.ELEMENT_NODE) this.visit(/** @type {Element} */ (child), depth, level + 1, within, row);
      else if (this.#asked.all && !within && child instanceof Text && style.visibility === 'visible') this.#addText(child, depth, parent, style);
    }

    /** Parts of a picture that lead somewhere; they have no box of their own. @param {HTMLImageElement} image @param {number} depth @param {Element | undefined} row */
    #areas(image, depth, row) {
      const name = image.useMap.replace(/^#/, '');
      const map = [...document.querySelectorAll('map')].find((each) => each.name === name);
      const box = this.#boxes.boxOf(image, true);
      if (!map || !box || !this.#isInView(box)) return;
      for (const area of map.areas) this.#tell(area, this.#roles.roleOf(area), depth, true, box, row, getComputedStyle(area));
    }

    /** @param {Element} parent @param {CSSStyleDeclaration} style */
    #isUnseen(parent, style) {
      return this.#unseen.isOutOfSight(parent, style) || this.#unseen.isCamouflaged(parent, style, this.#grounds);
    }

    /** Words of one block are one text, however many elements they are in. @param {Text} node @param {number} depth @param {Element} parent @param {CSSStyleDeclaration} style */
    #addText(node, depth, parent, style) {
      const text = node.data.replace(/\s+/g, ' ');
      if (this.#clear > 0 || this.#text > TEXT_MAX || (text.trim() && this.#isUnseen(parent, style))) return;
      const last = this.nodes[this.nodes.length - 1];
      const joins = this.#textBlock !== undefined && last?.role === 'text' && last.depth === depth;
      if (joins && last) {
        last.name += text;
      } else if (text.trim() && (!this.#asked.viewport || this.#isInView(this.#tree.bare(parent).getBoundingClientRect()))) {
        this.#nodes.addUnplaced(depth, 'text', text);
      } else return;
      this.#text += text.length;
      this.#textBlock = parent;
    }
  }

  /** A modal dialog keeps all else from being used. @param {Walk} walk */
  const reachable = (walk) => {
    if (!walk.modal) return agent.get('snapshot_reach').reachable(walk.nodes);
    const [from, to] = walk.modal;
    const nodes = walk.nodes.slice(from, to);
    const count = (/** @type {import('./outline').SnapshotNode[]} */ listed) => listed.filter((node) => node.clickable).length;
    const outer = nodes[0]?.depth ?? 0;
    return { nodes: nodes.map((node) => ({ ...node, depth: node.depth - outer })), behind: count(walk.nodes) - count(nodes) };
  };

  /** @param {{filter?: string, root?: import('../agent').Target, viewport?: boolean, detail?: boolean}} params */
  const snapshot = ({ filter = 'interactive', root, viewport = false, detail = false }) => {
    const began = performance.now();
    const walk = new Walk(agent, { all: filter === 'all', viewport, detail });
    const from = root ? agent.get('refs').resolve(root) : document.documentElement;
    if (from) walk.visit(from, 0, 0, '', undefined);
    const { nodes, behind } = reachable(walk);
    if (!detail && filter !== 'all') agent.get('snapshot_alike').tell(nodes);
    const page = document.scrollingElement ?? document.documentElement;
    return {
      agent: agent.get('refs').agent,
      title: document.title,
      language: document.documentElement?.lang ?? '',
      isPdf: document.contentType === 'application/pdf',
      view: [innerWidth, innerHeight, Math.round(scrollX), Math.round(scrollY), page?.scrollWidth ?? 0, page?.scrollHeight ?? 0],
      nodes: agent.get('snapshot_nodes').wire(nodes),
      steps: walk.steps,
      behind,
      undrawn: detail ? [] : agent.get('snapshot_undrawn').undrawn(nodes),
      omitted: walk.omitted,
      unvisited: walk.unvisited,
      ms: Math.round((performance.now() - began) * 10) / 10,
    };
  };

  agent.serve('snapshot', snapshot);
})();
