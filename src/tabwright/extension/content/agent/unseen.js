/**
 * Text that is drawn but that nobody sees: of no size, where nobody can scroll, or in the colour of what is behind it.
 * Such text is written for machines that read the page, and no person has agreed to what it says.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const FAR_PX = 500;
  /** Colours nearer than this, added up over red, green and blue, are one to the eye. */
  const ALIKE = 12;
  const COLOR = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/;

  agent.part('unseen', (parts) => {
    const { bare, isBeyond } = parts.get('tree');

    /** @param {string} color @returns {number[] | null} red, green, blue, and how opaque; null for other ways to say it */
    const read = (color) => {
      const found = COLOR.exec(color);
      return found && [Number(found[1]), Number(found[2]), Number(found[3]), found[4] === undefined ? 1 : Number(found[4])];
    };

    /** Behind everything, where a page says nothing of it: white, unless it may be dark. @param {CSSStyleDeclaration} style */
    const canvas = (style) => (style.colorScheme.includes('dark') ? null : [255, 255, 255, 1]);

    /**
     * What is behind the text of an element: a plain colour, or null where a picture or half a colour is.
     * @param {Element} element
     * @param {Map<Element, number[] | null>} known
     * @returns {number[] | null}
     */
    const behind = (element, known) => {
      const found = known.get(element);
      if (found !== undefined) return found;
      const style = getComputedStyle(element);
      const own = read(style.backgroundColor);
      const parent = bare(element).parentElement;
      /** @type {number[] | null} */
      let answer = null;
      if (style.backgroundImage === 'none' && own !== null && own[3] === 1) answer = own;
      // Over something else, as positioned elements are, it is not known what is behind.
      else if (style.backgroundImage === 'none' && own !== null && own[3] === 0 && style.position === 'static') {
        answer = parent ? behind(parent, known) : canvas(style);
      }
      known.set(element, answer);
      return answer;
    };

    /** @type {import('./agent').Unseen['isCamouflaged']} */
    const isCamouflaged = (element, style, known) => {
      const color = read(style.color);
      if (color === null || style.textShadow !== 'none' || style.webkitTextStrokeWidth !== '0px') return false;
      if (color[3] === 0) return style.backgroundClip !== 'text';
      const ground = behind(element, known);
      if (ground === null || style.backgroundClip === 'text') return false;
      return [0, 1, 2].reduce((apart, part) => apart + Math.abs(color[part] - ground[part]), 0) < ALIKE;
    };

    /** @type {import('./agent').Unseen['isOutOfSight']} */
    const isOutOfSight = (element, style) => {
      if (style.display === 'contents') return false;
      if (parseFloat(style.fontSize) < 1 || parseFloat(style.textIndent) < -FAR_PX) return bare(element).childElementCount === 0;
      if (style.position !== 'absolute' && style.position !== 'fixed') return false;
      const box = bare(element).getBoundingClientRect();
      const isTiny = (box.width <= 1 || box.height <= 1) && (style.overflow !== 'visible' || style.clipPath !== 'none' || style.clip !== 'auto');
      return isTiny || isBeyond(element, box);
    };

    return { isCamouflaged, isOutOfSight };
  });
})();
