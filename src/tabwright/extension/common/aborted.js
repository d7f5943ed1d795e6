/** Rejects with the signal's reason once it is aborted, for a race. @param {AbortSignal} signal @returns {Promise<never>} */
export function rejectOnAbort(signal) {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** Does this when the signal is aborted, at once if it has been. @param {AbortSignal} signal @param {() => void} work */
export function whenAborted(signal, work) {
  if (signal.aborted) work();
  else signal.addEventListener('abort', work, { once: true });
}
