/** Waiting times between attempts to reach the gateway. */

/** @typedef {{readonly first: number, readonly longest: number}} Pace */

/** The gateway is away: look often, it may come back at any moment. @type {Pace} */
export const AWAY = Object.freeze({ first: 100, longest: 2_000 });

/** Something answers but is not our gateway, or does not want us: only the person can change that. @type {Pace} */
export const REFUSED = Object.freeze({ first: 2_000, longest: 30_000 });

export class Backoff {
  #pace = AWAY;
  #next = AWAY.first;

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
    return wait;
  }

  reset() {
    this.#next = this.#pace.first;
  }
}
