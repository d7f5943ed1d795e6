/**
 * Reads the parameters of one command and refuses wrong ones with the parameter's name.
 *
 * `null` counts as absent: many JSON encoders write it for an option that was not set.
 */
import { invalidParams } from './errors.js';
import { isObject } from './jsonrpc.js';

export class Params {
  /** @type {Record<string, unknown>} */
  #values;

  /** @param {unknown} values */
  constructor(values) {
    if (!isObject(values)) throw invalidParams('params must be an object.');
    this.#values = values;
  }

  /** @param {string} name */
  has(name) {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  /** @param {string} name @returns {string} */
  string(name) {
    return this.#need(this.optionalString(name), name, 'a string');
  }

  /** @param {string} name @returns {string | undefined} */
  optionalString(name) {
    return this.#read(name, 'a string', (value) => (typeof value === 'string' ? value : undefined));
  }

  /** @param {string} name @returns {number} */
  integer(name) {
    return this.#need(this.optionalInteger(name), name, 'an integer');
  }

  /** @param {string} name @returns {number | undefined} */
  optionalInteger(name) {
    return this.#read(name, 'an integer', (value) => (Number.isSafeInteger(value) ? Number(value) : undefined));
  }

  /** @param {string} name @returns {number} */
  number(name) {
    const read = this.#read(name, 'a number', (value) =>
      typeof value === 'number' && Number.isFinite(value) ? value : undefined,
    );
    return this.#need(read, name, 'a number');
  }

  /** An id of JSON-RPC. @param {string} name @returns {string | number} */
  identifier(name) {
    const kind = 'a number or a string';
    const read = this.#read(name, kind, (value) =>
      typeof value === 'string' || typeof value === 'number' ? value : undefined,
    );
    return this.#need(read, name, kind);
  }

  /** @param {string} name @returns {boolean | undefined} */
  optionalBoolean(name) {
    return this.#read(name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined));
  }

  /** @param {string} name @returns {Record<string, unknown> | undefined} */
  optionalObject(name) {
    return this.#read(name, 'an object', (value) => (isObject(value) ? value : undefined));
  }

  /** @param {string} name @returns {unknown[]} */
  array(name) {
    const read = this.#read(name, 'an array', (value) => (Array.isArray(value) ? value : undefined));
    return this.#need(read, name, 'an array');
  }

  /** @param {string} name @returns {number[]} */
  integers(name) {
    return this.array(name).map((item) => {
      if (!Number.isSafeInteger(item)) throw invalidParams(`${name} must hold integers only.`);
      return Number(item);
    });
  }

  /**
   * @template {string} T
   * @param {string} name
   * @param {readonly T[]} allowed
   * @returns {T | undefined}
   */
  optionalChoice(name, allowed) {
    return this.#read(name, `one of ${allowed.join(', ')}`, (value) => allowed.find((choice) => choice === value));
  }

  /**
   * @template T
   * @param {string} name
   * @param {string} kind
   * @param {(value: unknown) => T | undefined} accept
   * @returns {T | undefined}
   */
  #read(name, kind, accept) {
    if (!this.has(name)) return undefined;
    const value = accept(this.#values[name]);
    if (value === undefined) throw invalidParams(`${name} must be ${kind}.`);
    return value;
  }

  /**
   * @template T
   * @param {T | undefined} value
   * @param {string} name
   * @param {string} kind
   * @returns {T}
   */
  #need(value, name, kind) {
    if (value === undefined) throw invalidParams(`${name} is missing; it must be ${kind}.`);
    return value;
  }
}
