import type { RateStand } from '../domain/access.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from '../store/database.ts'
import { getRate, putRate } from '../store/keys.ts'

const MINUTE_MS = 60_000
const NOISE = 1e-6

/** A bucket of `max` requests that fills up within a minute, as the time (Unix ms) at which it is full again.
 *  Source: the generic cell rate algorithm (ITU-T I.371), "virtual scheduling". */
export function takeRequest(fullAt: number, max: number, now: number): { fullAt: number; stand: RateStand } {
  const eachMs = MINUTE_MS / max
  const taken = timeFrom(fullAt, now) + eachMs
  const overMs = taken - now - MINUTE_MS
  // Half a millisecond is the noise of sums of fractions, not a request too many.
  if (overMs > Math.min(eachMs, 1) / 2)
    return { fullAt, stand: standOf(fullAt, max, now, Math.max(1, Math.ceil(overMs))) }
  return { fullAt: taken, stand: standOf(taken, max, now, null) }
}

/** From when a bucket is taken from. None takes more than a minute to fill, and is written a share of that ahead: one that is full much later
 *  was taken from before the clock was set back. */
function timeFrom(fullAt: number, now: number): number {
  return fullAt > now + 2 * MINUTE_MS ? now : Math.max(fullAt, now)
}

/** Where a bucket stands, without taking from it. */
export function standOf(fullAt: number, max: number, now: number, retryAfterMs: number | null = null): RateStand {
  const resetMs = timeFrom(fullAt, now) - now
  const remaining = Math.max(0, Math.floor((MINUTE_MS - resetMs) / (MINUTE_MS / max) + NOISE))
  return { max, remaining, resetMs: Math.ceil(resetMs), retryAfterMs }
}

interface Bucket {
  fullAt: number
  /** What is written of it: later than `fullAt`, so that a restart gives nothing away. */
  writtenAt: number
}

/** The buckets of a tenant's keys: in memory, and written ahead by a share of a minute's requests, so that not every request
 *  writes. After a restart at most that share is lost, and never gained. */
export class Rates {
  readonly #db: Database
  readonly #buckets = new Map<string, Bucket>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Take a request of `max` a minute. `id`: whose. */
  take(id: string, max: number, now: number): RateStand {
    const bucket = this.#bucket(id)
    const { fullAt, stand } = takeRequest(bucket.fullAt, max, now)
    if (stand.retryAfterMs === null) this.#keep(id, { ...bucket, fullAt }, max)
    return stand
  }

  /** As `take`, where that needs nothing of the database; undefined: it does. */
  takeFromMemory(id: string, max: number, now: number): RateStand | undefined {
    const bucket = this.#buckets.get(id)
    if (!bucket) return undefined
    const { fullAt, stand } = takeRequest(bucket.fullAt, max, now)
    if (fullAt > bucket.writtenAt) return undefined
    bucket.fullAt = fullAt
    return stand
  }

  /** Where it stands, without taking. */
  stand(id: string, max: number, now: number): RateStand {
    return standOf(this.#bucket(id).fullAt, max, now)
  }

  #bucket(id: string): Bucket {
    const known = this.#buckets.get(id)
    if (known) return known
    const writtenAt = getRate(this.#db, id)
    return { fullAt: writtenAt, writtenAt }
  }

  #keep(id: string, bucket: Bucket, max: number): void {
    const isWritten = bucket.fullAt <= bucket.writtenAt
    const ahead = Math.floor(max * LIMITS.access.rateAheadShare) * (60_000 / max)
    const writtenAt = isWritten ? bucket.writtenAt : Math.ceil(bucket.fullAt + ahead)
    if (!isWritten) putRate(this.#db, id, writtenAt)
    this.#buckets.delete(id)
    this.#buckets.set(id, { fullAt: bucket.fullAt, writtenAt })
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > LIMITS.access.ratesKept && oldest !== undefined) this.#buckets.delete(oldest)
  }
}
