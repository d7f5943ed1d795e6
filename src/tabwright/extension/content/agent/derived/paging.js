/**
 * Pages of a list: `next_page()`, `previous_page()`, `go_to_page(page)`. A control counts as paging if it says so in
 * itself (`rel=next`, "Next page"), or if it stands where the page numbers are; a bare "Next" may belong to a wizard or to
 * a slide show.
 *
 * No description says which page this is: a definition that changes with every call would be stale at the next one.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAMED = /paginat|pager|paging|page navigation/i;
  const PARTS = 'a,button,[role=button],[role=link]';
  const SLIDES = '[aria-roledescription=carousel],[class*=carousel i],[class*=swiper i],[class*=slider i],[class*=gallery i]';
  // Arrows and what stands beside them: "Next ›".
  const AFTER = /\s*[›»→>]+$/u;
  const BEFORE = /^[‹«←<]+\s*/u;
  const NUMBER = /^(?:(?:go to )?page\s+)?(\d{1,6})$/i;
  const LOOKED_AT = 12;
  const LOOSE_MOST = 400;

  agent.part('paging', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const controls = agent.get('controls');
    const deeds = agent.get('deeds');

    const turns = (/** @type {string} */ label, /** @type {RegExp} */ arrow, /** @type {'next' | 'previous'} */ deed) => {
      const rest = label.replace(arrow, '').trim();
      return label !== '' && (rest === '' || deeds.is(rest, deed));
    };
    const isNext = (/** @type {string} */ label) => turns(label, AFTER, 'next');
    const isPrevious = (/** @type {string} */ label) => turns(label, BEFORE, 'previous');
    const pages = new RegExp(deeds.words('page').join('|'), 'iu');
    const namesPages = (/** @type {string} */ text) => pages.test(text);

    const labelOf = (/** @type {Element} */ part) => dom.nameOf(part).replace(/\s+/g, ' ').trim();

    /** Where only an arrow is drawn, what it is for stands at its list item. */
    const itemOf = (/** @type {Element} */ part) => {
      const item = bare(bare(part).parentElement);
      return item?.localName === 'li' ? dom.collapse(item.getAttribute('title') ?? item.getAttribute('aria-label') ?? '') : '';
    };

    const numberOf = (/** @type {Element} */ part) => {
      const found = NUMBER.exec(labelOf(part)) ?? NUMBER.exec(dom.textOf(part, 12));
      return found ? Number(found[1]) : null;
    };

    const isOff = (/** @type {Element} */ part) => !dom.isEnabled(part) || part.closest('.disabled,[aria-disabled=true]') !== null;

    /** @typedef {{place: Element, next: Element | null, previous: Element | null, numbers: Map<number, Element>, now: number | null}} Pager */

    /** @type {(place: Element, parts: Element[]) => Pager | null} */
    const pagerOf = (place, parts) => {
      /** @type {Map<number, Element>} */
      const numbers = new Map();
      /** @type {Element | null} */
      let next = null;
      /** @type {Element | null} */
      let previous = null;
      for (const part of parts) {
        const number = numberOf(part);
        if (number !== null) {
          if (!numbers.has(number)) numbers.set(number, part);
          continue;
        }
        const rel = part.getAttribute('rel') ?? '';
        const labels = [labelOf(part), itemOf(part)];
        if (!next && (/\bnext\b/.test(rel) || labels.some(isNext)) && !isOff(part)) next = part;
        else if (!previous && (/\bprev(ious)?\b/.test(rel) || labels.some(isPrevious)) && !isOff(part)) previous = part;
      }
      const current = bare(place).querySelector('[aria-current=page],[aria-current=true],.active,.current,.selected,.this-page,li[class*=-active]');
      const now = current ? numberOf(current) ?? Number.NaN : Number.NaN;
      if (!Number.isNaN(now)) {
        next ??= numbers.get(now + 1) ?? null;
        previous ??= numbers.get(now - 1) ?? null;
      }
      if (!next && !previous && numbers.size < 2) return null;
      return { place, next, previous, numbers, now: Number.isNaN(now) ? null : now };
    };

    /** @type {(context: import('./derived').IntrospectionContext) => Pager | null} */
    const search = (context) => {
      const { isVisible } = context;
      const map = controls.of(context);
      let looked = 0;
      for (const [place, marks] of map.places) {
        const isNamed = NAMED.test(marks);
        if (looked >= LOOKED_AT) break;
        if ((!isNamed && !bare(place).matches('nav,[role=navigation]')) || bare(place).closest(SLIDES) || !isVisible(place)) continue;
        looked += 1;
        const parts = [...bare(place).querySelectorAll(PARTS)].slice(0, 40).filter(isVisible);
        const found = pagerOf(place, parts);
        // A menu may hold a link "Next"; page numbers it does not hold.
        if (found && (isNamed || found.numbers.size > 1 || (found.next && found.previous))) return found;
      }
      const own = map.loose.slice(0, LOOSE_MOST).filter((part) => {
        if (/\b(next|prev)\b/.test(part.getAttribute('rel') ?? '')) return isVisible(part);
        const says = part.getAttribute('aria-label') ?? part.textContent ?? '';
        if (says.length > 60 || !namesPages(says)) return false;
        const label = labelOf(part);
        return (isNext(label) || isPrevious(label)) && !part.closest(SLIDES) && isVisible(part);
      });
      return own[0] ? pagerOf(bare(own[0]).parentElement ?? own[0], own) : null;
    };

    const again = () => search({ root: document, now: performance.now(), isVisible: dom.isVisible });

    return {
      find(context) {
        const pager = search(context);
        if (!pager) return [];
        /**
         * @param {string} name
         * @param {string} said
         * @param {number} score
         * @param {Element} part
         * @param {(pager: Pager | null) => Element | null | undefined} pick
         * @returns {import('./derived').Candidate}
         */
        const step = (name, said, score, part, pick) => ({
          name,
          description: `Go to the ${said} page of the list.`,
          inputSchema: { type: 'object', properties: {}, additionalProperties: false },
          annotations: {},
          score,
          element: part,
          run: () => controls.press(part.isConnected ? part : pick(again()) ?? null, { label: said, done: `Went to the ${said} page.` }),
        });
        /** @type {import('./derived').Candidate[]} */
        const tools = [];
        if (pager.next) tools.push(step('next_page', 'next', 0.62, pager.next, (found) => found?.next));
        if (pager.previous) tools.push(step('previous_page', 'previous', 0.46, pager.previous, (found) => found?.previous));
        if (pager.numbers.size > 1) {
          tools.push({
            name: 'go_to_page',
            description: 'Go to a page of the list by its number.',
            inputSchema: {
              type: 'object',
              properties: { page: { type: 'integer', minimum: 0 } },
              required: ['page'],
              additionalProperties: false,
            },
            annotations: {},
            score: 0.5,
            element: pager.place,
            async run({ page }) {
              const found = again();
              if (found?.now === page) return { text: `This is page ${page} already.` };
              const part = found?.numbers.get(Number(page));
              if (found && !part) {
                const shown = [...found.numbers.keys()].join(', ');
                return { isError: true, text: `No link to page ${page} is shown; shown are ${shown}. Go there in steps.` };
              }
              return controls.press(part ?? null, { label: `Page ${page}`, done: `Went to page ${page}.` });
            },
          });
        }
        return tools;
      },
    };
  });
})();
