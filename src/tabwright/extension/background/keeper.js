/**
 * A launched browser ends with its last window, so there the extension keeps one minimised page of its own.
 *
 * When the extension is reloaded Chrome shows its new-tab page in place of ours. The tab's id is therefore kept in
 * Settings, so that the tab is recognised, never listed meanwhile, and turned back.
 */
const NEW_TAB_PAGE = /^chrome:\/\/(newtab|new-tab-page)/;

export class Keeper {
  #tabs;
  #windows;
  #settings;
  #url;
  /** @type {number | undefined} */
  #tabId;
  /** @type {Promise<void> | undefined} */
  #ensuring;

  /**
   * @param {Pick<import('./tabs.js').Tabs, 'showing' | 'closeAll' | 'turnInto'>} tabs
   * @param {Pick<import('./windows.js').Windows, 'openMinimised'>} windows
   * @param {Pick<import('./settings.js').Settings, 'load' | 'saveKeeperTab'>} settings
   * @param {string} url
   */
  constructor(tabs, windows, settings, url) {
    this.#tabs = tabs;
    this.#windows = windows;
    this.#settings = settings;
    this.#url = url;
  }

  /** Exactly one keeper, however often and from however many events this is called. */
  ensure() {
    this.#ensuring ??= this.#ensure().finally(() => { this.#ensuring = undefined; });
    return this.#ensuring;
  }

  /** The keeper's tab while Chrome shows something else in it. @param {number | undefined} tabId @param {string} url */
  isLapsed(tabId, url) {
    return tabId !== undefined && tabId === this.#tabId && NEW_TAB_PAGE.test(url);
  }

  /** The worker may be back before Chrome has put its page there. @param {number} tabId @param {string} url */
  async shows(tabId, url) {
    await this.#ensuring;
    if (this.isLapsed(tabId, url)) await this.ensure();
  }

  async #ensure() {
    const config = await this.#settings.load();
    if (!config.keeper) return;
    this.#tabId = config.keeperTabId;
    const tabId = await this.#find();
    if (tabId === this.#tabId) return;
    this.#tabId = tabId;
    await this.#settings.saveKeeperTab(tabId);
  }

  async #find() {
    const [kept, ...extra] = await this.#tabs.showing(this.#url);
    if (extra.length > 0) await this.#tabs.closeAll(extra);
    if (kept !== undefined) return kept;
    const known = this.#tabId;
    if (known !== undefined && (await this.#tabs.turnInto(known, this.#url, (url) => this.isLapsed(known, url)))) {
      return known;
    }
    return /** @type {number} */ ((await this.#windows.openMinimised(this.#url)).id);
  }
}
