/**
 * Trusted input and pictures through the debugger; works in tabs the person does not look at.
 *
 * Elements are found in an isolated world, so a page cannot hand out a forged position by redefining querySelector.
 */
import { CommandError, invalidParams } from '../shared/errors.js';
import { imageSize } from '../shared/image_size.js';
import { keystrokes } from './keyboard.js';
import { focusElement, locateElement } from './page_functions.js';

/** @typedef {import('./debugger.js').Cdp} Cdp */
/** @typedef {{selector: string} | {x: number, y: number}} Spot */
/** @typedef {{x: number, y: number}} Point */
/** A part of the document, counted without device pixels. @typedef {{x: number, y: number, width: number, height: number, scale: number}} Clip */
/** @typedef {{ok: true, point: Point} | {ok: false, invalid?: boolean, reason: string}} Located */

const WORLD = 'tabwright';
/** The smallest screencast that makes Chrome draw a hidden tab; without it a picture of one may never come. */
const TINY_SCREENCAST = { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16, everyNthFrame: 1000 };

export class Input {
  #debugger;
  #screencasts;
  #frames;

  /**
   * @param {Pick<import('./debugger.js').Debugger, 'hold'>} debug
   * @param {import('./screencasts.js').Screencasts} screencasts
   * @param {Pick<import('./frame_sites.js').FrameWatch, 'during'>} frames
   */
  constructor(debug, screencasts, frames) {
    this.#debugger = debug;
    this.#screencasts = screencasts;
    this.#frames = frames;
  }

  /**
   * @param {number} tabId
   * @param {Spot} spot
   */
  async click(tabId, spot) {
    const cdp = await this.#debugger.hold(tabId);
    const point = await pointAt(cdp, spot);
    const button = { ...point, button: 'left', clickCount: 1 };
    // All at once: Chrome keeps the order, and a press whose answer waits does not hold the release back.
    await Promise.all([
      mouse(cdp, { type: 'mouseMoved', ...point }),
      mouse(cdp, { type: 'mousePressed', buttons: 1, ...button }),
      mouse(cdp, { type: 'mouseReleased', buttons: 0, ...button }),
    ]);
  }

  /**
   * @param {number} tabId
   * @param {Spot} spot
   */
  async hover(tabId, spot) {
    const cdp = await this.#debugger.hold(tabId);
    await mouse(cdp, { type: 'mouseMoved', ...(await pointAt(cdp, spot)) });
  }

  /**
   * @param {number} tabId
   * @param {string} text
   * @param {string | undefined} selector
   * @param {AbortSignal} signal
   */
  async type(tabId, text, selector, signal) {
    const cdp = await this.#debugger.hold(tabId);
    if (selector !== undefined) await find(cdp, focusElement, selector);
    for (const { method, params } of keystrokes(text)) {
      if (signal.aborted) return;
      await cdp(method, params);
    }
  }

  /**
   * @param {number} tabId
   * @param {'jpeg' | 'png'} format
   * @param {number} quality
   * @param {Clip} [clip]
   */
  async screenshot(tabId, format, quality, clip) {
    const cdp = await this.#debugger.hold(tabId);
    const wish = { format, ...(format === 'png' ? {} : { quality }), ...(clip ? { clip } : {}) };
    const { done, sites } = await this.#frames.during(tabId, () =>
      this.#screencasts.during(tabId, cdp, TINY_SCREENCAST, () => cdp('Page.captureScreenshot', wish)),
    );
    return { data: done.data, mimeType: `image/${format}`, ...imageSize(done.data, format), sites };
  }
}

/**
 * @param {Cdp} cdp
 * @param {Record<string, unknown>} event
 */
const mouse = (cdp, event) => cdp('Input.dispatchMouseEvent', event);

/**
 * @param {Cdp} cdp
 * @param {Spot} spot
 * @returns {Promise<Point>}
 */
async function pointAt(cdp, spot) {
  return 'selector' in spot ? find(cdp, locateElement, spot.selector) : spot;
}

/**
 * Runs one of the page functions in the main frame.
 * @param {Cdp} cdp
 * @param {(selector: string) => Located} look
 * @param {string} selector
 * @returns {Promise<Point>}
 */
async function find(cdp, look, selector) {
  const { frameTree } = await cdp('Page.getFrameTree');
  const world = { frameId: frameTree.frame.id, worldName: WORLD };
  const { executionContextId } = await cdp('Page.createIsolatedWorld', world);
  const { result, exceptionDetails } = await cdp('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `(${look})(${JSON.stringify(selector)})`,
    returnByValue: true,
  });
  if (exceptionDetails) throw new CommandError(`The page could not be searched: ${exceptionDetails.text}`);
  /** @type {Located} */
  const located = result.value;
  if (located.ok) return located.point;
  throw located.invalid ? invalidParams(located.reason) : new CommandError(located.reason);
}
