/** What a form complains of: fields that were refused, and what is written beside them, as `label: message`; and what there is to correct. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const ERRORS = `.error,.errors,.errorlist,.errornote,.invalid-feedback,.field-error,.form-error,.form-errors,
    .field-validation-error,.validation-error,.error-message,.error-text,.text-danger,.Mui-error,.help.is-danger,
    [class*=errorMessage],[class*=ErrorMessage],[class*=error-msg],[class*=FieldError],[class*=fieldError]`;

  const MOST = 8;

  agent.part('complaints', (parts) => {
    const dom = parts.get('dom');

    /** The field an error stands at, if it stands at one. */
    const fieldNear = (/** @type {Element} */ error) => {
      for (let at = error.parentElement, up = 0; at && up < 3; at = at.parentElement, up += 1) {
        const near = at.querySelectorAll('input:not([type=hidden]):not([type=submit]),select,textarea');
        if (near.length > 0) return near.length === 1 ? near[0] : undefined;
      }
      return undefined;
    };

    const isOne = (/** @type {Element} */ one, /** @type {Element} */ other) =>
      one === other || (other.matches('input[type=radio]') && one.getAttribute('name') === other.getAttribute('name'));

    /** What describes a refused field: its help and its complaint often stand side by side, and only one is news. */
    const complaint = (/** @type {Element} */ field) => {
      const root = /** @type {Document | ShadowRoot} */ (field.getRootNode());
      const ids = (field.getAttribute('aria-describedby') ?? '').split(/\s+/).filter(Boolean);
      const said = ids.map((id) => root.querySelector(`#${CSS.escape(id)}`)).filter((each) => each !== null);
      const blunt = said.filter((each) => each.matches(`${ERRORS},[role=alert],[aria-live]`));
      return (blunt.length > 0 ? blunt : said).map((each) => dom.textOf(each, 160)).join(' ');
    };

    /** @type {import('./acting').Complaints['found']} */
    const found = (where, refused) => {
      /** @type {import('./acting').Complaint[]} */
      const told = [];
      const add = (/** @type {string} */ text, /** @type {Element} */ at, /** @type {Element | undefined} */ field) => {
        const clean = dom.cut(dom.collapse(text), 160);
        // Each of several fields may be required, but the choices of one together.
        const isTold = told.some((each) => each.text.includes(clean) && (!field || isOne(each.at, field)));
        if (isTold || (clean.match(/\p{L}/gu)?.length ?? 0) < 3) return;
        const label = field ? dom.labelOf(field) : '';
        told.push({ text: label && !clean.startsWith(label) ? `${label}: ${clean}` : clean, at: field ?? at });
      };
      for (const [field, text] of refused) add(text, field, field);
      for (const field of dom.queryAll(where, '[aria-invalid=true]').slice(0, 20)) {
        if (!dom.isRendered(field)) continue;
        add(
          dom.referred(field, 'aria-errormessage', 160) ||
            complaint(field) ||
            /** @type {HTMLInputElement} */ (field).validationMessage ||
            'is not accepted',
          field,
          field,
        );
      }
      for (const element of dom.queryAll(where, ERRORS).slice(0, 40)) {
        if (
          element.matches('input,select,textarea,label') ||
          element.querySelector('input,select,textarea') ||
          !dom.isVisible(element)
        )
          continue;
        add(dom.textOf(element, 160), element, fieldNear(element));
      }
      return told.slice(0, MOST);
    };

    return { found };
  });
})();
