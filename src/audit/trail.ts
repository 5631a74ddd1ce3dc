import { type AuditAct, AUDIT_LIMITS, type AuditEntry, type AuditFact, type Walked } from '../domain/audit.ts'
import type { Parts } from './parts.ts'
import { newId } from '../lib/id.ts'
import {
  appendAudit,
  auditBefore,
  auditBehind,
  auditSeq,
  chainEnd,
  closeAudit,
  expireAudit,
  leftOpen,
  newestStored,
  oldestAudit,
  openAudit,
  storedBehind,
  type AuditFilter,
  type PlacedEntry,
  type StoredEntry,
} from '../store/audit.ts'
import type { Database } from '../store/database.ts'
import { canonicalJson, sha256Hex } from '../lib/hash.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

export interface TrailPorts {
  db: Database
  now: () => number
  /** Null: entries are kept for ever. */
  retentionDays: number | null
  /** Acts that were begun before this time (Unix ms) were begun by a process that is gone; absent: they may go on. */
  since?: number
  /** Older parts of it, in objects of their own; absent: this is one. */
  parts?: Parts
  /** Have `tidy` called: entries are to be brought to a part, or go from one. */
  soon?: () => void
}

/** The audit of one tenant: what happened, in a chain of hashes that only grows at its end. */
export class Trail {
  readonly #db: Database
  readonly #now: () => number
  readonly #retentionMs: number | null
  readonly #since: number
  /** One append at a time: each needs the hash of the one before. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #parts: Parts | null
  readonly #soon: () => void
  #refusals = { minute: 0, count: 0, dropped: 0 }

  constructor({ db, now, retentionDays, since = 0, parts, soon }: TrailPorts) {
    this.#db = db
    this.#parts = parts ?? null
    this.#soon = soon ?? (() => {})
    this.#now = now
    this.#retentionMs = retentionDays === null ? null : retentionDays * DAY
    this.#since = since
  }

  /** Keep what is about to be done, so that it is not lost when the process dies over it. Returns its id for `close`. */
  open(fact: AuditFact): string {
    const id = newId('act', this.#now())
    openAudit(this.#db, id, fact, this.#now())
    return id
  }

  /** Tell how an act ended; null: it changed nothing, and there is nothing to tell. */
  close(id: string, fact: AuditFact | null): Promise<void> {
    if (fact) return this.#append([fact], [id])
    closeAudit(this.#db, id)
    return Promise.resolve()
  }

  /** Append acts that are not there yet, in their order. One that is older than entries are kept is not taken: it was there, and is gone. */
  add(acts: readonly AuditAct[]): Promise<void> {
    const oldest = this.#retentionMs === null ? 0 : this.#now() - this.#retentionMs
    return this.#append(
      acts.filter(({ time }) => Date.parse(time) >= oldest),
      [],
    )
  }

  /** Append what happened. */
  record(fact: AuditFact): Promise<void> {
    return this.#append([fact], [])
  }

  /** Append a refusal, if there were not too many in this minute: those are counted in the next entry. Returns the Unix ms before
   *  which no other is taken; 0: at once. */
  async refuse(fact: AuditFact): Promise<number> {
    const minute = Math.floor(this.#now() / MINUTE)
    if (minute !== this.#refusals.minute) this.#refusals = { minute, count: 0, dropped: this.#refusals.dropped }
    if (this.#refusals.count >= AUDIT_LIMITS.refusalsPerMinuteMax) {
      this.#refusals.dropped++
      return (minute + 1) * MINUTE
    }
    const { dropped } = this.#refusals
    this.#refusals = { minute, count: this.#refusals.count + 1, dropped: 0 }
    await this.record(dropped === 0 ? fact : { ...fact, details: { ...fact.details, refusals_not_listed: dropped } })
    return 0
  }

  /** Entries before that with the id `cursor` (null: the newest), newest first. */
  async list(cursor: string | null, filter: AuditFilter, limit: number): Promise<AuditEntry[]> {
    await this.#seal()
    const seq = cursor === null ? null : (auditSeq(this.#db, cursor) ?? (await this.#parts?.seqOf(cursor)) ?? 0)
    const found = auditBefore(this.#db, seq, filter, limit)
    const older = found.length < limit ? await this.#parts?.before(seq, filter, limit - found.length) : []
    return [...found, ...(older ?? [])].map(({ entry }) => entry)
  }

  /** Entries behind a seq, oldest first. */
  async page(after: number, filter: AuditFilter): Promise<PlacedEntry[]> {
    if (after === 0) await this.#seal()
    const older = await this.#parts?.page(after, filter)
    return older ?? auditBehind(this.#db, after, filter, AUDIT_LIMITS.entriesPerStep)
  }

  /** One step along the chain, from behind the entry `after`, which was looked at before (0: from the start). */
  async walk(after: number): Promise<Walked> {
    if (after === 0) await this.#seal()
    const older = await this.#parts?.walk(after)
    if (older) return { ...this.#walked(older.seq, older.checked, older.broken), done: older.done }
    const anchor = chainEnd(this.#db, 'anchor') ?? { seq: 0, hash: GENESIS }
    const known = after > anchor.seq ? storedBehind(this.#db, after - 1, 1)[0] : undefined
    let before = known?.seq === after && known.entry ? { seq: after, hash: known.entry.hash } : anchor
    const page = storedBehind(this.#db, before.seq, AUDIT_LIMITS.entriesPerStep)
    const head = chainEnd(this.#db, 'head')
    for (const [index, stored] of page.entries()) {
      const { seq, id, entry } = stored
      const reason = seq === before.seq + 1 ? await faultOf(stored, before.hash) : 'an entry before it is missing'
      if (reason !== null) return this.#walked(before.seq, index, { id, reason })
      before = { seq, hash: entry?.hash ?? '' }
    }
    if (page.length === AUDIT_LIMITS.entriesPerStep)
      return { ...this.#walked(before.seq, page.length, null), done: false }
    const isWhole = head ? head.seq === before.seq && head.hash === before.hash : before.seq === 0
    const lost = { id: '', reason: 'entries at the end of the chain are missing' }
    return this.#walked(before.seq, page.length, isWhole ? null : lost)
  }

  #walked(seq: number, checked: number, broken: Walked['broken']): Walked {
    const newest = newestStored(this.#db)
    const head = newest?.entry ? { id: newest.id, hash: newest.entry.hash } : null
    const expired = this.#parts?.expired ?? chainEnd(this.#db, 'anchor')?.seq ?? 0
    return { seq, checked, expired, broken, done: true, head }
  }

  /** Bring what is a month's, or too much, to a part of its own, and let go what is too old. What others append meanwhile waits. */
  tidy(): Promise<void> {
    return this.#alone(async () => {
      while (await this.#parts?.roll());
      if (this.#retentionMs !== null) await this.#parts?.expire(this.#now() - this.#retentionMs)
    })
  }

  /** Acts whose end nobody told any more are told to be interrupted. */
  async #seal(): Promise<void> {
    const before = Math.max(this.#since, this.#now() - AUDIT_LIMITS.openMsMax)
    const left = leftOpen(this.#db, before, AUDIT_LIMITS.sealedPerCallMax)
    if (left.length === 0) return
    const facts = left.map(({ fact }) => ({ ...fact, outcome: 'interrupted', status: null }) as const)
    await this.#append(
      facts,
      left.map(({ id }) => id),
    )
  }

  /** What has an id is appended once. */
  #append(facts: readonly (AuditFact | AuditAct)[], closes: readonly string[]): Promise<void> {
    return this.#alone(() => this.#appendNow(facts, closes))
  }

  #alone(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  async #appendNow(facts: readonly (AuditFact | AuditAct)[], closes: readonly string[]): Promise<void> {
    let { seq, hash } = chainEnd(this.#db, 'head') ?? { seq: 0, hash: GENESIS }
    const placed: PlacedEntry[] = []
    const isThere = new Set<string>()
    for (const fact of facts) if ('id' in fact && (await this.#isThere(fact))) isThere.add(fact.id)
    for (const fact of facts) {
      if ('id' in fact && isThere.has(fact.id)) continue
      if ('id' in fact) isThere.add(fact.id)
      const now = this.#now()
      const entry = await chained(hash, { id: newId('aud', now), time: new Date(now).toISOString(), ...fact })
      seq += 1
      hash = entry.hash
      placed.push({ seq, entry })
    }
    this.#db.transaction(() => {
      for (const one of placed) appendAudit(this.#db, one)
      for (const id of closes) closeAudit(this.#db, id)
      if (this.#retentionMs !== null && this.#parts?.isNone !== false)
        expireAudit(this.#db, this.#now() - this.#retentionMs, AUDIT_LIMITS.expiredPerCallMax)
    })
    if (this.#parts?.isDue(seq, this.#now(), this.#retentionMs)) this.#soon()
  }

  async #isThere({ id, time }: AuditAct): Promise<boolean> {
    if (auditSeq(this.#db, id) !== null) return true
    if (!this.#parts || this.#parts.isNone || Date.parse(time) >= (oldestAudit(this.#db) ?? 0)) return false
    return (await this.#parts.seqOf(id)) !== null
  }
}

/** What the first entry of a tenant follows. */
const GENESIS = '0'.repeat(64)

/** An entry behind the one with `prevHash`. */
async function chained(prevHash: string, entry: Omit<AuditEntry, 'prev_hash' | 'hash'>): Promise<AuditEntry> {
  return { ...entry, prev_hash: prevHash, hash: await hashOf(prevHash, entry) }
}

/** Why what is stored cannot be the entry behind `prevHash`; null: it is. */
async function faultOf({ entry, isFiled }: StoredEntry, prevHash: string): Promise<string | null> {
  if (entry === null) return 'it cannot be read'
  const { prev_hash: before, hash, ...rest } = entry
  if (before !== prevHash) return 'prev_hash is not the hash of the entry before'
  if (hash !== (await hashOf(before, rest))) return 'hash does not fit the entry'
  return isFiled ? null : 'it is not filed by what it says'
}

function hashOf(prevHash: string, entry: object): Promise<string> {
  return sha256Hex(`${prevHash}\n${canonicalJson(entry)}`)
}
