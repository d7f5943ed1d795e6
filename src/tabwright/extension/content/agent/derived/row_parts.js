/**
 * What the rows of a list consist of, learned from the first few: the control that opens a row, the buttons that every
 * row has, its checkbox, and what one row is called. All parts are found by a function of the row, so they hold for rows
 * that are rendered later.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const PARTS = 'a[href],button,summary,input,[role=button],[role=link],[role=checkbox],[role=switch],[onclick]';
  const SAMPLE = 5;
  const VERBS_MOST = 4;
  const PARTS_MOST = 24;
  const LABEL_MAX = 60;
  const AGES = /\b(?:(?:\d+|an?)\s*(?:[smhdwy]|mo|min|sec|hr|seconds?|minutes?|hours?|days?|weeks?|months?|years?|mins?|secs?|hrs?)\.?\s+ago|just now)\b/gi;
  // What is left before the name of a row: "Actions for Blue mug".
  const LEADING_TO = /\s(?:for|of|to|from|with|für|von|zu|de|du|pour|à|para|per|di|van|voor)$/;
  const MENUS = '[role=menu],[role=listbox],[class*=dropdown i],[class*=menu i],dialog:not([open]),template';
  // A text that a press turns into a field opens nothing.
  const CHANGED_IN_PLACE = '[data-pk],[data-role=x-editable],[class~=editable]';
  const CELLS = 'td,th,[role=gridcell],[role=cell]';
  const CHOOSING = /\b(?:select|choose|pick|mark|all)\b/i;
  const PLAIN_COLUMNS = new Set('name title subject id description date type status action actions link url no number'.split(' '));

  agent.part('row_parts', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const wording = agent.get('wording');
    const controls = agent.get('controls');

    const partsIn = (/** @type {Element} */ row) => dom.queryAll(row, PARTS);

    const isBox = (/** @type {Element} */ each) => controls.kindOf(each) === 'box';

    const isConstant = (/** @type {string[]} */ labels) => labels.length > 1 && new Set(labels).size <= Math.ceil(labels.length / 3);

    /** A link that names its row: in a heading or a row header, with text of its own, differing from row to row. */
    const mainScore = (/** @type {Element} */ link, /** @type {string} */ label, /** @type {boolean} */ repeats) => {
      // In a table the first column names the row; elsewhere a title is longer than an author.
      const inCell = link.closest('td,th,[role=gridcell],[role=cell]') !== null;
      let score = inCell ? 0 : Math.min(label.length, 40) / 25;
      if (link.closest('h1,h2,h3,h4,h5,h6,[role=heading]') || link.querySelector('h1,h2,h3,h4,h5,h6')) score += 4;
      if (link.closest('th,[role=rowheader]')) score += 3;
      if (controls.kindOf(link) !== 'link') score -= 1;
      if (repeats) score -= 5;
      if (/^(mailto|tel|javascript):/i.test(link.getAttribute('href') ?? '')) score -= 2;
      if (link.getAttribute('aria-hidden') === 'true' || link.getAttribute('tabindex') === '-1') score -= 2;
      return score;
    };

    const isPressed = (/** @type {Element} */ row) => bare(row).hasAttribute('onclick')
      || ['option', 'treeitem'].includes(bare(row).getAttribute('role') ?? '') || getComputedStyle(row).cursor === 'pointer';

    /** A row button's text without the row's own name: "Delete Blue mug" -> "Delete". */
    const generalOf = (/** @type {string} */ label, /** @type {string} */ row) => {
      const isNamed = row.length > 2 && label.length > row.length && label.includes(row);
      const said = wording.plain(isNamed ? label.replace(row, ' ').replace(/["'“”«»]\s*["'“”«»]/g, ' ') : label).toLowerCase();
      return isNamed ? said.replace(LEADING_TO, '') : said;
    };

    const firstText = (/** @type {Element} */ row) => {
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const node = walker.currentNode;
        if (/[\p{L}\p{N}]/u.test(node.nodeValue ?? '') && !bare(node.parentElement)?.closest('script,style')) return node;
      }
      return null;
    };

    /** The box of a row; of several the one it begins with, as the others are what it says. @param {Element[]} parts @param {Element} row */
    const boxAmong = (parts, row) => {
      const all = parts.filter(isBox);
      // What is drawn around a box says that it is one, too.
      const [first, ...others] = all.filter((each) => !all.some((other) => other !== each && bare(each).contains(other)));
      if (!first || others.length === 0) return first ?? null;
      const text = firstText(row);
      return text && first.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING ? first : null;
    };

    /** A box below a title such as "Active" is what the row says, and chooses no row. @param {Element | null} box */
    const titleOfBox = (box) => {
      const cell = box && dom.closest(box, CELLS);
      const title = cell ? agent.get('columns').titleOf(cell) : '';
      return CHOOSING.test(title) ? '' : title;
    };

    /** What a row says besides its buttons. */
    const besides = (/** @type {Element} */ row, buttons = 'button,[role=button]') => {
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      let text = '';
      for (let seen = 0; seen < 40 && text.length < LABEL_MAX && walker.nextNode(); seen += 1) {
        const parent = walker.currentNode.parentElement;
        const said = walker.currentNode.nodeValue?.trim();
        if (said && !bare(parent)?.closest(`${buttons},[role=checkbox],script,style,svg,[hidden]`)) text += ` ${said}`;
      }
      return dom.collapse(text);
    };

    /** What a part says in every row. A link is only the same if it says the very same: "Fix 1" and "Fix 2" are titles. */
    const sayingOf = (/** @type {Element} */ part, /** @type {string} */ label, /** @type {string} */ row) =>
      (controls.kindOf(part) === 'link' ? (/\d/.test(label) ? '' : label.toLowerCase()) : generalOf(label, row));

    const labelledAncestors = (/** @type {Element} */ from) => {
      /** @type {string[]} */
      const found = [];
      let at = /** @type {Element | null} */ (from);
      for (let up = 0; at && up < 5 && !bare(at).matches('main,body'); at = bare(at).parentElement, up += 1) {
        found.push((dom.referred(at, 'aria-labelledby') || bare(at).getAttribute('aria-label') || '').slice(0, LABEL_MAX));
        if (bare(at).localName === 'table') found.push((/** @type {HTMLTableElement} */ (at).caption?.textContent ?? '').slice(0, LABEL_MAX));
      }
      return found;
    };

    /** A word of the address that the page's heading uses too: /admin/auth/user/ and "Select user to change". */
    const fromAddress = (/** @type {Document} */ page) => {
      const heading = wording.words((page.querySelector('h1')?.textContent || page.title).slice(0, 200)).map(wording.singular);
      return location.pathname.toLowerCase().split('/').reverse().map((part) => wording.singular(part))
        .find((word) => /^[a-z]{3,20}$/.test(word) && heading.includes(word)) ?? '';
    };

    const fromColumn = (/** @type {Element} */ row, /** @type {Element | null} */ main) => {
      const cell = main?.closest('td,th');
      const table = cell?.closest('table');
      if (!cell || !table || cell.parentElement !== row) return '';
      const head = table.querySelector('tr:has(th)')?.children[[...row.children].indexOf(cell)];
      const [word, more] = wording.words(head ? dom.textOf(head, 40) : '');
      return word && !more && !PLAIN_COLUMNS.has(word) && /^[a-z]{3,}$/.test(word) ? wording.singular(word) : '';
    };

    const fromClasses = (/** @type {{container: Element, row: Element}} */ { container, row }) => {
      const around = [container, bare(container).parentElement].flatMap((each) => ['id', 'class']
        .map((mark) => bare(each)?.getAttribute(mark) ?? '')).join(' ').slice(0, 600);
      for (const token of [...bare(row).classList, ...around.split(/\s+/)].slice(0, 16)) {
        const found = wording.className(token);
        if (found) return found;
      }
      // A bare word may be any utility class, so the container has to say it too.
      return [...bare(row).classList].find((token) => /^[a-z]{4,}$/.test(token)
        && new RegExp(`(^|[\\s_-])${token}`, 'i').test(around)) ?? '';
    };

    /** @type {import('./derived').RowParts['thingOf']} */
    const thingOf = (list, main, page) => {
      // Rows may stand right below their heading, with nothing around them but the page.
      const labels = [...labelledAncestors(list.container), dom.headingOf(list.container), dom.headingOf(list.row)];
      for (const label of labels) {
        const found = label && wording.thing(label);
        if (found) return found;
      }
      const found = fromAddress(page) || fromClasses(list) || fromColumn(list.row, main);
      if (found) return found;
      // What is searched for stands in the title; it does not say what is found.
      if (/[?&](q|query|search|s|k|search_query)=[^&]/.test(location.search)) return 'result';
      return wording.thing(page.title.slice(0, 200).split(/\s[-–—|·•]\s/)[0] ?? '') || 'item';
    };

    /** @type {import('./derived').RowParts['of']} */
    const of = (list, context) => {
      const rows = list.rows.slice(0, SAMPLE);
      const parts = rows.map((row) => partsIn(row).slice(0, PARTS_MOST).filter((part) => controls.kindOf(part)));
      const labels = new Map(parts.flat().map((part) => [part, controls.labelOf(part)]));
      const labelOf = (/** @type {Element} */ part) => labels.get(part) ?? '';
      const counts = new Map();
      for (const row of parts) for (const label of new Set(row.map(labelOf))) counts.set(label, (counts.get(label) ?? 0) + 1);
      const isOfAll = (/** @type {string} */ label) => rows.length > 1 && (counts.get(label) ?? 0) > rows.length / 2;
      const repeats = (/** @type {Element} */ part) => isOfAll(labelOf(part));

      /** The best link or button of a row, where it can be seen. */
      const best = (/** @type {number} */ index) => {
        /** @type {Element | null} */
        let found = null;
        let top = -9;
        for (const part of parts[index] ?? []) {
          const label = labelOf(part);
          if (isBox(part) || bare(part).matches(CHANGED_IN_PLACE) || !/[\p{L}\p{N}]/u.test(label) || !context.isVisible(part)) continue;
          // A button opens the row if the row begins with what it says; after the row's text it does something to it.
          const isButton = controls.kindOf(part) === 'button';
          if (isButton && (repeats(part) || rows.length === 1 || !part.contains(firstText(rows[index] ?? part)))) continue;
          const score = mainScore(part, label, repeats(part));
          if (score > top) [found, top] = [part, score];
        }
        return found;
      };
      const shapeOf = (/** @type {Element} */ part, /** @type {Element} */ row) => {
        /** @type {string[]} */
        const steps = [];
        for (let at = /** @type {Element | null} */ (part); at && at !== row; at = bare(at).parentElement) steps.push(bare(at).localName);
        return steps.join('<');
      };
      /** Rows are opened by the same part of each: what only one row would be opened by gives way to what the others are. */
      const agreed = (/** @type {(Element | null)[]} */ found) => {
        const shapes = found.map((main, index) => (main ? shapeOf(main, /** @type {Element} */ (rows[index])) : ''));
        const common = shapes.find((shape) => shape && shapes.filter((other) => other === shape).length > rows.length / 2);
        return found.map((main, index) => (!main || !common || shapes[index] === common ? main
          : parts[index]?.find((part) => shapeOf(part, /** @type {Element} */ (rows[index])) === common
            && /[\p{L}\p{N}]/u.test(labelOf(part)) && context.isVisible(part)) ?? main));
      };
      const parted = agreed(rows.map((_, index) => best(index)));
      const [first] = rows;
      // The rows of every grid take the focus; where each has a link, that opens it.
      const isLinked = bare(first)?.getAttribute('role') === 'row' && parted.every((part) => part && controls.kindOf(part) === 'link')
        && !isConstant(parted.map((part) => (part ? labelOf(part) : '')));
      const itself = list.itself && !isLinked;
      const mains = itself ? rows : parted;
      const mainLabels = mains.map((main) => (main ? labels.get(main) ?? '' : ''));
      const constant = !itself && mains.some(Boolean) && isConstant(mainLabels);
      const whole = itself || ((constant || !mains.some(Boolean)) && first !== undefined && isPressed(first));

      const model = mains.findIndex(Boolean);
      const mainShape = model >= 0 ? shapeOf(/** @type {Element} */ (mains[model]), /** @type {Element} */ (rows[model])) : '';

      /** @type {import('./derived').RowShape['mainOf']} */
      const mainOf = (row) => {
        if (whole) return row;
        const known = mains[rows.indexOf(row)];
        if (known) return known;
        const all = partsIn(row).filter((part) => !isBox(part) && !bare(part).matches(CHANGED_IN_PLACE) && controls.kindOf(part));
        const alike = all.filter((part) => shapeOf(part, row) === mainShape);
        if (constant) return alike.find((part) => controls.labelOf(part) === mainLabels[model]) ?? null;
        // Buttons that every row has may be built as its title is.
        return alike.find((part) => !isOfAll(controls.labelOf(part))) ?? alike[0]
          ?? all.find((part) => controls.kindOf(part) === 'link') ?? null;
      };

      /** @type {import('./derived').RowShape['rowLabel']} */
      const rowLabel = (row) => {
        const main = whole || constant ? null : mainOf(row);
        const said = agent.get('split_rows').isAdvice(row) ? '' : bare(row).getAttribute('aria-label') ?? '';
        const label = main ? labels.get(main) ?? controls.labelOf(main) : said;
        if (label.length > 2 && !isOfAll(label)) return dom.cut(label, LABEL_MAX);
        const text = besides(row, itself ? 'button' : undefined) || dom.textOf(row, LABEL_MAX);
        // What ages by itself would change the tool every minute.
        return dom.cut(dom.collapse(text.replace(AGES, ' ')) || text, LABEL_MAX);
      };

      const rowLabels = rows.map(rowLabel);
      /** @type {Map<string, {label: string, times: number, part: Element}>} */
      const verbs = new Map();
      for (const [index, row] of parts.entries()) {
        const seen = new Set();
        for (const part of row) {
          if (isBox(part) || part === mains[index]) continue;
          const general = sayingOf(part, labelOf(part), rowLabels[index] ?? '');
          // An address is no verb.
          if (!/^[^/#]*\p{L}{2}/u.test(general) || seen.has(general) || general.length > 40) continue;
          // Shown while the pointer is over the row is shown; a closed menu is not.
          if (!context.isVisible(part) && part.closest(MENUS)) continue;
          seen.add(general);
          const known = verbs.get(general);
          if (known) known.times += 1;
          // A form of each row, as an amount and a button, is a tool of its own.
          else if (dom.isEnabled(part) && !context.taken?.has(part)) verbs.set(general, { label: general, times: 1, part });
        }
      }
      const enough = Math.max(1, Math.ceil(rows.length * 0.6));
      const boxes = rows.filter((row, index) => boxAmong(parts[index] ?? [], row) !== null).length;
      return {
        thing: thingOf(list, mains[0] ?? null, context.root),
        rowLabel,
        mainOf,
        mainLabel: whole ? '' : constant ? mainLabels.find(Boolean) ?? '' : mains.some(Boolean) ? '' : null,
        verbs: [...verbs.values()]
          .filter(({ times, part }) => times >= enough && (rows.length > 1 || controls.kindOf(part) === 'button')).slice(0, VERBS_MOST)
          .map(({ label, part }) => ({
            label,
            isLink: controls.kindOf(part) === 'link',
            find: (/** @type {Element} */ row) => partsIn(row)
              .find((each) => !isBox(each) && sayingOf(each, controls.labelOf(each), rowLabel(row)) === label) ?? null,
          })),
        boxOf: boxes >= enough && boxes > 0 ? (row) => boxAmong(partsIn(row), row) : null,
        boxTitle: titleOfBox(first ? boxAmong(parts[0] ?? [], first) : null),
      };
    };
    return { of, thingOf };
  });
})();
