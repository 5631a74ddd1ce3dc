import { DurableObject } from 'cloudflare:workers'
import { Trail } from '../audit/trail.ts'
import { type AuditAct, AUDIT_LIMITS, type AuditFact } from '../domain/audit.ts'
import { AUDIT_SCHEMA, type AuditFilter } from '../store/audit.ts'
import { migrate } from '../store/migrate.ts'
import { objectDatabase } from './storage.ts'
import { serverOf } from './engine.ts'
import type { Env } from './env.ts'

/** The audit of one tenant. */
export class AuditObject extends DurableObject<Env> {
  readonly #db = objectDatabase(this.ctx.storage)
  readonly #trail = new Trail({
    db: this.#db,
    now: Date.now,
    retentionDays: serverOf(this.env).config.audit?.retention_days ?? AUDIT_LIMITS.retentionDays,
  })

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    migrate(this.#db, AUDIT_SCHEMA)
  }

  open(fact: AuditFact) {
    return this.#trail.open(fact)
  }

  close(id: string, fact: AuditFact | null) {
    return this.#trail.close(id, fact)
  }

  record(fact: AuditFact) {
    return this.#trail.record(fact)
  }

  /** Append what sessions tell of acts. Those that are there already change nothing. */
  add(acts: readonly AuditAct[]) {
    return this.#trail.add(acts)
  }

  refuse(fact: AuditFact) {
    return this.#trail.refuse(fact)
  }

  list(cursor: string | null, filter: AuditFilter, limit: number) {
    return this.#trail.list(cursor, filter, limit)
  }

  page(after: number, filter: AuditFilter) {
    return this.#trail.page(after, filter)
  }

  walk(after: number) {
    return this.#trail.walk(after)
  }
}
