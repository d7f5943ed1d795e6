/**
 * The icon in the toolbar: what goes on, at a glance. Owns chrome.action.
 *
 *   away      no gateway or server is linked: pale
 *   ready     linked, nobody at work
 *   working   sessions hold tabs: their number in the badge
 *   paused    the person disconnected, or stopped every session: pale, two bars
 *   asking    somebody waits for the person's answer: a question mark, whatever else is
 *
 * A tab of the person's own that a session claimed has a badge of its own, in the colour of the session.
 */

/** @typedef {'away' | 'ready' | 'working' | 'paused' | 'asking'} Mood */
/** @typedef {{mood: Mood, text: string, title: string}} Face */
/** @typedef {{isLinked: boolean, isOff: boolean, sessions: {stopped: boolean, tabs: unknown[]}[], questions: number}} Situation */

const SIZES = [16, 32];
/** The badge behind white text. @type {Record<Mood, string>} */
const PAINT = { away: '#5f6368', ready: '#5f6368', working: '#2457d6', paused: '#5f6368', asking: '#b3261e' };
const BARS = '#5f6368';

/** @param {Situation} situation @returns {Face} */
export function faceOf({ isLinked, isOff, sessions, questions }) {
  if (questions > 0) {
    return { mood: 'asking', text: '?', title: `tabwright: ${questions === 1 ? 'a question waits' : `${questions} questions wait`} for you` };
  }
  if (isOff) return { mood: 'paused', text: '', title: 'tabwright: disconnected' };
  if (!isLinked) return { mood: 'away', text: '', title: 'tabwright: not connected' };
  const busy = sessions.filter(({ tabs }) => tabs.length > 0);
  if (busy.length === 0) return { mood: 'ready', text: '', title: 'tabwright: connected' };
  const count = busy.reduce((sum, { tabs }) => sum + tabs.length, 0);
  const held = count === 1 ? '1 tab' : `${count} tabs`;
  if (busy.every(({ stopped }) => stopped)) return { mood: 'paused', text: '', title: `tabwright: stopped, ${held} held` };
  return { mood: 'working', text: String(count), title: `tabwright: agents at work in ${held}` };
}

export class Icon {
  #api;
  #draw;
  #shown = '';
  #turn = Promise.resolve();

  /**
   * @param {Pick<typeof chrome.action, 'setBadgeText' | 'setBadgeBackgroundColor' | 'setIcon' | 'setTitle'>} api
   * @param {(mood: Mood, size: number) => Promise<ImageData>} draw
   */
  constructor(api, draw) {
    this.#api = api;
    this.#draw = draw;
  }

  /** @param {Situation} situation */
  show(situation) {
    const face = faceOf(situation);
    const key = JSON.stringify(face);
    if (key === this.#shown) return;
    this.#shown = key;
    this.#turn = this.#turn.then(() => this.#paint(face)).catch((error) => console.warn('tabwright: icon', error));
  }

  /**
   * A badge on one tab, over the one of all.
   * @param {number} tabId
   * @param {string} text
   * @param {string} [color]
   */
  async mark(tabId, text, color) {
    try {
      // null: the badge of all tabs shows again
      await this.#api.setBadgeText({ tabId, text: text || /** @type {any} */ (null) });
      if (color) await this.#api.setBadgeBackgroundColor({ tabId, color });
    } catch {
      // The tab closed meanwhile, and its badge with it.
    }
  }

  /** @param {Face} face */
  async #paint({ mood, text, title }) {
    await this.#api.setBadgeText({ text });
    await this.#api.setBadgeBackgroundColor({ color: PAINT[mood] });
    await this.#api.setTitle({ title });
    const drawn = await Promise.all(SIZES.map((size) => this.#draw(mood, size)));
    await this.#api.setIcon({ imageData: Object.fromEntries(drawn.map((image) => [image.width, image])) });
  }
}

/**
 * Draws the icon from the picture of its size.
 * @param {(size: number) => string} pictureOf the address of a picture
 * @returns {(mood: Mood, size: number) => Promise<ImageData>}
 */
export function drawer(pictureOf) {
  return async (mood, size) => {
    const picture = await createImageBitmap(await (await fetch(pictureOf(size))).blob());
    const context = new OffscreenCanvas(size, size).getContext('2d');
    if (!context) throw new Error('No canvas for the icon.');
    const isPale = mood === 'away' || mood === 'paused';
    context.filter = isPale ? 'grayscale(1)' : 'none';
    context.globalAlpha = isPale ? 0.5 : 1;
    context.drawImage(picture, 0, 0, size, size);
    context.filter = 'none';
    context.globalAlpha = 1;
    if (mood === 'paused') drawBars(context, size);
    if (mood === 'asking') drawDot(context, size);
    return context.getImageData(0, 0, size, size);
  };
}

/** Seen also on a tab whose own badge hides the question mark. @param {OffscreenCanvasRenderingContext2D} context @param {number} size */
function drawDot(context, size) {
  const unit = size / 16;
  for (const [radius, color] of /** @type {const} */ ([[4.5, '#ffffff'], [3.5, PAINT.asking]])) {
    context.fillStyle = color;
    context.beginPath();
    context.arc(11.5 * unit, 4.5 * unit, radius * unit, 0, 2 * Math.PI);
    context.fill();
  }
}

/** @param {OffscreenCanvasRenderingContext2D} context @param {number} size */
function drawBars(context, size) {
  const unit = size / 16;
  context.fillStyle = '#ffffff';
  context.beginPath();
  context.arc(11 * unit, 11 * unit, 5 * unit, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = BARS;
  context.fillRect(8.5 * unit, 8.5 * unit, 2 * unit, 5 * unit);
  context.fillRect(11.5 * unit, 8.5 * unit, 2 * unit, 5 * unit);
}
