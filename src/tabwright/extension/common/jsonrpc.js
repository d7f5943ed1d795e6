/**
 * JSON-RPC 2.0 envelopes: reading one frame, writing answers and notifications.
 *
 * Knows nothing about commands. A frame is one of: a request or notification (`method`), a typed message of the
 * tabs protocol (`type`), or an answer (`result`/`error`), which the extension, being passive, never expects.
 */
import { CommandError, invalidRequest, messageOf, parseError } from './errors.js';

/** @typedef {import('./protocol').Id} Id */
/** @typedef {import('./protocol').Request} Request */
/** @typedef {import('./protocol').TypedMessage} TypedMessage */

/**
 * @typedef {{kind: 'request', request: Request}
 *   | {kind: 'typed', message: TypedMessage}
 *   | {kind: 'answer'}
 *   | {kind: 'malformed', id: Id, error: CommandError}} Frame
 */

/** @param {unknown} value @returns {value is Record<string, unknown>} */
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} id @returns {id is string | number} */
const isId = (id) => typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));

/**
 * @param {unknown} text
 * @returns {Frame}
 */
export function readFrame(text) {
  if (typeof text !== 'string') return malformed(null, invalidRequest('frames are text.'));
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed(null, parseError(messageOf(error)));
  }
  if (!isObject(value)) return malformed(null, invalidRequest('a frame is one JSON object.'));
  if (typeof value.type === 'string' && !('jsonrpc' in value)) {
    return { kind: 'typed', message: /** @type {TypedMessage} */ (value) };
  }
  return readEnvelope(value);
}

/**
 * @param {Record<string, unknown>} value
 * @returns {Frame}
 */
function readEnvelope(value) {
  const id = isId(value.id) ? value.id : null;
  if (!('method' in value) && ('result' in value || 'error' in value)) return { kind: 'answer' };
  if (value.jsonrpc !== '2.0') return malformed(id, invalidRequest('jsonrpc must be "2.0".'));
  if (typeof value.method !== 'string') return malformed(id, invalidRequest('method must be a string.'));
  if ('id' in value && id === null) return malformed(null, invalidRequest('id must be a number or a string.'));
  // 0 and "" are ids like any other: only an absent id makes a notification.
  return {
    kind: 'request',
    request: { id: 'id' in value ? id : undefined, method: value.method, params: value.params ?? {} },
  };
}

/**
 * @param {Id} id
 * @param {CommandError} error
 * @returns {Frame}
 */
const malformed = (id, error) => ({ kind: 'malformed', id, error });

/**
 * Proxy protocol: an answer always carries `result`, at least `{}`.
 * @param {Id} id
 * @param {unknown} result
 */
export const success = (id, result) => ({ jsonrpc: '2.0', id, result: result ?? {} });

/**
 * @param {Id} id
 * @param {CommandError} error
 */
export const failure = (id, { code, message, data }) => ({
  jsonrpc: '2.0',
  id,
  error: data === undefined ? { code, message } : { code, message, data },
});

/**
 * @param {string} method
 * @param {Record<string, unknown>} params
 */
export const notification = (method, params) => ({ jsonrpc: '2.0', method, params });

/**
 * Which client a request comes from. Proxy protocol, "Extension ID Parsing": the proxy puts `<connectionId>:` before
 * the client's id; everything else is direct mode, one client.
 * @param {Id | undefined} id
 * @returns {string}
 */
export function connectionOf(id) {
  if (typeof id !== 'string') return 'direct';
  const colon = id.indexOf(':');
  return colon > 0 ? id.slice(0, colon) : 'direct';
}
