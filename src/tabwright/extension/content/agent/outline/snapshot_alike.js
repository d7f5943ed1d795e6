/**
 * Controls of one name, such as "Remove", in things that are alike but no rows by their role: each is told with what its
 * own thing says besides, or nobody could tell which is which. So are those of one row that names the columns: what sorts
 * by a column is told with its name. Where nothing is said around them, their tooltips tell them apart. A heading in it is
 * told anyway; long texts are left, and so are links between words.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const CONTROLS = new Set(['button', 'checkbox', 'switch', 'generic', 'link']);
  const ROWS = new Set(['row', 'listitem', 'article']);
  const COLUMNS = 'th,[role=columnheader]';
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
  const TOLD_MOST = 100;
  const CLIMBED_MOST = 8;
  const TEXT_MOST = 160;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const { read } = parts.get('snapshot_text');
    const { elementOf } = parts.get('refs');

    /** Whether words stand right beside it: then it is one of theirs, of which there are too many. @param {import('./outline').SnapshotNode} link */
    const isInProse = ({ number }) => {
      const element = elementOf(number);
      for (let at = element && dom.parentOf(element); at; at = dom.parentOf(at)) {
        if ([...at.childNodes].some((each) => each instanceof Text && each.data.trim() !== '')) return true;
        if (getComputedStyle(at).display !== 'inline') return false;
      }
      return true;
    };

    /** @param {import('./outline').SnapshotNode} node */
    const isOfColumn = ({ number }) => {
      const element = elementOf(number);
      return element !== undefined && dom.closest(element, COLUMNS) !== null;
    };

    /** Those of one role and name, which no row around them tells apart. @param {import('./outline').SnapshotNode[]} nodes */
    const groupsOf = (nodes) => {
      /** Those in a row, by its number, and those in none, which is 0. @type {Map<string, {row: number, group: import('./outline').SnapshotNode[]}>} */
      const groups = new Map();
      let [within, rows] = [Infinity, 0];
      for (const node of nodes) {
        const { depth, role, name, clickable } = node;
        const isIn = depth > within;
        // Something clicked is told with its text, as a row is.
        if (!isIn) within = ROWS.has(role) || (role === 'generic' && clickable && name !== '') ? depth : Infinity;
        if (!isIn && within === depth) rows += 1;
        if (!clickable || name === '' || !CONTROLS.has(role)) continue;
        if (role === 'link' && (isIn || isInProse(node))) continue;
        const row = isIn ? rows : 0;
        const key = `${row} ${role} ${name}`;
        const known = groups.get(key);
        if (known) known.group.push(node);
        else groups.set(key, { row, group: [node] });
      }
      const told = [...groups.values()].filter(({ row, group }) => group.length > 1 && group.length <= TOLD_MOST && (row === 0 || group.every(isOfColumn)));
      return told.map(({ group }) => group);
    };

    /** @param {Element} element @returns {Element[]} it and what is around it, from the inside */
    const around = (element) => {
      const all = [element];
      for (let at = dom.parentOf(element); at && all.length < CLIMBED_MOST; at = dom.parentOf(at)) all.push(at);
      return all;
    };

    /** What each of them has to itself, from the inside. @param {Element[]} elements @returns {Element[][]} */
    const thingsOf = (elements) => {
      const lines = elements.map(around);
      /** @type {Map<Element, number>} */
      const counts = new Map();
      for (const each of lines.flat()) counts.set(each, (counts.get(each) ?? 0) + 1);
      return lines.map((line) => {
        const shared = line.findIndex((each) => (counts.get(each) ?? 0) > 1);
        return line.slice(1, Math.max(shared, 1));
      });
    };

    /**
     * What stands beside a control of this name in things around it. What every such thing offers to press does not tell
     * them apart; the name of a box stands in its label.
     * @param {Element[]} things @param {string} name @param {Set<Element>} pressed
     */
    const textsOf = (things, name, pressed) => things.map((thing) => (thing.querySelector(HEADINGS) ? '' : read(thing, TEXT_MOST, false, pressed).replace(name, '').trim()));

    /** What shows beside it when it is pointed at. @param {Element | undefined} element @param {string} name */
    const titleOf = (element, name) => {
      const title = element?.getAttribute('title')?.trim() ?? '';
      return title === name ? '' : title;
    };

    /** @type {import('./outline').SnapshotAlike['tell']} */
    const tell = (nodes) => {
      const groups = groupsOf(nodes);
      const pressed = new Set(groups.flat().filter(({ role }) => role === 'button').flatMap(({ number }) => elementOf(number) ?? []));
      for (const group of groups) {
        const elements = group.map((node) => elementOf(node.number));
        if (elements.some((each) => each === undefined)) continue;
        const names = group.map(({ name }) => name);
        const texts = thingsOf(/** @type {Element[]} */ (elements)).map((things, at) => [...textsOf(things, group[at]?.role === 'button' ? '' : names[at] ?? '', pressed), titleOf(elements[at], names[at] ?? '')]);
        /** How many of them say it. @type {Map<string, number>} */
        const counts = new Map();
        for (const text of texts.flatMap((said) => [...new Set(said)])) counts.set(text, (counts.get(text) ?? 0) + 1);
        for (const [at, node] of group.entries()) {
          const own = texts[at]?.find((text) => text !== '' && counts.get(text) === 1);
          if (own !== undefined && own.length < TEXT_MOST - 1) node.extra = { ...node.extra, row: own };
        }
      }
    };

    return { tell };
  };

  agent.part('snapshot_alike', make);
})();
