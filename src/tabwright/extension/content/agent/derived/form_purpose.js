/** What fields that are sent together are for: a search, a login, or anything else. Their kinds tell, and the words of their button. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  /** @typedef {import('../agent').Field} Field */

  const SENT = /\b(?:message|reply|chat|comment|ask|prompt|send|say|talk|search|to-?do|task)/i;
  const CALLED_DEED = /(?:^|[^a-z])actions?\d*$/i;
  const SEARCH_NAMES = /^(?:q|s|query|search\w*|keywords?|term|k|wd|find)$/i;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');
    const deeds = parts.get('deeds');
    const fields = parts.get('fields');
    const { saysDeed, saysLittle, saysSearch } = parts.get('form_words');

    const firstOf = (/** @type {Field} */ field) => (Array.isArray(field) ? field[0] : field);

    const isTyped = (/** @type {Field} */ field) =>
      ['text', 'combobox', 'editable'].includes(fields.kindOf(field));

    /** An editor of text, in which Enter begins a line; where messages are written it sends them. */
    const isProse = (/** @type {Field} */ field) => {
      const element = firstOf(field);
      if (fields.kindOf(field) !== 'editable' || element.getAttribute('aria-multiline') === 'false') return false;
      const said = ['aria-label', 'placeholder', 'aria-placeholder', 'data-placeholder', 'enterkeyhint'].map((name) => element.getAttribute(name));
      return !SENT.test(`${said.join(' ')} ${dom.labelOf(element)}`);
    };

    const isLogin = (/** @type {Field[]} */ found) => {
      const elements = found.map(firstOf);
      return (
        elements.filter((each) => each.matches('[type=password]')).length === 1 &&
        found.length <= 3 &&
        !elements.some((each) => each.matches('[autocomplete=new-password]'))
      );
    };

    const looksLikeSearch = (/** @type {Element} */ element) =>
      element.matches('[type=search],[role=searchbox]') ||
      SEARCH_NAMES.test(element.getAttribute('name') ?? '') ||
      /^filter\b/i.test(dom.labelOf(element)) ||
      saysSearch(dom.labelOf(element));

    const isPost = (/** @type {Element} */ container) =>
      container instanceof HTMLFormElement && /^post$/i.test(dom.bare(container).getAttribute('method') ?? '');

    /** @type {import('./derived').FormPurpose['purposeOf']} */
    const purposeOf = (container, found, submit) => {
      if (isLogin(found)) return 'login';
      const typed = found.filter(isTyped);
      if (typed.length === 0) return '';
      if (saysSearch(submit)) return 'search';
      // A field alone is no proof where the button says what is done with it.
      if (saysDeed(submit)) return '';
      if (dom.closest(container, '[role=search],search')) return 'search';
      return typed.length === 1 && !isPost(container) && looksLikeSearch(firstOf(typed[0])) ? 'search' : '';
    };

    /** A list of what is done with the rows below, as beside a search. @param {Field} field */
    const choosesDeed = (field) => {
      const list = firstOf(field);
      if (!(list instanceof HTMLSelectElement)) return false;
      return CALLED_DEED.test(list.name || list.id) || [...list.options].some(({ label }) => deeds.says(label, 'delete'));
    };

    /** @type {import('./derived').FormPurpose['onlyReads']} */
    const onlyReads = ({ purpose, container, fields: own, buttons }) =>
      purpose === 'search' &&
      !isPost(container) &&
      !own.some(choosesDeed) &&
      buttons.every((each) => saysSearch(dom.nameOf(each)) || saysLittle(dom.nameOf(each))) &&
      ((buttons[0] && saysSearch(dom.nameOf(buttons[0]))) ||
        (own.length === 1 && looksLikeSearch(firstOf(own[0]))));

    return { firstOf, isTyped, isProse, looksLikeSearch, purposeOf, onlyReads };
  };

  agent.part('form_purpose', make);
})();
