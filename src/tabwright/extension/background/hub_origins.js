/**
 * Whose pages may register tools: the gateway's `hub_origins`, told in its `welcome` and kept, so that a page met before
 * the gateway is meant too. A frame's page agent speaks to its page only after it was told here that it may; the origin
 * is Chrome's word on the port. The gateway checks again.
 *
 * What a page says of servers in its frames is held against the same list before it goes any further.
 */

export class HubOrigins {
  /** What each port was told. @type {Map<chrome.runtime.Port, boolean>} */
  #told = new Map();
  /** As last loaded or told: no frame is told anything before. @type {string[]} */
  #origins = [];
  #settings;

  /** @param {Pick<import('./settings.js').Settings, 'load' | 'saveHubOrigins'>} settings */
  constructor(settings) {
    this.#settings = settings;
  }

  /** @param {chrome.runtime.Port} port */
  async accept(port) {
    const { hubOrigins } = await this.#settings.load();
    this.#origins = hubOrigins;
    port.onDisconnect.addListener(() => this.#told.delete(port));
    this.#tell(port, hubOrigins);
  }

  /** The gateway has told them. @param {string[]} origins @returns {Promise<boolean>} whether they are others than before */
  async update(origins) {
    const before = (await this.#settings.load()).hubOrigins;
    if (JSON.stringify(before) === JSON.stringify(origins)) return false;
    await this.#settings.saveHubOrigins(origins);
    this.#origins = origins;
    for (const port of this.#told.keys()) this.#tell(port, origins);
    return true;
  }

  /** @param {string} origin */
  allows(origin) {
    return isAllowed(origin, this.#origins);
  }

  /** @param {chrome.runtime.Port} port @param {string[]} origins */
  #tell(port, origins) {
    const may = isAllowed(port.sender?.origin ?? 'null', origins);
    if (this.#told.get(port) === may) return;
    try {
      port.postMessage({ hub: may });
      this.#told.set(port, may);
    } catch {
      // Broken already, though we were not told yet.
      this.#told.delete(port);
    }
  }
}

/**
 * @param {string} origin
 * @param {string[]} patterns origins, `https://*.example.com` for all below one; none: every http(s) origin
 */
export function isAllowed(origin, patterns) {
  const [, scheme, host] = /^(https?):\/\/([^/]+)$/.exec(origin) ?? [];
  if (!host) return false;
  if (patterns.length === 0 || patterns.includes(origin)) return true;
  const labels = host.split('.');
  return labels.some((_, index) => index > 0 && patterns.includes(`${scheme}://*.${labels.slice(index).join('.')}`));
}

/** What a `welcome` says of them. @param {unknown} told @returns {string[]} */
export const readOrigins = (told) => (Array.isArray(told) ? told.filter((origin) => typeof origin === 'string') : []);
