import { LIMITS } from '../domain/limits.ts'
import type { ModelFailure } from '../domain/model.ts'

/** Answers that say something of the key: unknown, without money, not allowed. */
const REFUSED: ReadonlySet<number | null> = new Set([401, 402, 403])
const OVER_RATE = 429

/** Which of a service's keys is used: one that was refused, or is over its rate, rests. For all sessions of an isolate. */
export class KeyRing {
  readonly #restsUntil = new Map<string, number>()

  /** The first key that does not rest, else the one that has rested longest. */
  pick(keys: readonly string[], now: number): string | null {
    const rests = keys.map((key) => ({ key, until: this.#restsUntil.get(key) ?? 0 }))
    return rests.find(({ until }) => until <= now)?.key ?? rests.toSorted((a, b) => a.until - b.until)[0]?.key ?? null
  }

  /** Let a key rest after such a failure. False: the failure says nothing of the key. */
  rest(key: string, { status, retryAfterMs }: ModelFailure, now: number): boolean {
    if (!REFUSED.has(status) && status !== OVER_RATE) return false
    const { keyRefusedMs, keyRateMs } = LIMITS.model
    this.#restsUntil.set(key, now + (status === OVER_RATE ? (retryAfterMs ?? keyRateMs) : keyRefusedMs))
    return true
  }
}
