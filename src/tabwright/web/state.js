/** What the gateway told: the picture as it is now, and the calls that have ended. */

/**
 * @typedef {{number: number, ended: number, session: string, client: string, tool: string, tabId: number | null,
 *   origin: string, outcome: string, ms: number, characters: number, decision?: string, rule?: string}} Call
 * @typedef {{id: number, title: string, url: string, active: boolean, loading: boolean, session: string | null,
 *   tools: number, picture: number | null}} Tab
 * @typedef {{id: string, name: string, version: string, launched: boolean, tabs: Tab[]}} Browser
 * @typedef {{id: string, client: string, version: string, transport: string, protocol: string, modern: boolean,
 *   since: number, toolsets: string[], color: string, state: string, stopped: boolean, focusedTabId: number | null,
 *   tabs: number[], calls: number, failed: number, characters: number,
 *   recording: {tabId: number, frames: number, on: boolean}[]}} Session
 * @typedef {{browsers: Browser[], sessions: Session[], pictures: number[],
 *   questions: import('./approvals.js').Question[], grants: import('./approvals.js').Grant[]}} View
 * @typedef {{version: string, pid: number, port: number, extensionPort: number, startedAt: number | string}} About
 */

const KEPT = 10_000;

export const state = {
  /** @type {View} */
  view: { browsers: [], sessions: [], pictures: [], questions: [], grants: [] },
  /** Oldest first. @type {Call[]} */
  calls: [],
  /** Whether the gateway has older calls than these. */
  older: false,
};

/** Add calls that are not known yet, wherever they belong. @param {Call[]} more */
export function keep(more) {
  const known = new Set(state.calls.map(({ number }) => number));
  const fresh = more.filter(({ number }) => !known.has(number));
  if (!fresh.length) return;
  const last = state.calls.at(-1)?.number ?? 0;
  state.calls = [...state.calls, ...fresh];
  if (fresh[0].number < last) state.calls.sort((one, other) => one.number - other.number);
  if (state.calls.length > KEPT) state.calls = state.calls.slice(-KEPT);
}

/** @returns {Map<number, Tab>} */
export const tabs = () => new Map(state.view.browsers.flatMap((browser) => browser.tabs.map((tab) => [tab.id, tab])));
