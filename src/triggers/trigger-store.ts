import { fail, ok, type Result } from '../domain/errors.ts'
import type { Firing } from '../domain/start.ts'
import type { Database } from '../store/database.ts'
import { listFirings } from '../store/firings.ts'
import { isMigrated } from '../store/migrate.ts'
import {
  keepTriggerRequest,
  triggerOfRequest,
  countTriggers,
  getTrigger,
  listTriggers,
  type NextFiring,
  putTrigger,
  removeTrigger,
  type StoredTrigger,
  type TriggerPrefix,
  TRIGGERS_SCHEMA,
} from '../store/triggers.ts'

export interface TriggerPage {
  /** Entries older than this id. */
  before: string | undefined
  limit: number
}

/** The triggers of one kind. There are no tables before the first is made. */
export class TriggerStore<Spec extends { id: string }> {
  readonly #db: Database
  readonly #kind: { prefix: TriggerPrefix; what: string; plural: string; max: number }
  #isOpen: boolean
  /** How many there are; null: not counted yet. */
  #count: number | null = null

  constructor(db: Database, kind: { prefix: TriggerPrefix; what: string; plural: string; max: number }) {
    this.#db = db
    this.#kind = kind
    this.#isOpen = isMigrated(db, TRIGGERS_SCHEMA)
  }

  /** Keep a new trigger. `request`: the key that it was asked for under; a repeat gives what the first made. */
  add(spec: Spec, next: NextFiring | null, request: string | null, now: number): Result<StoredTrigger<Spec>> {
    const { prefix, plural, max } = this.#kind
    return this.#db.transaction(() => {
      const known = this.requested(request)
      if (known) return known
      this.#count ??= countTriggers(this.#db, prefix)
      if (this.#count >= max) return fail({ code: 'too_many', what: plural, max })
      putTrigger(this.#db, spec, next)
      this.#count++
      if (request !== null) keepTriggerRequest(this.#db, request, spec.id, now)
      return ok({ spec, next, lastSession: null })
    })
  }

  /** What a request with this key did before; null: nothing. */
  requested(request: string | null): Result<StoredTrigger<Spec>> | null {
    const id = request === null || !this.isOpen ? null : triggerOfRequest(this.#db, request)
    return id === null ? null : this.find(id)
  }

  find(id: string): Result<StoredTrigger<Spec>> {
    const { prefix, what } = this.#kind
    const known = this.isOpen && id.startsWith(`${prefix}_`) ? getTrigger<Spec>(this.#db, id) : null
    return known ? ok(known) : fail({ code: 'not_found', what })
  }

  /** Change a trigger in one transaction. `request`: as with `add`. */
  change(
    id: string,
    change: (known: StoredTrigger<Spec>) => Result<{ spec: Spec; next: NextFiring | null }>,
    request: string | null,
    now: number,
  ): Result<StoredTrigger<Spec>> {
    return this.#db.transaction(() => {
      const known = this.find(id)
      if (!known.ok) return known
      const done = this.requested(request)
      if (done) return done
      const changed = change(known.value)
      if (!changed.ok) return changed
      putTrigger(this.#db, changed.value.spec, changed.value.next)
      if (request !== null) keepTriggerRequest(this.#db, request, id, now)
      return ok({ ...known.value, ...changed.value })
    })
  }

  list(page: TriggerPage): StoredTrigger<Spec>[] {
    return this.isOpen ? listTriggers<Spec>(this.#db, this.#kind.prefix, page) : []
  }

  remove(id: string): Result<null> {
    const isGone = this.find(id).ok && this.#db.transaction(() => removeTrigger(this.#db, id))
    if (isGone) this.#count = null
    return isGone ? ok(null) : fail({ code: 'not_found', what: this.#kind.what })
  }

  /** What came and what it did, newest first. */
  log(id: string, page: TriggerPage): Result<Firing[]> {
    const known = this.find(id)
    return known.ok ? ok(listFirings(this.#db, id, page)) : known
  }

  get isOpen(): boolean {
    this.#isOpen ||= isMigrated(this.#db, TRIGGERS_SCHEMA)
    return this.#isOpen
  }
}
