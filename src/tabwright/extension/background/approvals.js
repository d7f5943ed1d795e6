/**
 * Questions to the person: a window of our own shows them, one after the other, and what is pressed there is the answer.
 *
 * No page can reach that window, and no command either: our own pages are nobody's tabs, and the debugger lets go of
 * them. Closing it answers no; so does time. A question that is sent again, after the link broke, is the same question.
 */
import { CommandError } from '../common/errors.js';

/** @typedef {import('../common/protocol').Question} Question */
/** @typedef {import('../common/protocol').Answer} Answer */
/** @typedef {import('../common/protocol').GivenAnswer} GivenAnswer */
/** @typedef {{question: Question, until: number, answer: Promise<GivenAnswer>, settle: (answer: Answer, chosen?: string[]) => void}} Asked */

/** So many answers are kept for a gateway that lost its link before it heard them. */
const MOST_KEPT = 50;
const ANSWERS = new Set(['once', 'session', 'always', 'deny']);

export class Approvals {
  /** Something was asked, or answered. */
  onChange = () => {};
  /** @type {Map<string, Asked>} */
  #open = new Map();
  /** @type {Map<string, Promise<GivenAnswer>>} */
  #answered = new Map();
  /** @type {Set<chrome.runtime.Port>} */
  #ports = new Set();
  /** @type {Promise<unknown> | undefined} */
  #opening;
  #openWindow;
  #now;

  /**
   * @param {() => Promise<unknown>} openWindow
   * @param {() => number} [now]
   */
  constructor(openWindow, now = Date.now) {
    this.#openWindow = openWindow;
    this.#now = now;
  }

  /**
   * @param {Question} question
   * @param {AbortSignal} signal aborts when nobody waits for the answer any more
   * @returns {Promise<GivenAnswer>}
   */
  async ask(question, signal) {
    const asked = this.#answered.get(question.askId) ?? this.#begin(question, signal).answer;
    await this.#show();
    return asked;
  }

  /**
   * The person answered elsewhere than in the window: in the popup or the side panel.
   * @param {string} askId
   * @param {string} answer
   * @param {unknown} [chosen] what the person left of the choices, where there are some
   */
  answer(askId, answer, chosen) {
    const asked = this.#open.get(askId);
    if (!asked || !ANSWERS.has(answer)) return;
    const left = Array.isArray(chosen) ? (asked.question.choices ?? []).filter((choice) => chosen.includes(choice)) : undefined;
    asked.settle(/** @type {Answer} */ (answer), left);
  }

  /** Serves the window. @param {chrome.runtime.Port} port */
  accept(port) {
    this.#ports.add(port);
    /** What this window has shown: closing it answers that, and nothing that came after. @type {Set<string>} */
    const shown = new Set();
    port.onMessage.addListener(({ askId, answer, chosen, seen }) => {
      if (seen !== undefined) shown.add(seen);
      else this.answer(askId, answer, chosen);
    });
    port.onDisconnect.addListener(() => {
      this.#ports.delete(port);
      for (const askId of shown) this.#open.get(askId)?.settle('deny');
      if (this.#ports.size === 0 && this.#open.size > 0) void this.#show().catch(() => this.#refuseAll());
    });
    port.postMessage(this.view());
  }

  /**
   * @param {Question} question
   * @param {AbortSignal} signal
   * @returns {Asked}
   */
  #begin(question, signal) {
    const known = this.#open.get(question.askId);
    if (known) return known;
    /** @type {(answer: GivenAnswer) => void} */
    let resolve = () => {};
    const answer = /** @type {Promise<GivenAnswer>} */ (new Promise((done) => { resolve = done; }));
    const waitMs = question.seconds * 1_000;
    const timer = setTimeout(() => asked.settle('timeout'), waitMs);
    /** @type {Asked} */
    const asked = {
      question,
      until: this.#now() + waitMs,
      answer,
      settle: (given, chosen) => {
        clearTimeout(timer);
        resolve(chosen === undefined ? { answer: given } : { answer: given, chosen });
        this.#open.delete(question.askId);
        this.#answered.set(question.askId, answer);
        for (const [oldest] of this.#answered) {
          if (this.#answered.size <= MOST_KEPT) break;
          this.#answered.delete(oldest);
        }
        this.#refresh();
      },
    };
    signal.addEventListener('abort', () => asked.settle('deny'), { once: true });
    this.#open.set(question.askId, asked);
    this.#refresh();
    return asked;
  }

  async #show() {
    if (this.#ports.size > 0 || this.#open.size === 0) return;
    this.#opening ??= this.#openWindow().finally(() => { this.#opening = undefined; });
    try {
      await this.#opening;
    } catch (error) {
      this.#refuseAll();
      throw new CommandError(`No window could be opened to ask the person: ${error}`);
    }
  }

  #refuseAll() {
    for (const asked of [...this.#open.values()]) asked.settle('deny');
  }

  #refresh() {
    for (const port of this.#ports) port.postMessage(this.view());
    this.onChange();
  }

  /** @returns {import('../common/protocol').ApprovalView} what is open, oldest first */
  view() {
    return { questions: [...this.#open.values()].map(({ question, until }) => ({ ...question, until })) };
  }
}
