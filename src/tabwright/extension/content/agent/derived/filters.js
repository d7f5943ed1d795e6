/**
 * Ready-made filters of a list, as `filter_by(filter)`: links or buttons that stand together in something the page itself
 * calls a filter. Where there are several groups a choice names its group: "staff status: Yes".
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAMED = /filter|facet/i;
  const CHOICES = 'a[href],button,[role=button],[role=link]';
  // What holds these is the page that is filtered, not the filter.
  const PAGE = 'main,h1,table,article,textarea';
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';
  const MOST = 40;

  agent.part('filters', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const wording = agent.get('wording');
    const controls = agent.get('controls');

    /** @type {WeakMap<import('./derived').IntrospectionContext, Element[]>} */
    const known = new WeakMap();

    /** @type {(context: import('./derived').IntrospectionContext) => Element[]} */
    const search = (context) => {
      const named = [...controls.of(context).places].filter(([, marks]) => NAMED.test(marks)).map(([place]) => place);
      /** @type {Element[]} */
      const found = [];
      for (const place of named) {
        const isInner = named.some((outer) => outer !== place && bare(outer).contains(place) && !bare(outer).querySelector(PAGE));
        if (isInner || bare(place).matches(`${CHOICES},input,body,html`)) continue;
        const count = bare(place).querySelectorAll(CHOICES).length;
        if (count < 2 || count > 200 || bare(place).querySelector(PAGE) || !context.isVisible(place)) continue;
        found.push(place);
      }
      return found;
    };

    const groupOf = (/** @type {Element} */ choice, /** @type {Element} */ place) => {
      // What stands in a heading is about all that follows.
      if (choice.closest(HEADINGS)) return '';
      const details = choice.closest('details')?.querySelector('summary');
      const group = choice.closest('[role=group],fieldset,section');
      const named = details && bare(place).contains(details) ? dom.textOf(details, 40)
        : group && bare(place).contains(group)
          ? dom.referred(group, 'aria-labelledby') || bare(group).getAttribute('aria-label') || '' : '';
      return wording.plain(named || dom.headingOf(choice)).replace(/^(by|filter by|filter)\s+/i, '');
    };

    /** @type {(places: Element[], isVisible: (element: Element) => boolean) => Map<string, Element>} */
    const choicesIn = (places, isVisible) => {
      /** @type {Map<string, Element>} */
      const found = new Map();
      /** @type {{group: string, label: string, choice: Element}[]} */
      const all = [];
      for (const place of places) {
        for (const choice of [...bare(place).querySelectorAll(CHOICES)].slice(0, MOST * 2)) {
          const label = dom.cut(wording.plain(controls.labelOf(choice)), 40);
          if (!label || choice.hasAttribute('aria-expanded') || !isVisible(choice) || !dom.isEnabled(choice)) continue;
          all.push({ group: groupOf(choice, place), label, choice });
        }
      }
      const several = new Set(all.map(({ group }) => group)).size > 1;
      for (const { group, label, choice } of all.slice(0, MOST)) {
        const name = several && group ? `${group}: ${label}` : label;
        if (!found.has(name)) found.set(name, choice);
      }
      return found;
    };

    /** @type {import('./derived').Filters['regions']} */
    const regions = (context) => {
      let found = known.get(context);
      if (!found) known.set(context, found = search(context));
      return found;
    };

    return {
      regions,
      find(context) {
        const [first] = regions(context);
        const choices = choicesIn(regions(context), context.isVisible);
        if (!first || choices.size < 2) return [];
        return [{
          name: 'filter_by',
          description: 'Show only what passes a filter of this page.',
          inputSchema: {
            type: 'object',
            properties: { filter: { type: 'string', enum: [...choices.keys()] } },
            required: ['filter'],
            additionalProperties: false,
          },
          annotations: {},
          score: 0.61,
          element: first,
          run: (args) => {
            const filter = String(args.filter);
            const now = { ...context, now: performance.now(), isVisible: dom.isVisible };
            const choice = choicesIn(search(now), dom.isVisible).get(filter);
            return controls.press(choice ?? null, { label: filter, done: `Filtered by "${filter}".` });
          },
        }];
      },
    };
  });
})();
