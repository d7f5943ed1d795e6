/** Consent: open questions with their answers, grants with their end. */

import { answersTo, deedOf, grantOf, shortDeed, siteOf } from './deeds.js';
import { byId, make } from './elements.js';
import { blank, fill } from './filling.js';
import { clock } from './figures.js';

/**
 * @typedef {{id: string, client: string, origin: string, tool: string, kind: string, question: string,
 *   details: {name: string, value: string}[], choices?: string[], lasting: boolean, until: number}} Question
 * @typedef {{id: string, origin: string, class: string, client: string, tool: string, where: string,
 *   scope: string}} Grant
 * @typedef {(question: string, pressed: {answer: string, chosen?: string[]}) => void} Answering
 * @typedef {(grant: string) => void} Revoking
 */

/** A press this soon after the questions moved was meant for something else. */
const CALM_MS = 600;
const NOTHING = () =>
  blank(
    'Nothing is allowed for longer than one call',
    'Answer a question with “For this session” or “Always on this site”, and it is listed here until you revoke it.',
  );
let shown = '';
let moved = 0;

/** @param {Question[]} questions @param {Answering} answer */
export function drawQuestions(questions, answer) {
  const place = byId('questions');
  const now = questions.map(({ id }) => id).join();
  if (now !== shown) moved = performance.now();
  shown = now;
  place.hidden = questions.length === 0;
  document.title = questions.length ? `(${questions.length}) tabwright asks` : 'tabwright';
  // whatever is open in front makes the rest unreachable
  const panel = /** @type {HTMLDialogElement} */ (byId('panel'));
  const home = panel.open ? panel : byId('main');
  if (place.parentElement !== home) home.prepend(place);
  fill(byId('questions-list'), questions.map(asked));
  place.onclick = ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-answer]') : null;
    const card = button?.closest('article');
    const id = card?.getAttribute('data-question');
    if (!button || !card || !id || performance.now() - moved < CALM_MS) return;
    moved = performance.now();
    answer(id, { answer: String(button.getAttribute('data-answer')), ...chosenIn(card) });
  };
}

/** What the person left of the choices, where there are some. @param {Element} card */
function chosenIn(card) {
  const boxes = /** @type {HTMLInputElement[]} */ ([...card.querySelectorAll('[data-choice]')]);
  return boxes.length ? { chosen: boxes.filter(({ checked }) => checked).map(({ value }) => value) } : {};
}

/** @param {string} value */
function choice(value) {
  const box = /** @type {HTMLInputElement} */ (make('input', { type: 'checkbox', value, 'data-choice': '' }));
  box.defaultChecked = true;
  return make('label.choice', {}, box, make('span', {}, value));
}

/** @param {Question} question */
function asked({ id, client, origin, tool, kind, question, details, choices = [], lasting, until }) {
  return make(
    'article.entry.card.question',
    { 'data-question': id, 'data-key': id, 'aria-label': question },
    make('h3', {}, question),
    make('p.quiet', {}, [client, siteOf(origin), deedOf(kind, tool)].filter(Boolean).join(' · ')),
    ...details.map(({ name, value }) =>
      make('div.detail', {}, make('b', {}, name), make('pre', { tabindex: 0, 'aria-label': name }, value)),
    ),
    ...(choices.length ? [make('fieldset.choices', {}, make('legend', {}, 'Sites it may use'), ...choices.map(choice))] : []),
    make(
      'div.answers',
      {},
      ...answersTo(lasting).map(([word, words, look]) => make(`button.button${look}`, { 'data-answer': word }, words)),
      make('span.quiet', {}, `Without an answer it is refused at ${clock(until)}.`),
    ),
  );
}

/** @param {Grant[]} grants @param {Revoking} revoke */
export function drawGrants(grants, revoke) {
  const rows = grants.map((grant) =>
    make(
      'li',
      { 'data-grant': grant.id, 'data-key': grant.id },
      make(
        'span.tab',
        {},
        make('span', {}, `${siteOf(grant.origin)}: ${shortDeed(grant.class)}`),
        make(
          'span.address',
          {},
          [grant.tool, grant.client === '*' ? 'any agent' : grant.client, grant.where].filter(Boolean).join(' · '),
        ),
      ),
      make('span.badge', {}, grant.scope === 'session' ? 'this session' : 'always'),
      make(
        'button.button',
        { 'data-revoke': grant.id, 'aria-label': `Revoke: ${grantOf(grant.client === '*' ? '' : grant.client, grant.class, grant.origin)}` },
        'Revoke',
      ),
    ),
  );
  fill(byId('grants'), [rows.length ? make('ul', {}, ...rows) : NOTHING()]);
  byId('grants').onclick = ({ target }) => {
    const id = target instanceof Element && target.closest('[data-revoke]')?.getAttribute('data-revoke');
    if (id) revoke(id);
  };
}
