/** Waiting times between attempts to reach the gateway. */

/** `jitter`: the part of a wait that is left to chance. */
/** @typedef {{readonly first: number, readonly longest: number, readonly jitter?: number}} Pace */

/** The gateway is away: look often, it may come back at any moment. @type {Pace} */
export const AWAY = Object.freeze({ first: 100, longest: 2_000 });

/** Something answers but is not our gateway, or does not want us: only the person can change that. @type {Pace} */
export const REFUSED = Object.freeze({ first: 2_000, longest: 30_000 });

/** A server of many browsers is away: it comes back as a whole, and all must not come at once. @type {Pace} */
export const FAR = Object.freeze({ first: 200, longest: 10_000, jitter: 0.5 });

export class Backoff {
  /** @type {Pace} */
  #pace = AWAY;
  #next = AWAY.first;
  #random;

  /** @param {() => number} [random] */
  constructor(random = Math.random) {
    this.#random = random;
  }

  /**
   * The next waiting time in milliseconds; doubles while the pace stays the same.
   * @param {Pace} pace
   */
  wait(pace) {
    if (pace !== this.#pace) {
      this.#pace = pace;
      this.#next = pace.first;
    }
    const wait = this.#next;
    this.#next = Math.min(wait * 2, pace.longest);
    return wait * (1 - (pace.jitter ?? 0) * this.#random());
  }

  reset() {
    this.#next = this.#pace.first;
  }
}
