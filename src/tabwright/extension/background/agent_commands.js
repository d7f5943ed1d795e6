/**
 * Commands to the services of page agents: askFrames asks every frame of a tab at once, askFrame one of them for
 * something that may be asked twice, tellFrame one of them for something that must not be done twice. With `press` that is
 * a click where the page says that the element is, unless it says anything that speaks against it.
 */
import { invalidParams, messageOf, outcomeUnknown, staleTarget } from '../common/errors.js';
import { siteOf } from './frame_sites.js';
import { FrameGone } from './pages.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */
/** @typedef {import('./pages.js').Frame} Frame */
/** @typedef {import('../common/params.js').Params} Params */

const ASK_MS = 15_000;
const TELL_MS = 20_000;
/** A frame that is busy longer is left out, unless it is the page itself. */
const SLOW_FRAME_MS = 1_000;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function agentCommands(parts) {
  const { actions, agents, input, navigation } = parts;

  return {
    askFrames: {
      withinMs: ASK_MS,
      async run(params, { signal }) {
        const tabId = params.integer('tabId');
        const [{ frames, needsDebugger = false }, tree] = await Promise.all([agents.inTab(tabId), navigation.frames(tabId)]);
        const parents = new Map(tree.map(({ frameId, parentFrameId }) => [frameId, parentFrameId]));
        const asked = { service: params.string('service'), params: params.optionalObject('params') ?? {} };
        const answers = await Promise.all(frames.map(async (frame) => {
          const { tabId: _, ...address } = frame.address;
          const answered = await answer(frame, asked, signal);
          // Its address once it has answered: Chrome's own word of a change may come later.
          return { ...answered, ...address, parentFrameId: parents.get(frame.frameId) ?? -1, url: frame.url, site: siteOf(frame.url) };
        }));
        // Shown without an agent: a document that has just come, or one that takes no scripts.
        const known = new Set(frames.map(({ documentId }) => documentId));
        const silent = tree.filter(({ frameId, documentId }) => frameId !== 0 && !known.has(documentId ?? ''))
          .map(({ frameId, parentFrameId, url }) => ({ frameId, parentFrameId, site: siteOf(url) }));
        return { frames: answers, needsDebugger, silent };
      },
    },

    askFrame: { withinMs: ASK_MS, run: (params, { signal }) => serve(params, signal) },
    tellFrame: { withinMs: TELL_MS, run: (params, { signal }) => (params.has('press') ? press(params, signal) : serve(params, signal)) },
  };

  /** @param {Params} params */
  function frameOf(params) {
    return agents.of(params.integer('tabId'), params.integer('frameId'), params.string('documentId'));
  }

  /**
   * A gesture that begins with a look at the page: `pressed` tells whether it was clicked. Whether the page has taken it,
   * whoever asks what came of it waits for.
   * @param {Params} params
   * @param {AbortSignal} signal
   */
  async function press(params, signal) {
    const frame = await frameOf(params);
    const how = readPress(params.optionalObject('press'));
    const asked = { service: params.string('service'), params: params.optionalObject('params') ?? {}, observe: true };
    const located = frame.ask('serve', asked, signal).catch((thrown) => {
      throw thrown instanceof FrameGone ? staleTarget('The page has changed meanwhile. Look at it again.') : thrown;
    });
    const [answered, click] = await Promise.all([located, input.ready(frame.tabId), actions.begin(frame.tabId, frame)]);
    signal.throwIfAborted();
    const point = pointOf(answered.json);
    // A point of a frame within the page is none of the page's.
    const mayPress = frame.frameId === 0 && point && click;
    if (mayPress) actions.presses(frame.tabId, click(point, how));
    return { ...answered, pressed: Boolean(mayPress) };
  }

  /**
   * @param {Params} params
   * @param {AbortSignal} signal
   */
  async function serve(params, signal) {
    const frame = await frameOf(params);
    const isBeginning = params.optionalBoolean('begin') ?? false;
    // The frame that is asked begins to note with the same message.
    const begun = isBeginning ? actions.begin(frame.tabId, frame) : undefined;
    const asked = { service: params.string('service'), params: params.optionalObject('params') ?? {}, ...(isBeginning ? { observe: true } : {}) };
    try {
      const [answered] = await Promise.all([frame.ask('serve', asked, signal), begun]);
      return answered;
    } catch (thrown) {
      if (!(thrown instanceof FrameGone)) throw thrown;
      if (!thrown.begun) throw staleTarget('The page has changed meanwhile. Look at it again.');
      throw outcomeUnknown('The page went away before it answered. Look at what it shows now before you try again.');
    }
  }
}

/** @param {any} press @returns {import('./input.js').Press} */
function readPress(press) {
  const { button, buttons, count } = press ?? {};
  if (!/^(?:left|right|middle)$/.test(button) || !Number.isInteger(buttons) || !(count >= 1 && count <= 3)) throw invalidParams('press needs a button, its number and a count.');
  return { button, buttons, count };
}

/**
 * Where an element may be clicked without a second thought.
 * @param {string} json what the page says of it
 * @returns {{x: number, y: number} | undefined}
 */
function pointOf(json) {
  const { x, y, kind, disabled, problem } = JSON.parse(json) ?? {};
  const isPlain = problem === undefined && disabled === false && kind === '';
  return isPlain && Number.isFinite(x) && Number.isFinite(y) ? { x, y } : undefined;
}

/**
 * @param {Frame} frame
 * @param {object} asked
 * @param {AbortSignal} signal
 */
async function answer(frame, asked, signal) {
  const own = frame.frameId === 0 ? signal : AbortSignal.any([signal, AbortSignal.timeout(SLOW_FRAME_MS)]);
  try {
    const answered = await frame.ask('serve', asked, own);
    frame.movedTo(answered.url);
    return answered;
  } catch (thrown) {
    if (frame.frameId === 0 && !(thrown instanceof FrameGone)) throw thrown;
    return { error: messageOf(thrown) };
  }
}
