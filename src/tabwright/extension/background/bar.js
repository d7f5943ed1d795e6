/**
 * The bar that Chrome shows above every page while a debugger is attached: it appears a tenth of a second after the
 * first attaching and makes the page in front lower. Whoever measures the page before that measures the wrong one.
 */
import { after } from '../common/after.js';

const LOOK_MS = 15;
/** Measured 100 to 160 ms; a bar still there from the attachment before brings no change, so this is also lost time. */
const LONGEST_MS = 250;

export class Bar {
  #tabs;
  #isSilent;

  /**
   * @param {{get(tabId: number): Promise<{active: boolean, height?: number}>}} tabs
   * @param {() => Promise<boolean>} isSilent whether this browser was started so that it shows none
   */
  constructor(tabs, isSilent) {
    this.#tabs = tabs;
    this.#isSilent = isSilent;
  }

  /** Resolves once the page has the size it will keep. @param {number} tabId just attached to, and nothing was before */
  async shown(tabId) {
    if (await this.#isSilent()) return;
    const { active, height } = await this.#tabs.get(tabId);
    // A page in the background keeps its size until somebody looks at it.
    if (!active) return;
    for (let waited = 0; waited < LONGEST_MS; waited += LOOK_MS) {
      await after(LOOK_MS);
      if ((await this.#tabs.get(tabId)).height !== height) return;
    }
  }
}
