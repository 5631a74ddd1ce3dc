/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      const reason: unknown = signal?.reason
      reject(reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The value of `promise`, or the signal's reason as soon as it aborts, even if the promise never settles. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      const reason: unknown = signal.reason
      reject(reason)
    }
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** A signal that aborts with a TimeoutError after `ms`, as that of `AbortSignal.timeout`, but only until `end` is called: a
 *  timer that is left running keeps an idle process, and a Durable Object, awake. */
export function timeLimit(ms: number): { signal: AbortSignal; end(): void } {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(new DOMException(`not done within ${ms} ms`, 'TimeoutError')), ms)
  return { signal: over.signal, end: () => clearTimeout(timer) }
}

/** The work's outcome; rejects with a TimeoutError when it takes longer than `ms`. The work itself is not stopped. */
export async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const limit = timeLimit(ms)
  try {
    return await abortable(work, limit.signal)
  } finally {
    limit.end()
  }
}

/** Milliseconds that a Retry-After header asks for, in seconds or as a date; null when it says nothing readable. */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : null
}
