import { DurableObject } from 'cloudflare:workers'
import type { AuditAct, AuditFact } from '../domain/audit.ts'
import { onDemand } from '../lib/shape.ts'
import type { AuditFilter, AuditRow, ChainEnd } from '../store/audit.ts'
import type { Env } from './env.ts'

/** The audit of one tenant, or an older part of it, whose name says which. Everything is forwarded; nothing is decided here. */
export class AuditObject extends DurableObject<Env> {
  readonly #opened = onDemand(async () => {
    const { trailOf } = await import('./audit-ports.ts')
    return trailOf(this.ctx, this.env)
  })
  readonly #trail = async () => (await this.#opened()).trail
  readonly #part = async () => (await this.#opened()).part

  async open(fact: AuditFact) {
    return (await this.#trail()).open(fact)
  }

  async close(id: string, fact: AuditFact | null) {
    return (await this.#trail()).close(id, fact)
  }

  async record(fact: AuditFact) {
    return (await this.#trail()).record(fact)
  }

  /** Append what sessions tell of acts. Those that are there already change nothing. */
  async add(acts: readonly AuditAct[]) {
    return (await this.#trail()).add(acts)
  }

  async refuse(fact: AuditFact) {
    return (await this.#trail()).refuse(fact)
  }

  async list(cursor: string | null, filter: AuditFilter, limit: number) {
    return (await this.#trail()).list(cursor, filter, limit)
  }

  async page(after: number, filter: AuditFilter) {
    return (await this.#trail()).page(after, filter)
  }

  async walk(after: number) {
    return (await this.#trail()).walk(after)
  }

  override async alarm() {
    return (await this.#trail()).tidy()
  }

  async keepPart(before: ChainEnd, rows: readonly AuditRow[]) {
    return (await this.#part()).keep(before, rows)
  }

  async partBefore(seq: number | null, filter: AuditFilter, limit: number) {
    return (await this.#part()).before(seq, filter, limit)
  }

  async partPage(after: number, filter: AuditFilter) {
    return (await this.#part()).page(after, filter)
  }

  async seqInPart(id: string) {
    return (await this.#part()).seqOf(id)
  }

  async expirePart(before: number) {
    return (await this.#part()).expire(before)
  }

  dropPart() {
    return this.ctx.storage.deleteAll()
  }
}
