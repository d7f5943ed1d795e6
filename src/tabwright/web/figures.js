/** Numbers and times as people read them. */

import { outcomeLook, timeOf } from './deeds.js';

/** Rough, and the same for every model: four characters of English are about a token. */
const CHARACTERS_A_TOKEN = 4;

/** @param {number} characters */
export const tokens = (characters) => Math.round(characters / CHARACTERS_A_TOKEN);

/** @param {number} count */
export const short = (count) => {
  if (count < 10_000) return count.toLocaleString();
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
};

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** @param {number} seconds since 1970 */
export const clock = (seconds) => timeOf(seconds * 1000);

/** The same, with the day where it is not this one. @param {number} seconds */
export function moment(seconds) {
  const then = new Date(seconds * 1000);
  return then.toDateString() === new Date().toDateString() ? clock(seconds) : `${then.toLocaleDateString()}, ${clock(seconds)}`;
}

/** The least that so large a part of them is at most. @param {number[]} values @param {number} part */
export function quantile(values, part) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
}

/** @param {{outcome: string}} call */
export const isFailure = ({ outcome }) => outcomeLook(outcome).tone === 'bad';
