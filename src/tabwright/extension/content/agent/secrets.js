/**
 * Fields whose value nobody is told: passwords, codes, tokens, numbers of cards; told by their type, what they say that they
 * are to be filled with, and their names.
 */
(() => {
  /** @type {import('./agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const SECRET = /^(?:cc-.+|one-time-code|current-password|new-password)$/;
  const WRITTEN = 'textarea,input:not([type=checkbox],[type=radio],[type=range],[type=color],[type=file],[type=submit],[type=button],[type=reset],[type=image])';
  // "pin" and "pass" are parts of too many other names.
  const SECRET_NAME = new RegExp([
    'passw(?:or)?d|passphrase|passcode|secret(?!ar)|token(?!s)|(?:api|access|private)[_-]?key|credential',
    // Alone or with a number, perhaps of something else ("user1pw", "pw2confirm"), but not amid letters and digits at random.
    '(?:^|[^a-z\\d])(?:[a-z]*\\d+)?(?:pwd?|psw|otp|cvc|cvv|jwt)(?:\\d+[a-z]{3,}|\\d*)(?:$|[^a-z\\d])',
    '(?:^|\\[)(?:pin|pass)(?:$|\\])',
  ].join('|'), 'i');
  /** Where choices are offered, a token is a choice. */
  const OFFERS = '[role=combobox],[aria-autocomplete=list],[list]';
  /** What is said about a secret is none. */
  const ABOUT = /(?:name|label|title|hint|type|note|description|length|expir\w*)\]?$/i;

  /** @param {import('./agent').Agent} parts */
  const make = (parts) => {
    const dom = parts.get('dom');

    const first = (/** @type {import('./agent').Field} */ field) => (Array.isArray(field) ? field[0] : field);

    /** Once secret, always: a button may show a password by making its field one of text. @type {WeakSet<Element>} */
    const secrets = new WeakSet();
    /** Or by putting another field in its place: all fields of a library may have one name, each in a root of its own. @type {WeakMap<Node, Set<string>>} */
    const secretNames = new WeakMap();
    const secretNamesBeside = (/** @type {Element} */ element) => {
      const root = dom.bare(element).getRootNode();
      const known = secretNames.get(root) ?? new Set();
      secretNames.set(root, known);
      return known;
    };

    const callOf = (/** @type {Element} */ element) =>
      dom.bare(element).getAttribute('name') || dom.bare(element).getAttribute('id') || '';
    const isCalledSecret = (/** @type {Element} */ element) => {
      const own = dom.bare(element);
      const name = callOf(element);
      if (name === '' || !own.matches(WRITTEN)) return false;
      const said = own.matches(OFFERS) ? name.replace(/token/gi, '') : name;
      return secretNamesBeside(element).has(name) || (SECRET_NAME.test(said) && !ABOUT.test(said));
    };

    /** @type {import('./agent').Secrets['isSecret']} */
    const isSecret = (field) => {
      const element = first(field);
      const own = dom.bare(element);
      const said = (own.getAttribute('autocomplete') ?? '').toLowerCase().split(/\s+/);
      // Lists often ask browsers for a new password, so that these keep their own suggestions to themselves.
      const purposes = own.matches('[role=combobox]') ? said.filter((each) => each !== 'new-password') : said;
      const isPassword = own.matches('input[type=password]');
      if (isPassword && callOf(element)) secretNamesBeside(element).add(callOf(element));
      if (isPassword || purposes.some((each) => SECRET.test(each)) || isCalledSecret(element)) secrets.add(element);
      return secrets.has(element);
    };

    /** @type {import('./agent').Secrets['rememberSecrets']} */
    const rememberSecrets = () => dom.queryAll(document, 'input[type=password]').forEach(isSecret);

    /** @type {import('./agent').Secrets['withoutSecrets']} */
    const withoutSecrets = (text, given) =>
      given
        .filter(({ field }) => isSecret(field))
        .map(({ value }) => String(value ?? ''))
        // Of one or two characters every text has some.
        .filter((secret) => secret.length > 2)
        .reduce((told, secret) => told.replaceAll(secret, '•••'), text);

    return { isSecret, rememberSecrets, withoutSecrets };
  };

  agent.part('secrets', make);
})();
