/**
 * The floor: what no command may do, whoever sends it. The full policy runs in the gateway; this is what still holds
 * when a gateway, a proxy or a key is misused.
 */
import { denied, invalidParams } from './errors.js';

const SCHEMES = new Set(['http:', 'https:']);
const DISK_SCHEMES = new Set(['file:', 'filesystem:']);
/** Around the address of what is shown. */
const WRAPPED = /^(?:(?:view-source|blob):)+/;

/** Hosts that hand out a cloud machine's credentials to whoever asks from inside; addresses mapped into IPv6 too. */
const METADATA = new RegExp(`^(?:${[
  '169\\.254\\.\\d+\\.\\d+', '100\\.100\\.100\\.200', '192\\.0\\.0\\.192', '\\[::ffff:(?:a9fe:[0-9a-f]{1,4}|6464:64c8|c000:c0)\\]',
  '\\[fd00:ec2:[0-9a-f:]+\\]', '\\[fe[89ab][0-9a-f]:[0-9a-f:]+\\]', 'metadata(?:\\.goog|\\.google\\.internal)?', 'instance-data',
].join('|')})$`);

/** Names that lead to the address written in them, whoever asks. */
const NAMES_ITS_ADDRESS = /(?:^|[.-])(\d{1,3}(?:[.-]\d{1,3}){3})\.(?:nip|sslip|xip)\.io$/;
const NAMES_IT_IN_HEX = /(?:^|[.-])([0-9a-f]{8})\.nip\.io$/;

/** The gateway's own pages: an agent that reached them could approve its own requests. */
const gatewayPorts = new Set(['3456', '8765']);
export const LOOPBACK =
  /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])$/;

/** Where Chrome's and Node's debuggers listen: whoever reaches one has the whole browser. */
const DEBUGGER_PORTS = new Set(['9222', '9229']);

/** Told once at the start, where the gateway listens elsewhere. @param {readonly string[]} ports */
export function guardPorts(ports) {
  if (ports.length === 0) return;
  gatewayPorts.clear();
  for (const port of ports) gatewayPorts.add(port);
}

/** @returns {readonly string[]} */
export const guardedPorts = () => [...gatewayPorts];

/**
 * @param {string} text
 * @param {ReadonlySet<string>} [ownPorts] loopback ports that belong to the gateway
 * @returns {string} the URL as Chrome will show it
 */
export function checkUrl(text, ownPorts = gatewayPorts) {
  if (text === 'about:blank') return text;
  let url;
  try {
    url = new URL(text);
  } catch {
    throw invalidParams(`"${text}" is not a URL; write it with its scheme, like https://example.com/.`);
  }
  if (!SCHEMES.has(url.protocol)) {
    throw denied(`navigation to ${url.protocol} addresses; only http, https and about:blank are allowed.`);
  }
  const why = closedBecause(url, ownPorts);
  if (why) throw denied(why);
  return url.href;
}

/**
 * A page that nobody may open can have come all the same: by a redirect, a link, or the person. It can only be left.
 * Raises: denied.
 * @param {string} text the address of a page or of a frame in it
 * @param {ReadonlySet<string>} [ownPorts]
 */
export function checkPage(text, ownPorts = gatewayPorts) {
  const address = text.replace(WRAPPED, '');
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  const why = DISK_SCHEMES.has(url.protocol) ? 'it is a file of this machine.' : SCHEMES.has(url.protocol) && closedBecause(url, ownPorts);
  if (why) throw denied(`what the tab shows can only be left or closed: ${why}`);
}

/** @param {URL} url @param {ReadonlySet<string>} ownPorts */
function closedBecause(url, ownPorts) {
  const host = addressOf(url.hostname);
  if (METADATA.test(host)) return `${host} serves machine credentials.`;
  if (LOOPBACK.test(host) && ownPorts.has(url.port)) return 'this address belongs to the gateway itself.';
  if (LOOPBACK.test(host) && DEBUGGER_PORTS.has(url.port)) return 'a debugger listens at this address.';
  return '';
}

/** @param {string} hostname */
function addressOf(hostname) {
  // A trailing dot names the same host.
  const host = hostname.replace(/\.$/, '');
  const [named, hex] = [NAMES_ITS_ADDRESS.exec(host)?.[1], NAMES_IT_IN_HEX.exec(host)?.[1]];
  return named?.replaceAll('-', '.') ?? (hex === undefined ? host : new URL(`http://0x${hex}`).hostname);
}

/** Domains chrome.debugger serves and that stay within the attached tab. Cross-profile ones are left out. */
const DOMAINS = new Set([
  'Accessibility', 'Audits', 'CSS', 'Console', 'DOM', 'DOMDebugger', 'DOMSnapshot', 'Debugger', 'Emulation', 'Fetch',
  'IO', 'Input', 'Inspector', 'Log', 'Network', 'Overlay', 'Page', 'Performance', 'Runtime', 'WebAudio', 'WebAuthn',
  'WebMCP',
]);

/** Members of domains that are otherwise shut. */
const ALLOWED = new Set([
  'Storage.getStorageKey', 'Storage.getStorageKeyForFrame', 'Storage.getUsageAndQuota',
  'Target.detachFromTarget', 'Target.setAutoAttach',
]);

/** Members of open domains that reach the whole profile, or end the tab behind the gateway's back. */
const REFUSED = new Set([
  'Network.clearBrowserCache', 'Network.clearBrowserCookies', 'Network.deleteCookies', 'Network.getAllCookies',
  'Network.loadNetworkResource', 'Network.setCookie', 'Network.setCookies', 'Page.crash', 'Page.deleteCookie', 'Page.getCookies',
  'Page.setDownloadBehavior',
]);

/** Members that have the browser fetch the address they name. */
const ADDRESSED = new Set(['Fetch.continueRequest', 'Page.navigate']);

/**
 * @param {string} method
 * @param {Record<string, unknown>} params
 * @param {ReadonlySet<string>} [ownPorts]
 */
export function checkCdp(method, params, ownPorts = gatewayPorts) {
  const domain = method.slice(0, method.indexOf('.'));
  const allowed = ALLOWED.has(method) || (DOMAINS.has(domain) && !REFUSED.has(method));
  if (!allowed) throw denied(`the debugger command ${method}.`);
  if (method === 'Network.getCookies' && params.urls !== undefined) {
    throw denied('cookies of other addresses; Network.getCookies without urls reads those of the page.');
  }
  if (ADDRESSED.has(method) && params.url !== undefined) checkUrl(String(params.url), ownPorts);
}
