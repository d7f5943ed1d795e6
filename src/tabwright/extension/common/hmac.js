/** Keyed hashes and nonces for the handshake. Keys and digests are lower-case hex on the wire and in storage. */

const HEX = /^(?:[0-9a-f]{2})+$/;

/** @param {unknown} text @param {number} digits @returns {text is string} */
export const isHex = (text, digits) => typeof text === 'string' && text.length === digits && HEX.test(text);

/** @param {Uint8Array} bytes */
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** @param {string} hex @returns {Uint8Array<ArrayBuffer>} */
function fromHex(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** 128 random bits, the size of every nonce. */
export const makeNonce = () => toHex(crypto.getRandomValues(new Uint8Array(16)));

/**
 * HMAC-SHA256 over the fields joined by newlines; no field can hold one, so no two field lists look alike.
 * @param {string} keyHex
 * @param {readonly string[]} fields
 * @returns {Promise<string>}
 */
export async function hmacHex(keyHex, fields) {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', fromHex(keyHex), algorithm, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(fields.join('\n')));
  return toHex(new Uint8Array(digest));
}

/**
 * Compares in constant time, so that a squatter cannot learn a proof digit by digit.
 * @param {string} a
 * @param {unknown} b
 */
export function sameHex(a, b) {
  if (typeof b !== 'string' || a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
