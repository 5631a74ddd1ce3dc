import type { Admission, KeyLimits, KeyPatch, MadeKey, RateStand } from '../domain/access.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from '../store/database.ts'
import { getKey, listKeys, patchKey, putKey, revokeKey, useKey } from '../store/keys.ts'
import { countRuns } from '../store/run-leases.ts'
import type { Kept } from '../store/skills.ts'
import { Rates } from './rates.ts'

/** The keys of one tenant, and what they use. */
export class KeyRegistry {
  readonly #db: Database
  readonly #rates: Rates
  /** Keys that were used lately, by their hashes. Nobody but this registry changes a key, and then forgets them all. */
  readonly #used = new Map<string, MadeKey>()

  constructor(db: Database) {
    this.#db = db
    this.#rates = new Rates(db)
  }

  /** What the key of this hash may do, with its request counted; null: there is no such key, or not any more. */
  admit(hash: string, now: number): Admission | null {
    const key = this.#findUsed(hash, now)
    return key && admissionOf(key, this.take(key.id, key.limits, now))
  }

  /** As `admit`, where that needs nothing of the database; undefined: it does. */
  admitFromMemory(hash: string, now: number): Admission | undefined {
    const key = this.#used.get(hash)
    if (!key || !isNotedAsUsed(key, now)) return undefined
    const rate = this.takeFromMemory(key.id, key.limits, now)
    return rate === undefined ? undefined : admissionOf(key, rate)
  }

  #findUsed(hash: string, now: number): MadeKey | null {
    const known = this.#used.get(hash)
    if (known && isNotedAsUsed(known, now)) return known
    this.#used.delete(hash)
    const key = useKey(this.#db, hash, now)
    if (!key) return null
    if (this.#used.size >= LIMITS.access.keysMax) this.#used.clear()
    this.#used.set(hash, key)
    return key
  }

  /** As `admit`, for a key that was let in before. */
  takeAgain(id: string, now: number): RateStand | null | 'gone' {
    const key = this.holds(id, now) ? getKey(this.#db, id) : null
    return key ? this.take(id, key.limits, now) : 'gone'
  }

  /** Whether a key that was let in before still would be. */
  holds(id: string, now: number): boolean {
    const key = getKey(this.#db, id)
    return key !== null && isValid(key, now)
  }

  /** Count a request; null: it has no limit. `id`: of the key. */
  take(id: string, { requests_per_minute: max }: KeyLimits, now: number): RateStand | null {
    return max === undefined ? null : this.#rates.take(id, max, now)
  }

  takeFromMemory(id: string, { requests_per_minute: max }: KeyLimits, now: number): RateStand | null | undefined {
    return max === undefined ? null : this.#rates.takeFromMemory(id, max, now)
  }

  /** What is left of a key's limits. */
  remaining({ id, limits }: Pick<MadeKey, 'id' | 'limits'>, now: number): KeyLimits {
    const { requests_per_minute: max, sessions_at_once: atOnce } = limits
    return {
      ...(max === undefined ? {} : { requests_per_minute: this.#rates.stand(id, max, now).remaining }),
      ...(atOnce === undefined ? {} : { sessions_at_once: Math.max(0, atOnce - countRuns(this.#db, id, now)) }),
    }
  }

  put(key: MadeKey, hash: string): Kept {
    return putKey(this.#db, key, hash)
  }

  get(id: string): MadeKey | null {
    return getKey(this.#db, id)
  }

  list(cursor: string | undefined, limit: number): MadeKey[] {
    return listKeys(this.#db, cursor, limit)
  }

  patch(id: string, patch: KeyPatch): MadeKey | null {
    this.#used.clear()
    return patchKey(this.#db, id, patch)
  }

  revoke(id: string, now: number): boolean {
    this.#used.clear()
    return revokeKey(this.#db, id, now)
  }
}

function admissionOf({ id, scopes, limits }: MadeKey, rate: RateStand | null): Admission {
  return { id, scopes, limits, rate }
}

function isValid({ expiresTime }: MadeKey, now: number): boolean {
  return expiresTime === null || expiresTime > now
}

/** Valid, and that it is used was written so lately that it need not be again. */
function isNotedAsUsed(key: MadeKey, now: number): boolean {
  return isValid(key, now) && now - (key.lastUsedTime ?? 0) < LIMITS.access.lastUsedMs
}
