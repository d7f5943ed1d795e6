/**
 * Buttons as verbs. A name is what the button says, without counts and determiners. A transitive verb alone says too little,
 * so it gets the noun of what it stands in, the first that the page shows: the nearest named region, what a label calls
 * "this ...", the thing the mark-up describes, a short heading above. So "Star" in a region "Repository", and "Star this
 * repository (12)", are both `star_repo`, and what nothing names stays `star`.
 *
 * Left to others: buttons that send forms (`forms` takes them), of rows (`rows`), of navigation and paging.
 */
(() => {
  /** @type {import('../agent').Agent} */
  const agent = /** @type {any} */ (globalThis)[Symbol.for('tabwright.agent')];

  const MOST = 14;
  const MENU_MOST = 20;
  const LOOKED_AT = 60;
  const REGIONS = 'section,article,aside,fieldset,[role=region],[role=group],[role=toolbar],[role=article],[role=form],[itemtype]';
  const NOT_ACTIONS = '[class*=paginat i],[class*=pager i],[aria-label*=paginat i],[class*=carousel i],[class*=swiper i],'
    + '[class*=slick-],'
    + '[aria-roledescription=carousel],th,[role=columnheader]';
  const CELLS = 'td,[role=gridcell]';
  const ADS = /(^|[\s_-])(ads?|advert\w*|sponsor\w*|promo\w*|adsbygoogle)([\s_-]|$)/i;
  const CONSENT = /cookie|consent|gdpr|onetrust|didomi/i;
  // Verbs that want to know what. "compose_inbox" would be worse than "compose".
  const TRANSITIVE = new Set(('add archive clear clone configure create customize delete disable download edit enable export follow fork '
    + 'import join leave like manage mute new open pin publish refresh reload remove rename reset restart run save share show '
    + 'sponsor star start stop subscribe unfollow unpin unstar unsubscribe unwatch update upload view watch').split(' '));
  // What regions of buttons are called, whatever the buttons are for.
  const NO_NOUNS = new Set('action actions button buttons control controls menu option options tool toolbar tools'.split(' '));
  const PRIMARY = /(^|[\s_-])(primary|cta|submit|main)([\s_-]|$)/i;

  agent.part('actions', () => {
    const dom = agent.get('dom');
    const { bare } = dom;
    const names = agent.get('names');
    const wording = agent.get('wording');
    const controls = agent.get('controls');

    const classes = (/** @type {Element} */ element) => (bare(element).getAttribute('class') ?? '').slice(0, 300);

    /** Links that look like buttons, or begin with a verb: "Add user" leads to a form. */
    const isButton = (/** @type {Element} */ element) => controls.kindOf(element) === 'button'
      || /(^|[\s_-])(btn|button)([\s_-]|$)/i.test(classes(element))
      || /^(add|new|create|compose|write|upload|edit|import|export|log ?in|log ?out|sign ?(in|up|out)|register|subscribe|check ?out)(\s+\S+){0,3}$/i
        .test(dom.collapse(bare(element).textContent?.slice(0, 60) ?? ''));

    /** One or two plain words; more is a sentence, and no noun. */
    const noun = (/** @type {string} */ text) => {
      const found = wording.phrase(text).split(' ').filter((word) => word && !NO_NOUNS.has(word));
      return found.length <= 2 && /^[\p{L}\s]+$/u.test(text) ? found.join(' ') : '';
    };

    const regionNoun = (/** @type {Element} */ button) => {
      const outside = (/** @type {Element} */ each) => {
        const parent = dom.parentOf(each);
        return parent && dom.closest(parent, REGIONS);
      };
      for (let at = outside(button), up = 0; at && up < 4; at = outside(at), up += 1) {
        const type = bare(at).getAttribute('itemtype')?.match(/schema\.org\/([A-Z][a-z]+)$/)?.[1];
        const label = dom.referred(at, 'aria-labelledby') || bare(at).getAttribute('aria-label');
        const named = noun((label || type || '').slice(0, 80));
        if (named) return named;
      }
      return '';
    };

    /** @type {(button: Element, label: string, place: {dialog: Element | null, subject: string, heading: string}) => string} */
    const nameOf = (button, label, { dialog, subject, heading }) => {
      const shown = wording.plain(dom.textOf(button, 40));
      const said = wording.plain(label);
      // "Fork" with the label "Fork your own copy of someone/something": the short text is the stable one.
      const isLong = wording.words(said).length > 4 && shown && said.toLowerCase().startsWith(shown.toLowerCase());
      const phrase = wording.phrase(isLong ? shown : said);
      const popup = button.getAttribute('aria-haspopup');
      const opens = popup !== null && popup !== 'false' && popup !== 'dialog';
      if (opens) return names.verb(`open ${phrase.replace(/^(?:open|show|toggle|close|hide)\b/, '').trim() || 'menu'}`);
      // What unfolds does not do what its text says: "DELETE /pets" only shows the form for it. Whether it is open now is
      // no part of its name, in its own words neither.
      if (isFold(button) && popup !== 'dialog' && !/^(?:show |see |read |view )?(?:more|less)$/.test(phrase)) {
        return names.verb(`toggle ${phrase.replace(/^(?:open|show|toggle|close|hide|collapse|expand)\b/, '')}`);
      }
      if (button.getAttribute('role') === 'switch') return names.verb(`toggle ${phrase}`, 'toggle');
      if (TRANSITIVE.has(phrase)) {
        if (dialog && heading.toLowerCase().startsWith(`${phrase} `)) return names.verb(wording.phrase(wording.plain(heading)));
        const about = dialog ? '' : regionNoun(button) || subject || noun(heading);
        if (about && !about.split(' ').includes(phrase)) return names.verb(`${phrase} ${about}`);
      }
      return names.verb(phrase, 'press');
    };

    const isFold = (/** @type {Element} */ button) => button.hasAttribute('aria-expanded') || button.localName === 'summary';

    /** An arrow beside the button it belongs to, for the mouse only. */
    const isDouble = (/** @type {Element} */ button) => button.getAttribute('tabindex') === '-1' && isFold(button)
      && bare(bare(button).parentElement)?.querySelector(':scope > [aria-expanded]:not([tabindex="-1"])') !== null;

    const stateOf = (/** @type {Element} */ button) => {
      const pressed = button.getAttribute('aria-pressed') ?? button.getAttribute('aria-checked');
      if (pressed) return pressed === 'true' ? ' It is on now.' : ' It is off now.';
      const open = button.localName === 'summary' ? String(bare(bare(button).parentElement)?.hasAttribute('open'))
        : button.getAttribute('aria-expanded');
      return open === 'true' ? ' It is open now.' : '';
    };

    /** What surrounds it tells whether it is what the page is for. */
    const scoreOf = (/** @type {Element} */ button, /** @type {Element | null} */ dialog, /** @type {string} */ label) => {
      for (let at = /** @type {Element | null} */ (button), up = 0; at && up < 8; at = dom.parentOf(at), up += 1) {
        const marks = `${bare(at).getAttribute('id') ?? ''} ${classes(at)} ${bare(at).getAttribute('aria-label') ?? ''}`;
        if (CONSENT.test(marks) || (at !== button && ADS.test(marks))) return 0.12;
      }
      let score = 0.5;
      if (dialog) score = !bare(dialog).matches(':modal,[aria-modal=true]') && controls.isConsent(dialog) ? 0.15 : 0.85;
      else if (dom.closest(button, '[role=menu]')) score = 0.8;
      else if (dom.closest(button, 'main,[role=main],article')) score += 0.1;
      else if (dom.closest(button, 'header,[role=banner],aside,[role=complementary]')) score -= 0.12;
      if (PRIMARY.test(classes(button)) || /** @type {HTMLButtonElement} */ (button).type === 'submit') score += 0.1;
      if (/^(toggle|theme|share|tweet|print|feedback|copy|expand|collapse|skip|close|dismiss|help)\b/i.test(label)) score -= 0.12;
      // Links drawn as buttons mostly lead to advertising pages of the same site.
      if (controls.kindOf(button) === 'link') score -= 0.06;
      return score;
    };

    return {
      find(context) {
        const map = controls.of(context);
        /** @type {Element[]} */
        const buttons = [];
        for (const each of map.loose) {
          if (buttons.length >= LOOKED_AT) break;
          if (isButton(each) && !context.taken?.has(each) && /** @type {HTMLButtonElement} */ (each).type !== 'reset' && !isDouble(each)
            && !agent.get('fields').isPart(each) && !each.matches(CELLS) && !dom.closest(each, NOT_ACTIONS) && context.isVisible(each) && dom.isEnabled(each)) buttons.push(each);
        }
        const labels = new Map(buttons.map((each) => [each, controls.labelOf(each)]));
        const subject = [...labels.values()].map(wording.subject).find(Boolean) ?? '';
        /** @type {Map<string, import('./derived').Candidate>} */
        const found = new Map();
        for (const [button, label] of labels) {
          if (!/\p{L}/u.test(label)) continue;
          const dialog = map.dialogs.findLast((each) => dom.contains(each, button)) ?? null;
          const title = dialog && (dom.referred(dialog, 'aria-labelledby') || bare(dialog).getAttribute('aria-label'));
          const above = title || dom.headingOf(button);
          // Inside a web component the heading may be the name of its host, which is the button's own.
          const heading = above === label ? '' : above;
          const name = nameOf(button, label, { dialog, subject, heading });
          const score = scoreOf(button, dialog, label);
          // The same button above and below a text, or once for small screens, is one tool.
          const key = `${name} ${heading} ${names.words(label).length === 0 ? label : ''}`;
          const before = found.get(key);
          if (before && before.score >= score) continue;
          const kept = controls.handle(button, label);
          const where = heading ? ` under "${heading}"` : '';
          found.set(key, {
            name,
            ...heading ? { alternatives: [names.verb(`${name.replaceAll('_', ' ')} ${heading}`)] } : {},
            description: `Press "${label}"${dialog ? ` in the dialog${heading ? ` "${heading}"` : ''}` : where}.${stateOf(button)}`,
            inputSchema: { type: 'object', properties: {}, additionalProperties: false },
            annotations: wording.isDestructive(label) && !isFold(button) ? { destructiveHint: true } : {},
            score,
            element: button,
            run: () => controls.press(kept.find(), { label }),
          });
        }
        const ranked = [...found.values()].sort((one, other) => other.score - one.score);
        // An open menu is there to be chosen from.
        const inMenu = ranked.filter(({ element }) => dom.closest(element, '[role=menu]')).slice(0, MENU_MOST);
        const rest = ranked.filter((each) => !inMenu.includes(each));
        const most = Math.max(0, MOST - inMenu.length);
        return [...inMenu, ...rest.slice(0, most), ...rest.slice(most).map((each) => ({ ...each, spare: true }))];
      },
    };
  });
})();
