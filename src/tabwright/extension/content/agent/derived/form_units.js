/**
 * What a person sees as one form: a `<form>`, or fields that stand together with the button that sends them, or a
 * field that works by itself. Finding only; no names and no actions.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Field} Field */
  /** @typedef {import('./derived').FormUnit} FormUnit */
  /** @typedef {import('./derived').IntrospectionContext} Context */
  /** @typedef {Map<Element, {buttons: Element[], found: Field[]}>} Homes */

  const UNITS_MAX = 30;
  const LOOSE_MAX = 80;
  const REPEATED = 3;
  const REPEATS_MAX = 200;
  const FIELDS_MAX = 40;
  const CLIMB = 9;
  // How deep the button of choices may lie in the part of the page that holds both.
  const BUTTON_DEEP = 4;
  const APART_MAX = 4;
  const LOOKED_AT = 2000;
  const BUTTONS_MAX = 400;
  const SUBMITS = 'button:not([type]),button[type=submit],input[type=submit],input[type=image]';
  const BUTTON_TAGS = ['button', 'input[type=submit]', 'input[type=image]', 'input[type=button]'];
  const BUTTONS = [...BUTTON_TAGS, '[role=button]'].join(',');
  // Drawn as a button, by a link that leads nowhere or by whatever hears a click: one only if it says what a button of a form says.
  const LINK_TAGS = ['a[class*=btn]', 'a[class*=button]'];
  const NOWHERE = 'a:is(:not([href]),[href="#"],[href^="javascript:"])';
  const DRAWN = [`[onclick]:is(div,span,${NOWHERE}):not([role])`, `${NOWHERE}:is([class*=btn],[class*=button]):not([role])`];
  const BARS = '[role=toolbar],nav,[role=navigation]';
  const ROWS = 'li,tr,[role=row],[role=listitem],[role=option],[role=treeitem]';
  const BORDERS = 'body,main,form,[role=main],[role=dialog],dialog';
  const PAGES = '[class*=paginat i],[class*=pager i],[aria-label*=paginat i]';
  const HEADINGS = 'h1,h2,h3,h4,h5,h6,[role=heading]';

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const fields = parts.get('fields');
    const { isAside, isNever, isPreview, isRunning, opensElse, saysDeed, saysLittle, saysSearch, saysSent } = parts.get('form_words');
    const { firstOf, isTyped, isProse, looksLikeSearch, purposeOf } = parts.get('form_purpose');

    const elementsOf = (/** @type {HTMLFormElement} */ form) => dom.bare(form).elements;

    const isSubmit = (/** @type {Element} */ button, /** @type {Context} */ context, isOther = isAside) =>
      !button.matches('[aria-haspopup],[aria-expanded],[role=radio],[role=checkbox],[role=switch],[role=tab],[role=option]') &&
      context.isVisible(button) &&
      /\p{L}/u.test(dom.nameOf(button)) &&
      !isOther(dom.nameOf(button)) &&
      !isPrefix(button);

    /** In the box of the one field that follows it, it says what that holds: "msg." or "EUR". */
    const isPrefix = (/** @type {Element} */ button) => {
      const box = dom.bare(button).parentElement;
      if (!box || dom.bare(box).matches(BORDERS) || dom.bare(box).firstElementChild !== button || dom.bare(box).childElementCount > 2 || saysSent(dom.nameOf(button))) return false;
      const [field, ...others] = fields.within(box, 2);
      return field !== undefined && others.length === 0 && !dom.contains(button, field) && isTyped(field);
    };

    const isDrawn = (/** @type {Element} */ button) => !button.matches(BUTTONS);

    /**
     * @param {{container: Element, found: Field[], buttons: Element[], form?: HTMLFormElement | null}} parts
     * @returns {FormUnit}
     */
    const unit = ({ container, found, buttons, form = null }) => ({
      container,
      fields: found.slice(0, FIELDS_MAX),
      buttons,
      form,
      repeats: [],
      purpose: purposeOf(container, found, buttons[0] ? dom.nameOf(buttons[0]) : ''),
    });

    const controlsOf = (/** @type {HTMLFormElement} */ form) => {
      const inside = fields.within(form);
      // Fields elsewhere may belong to it by their form attribute.
      const outside = dom.bare(form).hasAttribute('id')
        ? [...elementsOf(form)].filter((each) => !dom.bare(form).contains(each) && each.matches(fields.SELECTOR))
        : [];
      return [...inside, ...outside];
    };

    const buttonsOf = (/** @type {HTMLFormElement} */ form, /** @type {Context} */ context) => {
      const submits = [...elementsOf(form), ...dom.bare(form).querySelectorAll('input[type=image]')].filter(
        (each) => each.matches(SUBMITS) && isSubmit(each, context),
      );
      if (submits.length) return submits.length > 1 ? inOrder(submits, fields.collect(controlsOf(form), context.isVisible)) : submits;
      const strange = [...elementsOf(form)].filter((each) => each.matches(SUBMITS) && isSubmit(each, context, isNever));
      if (strange.length === 1) return strange;
      // Scripts may send a form by a button that is none of its own kind.
      const others = dom.queryAll(form, `${BUTTONS},${DRAWN.join()}`).filter((each) => isSubmit(each, context) && (!isDrawn(each) || saysSent(dom.nameOf(each))));
      return others.length === 1 ? others : senderOf(others, fields.collect(controlsOf(form), context.isVisible));
    };

    /** The one button that says that it sends what stands before it, or the main one of those. @type {(buttons: Element[], own: Field[]) => Element[]} */
    const senderOf = (buttons, own) => {
      const said = buttons.filter((each) => saysSent(dom.nameOf(each)) && own.every((field) => !isAbove(each, firstOf(field))));
      const main = said.filter((each) => each.matches('[class*=primary]'));
      return main.length === 1 ? main : said.length === 1 ? said : [];
    };

    /** Equal for the forms of a list, such as one "Add to cart" for every product. */
    const signatureOf = (/** @type {HTMLFormElement} */ form) => {
      let signature = '';
      for (const each of elementsOf(form)) {
        const { type, name, value, placeholder = '' } = /** @type {HTMLInputElement} */ (each);
        if (type === 'hidden' || type === 'fieldset') continue;
        // Counted names are alike: item-1, item-2. Fields that only scripts read may have none, and say what they are for.
        const says = type === 'submit' ? value || each.textContent?.slice(0, 40) : '';
        signature += `${type}:${(name || placeholder).replace(/\d+/g, '#')}:${says};`;
      }
      return signature;
    };

    const fromForms = (/** @type {Context} */ context) => {
      /** @type {Map<string, HTMLFormElement[]>} */
      const alike = new Map();
      for (const form of dom.queryAll(context.root, 'form:not([toolname])')) {
        if (!(form instanceof HTMLFormElement)) continue;
        const signature = signatureOf(form) || dom.pathOf(form);
        const group = alike.get(signature);
        if (group) group.push(form);
        else alike.set(signature, [form]);
      }
      /** @type {FormUnit[]} */
      const found = [];
      const add = (/** @type {HTMLFormElement} */ form) => {
        try {
          const own = fields.collect(controlsOf(form), context.isVisible);
          if (own.length === 0) return null;
          const made = unit({ container: form, found: own, buttons: buttonsOf(form, context), form });
          found.push(made);
          return made;
        } catch {
          // A form too strange to read: it alone is lost.
          return null;
        }
      };
      for (const forms of alike.values()) {
        if (found.length >= UNITS_MAX) {
          context.skipped = (context.skipped ?? 0) + 1;
          continue;
        }
        if (forms.length < REPEATED) forms.forEach(add);
        else {
          const shown = forms
            .slice(0, REPEATS_MAX)
            .filter((form) => context.isVisible(form) || dom.bare(form).firstElementChild);
          const first = shown.findIndex((form) => add(form) !== null);
          if (first >= 0) found[found.length - 1].repeats = shown.slice(first);
        }
      }
      return found;
    };

    /** "Next" beside the numbers of pages turns them. */
    const isOfPages = (/** @type {Element} */ button) => {
      const beside = [...(dom.bare(button).parentElement?.children ?? [])].slice(0, 20);
      return dom.closest(button, PAGES) !== null || beside.filter((each) => /^\d{1,6}$/.test(dom.bare(each).textContent?.trim() ?? '')).length > 1;
    };

    /** Which buttons outside forms each part of the page holds, so that no field has to search for its own. */
    const mapButtons = (/** @type {Context} */ context) => {
      /** @type {Map<Element, Element[]>} */
      const held = new Map();
      /** @type {Map<Element, Element | null>} */
      const bars = new Map();
      for (const button of dom.tagged(context.root, [...BUTTON_TAGS, ...LINK_TAGS], ['[role=button]', DRAWN[0]], BUTTONS_MAX)) {
        if (/** @type {HTMLButtonElement} */ (button).form || button.closest(ROWS) || dom.closest(button, 'form') || fields.isPart(button) || isOfPages(button) || (isDrawn(button) && !(button.matches(DRAWN.join()) && saysSent(dom.nameOf(button)))))
          continue;
        bars.set(button, dom.closest(button, BARS));
        let at = dom.parentOf(button);
        for (let up = 0; at && up < CLIMB; up += 1, at = dom.parentOf(at)) {
          const known = held.get(at);
          if (known) known.push(button);
          else held.set(at, [button]);
          if (dom.bare(at).matches(BORDERS)) break;
        }
      }
      return { held, bars };
    };

    /** The nearest part of the page around a field that holds a button which could send it. */
    const homeOf = (
      /** @type {Element} */ element,
      /** @type {ReturnType<typeof mapButtons>} */ { held, bars },
      /** @type {Context} */ context,
    ) => {
      const around = dom.closest(element, '[role=toolbar]');
      // A button of a tool bar works on the field outside of it, one of a navigation leads away, and what stands in a tool bar ends there.
      const isTool = (/** @type {Element} */ button) => {
        const bar = bars.get(button);
        return (bar && !dom.contains(bar, element)) || (around !== null && !dom.contains(around, button));
      };
      const isCode = fields.isCode(element);
      const isEditor = fields.kindOf(element) === 'editable';
      let at = dom.parentOf(element);
      for (let up = 0; at && up < CLIMB; up += 1, at = dom.parentOf(at)) {
        const inside = (held.get(at) ?? []).filter((each) => !isTool(each) && !(isEditor && isAbove(each, element)) && (!isCode || isRunning(dom.nameOf(each))));
        // Many buttons are a tool bar or a page, not the end of a form.
        if (inside.length > 12) return null;
        const buttons = inside.filter((each) => isSubmit(each, context));
        if (buttons.length > 0) return buttons.length <= 6 ? { container: at, buttons } : null;
        if (dom.bare(at).matches(BORDERS)) return null;
      }
      return null;
    };

    /** What stands above an editor works on its text. */
    const isAbove = (/** @type {Element} */ button, /** @type {Element} */ field) =>
      (button.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

    const fromLoose = (/** @type {Context} */ context) => {
      /** @type {Element[]} */
      const loose = [];
      for (const each of fields.within(context.root, LOOKED_AT)) {
        if (loose.length >= LOOSE_MAX * 2) break;
        if (!(/** @type {HTMLInputElement} */ (each).form ?? dom.closest(each, 'form'))) loose.push(each);
      }
      const found = fields.collect(loose, context.isVisible).slice(0, LOOSE_MAX);
      if (found.length === 0) return [];
      const held = mapButtons(context);
      /** @type {Homes} */
      const homes = new Map();
      /** @type {FormUnit[]} */
      const units = [];
      /** @type {Map<string, Field[]>} */
      const atOnce = new Map();
      const alone = (/** @type {Field} */ field) => {
        const element = firstOf(field);
        const own = { container: element, found: [field], buttons: [] };
        if (fields.isCode(field) || isProse(field)) units.push({ ...unit(own), purpose: 'set' });
        else if (isTyped(field) && !fields.takesMany(element)) units.push(unit(own));
        else {
          const heading = dom.headingOf(element);
          atOnce.set(heading, [...(atOnce.get(heading) ?? []), field]);
        }
      };
      for (const field of found) {
        const element = firstOf(field);
        // The marks and ticks of rows belong to the rows.
        if (
          !isTyped(field) &&
          element.closest(ROWS) &&
          (fields.isTick(element) || !element.closest('tr')?.querySelector('input:not([type=checkbox]),select'))
        )
          continue;
        const home = isLone(element) ? null : homeOf(element, held, context);
        if (home) {
          const known = homes.get(home.container);
          if (known) known.found.push(field);
          else homes.set(home.container, { buttons: home.buttons, found: [field] });
        } else alone(field);
      }
      absorb(homes);
      for (const [container, { buttons, found: own }] of homes) {
        // A button that another, smaller part has for its own fields is not for these.
        const free = buttons.filter((button) => !innerHome(homes, container, button));
        const ordered = inOrder(free, own);
        const button = ordered.find(isProper) ?? ordered[0];
        const section = button && sectionOf(container, button);
        const sent = button && isSentBy(container, own, button) ? own.filter((field) => !section || isAbove(section, firstOf(field))) : [];
        if (button && sent.length) units.push({ ...unit({ container, found: sent, buttons: [button] }), ...(sent.length < own.length && { section }) });
        own.filter((field) => !sent.includes(field)).forEach(alone);
      }
      // Fields without a button act as soon as they change; a few that nothing names as a whole are named one by one.
      for (const [heading, own] of atOnce) {
        const groups = heading || own.length > APART_MAX ? [own] : own.map((field) => [field]);
        for (const group of groups)
          units.push({ ...unit({ container: firstOf(group[0]), found: group, buttons: [] }), purpose: 'set' });
      }
      return merge(units).slice(0, UNITS_MAX);
    };

    /** The smaller part of the page that has fields of its own for a button. */
    const innerHome = (/** @type {Homes} */ homes, /** @type {Element} */ container, /** @type {Element} */ button) =>
      [...homes.keys()].find(
        (other) => other !== container && dom.contains(container, other) && dom.contains(other, button),
      );

    /** "Remember me" beside the button belongs to the fields above, which the button sends as well. */
    const absorb = (/** @type {Homes} */ homes) => {
      for (const [container, home] of homes) {
        const inner = new Set(home.buttons.map((button) => innerHome(homes, container, button)));
        const [only] = inner;
        const ticks = only && inner.size === 1 ? homes.get(only) : undefined;
        if (!only || !ticks || ticks.found.some((field) => fields.kindOf(field) !== 'checkbox')) continue;
        if (!home.found.some(isTyped)) continue;
        home.found.push(...ticks.found);
        homes.delete(only);
      }
    };

    const depthOf = (/** @type {Element} */ element, /** @type {Element} */ container) => {
      let deep = 0;
      for (let at = /** @type {Element | null} */ (element); at && at !== container; at = dom.parentOf(at)) deep += 1;
      return deep;
    };

    /** Those after all that is written first, and what only shows how it will look last. @type {(buttons: Element[], own: Field[]) => Element[]} */
    const inOrder = (buttons, own) => {
      const typed = own.filter(isTyped).map(firstOf);
      const rankOf = (/** @type {Element} */ button) => (isPreview(dom.nameOf(button)) ? 2 : typed.some((field) => isAbove(button, field)) ? 1 : 0);
      const ranks = new Map(buttons.map((each) => [each, rankOf(each)]));
      return [...buttons].sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
    };

    /** The heading of a button amid headed sections, as of "Go" of a price among filters: it is for the fields of its own. @type {(container: Element, button: Element) => Element | undefined} */
    const sectionOf = (container, button) => {
      const headings = dom.queryAll(container, HEADINGS).filter((each) => each.checkVisibility());
      const before = headings.findLast((each) => isAbove(each, button));
      return headings.some((each) => !isAbove(each, button) && each.localName === before?.localName) ? before : undefined;
    };

    /** Under a heading of its own a button is about something else. @type {(container: Element, own: Field[], button: Element) => boolean} */
    const isHeadedApart = (container, own, button) =>
      dom.queryAll(container, HEADINGS).some((each) => each.checkVisibility() && isAbove(each, button) && own.every((field) => isAbove(firstOf(field), each)));

    /** What is written waits for a button; a choice acts at once, unless the button that follows it is for it. */
    const isSentBy = (/** @type {Element} */ container, /** @type {Field[]} */ own, /** @type {Element} */ button) =>
      !isBesideSearch(own, dom.nameOf(button)) && (own.some((field) => ['text', 'editable', 'number'].includes(fields.kindOf(field))) ||
      (own.every((field) => !isAbove(button, firstOf(field))) && !isHeadedApart(container, own, button) &&
        (own.some(isTyped) || depthOf(button, container) <= BUTTON_DEEP)));

    /** @type {(own: Field[], button: string) => boolean} */
    const isBesideSearch = (own, button) => {
      const typed = own.filter(isTyped);
      return typed.length === 1 && looksLikeSearch(firstOf(typed[0])) && (opensElse(button) || !(saysSearch(button) || saysLittle(button) || saysDeed(button)));
    };

    /** A search field that stands in a bar of tools needs none of them. */
    const isLone = (/** @type {Element} */ element) =>
      element.matches('[type=search],[role=searchbox]') &&
      dom.closest(element, '[role=search],search,[role=toolbar],header,[role=banner],nav,[role=navigation]') !== null &&
      !dom.bare(dom.closest(element, '[role=search],search'))?.querySelector(BUTTONS);

    const isProper = (/** @type {Element} */ button) => button.matches(SUBMITS) || isDrawn(button) || button.matches('[class*=primary]');

    /** Units without a form of their own that look the same are one, repeated. */
    const merge = (/** @type {FormUnit[]} */ units) => {
      /** @type {Map<string, FormUnit[]>} */
      const alike = new Map();
      for (const each of units) {
        const told = each.fields.map((field) => fields.kindOf(field) + (dom.labelOf(firstOf(field)) || (isProse(field) && !fields.isCode(field) ? dom.headingOf(firstOf(field)) : '')));
        const key = [each.buttons[0] ? dom.nameOf(each.buttons[0]) : '', ...told].join('|');
        alike.set(key, [...(alike.get(key) ?? []), each]);
      }
      // Editors of code have no names to tell them apart by.
      const fewest = (/** @type {FormUnit} */ { fields: [field] }) => (field && fields.isCode(field) ? 2 : REPEATED);
      return [...alike.values()].flatMap((group) =>
        group.length < fewest(group[0]) ? group : [{ ...group[0], repeats: group.map((each) => each.container) }],
      );
    };

    /** @type {import('./derived').FormUnits['find']} */
    const find = (context) => [...fromForms(context), ...fromLoose(context)].slice(0, UNITS_MAX);

    /** @type {import('./derived').FormUnits['again']} */
    const again = (container, context) => {
      if (container instanceof HTMLFormElement) {
        return unit({
          container,
          found: fields.collect(controlsOf(container), context.isVisible),
          buttons: buttonsOf(container, context),
          form: container,
        });
      }
      const own = dom.bare(container).matches(fields.SELECTOR) ? [container] : fields.within(container);
      const buttons = dom.queryAll(container, BUTTONS).filter((each) => isSubmit(each, context));
      const found = fields.collect(own, context.isVisible);
      return unit({ container, found, buttons: inOrder(buttons, found).slice(0, 1) });
    };

    return { find, again };
  };

  agent.part('form_units', make);
})();
