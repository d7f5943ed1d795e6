/**
 * What an element is and what it is called, as the outline says it: the ARIA role, else the one its tag has; the
 * accessible name near to the standard, else what helps, so that a picture without words has a name too.
 *
 * Where agents must act differently the word is finer than ARIA's: `file`, `date`, `color`, `canvas`, `iframe`.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAME_MAX = 80;
  const CELLS = new Set(['gridcell', 'cell', 'columnheader', 'rowheader', 'row']);
  /** What may be used by its label alone. */
  const TICKED = 'input:is([type=checkbox],[type=radio],[type=file],[type=range],[type=color],[role=combobox]),select,button,[role]';
  const list = (/** @type {string} */ words) => new Set(words.split(/\s+/));

  const KNOWN = list(`alert alertdialog application article banner blockquote button caption cell checkbox code
    columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure
    form generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math
    menu menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar radio
    radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
    subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree
    treegrid treeitem`);
  const NONE = list('none presentation');
  /** What a text is that can be written, such as a block of an editor, is less than that it can. */
  const WRITTEN = list('article blockquote code document generic group heading listitem note paragraph region');

  /** Roles named by what their author wrote beside them, never by all that is in them. */
  const NAMED_BY_AUTHOR = list(`alertdialog application banner complementary contentinfo dialog document feed form grid
    group iframe list listbox log main menu menubar meter navigation progressbar radiogroup region rowgroup search
    table tablist tabpanel textbox timer toolbar tree treegrid video audio slider spinbutton separator scrollbar`);

  /** @type {Map<string, string>} */
  const TAGS = new Map(Object.entries({
    button: 'button', summary: 'button', option: 'option', textarea: 'textbox', meter: 'meter', progress: 'progressbar',
    output: 'status', canvas: 'canvas', video: 'video', audio: 'audio', iframe: 'iframe', frame: 'iframe', svg: 'img',
    embed: 'embed',
    h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hgroup: 'group',
    nav: 'navigation', main: 'main', aside: 'complementary', search: 'search', article: 'article', dialog: 'dialog',
    ul: 'list', ol: 'list', menu: 'list', li: 'listitem', dl: 'list', dt: 'term', dd: 'definition',
    table: 'table', thead: 'rowgroup', tbody: 'rowgroup', tfoot: 'rowgroup', tr: 'row', td: 'cell', caption: 'caption',
    fieldset: 'group', details: 'group', optgroup: 'group', figure: 'figure', hr: 'separator', p: 'paragraph',
    blockquote: 'blockquote', pre: 'code', code: 'code', form: 'form', label: 'label', legend: 'legend',
    figcaption: 'caption', math: 'math', address: 'group',
  }));

  /** @type {Map<string, string>} */
  const INPUTS = new Map(Object.entries({
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file', color: 'color', date: 'date', time: 'time',
    'datetime-local': 'datetime', month: 'month', week: 'week', hidden: 'none',
  }));

  const PRESSED = 'input[type=submit],input[type=button],input[type=reset],input[type=image]';
  /** In this many fields of one page a name is sought everywhere; in others only in themselves. */
  const SOUGHT_MAX = 300;
  const SECTIONS = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=region]';
  /** What is moved along a slider, where its makers forgot to say so. */
  const THUMB = /(?:^|[\s_-])slider[-_]*(?:handle|thumb|knob)(?:\s|$)/i;
  const CUSTOM = /-(radio|checkbox|switch|tab|option)$/;
  const FILE = /([^/?#]+?)(?:\.[a-z0-9]{2,5})?\/?(?:[?#].*)?$/i;
  /** Classes that set one property of the style, as some frameworks write them by the dozen; and sets of icons. */
  const STYLING = new RegExp(String.raw`^-?(?:(?:[pm][xytrbles]?|w|h|size|min-[wh]|max-[wh]|gap|gap-[xy]|space-[xy]|z|inset|inset-[xy]|top|left|right|bottom)-(?:[\d.]+|px|auto|full|screen|fit|min|max)
    |(?:items|justify|content|self|place)-(?:center|start|end|between|around|evenly|baseline|stretch)
    |text-shadow(?:-[a-z\d.]+)*|box-(?:border|content)|text-(?:xs|sm|base|lg|\d?xl|left|center|right|start|end|muted\S*|foreground|[a-z]+-\d+)
    |font-(?:mono|sans|serif|thin|light|normal|medium|semibold|bold)|(?:leading|tracking|whitespace|overflow|cursor|animate|transition|ease|bg|ring|border|rounded|shadow|divide|outline|object|align|duration|opacity)(?:-[a-z\d.]+)*
    |flex-\S+|grid|grow|shrink|(?:grow|shrink)-\d|fixed|sticky|static|truncate|uppercase|lowercase|capitalize|underline|italic|sr-only|(?:select|pointer-events|resize)-none
    |(?:Mui|mantine-)[A-Z]\w*-\w+|(?:mat-)?mdc-\S+|lucide|tabler-icon|feather|material-(?:icons|symbols)\S*)$`.replace(/\n\s*/g, ''));
  const ICON_CLASS = /(?:^|\s)(?:fa|bi|mdi|glyphicon|lucide|tabler-icon|feather|octicon|codicon|anticon|pi|ti|ri|la|bx|ph|uil|icon)-([a-z][a-z_-]+)(?=\s|$)/g;
  const ICON_LOOKS = /^(?:solid|regular|light|thin|duotone|brands|outlined|fw|lg|md|sm|xs|xl|spin|pulse|(?:[a-z]+-)?(?:button|btn|wrapper|container|inner|outer|only|font|set|box|holder|large|small|primary|secondary|default|white|black|active|hover)|link|left|right)$/;
  // Classes that say how something looks, not what it is.
  const LOOKS = /^(?:icon|icons|lucide|tabler|feather|btn|button|field|svg|fa[a-z]?|fas|far|fab|bi|mdi|glyphicon|material|lg|md|sm|xs|xl|primary|secondary|default|small|large|active|link|inline|block|flex|container|wrapper|inner|outer|item|element|img|image|js|css|ui|is|has|the|left|right|top|bottom|center|absolute|relative|round|rounded|circle|square|hidden|visible|focus|hover|disabled|selected|[a-z]|[a-z]*\d[a-z\d]*)$/;

  const NUMBER_MIN = 16;
  /** So many of a class are looked at. */
  const ALIKE_MAX = 12;
  /** An id that a library counted. */
  const MADE_UP = /\d|null|undefined/;
  /** By which one of two differs from the other. */
  const SHORT = /^(?:in|up)$/;
  // Names that a tool gave to styles, which differ from build to build.
  const HASHED = /(?:^|\s)(?:[\w-]*emotion-cache-|svelte-|css-|sc-|jss|makeStyles)[\w-]*/g;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const { bare, closest, labelsOf } = parts.get('snapshot_tree');
    const texts = parts.get('texts');
    const labels = parts.get('labels');
    const splitRows = parts.get('split_rows');
    const shown = parts.get('snapshot_text');
    const { collapse, cut } = texts;

    const attribute = (/** @type {Element} */ element, /** @type {string} */ name) => bare(element).getAttribute(name) ?? '';

    const said = (/** @type {Element} */ element) =>
      cut(texts.referred(element, 'aria-labelledby') || collapse(attribute(element, 'aria-label')), NAME_MAX);

    const isEditingHost = (/** @type {Element} */ element) =>
      attribute(element, 'contenteditable').toLowerCase() !== 'false' && !bare(element).matches('input,textarea,select,button');

    const inputRole = (/** @type {HTMLInputElement} */ input) => {
      const role = INPUTS.get(input.type) ?? 'textbox';
      const isList = bare(input).hasAttribute('list') || bare(input).matches(parts.get('boxes').PICKED);
      return isList && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
    };

    const cellRole = (/** @type {Element} */ cell) => {
      const scope = attribute(cell, 'scope');
      if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
      return scope || closest(cell, 'thead') || !cell.parentElement?.querySelector('td') ? 'columnheader' : 'rowheader';
    };

    /** @type {Map<string, (element: any) => string>} */
    const BY_TAG = new Map(Object.entries({
      a: (/** @type {any} */ element) => (bare(element).hasAttribute('href') ? 'link' : 'generic'),
      area: (/** @type {any} */ element) => (bare(element).hasAttribute('href') ? 'link' : 'generic'),
      input: inputRole,
      // It may hold a page.
      object: (/** @type {any} */ { contentWindow }) => (contentWindow ? 'iframe' : 'embed'),
      select: (/** @type {any} */ element) => (element.multiple || element.size > 1 ? 'listbox' : 'combobox'),
      img: (/** @type {any} */ element) => (element.getAttribute('alt') === '' && !element.title ? 'none' : 'img'),
      th: cellRole,
      // Where a control is not drawn its label is what a person uses.
      label: (/** @type {any} */ { control }) => (control && !control.checkVisibility() && bare(control).matches(TICKED) ? roleOf(control) : 'label'),
      header: (/** @type {any} */ element) => (closest(element, SECTIONS) ? 'generic' : 'banner'),
      footer: (/** @type {any} */ element) => (closest(element, SECTIONS) ? 'generic' : 'contentinfo'),
      section: (/** @type {any} */ element) => (said(element) ? 'region' : 'generic'),
    }));

    const nativeRole = (/** @type {Element} */ element) => {
      const own = bare(element);
      const find = BY_TAG.get(own.localName);
      const role = find ? find(element) : (TAGS.get(own.localName) ?? 'generic');
      if (role === 'generic' && own.hasAttribute('tabindex') && THUMB.test(attribute(element, 'class'))) return 'slider';
      // Web components tell their roles to the browser alone; what they are called is left.
      const word = role === 'generic' && own.hasAttribute('tabindex') ? CUSTOM.exec(own.localName)?.[1] : undefined;
      if (word) return word;
      return own.hasAttribute('contenteditable') && isEditingHost(element) ? 'textbox' : role;
    };

    /** @type {import('./agent').Roles['roleOf']} */
    const roleOf = (element) => {
      if (parts.get('filling_editors').isDrawn(element)) return 'textbox';
      const given = bare(element).getAttribute('role');
      if (given === null) return nativeRole(element);
      for (const word of given.toLowerCase().split(/\s+/)) {
        if (WRITTEN.has(word) && bare(element).hasAttribute('contenteditable') && isEditingHost(element)) return 'textbox';
        if (KNOWN.has(word)) return word === 'image' ? 'img' : word;
        // What can be focused or clicked keeps its role, whatever it is asked to be.
        if (NONE.has(word)) return bare(element).matches('a[href],button,input,select,textarea,summary,[tabindex]') ? nativeRole(element) : 'none';
      }
      return nativeRole(element);
    };

    /** A child that names the whole: the caption of a table, the legend of a group, the title of a drawing. */
    const CHILD = new Map([['table', 'caption'], ['fieldset', 'legend'], ['figure', 'figcaption'], ['details', 'summary'], ['svg', 'title']]);
    const childName = (/** @type {Element} */ element) => {
      const tag = CHILD.get(bare(element).localName);
      const child = tag && bare(element).querySelector(`:scope > ${tag}`);
      return child ? cut(collapse(bare(child).textContent?.slice(0, 400) ?? ''), NAME_MAX) : '';
    };

    /** What a definition is about. */
    const termOf = (/** @type {Element} */ element) => {
      const before = bare(element).previousElementSibling;
      if (!before || bare(before).localName !== 'dt') return '';
      return cut(collapse(bare(before).textContent?.slice(0, 300) ?? '').replace(/\s*[¶#]$/, ''), 60);
    };

    const byAuthor = (/** @type {Element} */ element) =>
      said(element) || childName(element) || cut(collapse(attribute(element, 'title') || attribute(element, 'label')), NAME_MAX);

    /** The words of an identifier that say something. */
    const telling = (/** @type {string} */ identifier) => collapse(identifier.replace(HASHED, ' '))
      .replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z\d]+/)
      .filter((word) => (word.length > 2 || SHORT.test(word)) && word.length < 20 && !LOOKS.test(word));

    /** Classes without those that only style, as some frameworks write them by the dozen. */
    const meant = (/** @type {string} */ classes) =>
      (classes.length > 1_000 ? '' : classes.split(/\s+/).filter((each) => !/[:[\](){}/!@%*]/.test(each) && !STYLING.test(each)).join(' '));

    const fileName = (/** @type {string} */ address) => {
      if (!address || /^(?:javascript|data|blob):/i.test(address)) return '';
      let path = address;
      try {
        path = decodeURIComponent(address.replace(/^[a-z]+:\/\/[^/]+\/?/i, ''));
      } catch {
        // Not an encoding of anything.
      }
      const name = FILE.exec(path.replace(/^#\/?/, ''))?.[1] ?? '';
      return name.length < 60 ? collapse(name.replace(/[-_+]+/g, ' ')) : '';
    };

    /** Of a record, which is no name: 8de14fe7 10c2 4f07 8f9e 53664fede371. */
    const isNumber = (/** @type {string} */ text) => text.length >= NUMBER_MIN && /\d/.test(text) && /^[\da-f ]+$/i.test(text);

    const ICONS = 'svg,use,img,i,[class*=icon],[class*=Icon],input[type=image]';
    const HINTS = ['data-testid', 'data-action', 'data-icon', 'data-command', 'data-name', 'name', 'for', 'part', 'class', 'id'];

    /** Of an empty box its colour is all there is to tell. */
    const colourOf = (/** @type {Element} */ element) => {
      const { backgroundColor, fill } = getComputedStyle(element);
      const drawn = element instanceof SVGElement ? fill : backgroundColor;
      const parts = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(drawn);
      if (!parts || parts[4] === '0') return '';
      return `#${parts.slice(1, 4).map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`;
    };

    const wordsOf = (/** @type {Element} */ element, /** @type {string} */ hint) => {
      const written = attribute(element, hint);
      return [...new Set(telling((hint === 'class' ? meant(written) : written).slice(0, 120)))];
    };

    /** The picture that a set of icons has by this class, but for those of buttons in what is called. */
    const iconOf = (/** @type {Element[]} */ pictures) => {
      const isOwn = (/** @type {Element} */ each) => bare(each).closest('a,button,[role=button]')?.contains(pictures[0] ?? null) ?? true;
      const classes = pictures.filter(isOwn).map((each) => attribute(each, 'class').slice(0, 400)).join(' ');
      const found = [...classes.matchAll(ICON_CLASS)].map((match) => match[1] ?? '').find((name) => !ICON_LOOKS.test(name));
      return found ? found.split(/[-_]+/).slice(0, 3).join(' ') : '';
    };

    /** What its icon is called, if others of this class have other icons: then that says more. @param {Element[]} pictures @param {ArrayLike<Element>} others */
    const drawnAs = (pictures, others) => {
      const iconed = (/** @type {Element[]} */ all) => all.map((each) => wordsOf(each, 'data-icon').slice(0, 3).join(' ')).find(Boolean) ?? '';
      const drawn = iconed(pictures);
      return drawn && [].slice.call(others, 0, ALIKE_MAX).some((other) => !['', drawn].includes(iconed(picturesIn(other)))) ? drawn : '';
    };

    /** Words that only whoever made the page meant to read. */
    const hintOf = (/** @type {Element[]} */ pictures) => {
      for (const each of pictures) {
        for (const hint of HINTS) {
          const words = wordsOf(each, hint);
          if (!words.length) continue;
          const icon = hint === 'class' || hint === 'id' ? iconOf(pictures) : '';
          // A class that others have too says less than what only this one is called, of which the end says most.
          const alike = hint === 'class' && !icon ? document.getElementsByClassName(attribute(each, 'class')) : [];
          const isCalled = alike.length > 1 && !MADE_UP.test(attribute(each, 'id'));
          return icon || (alike.length > 1 && drawnAs(pictures, alike)) || (isCalled && wordsOf(each, 'id').slice(-3).join(' ')) || words.slice(0, 3).join(' ');
        }
      }
      return '';
    };

    /** A shape of a drawing is called by the one text that is drawn with it. */
    const writtenOn = (/** @type {Element} */ shape) => {
      const { parentElement } = bare(shape);
      if (!(parentElement instanceof SVGGElement)) return '';
      const written = [...parentElement.getElementsByTagName('text')].slice(0, 9).map((each) => collapse(each.textContent ?? '')).filter(Boolean);
      return written.length === 1 ? cut(written[0], NAME_MAX) : '';
    };

    /** A button that is disabled shows no tip of its own: it is put into something that does. */
    const tipOf = (/** @type {Element} */ element) => {
      const { parentElement: around } = bare(element);
      if (!bare(element).matches('button,[role=button]') || !around || !bare(around).matches('span:not([role]),div:not([role])')) return '';
      return bare(around).childElementCount === 1 ? collapse(attribute(around, 'aria-label') || attribute(around, 'title')) : '';
    };

    const picturesIn = (/** @type {Element} */ element) => [element, ...bare(element).querySelectorAll(ICONS)].slice(0, 4);

    /** What a picture without words shows, from the title or file of the picture, the address it leads to, its classes. */
    const pictureName = (/** @type {Element} */ element, isCell = false) => {
      const pictures = picturesIn(element);
      for (const each of pictures) {
        const title = childName(each) || collapse(attribute(each, 'title') || attribute(each, 'alt') || attribute(each, 'aria-label'));
        if (title) return cut(title, NAME_MAX);
      }
      const tip = tipOf(element);
      if (tip) return cut(tip, NAME_MAX);
      for (const each of pictures) {
        const file = each === element ? '' : fileName(attribute(each, 'src') || attribute(each, 'href') || attribute(each, 'xlink:href'));
        if (/\p{L}{2}/u.test(file)) return file;
      }
      const written = writtenOn(element);
      if (written) return written;
      const leads = fileName(attribute(element, 'href'));
      if (/\p{L}{2}/u.test(leads) && !isNumber(leads)) return leads;
      // What a library calls all of its cells says nothing of one.
      if (isCell) return bare(element).querySelector('input,button,a,select,[role=checkbox]') ? '' : hintOf(pictures.slice(1));
      return [hintOf(pictures), bare(element).firstChild ? '' : colourOf(element)].join(' ').trim();
    };

    const isPicture = (/** @type {string} */ text) => !/[\p{L}\p{N}]/u.test(text) || /^[\uE000-\uF8FF\s]+$/u.test(text);

    /** A text twice in a row is a picture and its caption. */
    const once = (/** @type {string} */ text) => text.replace(/[\uE000-\uF8FF]/g, '').replace(/^(.{3,}) \1$/s, '$1').trim();

    /** What a branch of a tree says itself, without what hangs on it. */
    const branchName = (/** @type {Element} */ item) => {
      const group = [...bare(item).children].find((each) => bare(each).matches('[role=group],ul,ol'));
      if (!group || said(item)) return '';
      const own = [...bare(item).childNodes].filter((each) => each !== group);
      return cut(collapse(own.map((each) => (each instanceof Element ? shown.read(each, NAME_MAX) : each instanceof Text ? each.data : '')).join(' ')), NAME_MAX);
    };

    const textNamed = (/** @type {Element} */ element) => {
      const own = bare(element);
      const given = own.hasAttributes() && said(element);
      if (given) return once(given);
      const named = shown.read(element, NAME_MAX);
      const isLabelled = own.localName === 'button' || (!named && own.localName.includes('-'));
      // What stands in a button with a label is what was chosen with it.
      const labels = isLabelled ? labelsOf(element).filter((label) => !named || !label.contains(element)) : [];
      if (labels.length) return cut(collapse([...labels.map((label) => texts.textOf(label, NAME_MAX)), named].join(' ')), NAME_MAX);
      if (named) return once(named);
      const written = attribute(element, 'alt') || attribute(element, 'title') || attribute(element, 'placeholder');
      return once(cut(collapse(written), NAME_MAX) || shown.read(element, NAME_MAX, true));
    };

    /** Parts of one row are called alike, by what the first of them says. */
    const rowName = (/** @type {Element} */ row) => {
      const [first = row] = splitRows.partsOf(row);
      const named = splitRows.isAdvice(first) ? shown.read(first, NAME_MAX) : textNamed(first);
      return named || (first === row ? '' : textNamed(row));
    };

    /** How often a name was sought all over the page in this turn of the event loop. */
    let sought = 0;

    /** The words around a field, which cost a look at the whole page. */
    const soughtName = (/** @type {Element} */ field) => {
      if (sought === 0) queueMicrotask(() => { sought = 0; });
      sought += 1;
      if (sought <= SOUGHT_MAX) return labels.nameOf(field);
      return cut(collapse(attribute(field, 'title') || attribute(field, 'placeholder') || attribute(field, 'name')), NAME_MAX);
    };

    const fieldName = (/** @type {Element} */ field) => {
      if (bare(field).matches(PRESSED)) return once(labels.nameOf(field));
      const words = labelsOf(field).map((label) => labels.labelText(label)).join(' ');
      const named = said(field) || cut(collapse(words), NAME_MAX).replace(/[\s:：*＊]+$/, '');
      return named || once(soughtName(field));
    };

    const isField = (/** @type {Element} */ element) =>
      bare(element).matches('input,textarea,select,[contenteditable],[role=textbox],[role=searchbox],[role=combobox],[role=spinbutton],[role=slider],[role=listbox],button:is([role=switch],[role=checkbox],[role=radio])');

    /** As where its keys go says, or the field whose place it has taken. */
    const editorName = (/** @type {Element} */ editor) => {
      const receiver = parts.get('filling_editors').receiver(editor);
      const behind = [editor, bare(editor).parentElement].map((each) => each && bare(each).previousElementSibling).find((each) => each && bare(each).localName === 'textarea');
      return (receiver && said(receiver)) || said(editor) || (behind ? cut(collapse(labelsOf(behind).map((label) => texts.textOf(label, NAME_MAX)).join(' ')), NAME_MAX) : '');
    };

    /** @type {import('./agent').Roles['nameOf']} */
    const nameOf = (element) => {
      const role = roleOf(element);
      if (role === 'textbox' && parts.get('filling_editors').isDrawn(element)) return editorName(element);
      if (isField(element)) return fieldName(element) || (role === 'button' ? pictureName(element) : '');
      if (NAMED_BY_AUTHOR.has(role)) return byAuthor(element);
      if (role === 'definition') return byAuthor(element) || termOf(element);
      const named = (role === 'treeitem' && branchName(element)) || (role === 'row' ? rowName : textNamed)(element);
      if (!isPicture(named) || (named && role === 'heading')) return named;
      // A sign that people know, like × or +, is kept beside what is known of it.
      const picture = pictureName(element, CELLS.has(role));
      return picture && picture !== named ? cut(named ? `${named} ${picture}` : picture, NAME_MAX) : named;
    };

    return { roleOf, nameOf, iconOf: (/** @type {Element} */ element) => iconOf(picturesIn(element)) };
  };

  agent.part('roles', make);
})();
