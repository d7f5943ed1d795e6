/** Which window the person works in, and that it gets the focus back when a page's new window has taken it. */

/** A window that has had the focus, and since when; NONE for all that is not Chrome. @typedef {{id: number, at: number}} Focused */

const KEY = 'focused';
const NONE = -1;
const KEPT = 4;
/** When the focus goes from window to window, Chrome tells of none too, before or after. */
const PASSING_MS = 500;

export class Focus {
  #memory;
  #windows;
  #now;

  /**
   * @param {Pick<import('./memory.js').Memory, 'read' | 'update'>} memory
   * @param {Pick<import('./windows.js').Windows, 'focused' | 'raise' | 'lower'>} windows
   * @param {() => number} now in milliseconds
   */
  constructor(memory, windows, now) {
    this.#memory = memory;
    this.#windows = windows;
    this.#now = now;
  }

  /** Chrome tells only of changes: what has the focus to begin with is looked up. */
  async begin() {
    const id = (await this.#windows.focused()) ?? NONE;
    await this.#update((had) => (had.length ? had : [{ id, at: this.#now() }]));
  }

  /** It went to a window, or out of Chrome. @param {number} id */
  async came(id) {
    await this.#update((had) => [{ id, at: this.#now() }, ...had.filter((each) => each.id !== id)].slice(0, KEPT));
  }

  /** To whoever had it before this window, if this one has it. @param {number} windowId */
  async giveBack(windowId) {
    if ((await this.#windows.focused()) !== windowId) return;
    const had = await this.#memory.read(KEY, /** @type {Focused[]} */ ([]));
    const since = had.find(({ id }) => id === windowId)?.at ?? this.#now();
    const [last] = had.filter(({ id, at }) => id !== windowId && !(id === NONE && at > since - PASSING_MS));
    const isWindow = last !== undefined && last.id !== NONE;
    // Either may have closed meanwhile.
    await (isWindow ? this.#windows.raise(last.id) : this.#windows.lower(windowId)).catch(() => {});
  }

  /** @param {(had: Focused[]) => Focused[]} change */
  #update(change) {
    return this.#memory.update(KEY, /** @type {Focused[]} */ ([]), change);
  }
}
