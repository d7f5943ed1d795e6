/**
 * What a person may enter as a server of theirs: its address and an access token. Each refusal says what to do instead.
 *
 * The token's own words are read, never trusted: only to notice a wrong one before it is sent to anybody.
 */
import { LOOPBACK } from './floor.js';
import { isObject } from './jsonrpc.js';

/** @typedef {import('./protocol').Server} Server */
/** @typedef {{user?: string, role?: string, expires?: number, url?: string}} Claims */

const PATH = '/extension';
/** What a proxy takes at most. */
const LONGEST_TOKEN = 8 * 1024;
const MS = 1_000;

/** The text is for the person; `field` says where it belongs. */
export class WrongEntry extends Error {
  /**
   * @param {'url' | 'token'} field
   * @param {string} message
   */
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/**
 * The address to connect to: that of the server, with or without its path.
 * Raises: WrongEntry.
 * @param {string} text
 * @returns {string}
 */
export function readAddress(text) {
  const trimmed = text.trim();
  if (!trimmed) throw new WrongEntry('url', 'Enter the address of the server, like wss://proxy.example.com.');
  const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
  if (!url || !url.hostname) throw new WrongEntry('url', 'This is not an address. Write it like wss://proxy.example.com.');
  checkScheme(url);
  if (url.username || url.password) throw new WrongEntry('url', 'No name or password belongs into the address: the token says who you are.');
  if (url.pathname === '/mcp') throw new WrongEntry('url', 'That is the address for MCP clients. Leave out /mcp.');
  if (url.search || url.hash || !['', '/', PATH].includes(url.pathname)) {
    throw new WrongEntry('url', `Nothing may follow the server's name and port but ${PATH}.`);
  }
  return `${url.protocol}//${url.host}${PATH}`;
}

/** @param {URL} url */
function checkScheme({ protocol, host, hostname }) {
  const isHere = LOOPBACK.test(hostname.replace(/\.$/, ''));
  if (protocol === 'https:' || protocol === 'http:') {
    throw new WrongEntry('url', `Write ${protocol === 'http:' && isHere ? 'ws' : 'wss'}://${host}: it is a WebSocket.`);
  }
  if (protocol !== 'wss:' && protocol !== 'ws:') throw new WrongEntry('url', 'The address begins with wss://.');
  if (protocol === 'ws:' && !isHere) {
    throw new WrongEntry('url', 'ws:// is unencrypted and allowed for this machine only. Use wss://.');
  }
}

/**
 * A token that may be sent to the address.
 * Raises: WrongEntry.
 * @param {string} text
 * @param {string} url as `readAddress` gives it
 * @param {number} now in milliseconds
 * @returns {string}
 */
export function readToken(text, url, now) {
  const token = text.trim();
  // A proxy started with --no-auth asks for none, and listens on its own machine only.
  if (!token && url.startsWith('ws:')) return token;
  if (!token) throw new WrongEntry('token', 'Paste the token for the browser, as `tabwright proxy init` prints it.');
  const claims = token.length <= LONGEST_TOKEN ? readClaims(token) : undefined;
  if (!claims) throw new WrongEntry('token', 'This is not a token. It is one long line with two dots, beginning with eyJ.');
  if (claims.role !== undefined && claims.role !== 'extension') {
    throw new WrongEntry('token', 'This token is for an MCP client. Paste the one for the browser\'s extension.');
  }
  if (claims.expires !== undefined && claims.expires <= now) throw new WrongEntry('token', 'This token has expired. Ask for a new one.');
  if (claims.url !== undefined && placeOf(claims.url) !== placeOf(url)) {
    throw new WrongEntry('token', `This token is for ${placeOf(claims.url) || 'another server'}, not for ${placeOf(url)}.`);
  }
  return token;
}

/**
 * What a token says of itself; undefined for what is none.
 * @param {string} token
 * @returns {Claims | undefined}
 */
export function readClaims(token) {
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every((part) => /^[\w-]+$/.test(part))) return undefined;
  try {
    const bytes = Uint8Array.from(atob(parts[1].replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes));
    return isObject(claims) ? shape(claims) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Record<string, unknown>} claims @returns {Claims} */
function shape({ user_id: user, sub, role, exp, connection_url: url }) {
  const name = user ?? sub;
  return {
    ...(typeof name === 'string' ? { user: name } : {}),
    ...(typeof role === 'string' ? { role } : {}),
    ...(typeof exp === 'number' ? { expires: exp * MS } : {}),
    ...(typeof url === 'string' ? { url } : {}),
  };
}

/** Scheme, name and port of an address; empty for what is none. @param {string} url */
const placeOf = (url) => {
  if (!URL.canParse(url)) return '';
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};

/** The address as the person knows it. @param {string} url */
export const shownAddress = (url) => placeOf(url) || url;

/**
 * Servers as they were stored, without those that make no sense.
 * @param {unknown} stored
 * @returns {Server[]}
 */
export function readServers(stored) {
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((entry) => {
    if (!isObject(entry)) return [];
    const { id, url, token, on } = entry;
    if (typeof id !== 'string' || typeof url !== 'string' || typeof token !== 'string') return [];
    return [{ id, url, token, on: on === true }];
  });
}
