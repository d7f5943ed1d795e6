/** Name and version of this browser. */

/** @typedef {import('../common/protocol').BrowserInfo} BrowserInfo */
/** @typedef {{brand: string, version: string}} Brand */
/** @typedef {{getHighEntropyValues(hints: string[]): Promise<{fullVersionList?: Brand[]}>}} AgentData */

/** Most telling brand first: every Chromium browser also claims to be Chromium. */
const BRANDS = /** @type {const} */ ([
  ['Brave', 'Brave'], ['Microsoft Edge', 'Edge'], ['Google Chrome', 'Chrome'], ['Chromium', 'Chromium'],
  ['HeadlessChrome', 'Chromium'],
]);

/**
 * @param {AgentData} agent
 * @returns {Promise<BrowserInfo>}
 */
export async function browserInfo(agent) {
  const { fullVersionList = [] } = await agent.getHighEntropyValues(['fullVersionList']);
  for (const [brand, name] of BRANDS) {
    const found = fullVersionList.find((entry) => entry.brand === brand);
    if (found) return { name, version: found.version };
  }
  return { name: 'Chromium', version: fullVersionList[0]?.version ?? '' };
}

/** As a person would say it: "Chrome 141". @param {BrowserInfo} browser */
export const nameOf = ({ name, version }) => [name, version.split('.', 1)[0]].filter(Boolean).join(' ');
