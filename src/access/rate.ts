import type { RateStand } from '../domain/access.ts'

const MINUTE_MS = 60_000
const NOISE = 1e-6

/** A bucket of `max` requests that fills up within a minute, as the time (Unix ms) at which it is full again.
 *  Source: the generic cell rate algorithm (ITU-T I.371), "virtual scheduling". */
export function takeRequest(fullAt: number, max: number, now: number): { fullAt: number; stand: RateStand } {
  const eachMs = MINUTE_MS / max
  const taken = Math.max(fullAt, now) + eachMs
  const overMs = taken - now - MINUTE_MS
  // Half a millisecond is the noise of sums of fractions, not a request too many.
  if (overMs > Math.min(eachMs, 1) / 2)
    return { fullAt, stand: standOf(fullAt, max, now, Math.max(1, Math.ceil(overMs))) }
  return { fullAt: taken, stand: standOf(taken, max, now, null) }
}

/** Where a bucket stands, without taking from it. */
export function standOf(fullAt: number, max: number, now: number, retryAfterMs: number | null = null): RateStand {
  const resetMs = Math.max(0, fullAt - now)
  const remaining = Math.max(0, Math.floor((MINUTE_MS - resetMs) / (MINUTE_MS / max) + NOISE))
  return { max, remaining, resetMs: Math.ceil(resetMs), retryAfterMs }
}
