/**
 * Names for tools and their properties, made from what a person reads. Pure: the same texts give the same names, so a
 * reload changes nothing. Counts ("Inbox (3)") are left out for the same reason.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const NAME_MAX = 48;
  const PROPERTY_MAX = 64;
  const WORDS_MAX = 6;

  const set = (/** @type {string} */ words) => new Set(words.split(/\s+/));
  const FILLERS = set('a an the your our my this please now here today');
  // What a button may say without saying what it does.
  const EMPTY = set(
    'submit go ok okay done continue next enter proceed yes confirm apply finish execute run',
  );
  // Verbs that want to know what.
  const TRANSITIVE = set(`search find filter save add create update send edit delete remove post change upload set new
    insert publish import export generate get check calculate convert compare request reset track book`);
  const VERBS = set(`add apply ask assign book buy calculate cancel change check choose clear compare complete confirm
    contact convert copy create customize delete donate download edit enter enroll explore export filter find generate
    get give import patch put install invite join leave list log login manage message move open order pay pick place
    plan post
    print publish rate read recover register remove rename renew reply report request resend reset reserve restore
    review save schedule search select send set share shop show sign signin signup sort start submit subscribe switch
    tell track transfer translate try unsubscribe update upgrade upload verify view vote watch write`);
  const VAGUE = set('changes change form data entry results result details info information it all');
  const JOINTS = set('to for with in on by from and or of at');
  const NOT_AN_OBJECT = set('form frm id main content search box bar wrapper container input field fields the');

  // Letters that Unicode does not take apart, and the alphabets that have a usual spelling in ours.
  const SPELLED = new Map(Object.entries({
    ß: 'ss', ø: 'o', æ: 'ae', œ: 'oe', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', '&': ' and ',
    а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o',
    п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'shch', ъ: '', ы: 'y',
    ь: '', э: 'e', ю: 'yu', я: 'ya', і: 'i', є: 'ye', ґ: 'g',
    α: 'a', β: 'v', γ: 'g', δ: 'd', ε: 'e', ζ: 'z', η: 'i', θ: 'th', ι: 'i', κ: 'k', λ: 'l', μ: 'm', ν: 'n', ξ: 'x',
    ο: 'o', π: 'p', ρ: 'r', σ: 's', ς: 's', τ: 't', υ: 'y', φ: 'f', χ: 'ch', ψ: 'ps', ω: 'o',
  }));

  /** "GET /pets/{petId} Find a pet" is called by what it does; only without that by its address. */
  const spoken = (/** @type {string} */ text) => {
    const rest = text.replace(/^\s*(?:get|post|put|patch|delete|head|options)\s+\/\S*/i, '');
    return words(rest).length > 0 ? rest : text.replace(/\{([^}]*)\}/g, (_, id) => ` by ${identifierWords(id).join(' ')}`);
  };

  /** The words of a text in plain lower case, counts left out. @type {import('./agent').Names['words']} */
  const words = (text) => {
    // й and ё come apart into и, е and a mark, which is dropped like any accent.
    const plain = text
      .slice(0, 300)
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .replace(/\be-(?=mails?\b)/g, 'e')
      .replace(/['’ʼ`]/g, '')
      .replace(/[^a-z0-9\s]/g, (letter) => SPELLED.get(letter) ?? ' ');
    const all = plain.split(/\s+/).filter(Boolean);
    return all.filter((word) => !/^\d+(?:[km]|st|nd|rd|th)?$/.test(word));
  };

  /** The words of an identifier: `searchForm`, `search-form`, `search_form`. */
  const identifierWords = (/** @type {string} */ id) =>
    words(id.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-.:[\]]+/g, ' '));

  const fit = (/** @type {string[]} */ parts) => {
    let name = '';
    for (const part of parts) {
      const longer = name ? `${name}_${part}` : part;
      if (longer.length > NAME_MAX) break;
      name = longer;
    }
    return name || (parts[0] ?? '').slice(0, NAME_MAX);
  };

  const meaning = (/** @type {string[]} */ all) => {
    const kept = all.filter((word) => !FILLERS.has(word));
    return kept.length ? kept : all;
  };

  /** What is written in other letters is called by what it does, where that is known. */
  let deedOf = (/** @type {string} */ _text) => '';
  const legible = (/** @type {string} */ text) => (words(text).length > 0 ? text : deedOf(text) || text);

  /** @type {import('./agent').Names['verb']} */
  const verb = (text, fallback = 'action') =>
    fit(meaning(words(spoken(legible(text)))).slice(0, WORDS_MAX)) || fit(words(fallback.replaceAll('_', ' '))) || 'action';

  const camel = (/** @type {string[]} */ parts) =>
    parts.map((part, index) => (index ? part[0].toUpperCase() + part.slice(1) : part)).join('');

  const isWord = (/** @type {string} */ text) =>
    text.length <= PROPERTY_MAX && /^[A-Za-z]\w*(?:-\w+)*$/.test(text) && (text.match(/[A-Za-z]/g)?.length ?? 0) > 1;

  /** What a framework counts up or draws by lot differs from load to load. */
  const MADE =
    /_r_[\da-z]+_|-v-\d[\d-]*$|^(?:ember|ext-gen|yui|mui|mantine|radix|reka|headlessui|react|downshift|mat|cdk|ng|ion|el-id|base-ui|pv_id)[-_\d]/i;
  const isCounted = (/** @type {string} */ id) => /\d{3,}|[-_]\d+\b/.test(id) || MADE.test(id);
  /** Authors count names, too: only what a framework begins and ends is its own. */
  const isMade = (/** @type {string} */ name) => MADE.test(name) && /^mantine-|\d[\d_-]*$|_$/.test(name);

  /** @type {import('./agent').Names['property']} */
  const property = ({ name = '', id = '', label = '', search = false }, fallback = 'value') => {
    if (search) return 'query';
    if (isWord(name) && !isMade(name)) return name;
    if (isWord(id) && !isCounted(id)) return id;
    // A label that is an identifier is one on purpose.
    if (isWord(label) && /[a-z][A-Z]|_/.test(label)) return label;
    const read = camel(meaning(words(label)).slice(0, 5));
    if (/[a-z]{2}/i.test(read)) return read.slice(0, PROPERTY_MAX);
    // A name like `user[email]` still says more than nothing.
    const own = isMade(name) ? '' : name;
    return camel(identifierWords(own || (isCounted(id) ? '' : id))).slice(0, PROPERTY_MAX) || read || fallback;
  };

  /** @type {import('./agent').Names['unique']} */
  const unique = (names) => {
    const taken = new Set(names);
    /** @type {Set<string>} */
    const given = new Set();
    return names.map((name) => {
      let free = name;
      for (let count = 2; given.has(free) || (free !== name && taken.has(free)); count += 1) {
        free = `${name.slice(0, NAME_MAX - String(count).length - 1)}_${count}`;
      }
      given.add(free);
      return free;
    });
  };

  /** `Search mail or jump to…` is about mail. */
  const searched = (/** @type {string} */ label) => {
    const all = meaning(words(label.replace(/\s(?:or|by|with|using)\s.*$|[,(:].*$/i, '')));
    const at = all.findIndex((word) => word === 'search' || word === 'find' || word === 'filter');
    if (at !== 0) return null;
    const rest = all
      .slice(1)
      .filter((word, index) => !(index === 0 && ['for', 'in', 'within', 'through'].includes(word)))
      .filter(
        (word) =>
          !['anything', 'everything', 'something', 'keyword', 'keywords', 'term', 'terms', 'query', 'text'].includes(
            word,
          ),
      );
    return rest.length <= 3 ? [all[0], ...rest] : [all[0]];
  };

  /** What a lone field is for: "Type a message" is about a message. */
  const thingOf = (/** @type {string[]} */ labels) => {
    if (labels.length !== 1) return undefined;
    const parts = meaning(words(labels[0]).filter((word) => !/^(?:type|enter|write|add|give|something)$/.test(word)));
    return parts.length > 0 && parts.length <= 3 ? parts : undefined;
  };

  /** "Select user to change" is about a user. */
  const short = (/** @type {string[]} */ parts) => {
    const end = parts.findIndex((word, index) => index > 0 && JOINTS.has(word));
    return end > 0 ? parts.slice(0, end) : parts;
  };

  const asVerb = (/** @type {string[]} */ parts) => {
    if (parts[0] === 'new') return ['add', ...parts.slice(1)];
    return VERBS.has(parts[0]) ? parts : null;
  };

  /** @type {import('./agent').Names['form']} */
  const form = ({ submit = '', headings = [], ids = [], labels = [], purpose = '' }) => {
    const said = meaning(words(legible(submit))).slice(0, WORDS_MAX);
    const isVague = (/** @type {string} */ word, /** @type {number} */ index) =>
      index > 0 && VAGUE.has(word) && (word !== 'it' || index === said.length - 1);
    const told = said.filter((word, index) => !isVague(word, index));
    const titles = headings
      .map((text) => meaning(words(spoken(text))))
      .filter((parts) => parts.length > 0 && parts.length <= (asVerb(parts) ? WORDS_MAX : WORDS_MAX - 1))
      .filter((parts) => !parts.every((word) => NOT_AN_OBJECT.has(word)));
    const marks = ids
      .filter((id) => !isCounted(id))
      .map((id) => identifierWords(id).filter((word) => !NOT_AN_OBJECT.has(word)))
      .filter((parts) => parts.length > 0 && parts.length <= 3 && parts.join('').length > 1);
    const isOpen = told.length === 0 || (told.length === 1 && (EMPTY.has(told[0]) || told[0] === 'save'));
    const object =
      (isOpen && told[0] !== 'next' ? titles.find(asVerb) : undefined) ??
      titles[0] ??
      (purpose === 'search' ? undefined : (marks[0] ?? thingOf(labels)));

    if (purpose === 'search') {
      const own = labels.map(searched).find((parts) => parts && parts.length > 1);
      if (own) return fit(own);
    }
    // A code that is applied is no matter of the page's heading.
    const applied = told.join() === 'apply' ? thingOf(labels) : undefined;
    if (applied) return fit(['apply', ...applied]);
    const empty = told.length === 0 || EMPTY.has(told.join('_')) || (EMPTY.has(told[0]) && told.length === 1);
    if (!empty && told.length > 1) return fit(told);
    if (!empty && object && object[0] === told[0]) return fit(object);
    if (!empty && !TRANSITIVE.has(told[0])) return fit(told);
    const first = empty ? { search: 'search', login: 'log_in', '': 'submit' }[purpose] : told[0];
    if (!object) return purpose === 'login' ? 'log_in' : first === 'submit' ? 'submit_form' : first;
    const deed = asVerb(object);
    // "Save" under "Add user" adds a user, "Send" under "New message" sends it; "Search" under "Manage users" searches users.
    const isDone = first === 'save' || (first === 'send' && object[0] !== 'new');
    if (deed && (empty || deed[0] === first || (deed.length > 1 && isDone)))
      return fit(deed);
    if (purpose === 'login') return 'log_in';
    const thing = deed && deed.length > 1 ? deed.slice(1) : object;
    return fit([...first.split('_'), ...short(thing).filter((word) => word !== first)]);
  };

  agent.part('names', (parts) => {
    const deeds = parts.get('deeds');
    deedOf = deeds.named;
    for (const said of deeds.words('submit')) EMPTY.add(words(said).join('_'));
    EMPTY.delete('');
    return { words, verb, property, unique, form };
  });
})();
