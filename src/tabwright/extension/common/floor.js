/**
 * The floor: what no command may do, whoever sends it. The full policy runs in the gateway; this is what still holds
 * when a gateway, a proxy or a key is misused.
 */
import { denied, invalidParams } from './errors.js';

const SCHEMES = new Set(['http:', 'https:']);

/** Hosts that hand out a cloud machine's credentials to whoever asks from inside. */
const METADATA_HOSTS = new Set([
  '169.254.169.254', '169.254.170.2', '100.100.100.200', '[fd00:ec2::254]', 'metadata.google.internal', 'metadata',
]);

/** Where cloud machines find such services; mapped into IPv6 too. */
const LINK_LOCAL = /^(?:169\.254\.\d+\.\d+|\[::ffff:a9fe:[0-9a-f]{1,4}\])$/;

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
  // A trailing dot names the same host.
  const host = url.hostname.replace(/\.$/, '');
  if (METADATA_HOSTS.has(host) || LINK_LOCAL.test(host)) throw denied(`${host} serves machine credentials.`);
  if (LOOPBACK.test(host) && ownPorts.has(url.port)) throw denied('this address belongs to the gateway itself.');
  if (LOOPBACK.test(host) && DEBUGGER_PORTS.has(url.port)) throw denied('a debugger listens at this address.');
  return url.href;
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
  'Network.setCookie', 'Network.setCookies', 'Page.crash', 'Page.deleteCookie', 'Page.getCookies',
  'Page.setDownloadBehavior',
]);

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
  if (method === 'Page.navigate') checkUrl(String(params.url), ownPorts);
}
