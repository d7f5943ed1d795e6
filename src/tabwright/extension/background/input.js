/**
 * Trusted input and pictures through the debugger; works in tabs the person does not look at.
 *
 * Elements are found in an isolated world, so a page cannot hand out a forged position by redefining querySelector.
 */
import { after } from '../common/after.js';
import { CommandError, invalidParams, messageOf } from '../common/errors.js';
import { imageSize } from '../common/image_size.js';
import { keystrokes } from './keyboard.js';
import { focusElement, locateElement } from './page_functions.js';

/** @typedef {import('./debugger.js').Cdp} Cdp */
/** @typedef {{selector: string} | {x: number, y: number}} Spot */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{button: 'left' | 'right' | 'middle', buttons: number, count: number}} Press */
/** A part of the document, counted without device pixels. @typedef {{x: number, y: number, width: number, height: number, scale: number}} Clip */
/** @typedef {{ok: true, point: Point} | {ok: false, invalid?: boolean, reason: string}} Located */

const WORLD = 'tabwright';
/** @type {Press} */
const LEFT = { button: 'left', buttons: 1, count: 1 };
/** The smallest screencast that makes Chrome draw a hidden tab; without it a picture of one may never come. */
const TINY_SCREENCAST = { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16, everyNthFrame: 1000 };
const MISSED = /^Unable to capture screenshot/;
const MISSED_MS = [0, 50, 200];

export class Input {
  #debugger;
  #screencasts;
  #frames;

  /**
   * @param {Pick<import('./debugger.js').Debugger, 'hold' | 'held'>} debug
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
    await clicked(cdp, await pointAt(cdp, spot), LEFT);
  }

  /**
   * Gets ready to click in a tab that is attached: no window of the system to choose a file opens from now on. What it
   * resolves to clicks, and resolves once the page has taken it; undefined where it cannot be.
   * @param {number} tabId
   * @returns {Promise<((point: Point, press: Press) => Promise<{isCutOff: boolean}>) | undefined>}
   */
  async ready(tabId) {
    const cdp = await this.#debugger.held(tabId);
    const isShut = await cdp?.('Page.setInterceptFileChooserDialog', { enabled: true }).then(() => true, () => false);
    if (!cdp || !isShut) return undefined;
    return (point, press) => clicked(cdp, point, press).then(() => ({ isCutOff: false }), cutOff);
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
      this.#screencasts.during(tabId, cdp, TINY_SCREENCAST, () => captured(cdp, wish)),
    );
    return { data: done.data, mimeType: `image/${format}`, ...imageSize(done.data, format), sites };
  }
}

/**
 * Chrome has no picture of a page whose surface is exchanged at that very moment, as after a navigation. It has one soon.
 * @param {Cdp} cdp
 * @param {Record<string, unknown>} wish
 */
async function captured(cdp, wish) {
  for (const pause of MISSED_MS) {
    try {
      return await cdp('Page.captureScreenshot', wish);
    } catch (thrown) {
      if (!MISSED.test(messageOf(thrown))) throw thrown;
    }
    await after(pause);
  }
  return cdp('Page.captureScreenshot', wish);
}

/**
 * @param {Cdp} cdp
 * @param {Record<string, unknown>} event
 */
const mouse = (cdp, event) => cdp('Input.dispatchMouseEvent', event);

/**
 * All at once: Chrome keeps the order, and a press whose answer waits does not hold the release back. What a page does
 * about the movement alone would also take a frame of its own, for which what the click does had to wait.
 * @param {Cdp} cdp
 * @param {Point} point
 * @param {Press} press
 */
async function clicked(cdp, point, { button, buttons, count }) {
  const at = { ...point, modifiers: 0 };
  const presses = Array.from({ length: count }, (_, index) => ({ ...at, button, clickCount: index + 1 }));
  await Promise.all([
    mouse(cdp, { type: 'mouseMoved', ...at }),
    ...presses.flatMap((each) => [mouse(cdp, { type: 'mousePressed', buttons, ...each }), mouse(cdp, { type: 'mouseReleased', buttons: 0, ...each })]),
  ]);
}

/** It arrived, and did something that ended the attachment. @param {any} thrown */
function cutOff(thrown) {
  if (thrown?.data?.code !== 'cut_off') throw thrown;
  return { isCutOff: true };
}

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
