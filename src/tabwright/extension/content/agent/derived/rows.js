/**
 * Lists as tools: `open_thread(index)`, `select_thread(index, selected)`, `archive_thread(index)`. Rows are counted from
 * 0 in reading order. A call means the row that was listed under its number: if rows moved in between, it is looked for
 * by its label, and what cannot be found is refused, never guessed. Tables and paging are composed here.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LISTS_MOST = 4;
  const LABELLED = 8;
  const EXAMPLES = 6;
  const BOX = '[type=checkbox],[role=checkbox]';
  /** What a row of a list offers beside fields. */
  const DEEDS = 'a[href],button:not([tabindex="-1"],[role],[aria-haspopup])';

  agent.part('rows', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const names = agent.get('names');
    const wording = agent.get('wording');
    const controls = agent.get('controls');

    const failed = (/** @type {string} */ text) => ({ isError: true, text });

    const isOn = (/** @type {Element} */ box) =>
      (box instanceof HTMLInputElement ? box.checked : box.getAttribute('aria-checked') === 'true');

    const isAlike = (/** @type {string} */ one, /** @type {string} */ other) => {
      if (one === other) return true;
      const ours = wording.words(one);
      const theirs = new Set(wording.words(other));
      return ours.length > 1 && ours.filter((word) => theirs.has(word)).length >= ours.length / 2;
    };

    /**
     * Finds rows by number, however often the list was rendered since.
     * @param {import('./derived').List} list
     * @param {import('./derived').RowShape} shape
     */
    const finder = (list, shape) => {
      const path = dom.pathOf(list.container);
      const { localName: tag } = bare(list.row);
      const role = bare(list.row).getAttribute('role');
      const labels = list.rows.slice(0, LABELLED).map(shape.rowLabel);
      const rowsNow = () => {
        if (bare(list.row).isConnected) return agent.get('lists').rowsOf(list.row);
        const container = bare(list.container).isConnected ? list.container : dom.byPath(path);
        const like = [...bare(container)?.children ?? []]
          .find((each) => bare(each).localName === tag && bare(each).getAttribute('role') === role);
        return like ? agent.get('lists').rowsOf(like) : [];
      };
      return {
        labels,
        /** @param {unknown} index @returns {{row: Element} | {problem: string}} */
        at(index) {
          const rows = rowsNow();
          if (rows.length === 0) return { problem: 'The list is no longer on the page. Ask for the page\'s tools again.' };
          const range = `0 to ${rows.length - 1}`;
          if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= Math.max(rows.length, list.rows.length)) {
            return { problem: `There is no row ${String(index)}: rows are ${range}.` };
          }
          const listed = list.rows[index];
          const label = labels[index];
          if (label === undefined) {
            const row = listed && bare(listed).isConnected ? listed : rows[index];
            return row ? { row } : { problem: `There is no row ${index}: rows are ${range}.` };
          }
          for (const row of [listed, rows[index]]) {
            if (row && bare(row).isConnected && rows.includes(row) && isAlike(label, shape.rowLabel(row))) return { row };
          }
          const moved = rows.slice(0, 500).filter((row) => shape.rowLabel(row) === label);
          const [row] = moved;
          return moved.length === 1 && row ? { row }
            : { problem: `Row ${index} was "${label}" and is gone: the list changed. Ask for the page's tools again.` };
        },
      };
    };

    /** A number alone says nothing about the row it stands for. */
    const isNameless = (/** @type {string[]} */ labels, /** @type {RegExp} */ name) =>
      labels.filter((label) => name.test(label)).length <= labels.length / 2;

    /** @type {(list: import('./derived').List, context: import('./derived').IntrospectionContext, base: number, isPaging: boolean) => import('./derived').Candidate[]} */
    const toolsOf = (list, context, base, isPaging) => {
      const shape = agent.get('row_parts').of(list, context);
      const { thing } = shape;
      const rows = finder(list, shape);
      if (isNameless(rows.labels, /[\p{L}\p{N}]/u) || (isPaging && isNameless(rows.labels, /\p{L}{2}/u))) return [];
      const examples = rows.labels.slice(0, EXAMPLES).map((label, index) => `${index}: ${dom.cut(label, 40)}`).join('; ');
      const more = list.count > EXAMPLES ? '; …' : '';
      const listing = `${list.count} row${list.count === 1 ? '' : 's'}: ${examples}${more}`;
      // Said once per list.
      const told = (/** @type {string} */ what) => (tools[0]
        ? { description: what, rowsAs: { first: tools[0], range: `0 to ${list.count - 1}` } } : { description: `${what} ${listing}` });
      const heading = dom.headingOf(list.container);
      const apart = (/** @type {string} */ name) =>
        (heading ? { alternatives: [names.verb(`${name.replaceAll('_', ' ')} in ${heading}`)] } : {});
      const index = { type: 'integer', minimum: 0, maximum: Math.max(0, list.count - 1), description: 'Row, counted from 0' };
      /** @type {import('./derived').Candidate[]} */
      const tools = [];

      /**
       * @param {string} name
       * @param {string} what
       * @param {number} score
       * @param {(row: Element) => Element | null} find
       * @param {string} said
       */
      const add = (name, what, score, find, said, isOpening = false) => {
        tools.push({
          name,
          ...apart(name),
          ...told(what),
          inputSchema: { type: 'object', properties: { index }, required: ['index'], additionalProperties: false },
          annotations: wording.isDestructive(said) ? { destructiveHint: true } : {},
          score,
          element: list.container,
          async run(args) {
            const found = rows.at(args.index);
            if ('problem' in found) return failed(found.problem);
            const label = shape.rowLabel(found.row);
            const part = find(found.row);
            if (!part) return failed(`Row ${args.index}, "${label}", has ${isOpening ? 'nothing to open' : `no "${said}"`}.`);
            const done = `${isOpening ? said : `Pressed "${said}" of`} row ${args.index}, "${label}".`;
            return controls.press(part, { twice: isOpening, label: said, done });
          },
        });
      };

      if (shape.mainLabel !== null) {
        const chooses = bare(list.row).getAttribute('role') === 'option';
        const verb = shape.mainLabel ? wording.phrase(wording.plain(shape.mainLabel)) : chooses ? 'choose' : 'open';
        const name = names.verb(verb.includes(' ') ? verb : `${verb} ${thing}`, `open_${thing}`);
        add(name, `${chooses ? 'Choose' : 'Open'} one ${thing} by its row.`, base, shape.mainOf,
          shape.mainLabel || (chooses ? 'Chose' : 'Opened'), !shape.mainLabel);
      }
      for (const verb of shape.verbs) {
        const phrase = wording.phrase(verb.label);
        const said = `${verb.label.charAt(0).toUpperCase()}${verb.label.slice(1)}`;
        const name = names.verb(phrase.includes(' ') || phrase === thing ? phrase : `${phrase} ${thing}`, `press_${thing}`);
        if (tools.some((tool) => tool.name === name)) continue;
        add(name, `Press "${said}" of one ${thing}.`, base - (verb.isLink ? 0.25 : 0.12), verb.find, said);
      }
      const { boxOf, boxTitle } = shape;
      if (boxOf && tools.length > 0) {
        const name = boxTitle ? names.verb(`check ${boxTitle} of ${thing}`, 'check_item') : names.verb(`select ${thing}`, 'select_item');
        tools.push({
          name,
          ...apart(name),
          ...told(`Check or uncheck ${boxTitle ? `"${boxTitle}"` : 'the box'} of one ${thing}.`),
          inputSchema: {
            type: 'object',
            properties: { index, selected: { type: 'boolean', default: true, description: 'False to uncheck' } },
            required: ['index'],
            additionalProperties: false,
          },
          annotations: {},
          score: base - 0.18,
          element: list.container,
          ticks: (box) => list.rows.some((row) => boxOf(row) === box),
          async run(args) {
            const found = rows.at(args.index);
            if ('problem' in found) return failed(found.problem);
            const box = boxOf(found.row);
            if (!box) return failed(`Row ${args.index} has no box.`);
            const label = shape.rowLabel(found.row);
            const wanted = args.selected !== false;
            const said = boxTitle ? `"${boxTitle}" of row ${args.index}, "${label}", is ${wanted ? '' : 'not '}checked.`
              : `Row ${args.index}, "${label}", is ${wanted ? '' : 'not '}selected.`;
            if (isOn(box) === wanted) return { text: said };
            const told = await controls.press(box, { label, done: said });
            // Grids draw rows anew: then the row is looked for, and where it has gone nothing more is known.
            const now = bare(box).isConnected ? { row: found.row } : rows.at(args.index);
            const after = 'row' in now ? boxOf(now.row) : null;
            return told.isError || !after || isOn(after) === wanted ? told
              : failed(`The box of row ${args.index}, "${label}", was pressed, but it is ${wanted ? 'not' : 'still'} checked.`);
          },
        });
      }
      const [only] = tools;
      if (only && tools.length === 1 && shape.mainLabel !== null) only.leads = new Set(list.rows.slice(0, LABELLED).flatMap((row) => shape.mainOf(row) ?? []));
      return tools;
    };

    /** The fields of a form one below the other are no rows to open. @type {(list: import('./derived').List, context: import('./derived').IntrospectionContext) => boolean} */
    const isOfFields = ({ rows }, { taken }) => {
      const some = rows.slice(0, LABELLED);
      const holdsField = (/** @type {Element} */ row) =>
        dom.queryAll(row, agent.get('fields').SELECTOR).some((each) => taken?.has(each) && !each.matches(BOX));
      return some.filter((row) => holdsField(row) && dom.queryAll(row, DEEDS).length === 0).length >= some.length / 2;
    };

    return {
      find(context) {
        const map = controls.of(context);
        const filters = agent.get('filters').regions(context);
        const view = innerWidth * innerHeight || 1;
        const pages = agent.get('paging').find(context);
        const isPaging = (/** @type {Element} */ container) =>
          pages.some(({ element }) => bare(container).contains(element) || bare(element).contains(container));
        const ranked = map.lists.filter((list) => !filters.some((place) => bare(place).contains(list.container)) && !isOfFields(list, context)).map((list) => {
          const around = bare(list.container);
          const box = around.getBoundingClientRect();
          const isMain = around.closest('main,[role=main],article,dialog,[role=dialog]') !== null;
          const isAside = around.closest('aside,[role=complementary],header,[role=banner],footer') !== null;
          // The list a page is about fills it.
          const size = Math.min(1, (box.width * box.height) / view);
          return { list, weight: size * 0.2 + (isMain ? 0.1 : 0) - (isAside ? 0.2 : 0) };
        }).sort((one, other) => other.weight - one.weight).slice(0, LISTS_MOST);
        const tools = ranked.flatMap(({ list, weight }, place) => toolsOf(list, context, 0.55 + weight - place * 0.06, isPaging(list.container)));
        return [...tools, ...agent.get('tables').find(context), ...pages];
      },
    };
  });
})();
