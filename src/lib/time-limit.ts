/** A signal that aborts with a TimeoutError after `ms`, as that of `AbortSignal.timeout`, but only until `end` is called: a
 *  timer that is left running keeps an idle process, and a Durable Object, awake. */
export function timeLimit(ms: number): { signal: AbortSignal; end(): void } {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError')), ms)
  return { signal: over.signal, end: () => clearTimeout(timer) }
}
