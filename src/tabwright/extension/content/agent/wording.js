/**
 * The words of buttons and lists as they become tool names: a button's verb, the noun a list's rows are called by.
 * Pure: texts in, texts out. The texts are a page's own, so every answer is short and an unknown language gives the
 * fallback rather than a wrong guess.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const IRREGULAR = new Map(Object.entries({
    people: 'person', children: 'child', men: 'man', women: 'woman', indices: 'index', matches: 'match', movies: 'movie',
    cookies: 'cookie', aliases: 'alias', statuses: 'status', caches: 'cache', addresses: 'address', queries: 'query',
  }));
  // They end in s and are one thing, or say nothing about what the rows are.
  const NOT_PLURAL = new Set(
    ('news series species status address access process progress business analysis always this its his is was has as '
    + 'yes us bus plus gas across press less pass class previous various options actions details settings tools links '
    + 'contents controls filters columns rows entries items elements things lists ads minutes hours days weeks months '
    + 'years times ours yours theirs others besides perhaps sales sports politics economics').split(' '),
  );
  // A page names its place, not its rows: what such a place holds.
  const PLACES = new Map(Object.entries({
    inbox: 'thread', mailbox: 'thread', mail: 'thread', sent: 'thread', drafts: 'thread', outbox: 'thread', spam: 'thread',
    cart: 'item', basket: 'item', history: 'entry', timeline: 'post', feed: 'post', todo: 'todo', backlog: 'issue',
  }));
  const SHORTER = new Map(Object.entries({ repository: 'repo', repositories: 'repos', conversation: 'thread' }));

  const NO_SUBJECT = new Set('page site website item button tab window dialog menu field option one time week month year'.split(' '));
  const DETERMINERS = new Set(['a', 'an', 'the', 'this', 'that', 'these', 'your', 'my', 'our', 'please']);
  const DESTRUCTIVE = new RegExp(
    '^(delete|remove|destroy|erase|discard|clear|reset|pay|buy|purchase|order|checkout|send|publish|post|submit order|'
    + 'place order|transfer|withdraw|unsubscribe|cancel (?:account|subscription|order)|close account|deactivate|revoke|'
    + 'terminate|ban|block|wipe|uninstall|drop|purge|kill|empty|quit|shut ?down|log ?out|sign ?out)\\b', 'i');

  const SORTING = /^order(?:ed)? by\b/i;

  // Buttons that show only a picture are named by what their classes, test ids and icons are called.
  const PICTURES = new Map(Object.entries({
    trash: 'delete', destroy: 'delete', delete: 'delete', remove: 'remove', bin: 'delete', close: 'close', times: 'close',
    dismiss: 'close', edit: 'edit', pencil: 'edit', archive: 'archive', star: 'star', heart: 'like', like: 'like',
    share: 'share', play: 'play', pause: 'pause', search: 'search', menu: 'menu', hamburger: 'menu', settings: 'settings',
    gear: 'settings', cog: 'settings', download: 'download', upload: 'upload', refresh: 'refresh', reload: 'refresh',
    copy: 'copy', print: 'print', save: 'save', add: 'add', plus: 'add', bookmark: 'bookmark', reply: 'reply',
    expand: 'expand', collapse: 'collapse', undo: 'undo', redo: 'redo', mute: 'mute', fullscreen: 'fullscreen',
  }));

  const words = (/** @type {string} */ text) => text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? [];

  const isPlural = (/** @type {string} */ word) =>
    IRREGULAR.has(word) || (/^[a-z]{3,}s$/.test(word) && !/(ss|us|is)$/.test(word) && !NOT_PLURAL.has(word));

  const singular = (/** @type {string} */ word) => {
    const known = IRREGULAR.get(word);
    if (known) return known;
    if (!isPlural(word)) return word;
    if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
    if (/(?:x|z|ch|sh|ss)es$/.test(word)) return word.slice(0, -2);
    return word.slice(0, -1);
  };

  const shorter = (/** @type {string} */ word) => SHORTER.get(word) ?? word;

  agent.part('wording', () => ({
    words,
    singular,

    // "Recent threads (12)" -> thread, "Search results for x" -> result, "Inbox" -> thread, "Trending" -> ''.
    thing(text) {
      // Names of people, files and projects end in s as well.
      if (/[/@._#\\]/.test(text.trim().replace(/\.$/, ''))) return '';
      // What follows a preposition is no longer the head of the phrase: "Results for cats", "Users by last name".
      const head = words(text.split(/\b(?:for|by|in|of|from|with|to|on|at|that|matching|near)\b|[:|–—(]/i)[0] ?? '');
      for (let index = head.length - 1; index >= 0; index -= 1) {
        const word = head[index] ?? '';
        if (isPlural(word)) return shorter(singular(word));
      }
      return head.length <= 2 ? PLACES.get(head[head.length - 1] ?? '') ?? '' : '';
    },

    // Button text without what changes from day to day: counts, shortcuts, arrows. "Star 12.3k" -> "Star".
    plain(text) {
      return text
        .replace(/[,(]?\s*\b(?:sorted|ordered)\s+(?:by|in|ascending|descending)\b.*$/i, ' ')
        .replace(/,[^,]*\d.*$/, ' ')
        .replace(/\([^)]*\)|\[[^\]]*\]/g, ' ')
        .replace(/\b(?:ctrl|alt|shift|cmd|⌘)\s*\+\s*\S+/gi, ' ')
        .replace(/(?<![\p{L}\p{N}])[+-]?\d[\d.,]*\s*[kKmM%]?(?![\p{L}\p{N}])/gu, ' ')
        .replace(/[^\p{L}\p{N}\s'’/+-]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
    },

    // Five words of a button's text say what it does; determiners say nothing: "Star this repository" -> "star repo".
    phrase(text) {
      return words(text).filter((word) => !DETERMINERS.has(word)).map(shorter).slice(0, 5).join(' ');
    },

    // "Star this repository" tells what the page is about.
    subject(text) {
      const found = /\bthis ([a-z]{3,})\b/i.exec(text)?.[1]?.toLowerCase();
      return found && !NO_SUBJECT.has(found) ? shorter(singular(found)) : '';
    },

    // camelCase, kebab-case and BEM alike; the first word that is a known picture wins.
    picture(tokens) {
      for (const word of words(tokens.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '))) {
        const known = PICTURES.get(word);
        if (known) return known;
      }
      return '';
    },

    isDestructive: (text) => !SORTING.test(text.trim()) && (DESTRUCTIVE.test(text.trim()) || agent.get('deeds').says(text, 'delete', 'buy', 'pay', 'order', 'log out', 'unsubscribe')),

    // Rows' classes as developers name them: "product-card" -> product. Hashed and generic ones give nothing.
    className(token) {
      const parts = words(token.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '));
      const rest = parts.filter((part) => !GENERIC.has(part) && !GENERIC.has(`${part}s`));
      const suffixed = rest.length === parts.length - 1 && GENERIC.has(parts[parts.length - 1] ?? '');
      return rest.length === 1 && suffixed && /^[a-z]{3,}$/.test(rest[0] ?? '') ? shorter(singular(rest[0] ?? '')) : '';
    },
  }));

  const GENERIC = new Set(('row rows item items card cards cell list lists entry entries tile box wrapper container element '
    + 'block group grid table body component view line').split(' '));
})();
