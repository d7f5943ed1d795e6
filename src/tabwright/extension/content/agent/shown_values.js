/**
 * What a list shows that the page draws itself: the choices beside the field that is typed into, and how each is taken
 * away again.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NATIVE = 'input,select,textarea';
  // What draws a list around its input, and what of it is no choice.
  const WIDGET = /select|combo|autocomplete|picker|cascader|chosen|dropdown|value-?container/i;
  const UNSAID =
    'label,legend,input,button,[aria-hidden=true],[role=status],[aria-live],[class*=placeholder i],[class*=arrow i],[class*=indicator i],[class*=Adornment]';
  /** What is chosen, as lists draw it beside the field that is typed into, and what takes it away again. */
  const CHOSEN = /chip|(?:^|[-_\s])(?:tag|token|pill)s?(?:[-_\s]|$)|(?:single|multi)-?value|selection-(?:text|item)/i;
  const ITEM = /(?:^|[-_\s])item/i;
  const REMOVES = 'button,[role=button],[class*=remove i],[class*=delete i],[class*=close i]';
  const DROPS = '[class*=remove i],[class*=delete i]';
  const CHOSEN_UP = 3;
  const CHOSEN_MAX = 200;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    /** What stands in a part of the page beside its input. */
    const saidIn = (/** @type {Element} */ part) => {
      const said = [...part.children]
        .filter((each) => !each.matches(UNSAID) && !each.querySelector('[class*=placeholder i]'))
        .map((each) => dom.textOf(each, 200))
        .filter(Boolean);
      const own = [...part.childNodes].map((node) => (node instanceof Text ? node.data : '')).join(' ');
      return said.join(', ') || dom.collapse(own);
    };

    const isChoice = (/** @type {Element} */ each, /** @type {Element} */ field) => {
      const named = each.getAttribute('class') ?? '';
      const list = each.closest('[role=listbox]') ?? each.closest('[role=option]');
      // What can be taken away again, or stands in one list with the field, is no offer.
      const isOffered = list !== null && !list.contains(field) && each.querySelector('button,[role=button]') === null;
      return !isOffered && (CHOSEN.test(named) || (ITEM.test(named) && (each.hasAttribute('data-value') || each.querySelector(DROPS) !== null)));
    };

    /** By a button beside its words that says that it takes them away: "Remove Green". */
    const isRemovable = (/** @type {Element} */ each) => {
      const button = each.querySelector(':scope > button,:scope > [role=button]');
      const said = button ? dom.nameOf(button) : '';
      const words = button && each.closest('[role=listbox],[role=option]') === null ? wordsOf(each) : '';
      return words !== '' && said !== words && parts.get('deeds').says(said, 'delete') && (said.includes(words) || !said.includes(' '));
    };

    /** Said once more, in other words, to those who do not see it. */
    const isUnseen = (/** @type {Element} */ each) => parts.get('unseen').isOutOfSight(each, getComputedStyle(each));

    const wordsOf = (/** @type {Element} */ choice) => {
      const without = (/** @type {string} */ text, /** @type {Element} */ each) => text.replace(dom.textOf(each, 200), '').replace(/[\s×✕✖⨯]+$/u, '').trim();
      const remover = choice.querySelector(REMOVES);
      const said = remover ? without(dom.textOf(choice, 200), remover) : dom.textOf(choice, 200);
      return [...choice.querySelectorAll('*')].filter(isUnseen).reduce(without, said) || said;
    };

    /** @type {import('./agent').ShownValues['chosen']} */
    const chosen = (element) => {
      for (let at = element.parentElement, up = 0; at && up < CHOSEN_UP; at = at.parentElement, up += 1) {
        if (at.matches('form,fieldset,label,td,li,body') || [...at.querySelectorAll(NATIVE)].filter(dom.isVisible).length > 1) return [];
        const named = [...at.querySelectorAll('*')].slice(0, CHOSEN_MAX).filter((each) => (isChoice(each, element) || isRemovable(each)) && !each.contains(element) && dom.isVisible(each));
        // What holds them all may be called so, too.
        const found = named.filter((each) => !named.some((other) => other !== each && each.contains(other) && other.querySelector(REMOVES) !== null));
        const outer = found.filter((each) => !found.some((other) => other !== each && other.contains(each)));
        const told = outer.map((each) => ({ label: wordsOf(each), remover: each.querySelector(REMOVES) })).filter(({ label }) => label !== '');
        if (told.length) return told;
      }
      return [];
    };

    /** @type {import('./agent').ShownValues['shownValue']} */
    const shownValue = (element) => drawnValue(element) || chosen(element).map(({ label }) => label).join(', ');

    const drawnValue = (/** @type {Element} */ element) => {
      if (!(element instanceof HTMLInputElement)) return parts.get('snapshot_states').withoutLabel(element, element.getAttribute('role') ?? '', dom.textOf(element, 1000));
      if (element.value) return element.value;
      for (let at = element.parentElement, up = 0; at && up < 3; at = at.parentElement, up += 1) {
        // What holds nothing else only hides it.
        if (at.childElementCount === 1 && !at.textContent?.trim()) continue;
        if (!WIDGET.test(at.getAttribute('class') ?? '') || at.querySelectorAll(NATIVE).length > 1) return '';
        const text = saidIn(at);
        if (text) return dom.cut(text, 1000);
      }
      return '';
    };

    return { chosen, shownValue };
  };

  agent.part('shown_values', make);
})();
