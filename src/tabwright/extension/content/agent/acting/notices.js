/**
 * What a person would notice: messages, dialogs, the heading, what a form complains about, text that is new. Taken
 * before and after an action, the difference is its effect, in a few lines.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const LINES_MAX = 4;
  const DIALOGS = 'dialog[open],[role=dialog],[role=alertdialog]';
  const MESSAGES =
    '[role=alert],[role=status],[aria-live=polite],[aria-live=assertive],output,.messages,.messagelist,.toast,.flash,.flashes,.alert,.notice';
  const NEWS_MAX = 60;
  const TEXTS_MAX = 6;
  /** A page may give itself an address of megabytes. */
  const ADDRESS_MAX = 500;
  const FILLABLE = 'input,select,textarea,[contenteditable],[role=textbox],[role=combobox]';
  const PRESSED = 'a[href],button,[role=button]';
  const FRESH = 'New on the page: ';
  const TICKED = 'input:is([type=checkbox],[type=radio])';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const complaintsIn = parts.get('complaints').found;
    const errorsIn = (/** @type {Element | Document} */ where) => complaintsIn(where, new Map()).map(({ text }) => text);
    const textOf = (/** @type {Element} */ element, /** @type {number} */ max) =>
      parts.get('snapshot_text').joined(element, dom.textOf(element, max));
    const quote = (/** @type {string} */ text, max = 160) => `“${dom.cut(text, max)}”`;

    /** By what they say. @returns {Map<string, Element>} */
    const messages = () => {
      const shown = dom.queryAll(document, MESSAGES).slice(0, 40).filter(dom.isRendered);
      return new Map(shown.map((element) => /** @type {const} */ ([textOf(element, 200), element])).filter(([text]) => text.length > 1));
    };

    const titleOf = (/** @type {Element} */ dialog) => {
      const heading = dialog.querySelector('h1,h2,h3,h4,h5,h6,[role=heading]');
      const isNamed = dialog.matches('[aria-label],[aria-labelledby]');
      return heading && !isNamed ? dom.textOf(heading, 80) : dom.nameOf(dialog);
    };

    const dialogs = () => {
      const open = dom.queryAll(document, DIALOGS).slice(0, 20).filter(dom.isVisible);
      return new Map(open.map((dialog) => [dialog, titleOf(dialog)]));
    };

    /** @param {Iterable<Element>} [dialogs] that are told by themselves */
    const heading = (dialogs = []) => {
      const isHeading = (/** @type {Element} */ each) => dom.isVisible(each) && ![...dialogs].some((dialog) => isShownIn(dialog, each));
      const found =
        dom.queryAll(document, 'h1,[role=heading][aria-level="1"]').slice(0, 5).find(isHeading) ??
        dom.queryAll(document, 'h2').slice(0, 5).find(isHeading);
      return found ? dom.textOf(found, 100) : '';
    };

    /** Also where it is written elsewhere, as what a web component shows is. @param {Element} outer @param {Element} inner */
    const isShownIn = (outer, inner) => {
      for (let at = /** @type {Element | null} */ (inner); at; at = dom.around(at)) if (at === outer) return true;
      return false;
    };

    /** A single mark, as bullets and icons are, says nothing; a digit may count something. */
    const isSaid = (/** @type {string} */ text) => text.length > 1 || /[\p{L}\p{N}]/u.test(text);

    const isFillable = (/** @type {Element} */ element) => element.matches(FILLABLE) || element.querySelector(FILLABLE) !== null;

    /**
     * What is to be seen and was not just there before a framework drew it again, with its text if it has any.
     * @param {Set<Node>} added @param {Set<string>} removed @param {Element[]} told @returns {import('./acting').News[]}
     */
    const newlySeen = (added, removed, told) => {
      /** @type {import('./acting').News[]} */
      const found = [];
      for (const node of added) {
        const element = node instanceof Element ? node : node.parentElement;
        if (!element?.isConnected || told.some((each) => isShownIn(each, element))) continue;
        if (node.parentNode && added.has(node.parentNode)) continue;
        if (!dom.isRendered(element) || !(node instanceof Element || node instanceof Text)) continue;
        const text =
          node instanceof Element ? textOf(node, 300) : dom.collapse(node.textContent?.slice(0, 200) ?? '');
        if (isSaid(text) ? !removed.has(text) : node instanceof Element && isFillable(node)) found.push({ node, text });
        if (found.length >= NEWS_MAX) break;
      }
      return found;
    };

    /** Drawn anew elsewhere, as the words of an editor are, a text is not gone. */
    const firstGone = (/** @type {Set<string>} */ removed, /** @type {string} */ title) => {
      const told = [...removed].filter((text) => text.length > 1 && text.length < 200 && text !== title);
      const shown = told.length > 0 ? dom.collapse(document.body?.innerText ?? '') : '';
      return told.find((text) => !shown.includes(text));
    };

    const OPPOSITES = new Map([['checked', /^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/], ['selected', /^(?:tab|option)$/], ['pressed', /^button$/]]);

    /** By itself, or as what a page draws for a choice that it hides. @param {Element} element */
    const isDrawn = (element) => {
      if (dom.isRendered(element) || !element.matches(TICKED)) return dom.isRendered(element);
      const { labels, parentElement } = /** @type {HTMLInputElement} */ (element);
      return [...(labels ?? []), parentElement].some((each) => each !== null && dom.isRendered(each));
    };

    /** Into what a control was turned. @param {Set<Element>} turned */
    const turnedInto = (turned) => {
      let off = '';
      let unnamed = '';
      for (const element of turned) {
        if (!element.isConnected || !isDrawn(element)) continue;
        const role = parts.get('roles').roleOf(element);
        const states = parts.get('snapshot_states').statesOf(element, role, null)
          .filter((state) => /^(?:checked|mixed|selected|pressed|expanded|collapsed)$/.test(state));
        const not = [...OPPOSITES].find(([, roles]) => roles.test(role))?.[0];
        const now = states.join(', ') || (not ? `not ${not}` : '');
        const name = parts.get('roles').nameOf(element);
        // Of two tabs the one that was chosen says more than the one that was left.
        if (now && name && states.length) return `${role} ${quote(name, 60)} is now ${now}.`;
        if (now && name) off ||= `${role} ${quote(name, 60)} is now ${now}.`;
        else if (now) unnamed ||= `The ${role} is now ${now}.`;
      }
      return off || unnamed;
    };

    /** By which column a table is sorted now, or no longer. @param {Set<Element>} turned */
    const sortedBy = (turned) => {
      const heads = [...turned].filter((each) => each.isConnected && dom.isRendered(each));
      const nameOf = (/** @type {Element} */ head) => quote(parts.get('roles').nameOf(head), 60);
      const now = heads.find((each) => /^(?:a|de)scending$/.test(each.ariaSort ?? ''));
      if (now) return `Sorted by ${nameOf(now)}, ${now.ariaSort}.`;
      return heads[0] ? `No longer sorted by ${nameOf(heads[0])}.` : '';
    };

    /** @type {import('./acting').Notices['before']} */
    const before = (form) => ({
      url: location.href,
      title: document.title,
      heading: heading(),
      messages: messages(),
      dialogs: dialogs(),
      errors: form ? errorsIn(form) : [],
    });

    /** @type {import('./acting').Notices['describe']} */
    const describe = (earlier, seen, form) => {
      /** @type {string[]} */
      const lines = [];
      const moved = location.href !== earlier.url;
      const title = document.title === earlier.title ? '' : ` ${quote(document.title, 80)}`;
      if (moved) lines.push(`Now at ${dom.cut(location.href, ADDRESS_MAX)}${title}.`);
      else if (title) lines.push(`The title is now${title}.`);
      if (seen.download) lines.push(`A download started: ${dom.cut(seen.download, 100)}.`);
      const now = dialogs();
      for (const [dialog, name] of now) {
        if (!earlier.dialogs.has(dialog)) lines.push(`A dialog opened: ${quote(name || dom.textOf(dialog, 160))}.`);
      }
      for (const [dialog, name] of earlier.dialogs) {
        if (!now.has(dialog)) lines.push(`The dialog ${quote(name, 60)} closed.`);
      }
      // A form that is gone, or was left behind, complains no more; an old complaint counts if nothing else happened.
      const here =
        form?.isConnected && !moved
          ? complaintsIn(form, seen.refused)
          : complaintsIn(document, seen.refused).slice(0, seen.refused.size);
      const errors = here.map(({ text }) => text).filter((error) => !earlier.errors.includes(error) || lines.length === 0);
      const said = [...messages()].filter(
        ([text]) => !earlier.messages.has(text) && !errors.some((error) => error.includes(text) || text.includes(error)),
      );
      for (const [text] of said.slice(0, 2)) lines.push(`The page says: ${quote(text)}.`);
      const opened = [...now.keys()].filter((dialog) => !earlier.dialogs.has(dialog));
      const headed = heading(opened);
      // With a dialog its heading goes.
      const isBack = [...earlier.dialogs].some(([dialog, name]) => name === earlier.heading && !now.has(dialog));
      if (headed && headed !== earlier.heading && !isBack) lines.push(`The heading is now ${quote(headed, 100)}.`);
      const sorted = sortedBy(seen.sorted);
      if (sorted) lines.push(sorted);
      const came = errors.length ? [] : newlySeen(seen.added, seen.removed, [...opened, ...dom.queryAll(document, MESSAGES)]);
      const words = [...new Set(came.map(({ text }) => text).filter(isSaid))].slice(0, TEXTS_MAX).join(' · ');
      const isTold = words !== '' && lines.length < 3;
      if (isTold) lines.push(`${FRESH}${quote(words, 300)}.`);
      if (lines.length === 0 && errors.length === 0) {
        const gone = firstGone(seen.removed, earlier.title);
        const turned = turnedInto(seen.turned);
        lines.push(
          turned && !words
            ? turned
            : gone && !words
            ? `Gone from the page: ${quote(gone, 100)}.`
            : seen.changedAt > 0
              ? 'The page changed, with no new text.'
              : hasCanvas()
                ? 'Nothing changed, unless in the canvas: a screenshot shows that.'
                : 'Nothing visible changed.',
        );
      }
      // Something may be there to be pressed in a message, as to undo what it tells of.
      const usable = said.map(([, element]) => element).filter((each) => dom.queryAll(each, PRESSED).some(dom.isVisible));
      const month = parts.get('newcomers').monthOf([...seen.added, ...seen.redrawn]);
      const asNews = (/** @type {Element} */ node) => ({ node, text: '' });
      const fresh = [...[...opened, ...usable].map(asNews), ...(isTold ? came : []), ...(month ? [{ ...asNews(month), isMonth: true }] : [])];
      return { lines: lines.slice(0, LINES_MAX), navigated: moved, changed: moved || seen.changedAt > 0, errors, fresh };
    };

    /** Whether something is in sight whose picture no mark-up tells of: what is pressed may be elsewhere. */
    const hasCanvas = () => dom.queryAll(document, 'canvas').some((each) => {
      const { top, bottom, width } = each.getBoundingClientRect();
      return width > 0 && bottom > 0 && top < innerHeight && dom.isVisible(each);
    });

    /** @type {import('./acting').Notices['arrived']} */
    const arrived = () => {
      const complaints = complaintsIn(document, new Map());
      const errors = complaints.map(({ text }) => text);
      const said = [...messages().keys()].filter(
        (text) => !errors.some((error) => error.includes(text) || text.includes(error)),
      );
      const lines = [
        ...(heading() ? [`Heading: ${quote(heading(), 100)}.`] : []),
        ...said.slice(0, 2).map((text) => `The page says: ${quote(text)}.`),
        ...(errors.length ? [`Errors: ${errors.join('; ')}`] : []),
      ];
      // A form that comes back with complaints was not accepted.
      const cameBack = URL.parse(document.referrer)?.pathname === location.pathname;
      const isInForm = dom
        .queryAll(document, 'form')
        .slice(0, 20)
        .some((form) => errorsIn(form).length > 0);
      const failed = errors.length > 0 && (cameBack || isInForm);
      return { lines, failed, refused: failed ? complaints : [] };
    };

    /** @type {import('./acting').Notices['withoutFresh']} */
    const withoutFresh = (lines) => lines.filter((line) => !line.startsWith(FRESH));

    return { before, dialogs, describe, withoutFresh, arrived };
  };

  agent.part('notices', make);
})();
