/** A formula as a line of text: as its maker wrote it where that is told, else with signs for powers, fractions and roots. */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const SOURCE = 'annotation[encoding*="tex" i]';
  const FORMULA_MOST = 400;

  agent.part('text_math', () => {
    const { collapse, cut } = agent.get('texts');

    /** In brackets where it is more than one sign or number. */
    const whole = (/** @type {string} */ text) => (/^[\p{L}\d.,]*$/u.test(text) ? text : `(${text})`);

    /** @type {(element: Element) => string} */
    const spelt = (element) => {
      const parts = [...element.children].filter(({ localName }) => !localName.startsWith('annotation')).map(spelt);
      const [one = '', two = '', three = ''] = parts;
      switch (element.localName) {
        case 'msup': case 'mover': return `${whole(one)}^${whole(two)}`;
        case 'msub': case 'munder': return `${whole(one)}_${whole(two)}`;
        case 'msubsup': case 'munderover': return `${whole(one)}_${whole(two)}^${whole(three)}`;
        case 'mfrac': return `${whole(one)}/${whole(two)}`;
        case 'msqrt': return `√${whole(parts.join(''))}`;
        case 'mroot': return `${whole(one)}^(1/${two})`;
        case 'mtr': return parts.join(' ');
        case 'mtable': return parts.join('; ');
        default: return parts.length ? parts.join('') : collapse(element.textContent ?? '');
      }
    };

    return {
      read(math) {
        const said = math.querySelector(SOURCE)?.textContent ?? math.getAttribute('alttext') ?? spelt(math);
        return cut(collapse(said), FORMULA_MOST);
      },
    };
  });
})();
