/**
 * All that a page offers, as one list: the introspectors' candidates, the most useful first, at most 24 and the cut
 * said, names unique. Watching is cheap and off until asked for.
 *
 * 1. one pass reads the page; its introspectors share what was measured;
 * 2. while a modal dialog is open only what is in it counts, as for a person;
 * 3. a call makes a fresh pass, so that it meets the page as it is now;
 * 4. a watch makes a pass after changes: the first at once, then one in half a second at most, less often where a
 *    pass is dear, and tells only lists that differ.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('./derived').Candidate} Candidate */

  const TOOLS_MAX = 24;
  const QUIET_MS = 500;
  // A pass may take this share of the time at most.
  const REST_FACTOR = 25;
  const DESCRIPTION_MAX = 600;
  const INTROSPECTORS = /** @type {const} */ (['forms', 'actions', 'rows', 'navigation', 'reading']);

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const names = parts.get('names');
    const { digest } = parts.get('tool_shape');
    const { pause } = parts.get('rest');

    /** The dialog that covers everything else, if one is open. */
    const modal = () => {
      const open = dom
        .tagged(document, ['dialog'], ['[aria-modal=true]'])
        .filter((each) => dom.bare(each).matches('dialog:modal,[aria-modal=true]') && dom.isVisible(each));
      return open.reverse().find((dialog) => {
        if (dom.bare(dialog).matches('dialog:modal')) return true;
        // Many pages leave the attribute on what has slid away: believe it only of what is on top.
        const box = dom.bare(dialog).getBoundingClientRect();
        const top = document.elementFromPoint(
          box.left + box.width / 2,
          box.top + Math.min(box.height, innerHeight) / 2,
        );
        return top !== null && (dom.contains(dialog, top) || dom.bare(top).contains(dialog));
      });
    };

    /** @returns {import('./derived').IntrospectionContext} */
    const context = () => {
      /** @type {WeakMap<Element, boolean>} */
      const known = new WeakMap();
      const cover = modal();
      return {
        root: document,
        now: performance.now(),
        taken: new Set(),
        ...(cover ? { modal: cover } : {}),
        isVisible(element) {
          let seen = known.get(element);
          if (seen === undefined)
            known.set(element, (seen = (!cover || dom.contains(cover, element)) && dom.isVisible(element)));
          return seen;
        },
      };
    };

    /** One introspector that stumbles over a strange page must not take the others with it. */
    const findWith = (
      /** @type {typeof INTROSPECTORS[number]} */ name,
      /** @type {import('./derived').IntrospectionContext} */ pass,
    ) => {
      try {
        return parts.get(name).find(pass);
      } catch (error) {
        console.debug(`tabwright: ${name}`, error);
        return [];
      }
    };

    /** The button of a row that sends the row's form: the form's tool says more. */
    const isSaid = (/** @type {Candidate} */ row, /** @type {Candidate[]} */ found) =>
      found.some(
        (each) => each.name === row.name && /** @type {any} */ (each.inputSchema).properties?.index !== undefined,
      );

    /** Boxes that stand in rows without a mark-up of rows are the rows'. @returns {Candidate[]} */
    const unticked = (/** @type {Candidate} */ each, /** @type {Candidate[]} */ found) => {
      const isTicked = (/** @type {Element} */ box) => found.some(({ ticks }) => ticks?.(box));
      if (!each.sets?.some(isTicked)) return [each];
      return each.without && !each.sets.every(isTicked) ? [each.without(isTicked) ?? []].flat() : [];
    };

    /** A list of links that the navigation has too says nothing more. */
    const isLedTo = (/** @type {Candidate} */ each, /** @type {Candidate[]} */ found) => {
      const there = found.find(({ name, leads }) => name === 'go_to' && leads)?.leads;
      return each.name !== 'go_to' && there !== undefined && (each.leads?.size ?? 0) > 0 && [...each.leads ?? []].every((link) => there.has(link));
    };

    const collect = () => {
      const pass = context();
      /** @type {Candidate[]} */
      const found = [];
      for (const name of INTROSPECTORS) {
        // By those before it; a field that stands alone is taken by its own tool.
        const taken = new Set(pass.taken);
        const own = findWith(name, pass);
        found.push(
          ...own.filter((each) => !taken.has(each.element) && !(name === 'rows' && isSaid(each, found))),
        );
      }
      // What is there in numbers takes only the room that nothing else wants.
      const specific = found
        .filter((each) => !each.generic && !isLedTo(each, found))
        .flatMap((each) => unticked(each, found))
        .sort((one, other) => Number(one.spare ?? false) - Number(other.spare ?? false) || other.score - one.score);
      const chosen = tellApart(specific.slice(0, TOOLS_MAX));
      const left = specific.length - chosen.length + (pass.skipped ?? 0);
      const last = chosen.at(-1);
      if (last && left > 0) last.description += ` ${more(left)}`;
      return [...chosen, ...found.filter((each) => each.generic)];
    };

    // Rounded, or a list that grows by itself would change the tool's definition all the time.
    const more = (/** @type {number} */ left) =>
      `(${left < 10 ? left : `More than ${Math.floor(left / 10) * 10 - 1}`} other actions of this page are not listed.)`;

    /** Tools that say the same are told apart by where they stand, not by what they hold: that changes with every call. */
    const placesOf = (/** @type {Candidate[]} */ candidates) => {
      /** @type {Map<string, Candidate[]>} */
      const alike = new Map();
      for (const each of candidates) {
        const key = `${each.name} ${each.description}`;
        alike.set(key, [...(alike.get(key) ?? []), each]);
      }
      /** @type {Map<Candidate, number>} */
      const places = new Map();
      for (const same of [...alike.values()].filter((each) => each.length > 1)) {
        same.sort((one, other) =>
          dom.bare(one.element).compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
        );
        for (const [index, each] of same.entries()) places.set(each, index + 1);
      }
      return places;
    };

    /** Tools of one name take their headings into it; only what those cannot tell apart is counted. */
    const tellApart = (/** @type {Candidate[]} */ candidates) => {
      /** @type {Map<string, Candidate[]>} */
      const byName = new Map();
      for (const each of candidates) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
      const taken = new Set(byName.keys());
      for (const [name, same] of byName) {
        if (same.length === 1 || same.some((each) => !each.alternatives)) continue;
        for (const each of same) {
          const fits = (/** @type {string} */ other) =>
            other !== name &&
            !taken.has(other) &&
            same.filter((rival) => rival.alternatives?.includes(other)).length === 1;
          const better = each.alternatives?.find(fits);
          if (better) taken.add((each.name = better));
        }
      }
      const unique = names.unique(candidates.map((each) => each.name));
      const placed = placesOf(candidates);
      const called = new Map(candidates.map((each, index) => [each, unique[index]]));
      return candidates.map((each) => {
        const place = placed.get(each);
        const { first, range } = each.rowsAs ?? {};
        const rows = first ? ` Rows as in ${called.get(first) ?? first.name}, ${range}.` : '';
        const description = `${each.description}${rows}${place ? ` Number ${place} of these from the top.` : ''}`;
        return { ...each, name: /** @type {string} */ (called.get(each)), description };
      });
    };

    /** @returns {import('../agent').Tool} */
    const asTool = (/** @type {Candidate} */ { name, description, inputSchema, annotations, generic }) => {
      const told = { name, description: dom.cut(description, DESCRIPTION_MAX), inputSchema, annotations };
      return { ...told, source: generic ? 'generic' : 'introspection', digest: digest(JSON.stringify(told)) };
    };

    const list = () => (document.documentElement ? collect().map(asTool) : []);

    /** @type {import('./derived').Introspection['run']} */
    const run = async (name, args, listed) => {
      const candidate = collect().find((each) => each.name === name);
      if (listed !== undefined && (!candidate || asTool(candidate).digest !== listed)) {
        const said = `The page no longer offers ${name} as it was listed. List its tools again.`;
        throw agent.refusal(said, -32015, 'stale_target');
      }
      if (!candidate) return told(`This page has no ${name} now. List its tools again.`, true);
      try {
        const { text, isError = false, structured } = await candidate.run(args ?? {});
        return { ...told(text, isError), ...(structured ? { structuredContent: structured } : {}) };
      } catch (error) {
        return told(`${name} failed: ${error instanceof Error ? error.message : String(error)}`, true);
      }
    };

    /** @returns {import('../agent').CallToolResult} */
    const told = (/** @type {string} */ text, /** @type {boolean} */ isError) => ({
      content: [{ type: 'text', text }],
      ...(isError ? { isError } : {}),
    });

    /** @type {import('./derived').Introspection['watch']} */
    const watch = (onChange) => {
      let last = JSON.stringify(list());
      let isDirty = false;
      let rest = QUIET_MS;
      let isRunning = false;
      const ending = new AbortController();
      const { signal } = ending;
      /** @type {WeakSet<Node>} */
      const observed = new WeakSet();
      const options = {
        subtree: true,
        childList: true,
        characterData: true,
        attributeFilter: [
          'class',
          'style',
          'hidden',
          'open',
          'disabled',
          'readonly',
          'required',
          'type',
          'href',
          'action',
          'formaction',
          'role',
          'name',
          'id',
          'placeholder',
          'aria-label',
          'aria-hidden',
          'aria-disabled',
          'aria-modal',
          'aria-expanded',
          'aria-pressed',
        ],
      };
      const look = () => {
        isDirty = false;
        const start = performance.now();
        const tools = list();
        observeAll();
        rest = Math.max(QUIET_MS, (performance.now() - start) * REST_FACTOR);
        const now = JSON.stringify(tools);
        if (now === last) return;
        last = now;
        onChange(tools);
      };
      // Ordinary timers would do it once a minute in tabs that are not in front.
      const changed = async () => {
        isDirty = true;
        if (isRunning) return;
        isRunning = true;
        while (isDirty && !signal.aborted) {
          // Not in the observer itself: what follows in the same task belongs to the same change.
          await pause(0);
          if (signal.aborted) return;
          look();
          await pause(rest);
        }
        isRunning = false;
      };
      const observer = new MutationObserver(changed);
      const observeAll = () => {
        for (const root of dom.roots(document)) {
          if (observed.has(root)) continue;
          observed.add(root);
          observer.observe(root, options);
        }
      };
      observeAll();
      for (const type of ['load', 'popstate', 'hashchange', 'pageshow']) addEventListener(type, changed, { signal });
      // Popovers and details tell it only here.
      document.addEventListener('toggle', changed, { signal, capture: true });
      /** @type {any} */ (globalThis).navigation?.addEventListener('currententrychange', changed, { signal });
      return () => {
        observer.disconnect();
        ending.abort();
      };
    };

    return { list, run, watch };
  };

  agent.part('introspection', make);
})();
