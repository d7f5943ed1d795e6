/**
 * What the words on a button mean for a form: whether it sends the fields, does something else with them, or leads away.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const SENDS = /^(?:continue|proceed|next|check ?out|log ?in|sign ?(?:in|up)|go|ok|submit|apply|confirm|done|finish)\b/i;
  // Buttons that belong to a field, or lead out of the form.
  const ASIDE =
    /^(?:clear|reset|cancel|close|copy|back|previous|dismiss|delete|remove|show|hide|toggle|help|info|more|less|menu|x)\b|password|calendar|date ?picker|dropdown/i;
  // Another way than by the fields, which often stands before them.
  const ELSEWHERE = /\b(?:with|via|using|mit|avec|con|com|met|przez|через)\s+(?:an?\s+|your\s+)?(?:google|apple|facebook|meta|github|gitlab|microsoft|x|twitter|linkedin|discord|slack|okta|sso|passkey|wechat)\b/iu;
  // What is done with code by the button beside it; any other button has nothing to do with the editor.
  const RUNS = /^(?:run|execute|submit|send|save|apply|query|evaluate|format|convert|compile|check)\b/i;
  // One such button alone does send its form: "Delete account", "Reset password". These never do.
  const NEVER =
    /^(?:clear|reset|cancel|close|back|previous|dismiss|show|hide|toggle|help|info|more|less|menu|x)$|^(?:show|hide|toggle)\b.*password|calendar|date ?picker|dropdown/i;
  // What is done with a field that looks like one for searching.
  const SAYS_DEED =
    /^(?:add|assign|ban|block|book|buy|cancel|change|close|confirm|create|delete|donate|edit|export|generate|get|import|invite|join|log|make|move|order|pay|place|post|publish|register|remove|rename|reply|report|request|reserve|reset|run|save|send|set|share|sign|start|subscribe|track|transfer|unsubscribe|update|upload|vote|withdraw|write)\b/i;
  // What the button of a search may say beside that.
  const SAYS_LITTLE = /^(?:\P{L}*|go|ok|okay|submit|enter|look ?up|filter|apply|query|browse|explore)$/iu;
  const OUT = /** @type {const} */ (['cancel', 'close', 'reset', 'back']);
  const DONE = /** @type {const} */ (['save', 'add', 'create', 'register', 'subscribe', 'run', 'delete', 'buy', 'pay', 'order', 'unsubscribe']);
  // "New project" and "Invite user" beside a search open something else; "Invite" alone may be for whom was found.
  const OPENS_ELSE = /^(?:new|create|import|export|upload)\b|\s/i;

  /** @param {import('../agent').Agent} parts */
  const make = (parts) => {
    const deeds = parts.get('deeds');

    const isAside = (/** @type {string} */ name) => ASIDE.test(name) || ELSEWHERE.test(name) || deeds.says(name, ...OUT, 'delete', 'previous');
    const isNever = (/** @type {string} */ name) => NEVER.test(name) || deeds.is(name, ...OUT, 'previous');
    const saysLittle = (/** @type {string} */ name) => SAYS_LITTLE.test(name) || deeds.is(name, 'submit');
    const isRunning = (/** @type {string} */ name) => RUNS.test(name) || deeds.says(name, 'run', 'submit', 'save', 'apply');
    const saysSearch = (/** @type {string} */ name) => deeds.says(name, 'search');
    const saysDeed = (/** @type {string} */ name) => SAYS_DEED.test(name) || deeds.says(name, ...DONE);
    const opensElse = (/** @type {string} */ name) => OPENS_ELSE.test(name) && saysDeed(name) && !saysSearch(name);
    const isPreview = (/** @type {string} */ name) => deeds.says(name, 'preview');
    const saysSent = (/** @type {string} */ name) =>
      name.length <= 40 && (SENDS.test(name) || saysDeed(name) || saysSearch(name) || deeds.says(name, 'submit', 'apply', 'next'));

    return { isAside, isNever, isPreview, isRunning, opensElse, saysDeed, saysLittle, saysSearch, saysSent };
  };

  agent.part('form_words', make);
})();
