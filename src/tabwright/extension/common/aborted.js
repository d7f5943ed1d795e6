/** Rejects with the signal's reason once it is aborted, for a race. @param {AbortSignal} signal @returns {Promise<never>} */
export function rejectOnAbort(signal) {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}
