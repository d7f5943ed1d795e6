/**
 * Trusted input and pictures through the debugger; works in tabs the person does not look at.
 *
 * Elements are found in an isolated world, so a page cannot hand out a forged position by redefining querySelector.
 */
import { CommandError, invalidParams } from '../shared/errors.js';
import { imageSize } from '../shared/image_size.js';
import { keystrokes } from './keyboard.js';
import { focusElement, locateElement } from './page_functions.js';

/** @typedef {{selector: string} | {x: number, y: number}} Spot */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{ok: true, point: Point} | {ok: false, invalid?: boolean, reason: string}} Located */

const WORLD = 'tabwright';
/** The smallest screencast that makes Chrome draw a hidden tab; without it a picture of one may never come. */
const TINY_SCREENCAST = { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16, everyNthFrame: 1000 };

export class Input {
  #debugger;
  #screencasts;

  /**
   * @param {Pick<import('./debugger.js').Debugger, 'send'>} debug
   * @param {import('./screencasts.js').Screencasts} screencasts
   */
  constructor(debug, screencasts) {
    this.#debugger = debug;
    this.#screencasts = screencasts;
  }

  /**
   * @param {number} tabId
   * @param {Spot} spot
   */
  async click(tabId, spot) {
    const point = await this.#pointAt(tabId, spot);
    const button = { ...point, button: 'left', clickCount: 1 };
    await this.#inOrder([
      () => this.#mouse(tabId, { type: 'mouseMoved', ...point }),
      () => this.#mouse(tabId, { type: 'mousePressed', buttons: 1, ...button }),
      () => this.#mouse(tabId, { type: 'mouseReleased', buttons: 0, ...button }),
    ]);
  }

  /**
   * @param {number} tabId
   * @param {Spot} spot
   */
  async hover(tabId, spot) {
    await this.#mouse(tabId, { type: 'mouseMoved', ...(await this.#pointAt(tabId, spot)) });
  }

  /**
   * @param {number} tabId
   * @param {string} text
   * @param {string | undefined} selector
   * @param {AbortSignal} signal
   */
  async type(tabId, text, selector, signal) {
    if (selector !== undefined) await this.#evaluate(tabId, focusElement, selector);
    for (const { method, params } of keystrokes(text)) {
      if (signal.aborted) return;
      await this.#debugger.send(tabId, method, params);
    }
  }

  /**
   * @param {number} tabId
   * @param {'jpeg' | 'png'} format
   * @param {number} quality
   */
  async screenshot(tabId, format, quality) {
    const wish = format === 'png' ? { format } : { format, quality };
    const { data } = await this.#screencasts.during(tabId, TINY_SCREENCAST, () =>
      this.#debugger.send(tabId, 'Page.captureScreenshot', wish),
    );
    return { data, mimeType: `image/${format}`, ...imageSize(data, format) };
  }

  /**
   * @param {number} tabId
   * @param {Spot} spot
   * @returns {Promise<Point>}
   */
  async #pointAt(tabId, spot) {
    if (!('selector' in spot)) return spot;
    return this.#evaluate(tabId, locateElement, spot.selector);
  }

  /**
   * @param {number} tabId
   * @param {Record<string, unknown>} event
   */
  async #mouse(tabId, event) {
    await this.#debugger.send(tabId, 'Input.dispatchMouseEvent', event);
  }

  /**
   * Starts all before waiting for any: the debugger keeps the order, and a press whose answer waits for a dialog does
   * not hold the release back.
   * @param {(() => Promise<void>)[]} steps
   */
  async #inOrder(steps) {
    await Promise.all(steps.map((step) => step()));
  }

  /**
   * @param {number} tabId
   * @param {(selector: string) => Located} find
   * @param {string} selector
   * @returns {Promise<Point>}
   */
  async #evaluate(tabId, find, selector) {
    const { frameTree } = await this.#debugger.send(tabId, 'Page.getFrameTree');
    const { executionContextId } = await this.#debugger.send(tabId, 'Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: WORLD,
    });
    const { result, exceptionDetails } = await this.#debugger.send(tabId, 'Runtime.evaluate', {
      contextId: executionContextId,
      expression: `(${find})(${JSON.stringify(selector)})`,
      returnByValue: true,
    });
    if (exceptionDetails) throw new CommandError(`The page could not be searched: ${exceptionDetails.text}`);
    /** @type {Located} */
    const located = result.value;
    if (located.ok) return located.point;
    throw located.invalid ? invalidParams(located.reason) : new CommandError(located.reason);
  }
}
