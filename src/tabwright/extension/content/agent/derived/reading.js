/**
 * The three tools every page has: `get_page_content`, `click` by what a control says, `fill` by what a field is called.
 * They are flagged generic, as a client with the automation tools has better ones.
 *
 * A text is matched exactly first, then as a beginning, then as a part; the first of these that matches anything decides.
 * Where it matches several, nothing is pressed and the candidates are told.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const PRESSED = 'a[href],button,summary,input,label,:is([role],[onclick],[tabindex]):not(form)';
  const PRESSED_ROLES = new Set(['tab', 'option', 'radio', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'treeitem', 'gridcell']);
  const FIELDS = 'input,textarea,select,[contenteditable=""],[contenteditable=true],[role=textbox],[role=searchbox],[role=combobox],'
    + '[role=spinbutton],[role=checkbox],[role=switch],[role=slider]';
  const NO_FIELDS = new Set(['hidden', 'submit', 'button', 'image', 'reset']);
  const CHARS = 8000;
  const CHARS_MAX = 100_000;
  const TOLD_MOST = 10;
  const LOOKED_AT = 5000;

  agent.part('reading', () => {
    const dom = agent.get('dom');
    const controls = agent.get('controls');

    const failed = (/** @type {string} */ text) => ({ isError: true, text });
    const folded = (/** @type {string} */ text) => dom.collapse(text).normalize('NFKC').toLowerCase();

    /** @type {(text: string, labelled: {label: string, element: Element}[]) => {label: string, element: Element}[]} */
    const matching = (text, labelled) => {
      const wanted = folded(text);
      if (!wanted) return [];
      /** @type {((label: string) => boolean)[]} */
      const ways = [(label) => label === wanted, (label) => label.startsWith(wanted), (label) => label.includes(wanted)];
      for (const fits of ways) {
        const found = labelled.filter(({ label }) => fits(folded(label)));
        if (found.length > 0) return found;
      }
      return [];
    };

    /** A link in a picture and the same link in its title lead to one place. */
    const distinct = (/** @type {{label: string, element: Element}[]} */ found) => {
      const seen = new Set();
      return found.filter(({ label, element }) => {
        const href = element.getAttribute('href');
        const key = href && !href.startsWith('#') ? `${href} ${folded(label)}` : element;
        return !seen.has(key) && seen.add(key);
      });
    };

    const where = (/** @type {Element} */ element) => {
      const row = element.closest('li,tr,article,[role=row],[role=listitem]');
      const around = row ? dom.textOf(row, 60) : dom.headingOf(element);
      return around ? ` (in "${dom.cut(around, 60)}")` : '';
    };

    /** @type {(found: {label: string, element: Element}[], index: unknown) => {element: Element, label: string} | {problem: string}} */
    const choose = (found, index) => {
      const [first] = found;
      if (first && found.length === 1) return first;
      const chosen = typeof index === 'number' ? found[index] : undefined;
      if (chosen) return chosen;
      const told = found.slice(0, TOLD_MOST).map(({ label, element }, place) => `${place}: ${label}${where(element)}`).join('\n');
      return { problem: `${found.length} match. Say more, or give index:\n${told}` };
    };

    const scope = () => {
      const context = { root: document, now: performance.now(), isVisible: dom.isVisible };
      return controls.of(context).scope;
    };

    /** The innermost of nested matches: a row that can be pressed has the text of its link too. */
    const innermost = (/** @type {{label: string, element: Element}[]} */ found) => found.filter(({ element, label }) =>
      !found.some((other) => other.element !== element && other.label === label && element.contains(other.element)));

    const isPressed = (/** @type {Element} */ each) => controls.kindOf(each) !== null || each.localName === 'label'
      || PRESSED_ROLES.has(each.getAttribute('role') ?? '');

    const click = async (/** @type {Record<string, unknown>} */ { text, index }) => {
      const all = dom.queryAll(scope(), PRESSED).slice(0, LOOKED_AT)
        .filter((each) => isPressed(each) && dom.isVisible(each));
      const found = distinct(innermost(matching(String(text), all.map((element) => ({ element, label: controls.labelOf(element) })))));
      if (found.length === 0) {
        const some = all.slice(0, 200).map((each) => controls.labelOf(each)).filter(Boolean).slice(0, TOLD_MOST);
        const told = some.map((label) => `"${dom.cut(label, 40)}"`).join(', ') || 'nothing';
        return failed(`Nothing to press says "${String(text)}". There is: ${told}.`);
      }
      const chosen = choose(found, index);
      if ('problem' in chosen) return failed(`"${String(text)}": ${chosen.problem}`);
      return controls.press(chosen.element, { label: chosen.label });
    };

    const fill = async (/** @type {Record<string, unknown>} */ { label, value, index }) => {
      const fields = dom.queryAll(scope(), FIELDS).slice(0, LOOKED_AT)
        .filter((each) => !NO_FIELDS.has(/** @type {HTMLInputElement} */ (each).type)
          // Boxes are often drawn by something else, with the real one out of sight.
          && (dom.isVisible(each) || each.matches('[type=checkbox],[type=radio],[type=file]')));
      const labelled = fields.map((element) => ({ element, label: dom.labelOf(element) || element.getAttribute('name') || element.id }));
      const found = matching(String(label), labelled);
      if (found.length === 0) {
        const some = labelled.map((field) => field.label).filter(Boolean).slice(0, TOLD_MOST);
        return failed(`No field is called "${String(label)}". Fields: ${some.map((name) => `"${name}"`).join(', ') || 'none'}.`);
      }
      const radios = found.length > 1 && found.every(({ element }) => /** @type {HTMLInputElement} */ (element).type === 'radio');
      const chosen = radios ? found[0] : choose(found, index);
      if (!chosen) return failed(`No field is called "${String(label)}".`);
      if ('problem' in chosen) return failed(`"${String(label)}": ${chosen.problem}`);
      const { isSecret, withoutSecrets } = agent.get('secrets');
      const given = [{ field: chosen.element, value }];
      const isHidden = isSecret(chosen.element);
      /** @type {{ok: boolean, value: unknown, problem?: string}} */
      let set = { ok: false, value: undefined };
      const { lines } = await agent.get('settle').after(async () => {
        set = await agent.get('fill').set(radios ? found.map(({ element }) => element) : chosen.element, value);
      });
      if (!set.ok) return failed(set.problem !== undefined ? withoutSecrets(set.problem, given) : `"${chosen.label}" did not take the value.`);
      const told = isHidden ? 'is filled' : `is now ${JSON.stringify(set.value)}`;
      return { text: [`"${chosen.label}" ${told}.`, withoutSecrets(lines.join('\n'), given)].filter(Boolean).join('\n') };
    };

    const content = async (/** @type {Record<string, unknown>} */ args) => {
      const max = Math.min(CHARS_MAX, Math.max(100, Number(args.max_chars ?? CHARS) || CHARS));
      const { text, isCut } = agent.get('page_text').read(scope(), max);
      const more = isCut ? `\n(cut at ${max} characters; raise max_chars for more)` : '';
      return { text: `${document.title}\n${location.href}\n\n${text || '(no text)'}${more}` };
    };

    return {
      find({ root }) {
        const element = root.body ?? root.documentElement;
        // Generic tools are of no use where there is nothing at all.
        if (!element?.firstElementChild) return [];
        const index = { type: 'integer', minimum: 0, description: 'Which one, if several match' };
        return [{
          name: 'get_page_content',
          description: 'Read the page\'s main content as plain text.',
          inputSchema: {
            type: 'object',
            properties: { max_chars: { type: 'integer', minimum: 100, maximum: CHARS_MAX, default: CHARS } },
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true },
          score: 0.3, element, generic: true, run: content,
        }, {
          name: 'click',
          description: 'Press the link, button or other control that says this.',
          inputSchema: {
            type: 'object',
            properties: { text: { type: 'string', minLength: 1, description: 'What it says, or a part of it' }, index },
            required: ['text'],
            additionalProperties: false,
          },
          annotations: {},
          score: 0.29, element, generic: true, run: click,
        }, {
          name: 'fill',
          description: 'Put a value into the field with this label.',
          inputSchema: {
            type: 'object',
            properties: {
              label: { type: 'string', minLength: 1, description: 'The field\'s label, or a part of it' },
              value: {
                anyOf: [
                  { type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } },
                ],
              },
              index,
            },
            required: ['label', 'value'],
            additionalProperties: false,
          },
          annotations: {},
          score: 0.28, element, generic: true, run: fill,
        }];
      },
    };
  });
})();
