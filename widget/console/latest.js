/** Signals of which only the latest counts. */

/** What gives a new signal with each call: it ends with the next one, and with the outer signal. */
export function latest(outer) {
  let current = new AbortController();
  outer.addEventListener('abort', () => current.abort());
  return () => {
    current.abort();
    current = new AbortController();
    if (outer.aborted) current.abort();
    return current.signal;
  };
}
