import { AUDIT_LIMITS, type Walked } from '../domain/audit.ts'
import {
  auditBefore,
  auditBehind,
  AUDIT_SCHEMA,
  type AuditFilter,
  type AuditPartRow,
  auditParts,
  auditRows,
  type AuditRow,
  auditSeq,
  type ChainEnd,
  chainEnd,
  expireAudit,
  firstAudit,
  hashIn,
  keepAuditRows,
  moveToPart,
  nextMonth,
  oldestAudit,
  partEnd,
  type PlacedEntry,
  putPart,
  removePart,
} from '../store/audit.ts'
import type { Database } from '../store/database.ts'
import { migrate } from '../store/migrate.ts'

/** A part of an audit in an object of its own: entries as they stood, which are read and grow old there. */
export interface AuditPart {
  /** Keep rows behind those that are there; `before`: what the first of all hangs on. */
  keep(before: ChainEnd, rows: readonly AuditRow[]): Promise<void>
  before(seq: number | null, filter: AuditFilter, limit: number): Promise<PlacedEntry[]>
  page(after: number, filter: AuditFilter): Promise<PlacedEntry[]>
  walk(after: number): Promise<Walked>
  /** Null: no entry has the id. */
  seqOf(id: string): Promise<number | null>
  /** Let some of what is older than a time (Unix ms) go. */
  expire(before: number): Promise<ExpiredPart>
  drop(): Promise<void>
}

/** `oldest`: time of the first entry that is left; null: none is. `gone`: seq of the newest that went. */
export interface ExpiredPart {
  oldest: number | null
  gone: number
}

/** What a part does with its database. */
export function partOn(db: Database): Omit<AuditPart, 'walk' | 'drop'> {
  return {
    keep: async (before, rows) => keepAuditRows(db, before, rows),
    before: async (seq, filter, limit) => auditBefore(db, seq, filter, limit),
    page: async (after, filter) => auditBehind(db, after, filter, AUDIT_LIMITS.entriesPerStep),
    seqOf: async (id) => auditSeq(db, id),
    expire: async (before) => {
      migrate(db, AUDIT_SCHEMA)
      expireAudit(db, before, AUDIT_LIMITS.entriesPerStep)
      return { oldest: oldestAudit(db), gone: chainEnd(db, 'anchor')?.seq ?? 0 }
    },
  }
}

/** The older parts of a tenant's audit. Its own object has the newest part, and brings what is a month's, or too much, elsewhere. */
export class Parts {
  readonly #db: Database
  readonly #partOf: (n: number) => AuditPart
  readonly #entriesMax: number
  #rows: readonly AuditPartRow[]
  /** What ends the part that is written now: an entry with this seq, or one at this time; null: it is to be looked up. */
  #next: { seq: number; time: number } | null = null

  constructor(db: Database, partOf: (n: number) => AuditPart, entriesMax: number = AUDIT_LIMITS.entriesPerPartMax) {
    this.#db = db
    this.#partOf = partOf
    this.#entriesMax = entriesMax
    this.#rows = auditParts(db)
  }

  /** Whether entries are to be brought elsewhere, now that there is one with a seq, or are older than they are kept. */
  isDue(seq: number, now: number, retentionMs: number | null): boolean {
    this.#next ??= this.#nextRoll()
    const [part] = this.#rows
    const isOld = part !== undefined && retentionMs !== null && part.oldest < now - retentionMs
    return seq >= this.#next.seq || now >= this.#next.time || isOld
  }

  #nextRoll(): { seq: number; time: number } {
    const first = firstAudit(this.#db)
    if (!first) return { seq: Infinity, time: Infinity }
    return { seq: first.seq + this.#entriesMax, time: nextMonth(first.time) }
  }

  /** Entries that age took from the start of the chain; null: no part knows. */
  get expired(): number | null {
    const [part] = this.#rows
    return part ? part.first - 1 : null
  }

  /** Bring one part elsewhere. A copy is whole before it counts: a process that dies meanwhile copies again. */
  async roll(): Promise<boolean> {
    const end = partEnd(this.#db, this.#entriesMax)
    if (!end) return false
    const n = (this.#rows.at(-1)?.n ?? 0) + 1
    const part = this.#partOf(n)
    const anchor = chainEnd(this.#db, 'anchor') ?? { seq: 0, hash: '0'.repeat(64) }
    const { first, last } = end
    const page = () => auditRows(this.#db, at, last.seq, AUDIT_LIMITS.entriesPerStep)
    let at = first.seq - 1
    for (let rows = page(); rows.length > 0; rows = page()) {
      await part.keep(anchor, rows)
      at = rows.at(-1)?.seq ?? last.seq
    }
    moveToPart(this.#db, { n, first: first.seq, last: last.seq, hash: hashIn(last), oldest: first.time })
    this.#rows = auditParts(this.#db)
    this.#next = null
    return true
  }

  /** Let go what is older than a time, from the oldest part on; a part of which nothing is left goes as a whole. */
  async expire(before: number): Promise<void> {
    for (let [row] = this.#rows; row && row.oldest < before; [row] = this.#rows) {
      const part = this.#partOf(row.n)
      const { oldest, gone } = await part.expire(before)
      if (oldest === null) {
        await part.drop()
        removePart(this.#db, row.n)
      } else putPart(this.#db, { ...row, oldest, first: gone + 1 })
      this.#rows = auditParts(this.#db)
    }
  }

  get isNone(): boolean {
    return this.#rows.length === 0
  }

  /** Where an entry stands that is in a part. */
  async seqOf(id: string): Promise<number | null> {
    for (const { n } of this.#rows.toReversed()) {
      const seq = await this.#partOf(n).seqOf(id)
      if (seq !== null) return seq
    }
    return null
  }

  /** Entries before a seq, newest first. */
  async before(seq: number | null, filter: AuditFilter, limit: number): Promise<PlacedEntry[]> {
    const found: PlacedEntry[] = []
    for (const { n, first } of this.#rows.toReversed()) {
      if (found.length >= limit) break
      if (seq === null || first < seq) found.push(...(await this.#partOf(n).before(seq, filter, limit - found.length)))
    }
    return found
  }

  /** Entries behind a seq, oldest first: of the first part that has some; null: none has. */
  async page(after: number, filter: AuditFilter): Promise<PlacedEntry[] | null> {
    for (const { n, last } of this.#rows) {
      const found = last > after ? await this.#partOf(n).page(after, filter) : []
      if (found.length > 0) return found
    }
    return null
  }

  /** One step along the chain through the part that goes on behind a seq; null: that is none of these. */
  async walk(after: number): Promise<Walked | null> {
    const row = this.#rows.find(({ last }) => last > after)
    if (!row) return null
    const step = await this.#partOf(row.n).walk(after)
    const isShort = step.done && (step.seq !== row.last || step.head?.hash !== row.hash)
    const broken = step.broken ?? (isShort ? { id: '', reason: `entries of part ${row.n} are missing` } : null)
    return { ...step, broken, done: broken !== null }
  }
}
