/**
 * Getting from a fresh install to a link without the person: asks the native host to start the gateway, and for a key
 * to pair with it. Decides when:
 *
 *   unpaired, refused, wrong-server   by itself, when the worker finds itself so, then after 1 min, doubling to 30 min
 *   looking                           only when the person looks (popup, first-run page, Connect): nobody else needs
 *                                     a gateway before an agent does, and the agent's own client starts it
 *   off                               never: the person said no
 *
 * A browser that carries a config.json is set up by somebody else and asks nothing. One question at a time; what was
 * tried is kept over restarts of the worker, so that no worker that comes and goes starts a process each time.
 */

/** @typedef {import('../common/protocol').BootstrapView} BootstrapView */
/** @typedef {{tries: number, nextAt: number}} Record */

const FIRST_MS = 60_000;
const LONGEST_MS = 30 * 60_000;
/** A look within this of the last question is the same look. */
const SAME_LOOK_MS = 2_000;
/** How long after a look a gateway that turns out to be away is still started. */
const LOOK_MS = 10_000;
/** How long a gateway that has just gone may still count as there. */
const UNHEARD_MS = 1_000;
const UNPAIRED = new Set(['unpaired', 'refused', 'wrong-server']);
/** @type {Record} */
const FRESH = Object.freeze({ tries: 0, nextAt: 0 });

export class Bootstrap {
  onChange = () => {};
  /** @type {BootstrapView} */
  view = { state: 'idle', reason: '' };
  #asking = false;
  #isNews = false;
  #lookedAt = -Infinity;
  #askedAt = -Infinity;
  #parts;

  /**
   * @param {{
   *   settings: import('./settings.js').Settings,
   *   connection: import('./connection.js').Connection,
   *   pairing: {pair(key: unknown): Promise<import('../common/protocol').PairingView>},
   *   memory: import('./memory.js').Memory,
   *   host: {ask(message: import('./native.js').Ask): Promise<import('./native.js').Told>},
   *   now?: () => number,
   * }} parts
   */
  constructor(parts) {
    this.#parts = { now: () => Date.now(), ...parts };
  }

  /** The person looks: what is missing is set up now, if it can be. */
  async look() {
    const now = this.#parts.now();
    if (now - this.#askedAt < SAME_LOOK_MS) return;
    this.#lookedAt = now;
    await this.consider();
  }

  /** After every change of the link, and now and then. */
  async consider() {
    this.#isNews = true;
    if (this.#asking) return;
    this.#asking = true;
    try {
      // The link may change by what was asked, too.
      while (this.#isNews) {
        this.#isNews = false;
        const message = await this.#due();
        if (message) await this.#try(message);
      }
    } finally {
      this.#asking = false;
    }
  }

  /** @returns {Promise<import('./native.js').Ask | undefined>} */
  async #due() {
    const { settings, connection, memory, now } = this.#parts;
    const { native, paused, profileId } = await settings.load();
    if (!native || paused) return undefined;
    const { state, nextTryAt } = connection;
    if (state === 'connected') {
      this.#lookedAt = Math.min(this.#lookedAt, now() - LOOK_MS + UNHEARD_MS);
      // What was asked has come: who looks again wants something else.
      this.#askedAt = -Infinity;
      this.#show('idle');
      await memory.update('bootstrap', FRESH, (record) => (record.tries === 0 ? record : FRESH));
    }
    const looked = now() - this.#lookedAt < LOOK_MS;
    if (UNPAIRED.has(state)) {
      const { nextAt } = await memory.read('bootstrap', FRESH);
      return looked || now() >= nextAt ? { ask: 'pair', profileId } : undefined;
    }
    // An attempt that is still under way may find it.
    return state === 'looking' && nextTryAt !== undefined && looked ? { ask: 'start' } : undefined;
  }

  /** @param {import('./native.js').Ask} message */
  async #try(message) {
    const { memory, host, now } = this.#parts;
    this.#lookedAt = -Infinity;
    this.#askedAt = now();
    // Kept before it is asked: a worker stopped meanwhile must not ask again at once.
    await memory.update('bootstrap', FRESH, ({ tries }) => (
      { tries: tries + 1, nextAt: now() + Math.min(FIRST_MS * 2 ** tries, LONGEST_MS) }
    ));
    this.#show('asking');
    const told = await host.ask(message);
    if ('absent' in told) this.#show('absent');
    else if ('failed' in told) this.#show('failed', told.failed);
    else await this.#use(told);
  }

  /** @param {{port: number, httpPort: number, key?: string}} told */
  async #use({ port, httpPort, key }) {
    const { settings, connection, pairing } = this.#parts;
    // Said meanwhile, it counts.
    if ((await settings.load()).paused) return this.#show('idle');
    await settings.savePorts(port, httpPort);
    if (key === undefined) {
      connection.restart();
      return this.#show('idle');
    }
    const paired = await pairing.pair(key);
    if (paired.state === 'refused') return this.#show('failed', paired.reason);
    return this.#show(paired.state === 'paired' ? 'idle' : 'failed', paired.state === 'paired' ? '' : 'The gateway is gone again.');
  }

  /**
   * @param {BootstrapView['state']} state
   * @param {string} [reason]
   */
  #show(state, reason = '') {
    if (state === this.view.state && reason === this.view.reason) return;
    this.view = { state, reason };
    this.onChange();
  }
}
