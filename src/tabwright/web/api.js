/** Asking the gateway. */

/** This browser has no link of its own (any more). */
export class Closed extends Error {}

/** @param {string} path @param {unknown} [body] makes it a POST */
export async function api(path, body) {
  const init =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`/api/${path}`, init);
  if (answer.status === 401) throw new Closed();
  if (answer.status === 204) return {};
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error?.message ?? `The gateway answered ${answer.status}.`);
  return told;
}
