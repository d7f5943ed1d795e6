/** Commands about what is around a page: a whole navigation, the window's size, files, the extension's own state. */
import { after } from '../common/after.js';
import { invalidParams } from '../common/errors.js';

/** @typedef {import('./target_tab.js').Parts} Parts */
/** @typedef {import('./dispatcher.js').Command} Command */

const QUICK_MS = 5_000;
/** Longer than all that a navigation waits for. */
const TRAVEL_MS = 22_000;
const LEAST_SIZE = 100;
const MOST_SIZE = 10_000;
const RESIZED_WITHIN_MS = 300;
const POLL_MS = 20;

/**
 * @param {Parts} parts
 * @returns {Record<string, Command>}
 */
export function windowCommands({ tabs, windows, travels, downloads, debugger: debug, version }) {
  return {
    travel: {
      withinMs: TRAVEL_MS,
      run: (params, { signal }) =>
        travels.go(params.integer('tabId'), params.string('to'), signal, params.optionalChoice('asks', ['debugger', 'page'])),
    },

    judgeDownload: {
      withinMs: QUICK_MS,
      async run(params) {
        const [id, verdict] = [params.integer('downloadId'), params.string('verdict')];
        if (verdict !== 'hold' && verdict !== 'keep' && verdict !== 'drop') {
          throw invalidParams('verdict must be hold, keep or drop.');
        }
        await downloads[verdict](id);
        return {};
      },
    },

    resizeWindow: {
      withinMs: QUICK_MS,
      async run(params) {
        const size = { width: params.integer('width'), height: params.integer('height') };
        if (Object.values(size).some((side) => side < LEAST_SIZE || side > MOST_SIZE)) {
          throw invalidParams(`width and height must be ${LEAST_SIZE} to ${MOST_SIZE}.`);
        }
        const tab = await tabs.get(params.integer('tabId'));
        const front = await tabs.inFront(tab.windowId);
        const reached = await windows.resize(tab.windowId, size);
        const shown = await viewport(front ?? tab);
        const { width, height } = await tabs.get(tab.id);
        return { ...reached, shown, viewport: { width, height } };
      },
    },

    getStatus: {
      withinMs: QUICK_MS,
      run: async () => ({ version, attached: await debug.attachedTabs(), upForMs: Math.round(performance.now()) }),
    },
  };

  /**
   * The page follows its window a moment later; a window that kept its size has nothing to follow.
   * @param {chrome.tabs.Tab & {id: number}} before
   */
  async function viewport(before) {
    for (let waited = 0; ; waited += POLL_MS) {
      const { width = 0, height = 0 } = await tabs.get(before.id);
      const followed = width !== before.width || height !== before.height;
      if (followed || waited >= RESIZED_WITHIN_MS) return { width, height };
      await after(POLL_MS);
    }
  }
}
