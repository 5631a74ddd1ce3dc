import { ACCESS_LIMITS } from '../domain/access-limits.ts'
import { countAllSessions } from '../store/directory.ts'
import type { lazyDatabase } from './storage.ts'

type LazyDatabase = ReturnType<typeof lazyDatabase>

/** How many sessions a directory has: those of its list, and those that are being made. The latter are known to this process alone: when it
 *  dies, they are counted again as soon as they are listed. */
export class SessionPlaces {
  readonly #db: LazyDatabase
  /** Sessions that are being made, and when (Unix ms) they are taken not to be. */
  readonly #places = new Map<string, number>()
  /** There are no more than so many; null: they have to be counted. */
  #most: number | null = null
  /** It was full when it was counted last, and is not counted again before this time. */
  #fullUntil = 0

  constructor(db: LazyDatabase) {
    this.#db = db
  }

  /** Take a place among `max` for a session that is to be made; `elsewhere`: how many other directories have. False: there is none. */
  take(id: string, max: number, elsewhere: number, now: number): boolean {
    if (now < this.#fullUntil) return false
    if (this.#most === null || this.#most + elsewhere >= max) this.#most = this.count(now)
    if (this.#most + elsewhere >= max) {
      // Of what goes elsewhere nothing is heard.
      if (elsewhere === 0) this.#fullUntil = now + ACCESS_LIMITS.fullKeptMs
      return false
    }
    this.#places.set(id, now + ACCESS_LIMITS.placeKeptMs)
    this.#most++
    return true
  }

  count(now: number): number {
    for (const [id, until] of this.#places) if (until <= now) this.#places.delete(id)
    return this.#places.size + (this.#db.isThere() ? countAllSessions(this.#db) : 0)
  }

  /** The list has it now. */
  listed(id: string): void {
    this.#places.delete(id)
  }

  /** It was not made after all, or is deleted. */
  gone(id: string): void {
    this.#places.delete(id)
    this.#most = null
    this.#fullUntil = 0
  }
}
