import { sessionBytes, sumBytes } from '../store/directory.ts'
import type { lazyDatabase } from './storage.ts'

/** What the sessions of a directory keep, in bytes, as they said last. They are added up when somebody asks first, then reckoned on. */
export class KeptBytes {
  readonly #db: ReturnType<typeof lazyDatabase>
  #sum: number | null = null

  constructor(db: ReturnType<typeof lazyDatabase>) {
    this.#db = db
  }

  get sum(): number {
    this.#sum ??= this.#db.isThere() ? sumBytes(this.#db) : 0
    return this.#sum
  }

  /** Change the entry of a session. */
  changing(entry: { id: string; createdTime: number }, change: () => void): void {
    if (this.#sum === null) return change()
    const before = sessionBytes(this.#db, entry)
    change()
    this.#sum += sessionBytes(this.#db, entry) - before
  }

  /** What was changed came to nothing. */
  forget(): void {
    this.#sum = null
  }
}
