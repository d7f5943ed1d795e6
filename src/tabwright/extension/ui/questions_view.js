/** Open questions, answered right in the popup or the side panel; the window that asks closes by itself then. */
import { chosenIn, isOffered, makeChoices } from './choices.js';
import { answersTo, deedOf, siteOf } from './deeds.js';
import { byId, keep, make, part, put } from './elements.js';

/** @typedef {import('../common/protocol').ApprovalView} ApprovalView */
/** @typedef {ApprovalView['questions'][number]} Question */
/** @typedef {(askId: string, answer: string, chosen?: string[]) => void} Answering */

/** A press sooner than this after a question came, or another moved under the hand, was meant for something else. */
const CALM_MS = 600;

/** @param {Question[]} questions @param {Answering} answer */
export function showQuestions(questions, answer) {
  byId('questions').hidden = questions.length === 0;
  const list = byId('questions-list');
  const before = keysOf(list);
  keep(list, questions, { key: ({ askId }) => askId, make: (question) => makeCard(question, answer), fill: fillCard });
  if (keysOf(list) !== before) for (const card of list.children) calm(/** @type {HTMLElement} */ (card));
}

/** @param {HTMLElement} list */
const keysOf = (list) => [...list.children].map((card) => /** @type {HTMLElement} */ (card).dataset.key).join(' ');

/** @param {Question} question @param {Answering} answer */
function makeCard({ askId, question, client, origin, kind, tool, details, choices = [], lasting }, answer) {
  const given = answersTo(lasting).map(([word, words, look]) => {
    const button = make(`button.button${look}`, { 'data-answer': word }, words);
    button.addEventListener('click', () => { if (button.ariaDisabled !== 'true') answer(askId, word, chosenIn(card)); });
    return button;
  });
  const exactly = details.map(({ name, value }) =>
    make('div.detail', {}, make('h3', {}, name), make('pre', { tabindex: '0', 'aria-label': name }, value)));
  const card = make('article.question', {},
    make('h2', {}, question),
    make('p.who.quiet', {}, [client, siteOf(origin), deedOf(kind, tool)].filter(Boolean).join(' · ')),
    ...(choices.length > 0 ? [makeChoices(choices, () => offer(card))] : []),
    ...(exactly.length > 0 ? [make('details', {}, make('summary', {}, 'Show details'), ...exactly)] : []),
    make('div.answers', {}, ...given),
    make('p.left.quiet', { 'aria-live': 'off' }));
  return card;
}

/** @param {HTMLElement} card @param {Question} question */
function fillCard(card, { until }) {
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
  put(part(card, '.left'), `Without an answer it is refused in ${seconds} s.`);
}

/** No answer counts at once; the focus stays where it is. @param {HTMLElement} card */
function calm(card) {
  clearTimeout(Number(card.dataset.calming));
  card.dataset.calming = String(setTimeout(() => {
    delete card.dataset.calming;
    offer(card);
  }, CALM_MS));
  offer(card);
}

/** @param {HTMLElement} card */
function offer(card) {
  for (const button of card.querySelectorAll('button')) {
    const counts = card.dataset.calming === undefined && isOffered(card, button.dataset.answer);
    button.ariaDisabled = counts ? null : 'true';
  }
}
