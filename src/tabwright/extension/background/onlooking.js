/**
 * What gateways tell of grants and calls while a page of ours shows them. Kept in memory alone: nothing is told unless
 * a page is open, and whoever connects or looks anew is told everything again.
 */

/** @typedef {import('../common/protocol').CallView} CallView */
/** @typedef {import('../common/protocol').GrantView} GrantView */
/** @typedef {{grants: GrantView[], calls: CallView[]}} Told */

/** Of one connection; the oldest go first. */
const MOST_CALLS = 200;
const MOST_GRANTS = 200;

export class Onlooking {
  onChange = () => {};
  /** @type {Map<string, Told>} */
  #told = new Map();

  /**
   * @param {{grants?: GrantView[], calls?: CallView[]}} news grants are all of them, calls those that are new
   * @param {string} by the connection that tells
   */
  show({ grants, calls = [] }, by) {
    const before = this.#told.get(by) ?? { grants: [], calls: [] };
    // a message may be sent again
    const numbers = new Set(calls.map(({ number }) => number));
    const kept = before.calls.filter(({ number }) => !numbers.has(number));
    this.#told.set(by, {
      grants: (grants ?? before.grants).slice(0, MOST_GRANTS),
      calls: [...kept, ...calls].slice(-MOST_CALLS),
    });
    this.onChange();
  }

  /** Nobody looks any more, or whoever told is gone. @param {(by: string) => boolean} isOver */
  clear(isOver) {
    for (const by of [...this.#told.keys()]) if (isOver(by)) this.#told.delete(by);
  }

  /**
   * What connections that are there have told.
   * @param {(by: string) => boolean} isThere
   * @returns {{isTold: boolean, grants: GrantView[], calls: CallView[]}} calls by the time they ended, newest first
   */
  view(isThere) {
    const told = [...this.#told].filter(([by]) => isThere(by)).map(([, each]) => each);
    return {
      isTold: told.length > 0,
      grants: told.flatMap(({ grants }) => grants),
      calls: told.flatMap(({ calls }) => calls).sort((a, b) => b.endedAt - a.endedAt || b.number - a.number),
    };
  }
}
