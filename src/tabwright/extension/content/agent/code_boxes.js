/**
 * Boxes for the single characters of one code, as of a message or an app: one field to whoever fills it in, who gives the
 * code as a whole. They are several fields of one line, each for one character; pages draw them by hand.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const BOX = 'input:is([type=text],[type=tel],[type=number],[type=password],:not([type]))';
  const NOT_SHOWN = 'input:is([type=hidden],[type=submit],[type=button])';
  const [LEAST, MOST, UP] = [4, 12, 4];
  /** Hidden ones among them. */
  const MOST_THERE = 16;
  const WIDEST = 80;
  /** What says which box it is: "Digit 1 of 6", "otp[0]", "code-3". */
  const WHICH = /[\s[\]_.,:(#-]*\d+(?:\s*(?:\/|of|von|van|de|di|sur|из|z)\s*\d+)?[\])\s]*$/i;
  /** What one box is called, not the code. */
  const SINGLE = /(?:^|[\s_-]+)(?:digit|char(?:acter)?|box|number|num|input|field|value|ziffer|zeichen|chiffre|caractère|d[ií]gito|cifra|cijfer|cyfra|цифра|数字|桁)$/i;
  const WORD = /\p{L}{2}/u;
  const APART = /[\s-]/g;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    const isShort = (/** @type {HTMLInputElement} */ input) => input.maxLength === 1 || input.getAttribute('size') === '1';

    const isForDigits = (/** @type {HTMLInputElement} */ input) => /^(?:numeric|tel)$/.test(input.inputMode) || /^(?:tel|number)$/.test(input.type);

    /** Cheap, as it is asked of every field. */
    const isLike = (/** @type {Element} */ input) =>
      input instanceof HTMLInputElement && input.matches(BOX) &&
      (isShort(input) || /\bone-time-code\b/.test(input.autocomplete) || (input.maxLength < 0 && (isForDigits(input) || WHICH.test(input.ariaLabel ?? ''))));

    /** Without a limit of their own they are small, and called alike. @param {HTMLInputElement[]} inputs */
    const areAlike = (inputs) => {
      const stems = new Set(inputs.map((each) => stemOf(each.getAttribute('aria-label') || each.name || each.id)));
      return stems.size === 1 && inputs.every((each) => each.maxLength < 0 && each.offsetWidth <= Math.min(WIDEST, each.offsetHeight * 2.5));
    };

    /** @param {HTMLInputElement[]} inputs */
    const areInLine = (inputs) => {
      const boxes = inputs.map((each) => each.getBoundingClientRect());
      return boxes.every((box, index) => {
        const before = boxes[Math.max(0, index - 1)];
        return box.width > 0 && Math.abs(box.top - before.top) < box.height / 2 && Math.abs(box.left - before.left) < box.width * 3 + 40;
      });
    };

    /** @type {import('./agent').CodeBoxes['stemOf']} */
    const stemOf = (text) => {
      const stem = dom.collapse(text).replace(WHICH, '').replace(SINGLE, '');
      return WORD.test(stem) ? stem : '';
    };

    /** @type {import('./agent').CodeBoxes['of']} */
    const of = (element) => {
      if (!isLike(element)) return null;
      for (let at = element.parentElement, up = 0; at && up < UP; at = at.parentElement, up += 1) {
        const all = at.getElementsByTagName('input');
        // Not counted: in a long table every field would count all others.
        if (all[MOST_THERE]) return null;
        const inputs = [...all].filter((each) => !each.matches(NOT_SHOWN));
        if (inputs.length < LEAST) continue;
        // The first may take all that a browser or a person pastes.
        const areBoxes = inputs.length <= MOST && inputs.every(isLike) && (inputs.slice(1).every(isShort) || areAlike(inputs));
        return areBoxes && areInLine(inputs) ? inputs : null;
      }
      return null;
    };

    /** @type {import('./agent').CodeBoxes['labelOf']} */
    const labelOf = (boxes) => {
      const around = dom.closest(boxes[0], 'fieldset,[role=group]');
      const legend = around && dom.bare(around).querySelector(':scope > legend');
      const named = around && (dom.referred(around, 'aria-labelledby') || dom.bare(around).getAttribute('aria-label') || (legend ? dom.textOf(legend, 80) : ''));
      return stemOf(dom.labelOf(boxes[0])) || dom.collapse(named || '');
    };

    /** @type {import('./agent').CodeBoxes['valueOf']} */
    const valueOf = (boxes) => boxes.map(({ value }) => value).join('');

    /** @type {import('./agent').CodeBoxes['charactersOf']} */
    const charactersOf = (text) => [...text.replace(APART, '')];

    return { of, stemOf, labelOf, valueOf, charactersOf };
  };

  agent.part('code_boxes', make);
})();
