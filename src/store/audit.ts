import type { AuditEntry, AuditFact } from '../domain/audit.ts'
import type { Database, Value } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** Entries in the order of their chain; acts whose end is not told yet; and the ends of the chain: `anchor`, the newest entry
 *  that was removed by age, and `head`, the newest of all. */
export const AUDIT_SCHEMA = schemaOf(
  [
    `CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT, entry TEXT NOT NULL);
   CREATE INDEX IF NOT EXISTS audit_by_time ON audit (time);
   CREATE INDEX IF NOT EXISTS audit_by_actor ON audit (actor, seq);
   CREATE INDEX IF NOT EXISTS audit_by_action ON audit (action, seq);
   CREATE INDEX IF NOT EXISTS audit_by_target ON audit (target, seq);
   CREATE TABLE IF NOT EXISTS audit_open (id TEXT PRIMARY KEY, time INTEGER NOT NULL, fact TEXT NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS audit_open_by_time ON audit_open (time);
   CREATE TABLE IF NOT EXISTS audit_ends (name TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;`,
  ],
  { countedSteps: 1 },
)

export interface ChainEnd {
  seq: number
  hash: string
}

export interface PlacedEntry {
  seq: number
  entry: AuditEntry
}

/** Times in Unix ms; `from` inclusive, `to` exclusive. */
export interface AuditFilter {
  from?: number | undefined
  to?: number | undefined
  /** An actor's id. */
  actor?: string | undefined
  action?: string | undefined
  target?: string | undefined
}

export function chainEnd(db: Database, name: 'anchor' | 'head'): ChainEnd | undefined {
  return db.first<ChainEnd>('SELECT seq, hash FROM audit_ends WHERE name = ?', name)
}

function moveEnd(db: Database, name: 'anchor' | 'head', { seq, hash }: ChainEnd): void {
  db.all(
    `INSERT INTO audit_ends (name, seq, hash) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`,
    name,
    seq,
    hash,
  )
}

/** Append an entry, which becomes the head. */
export function appendAudit(db: Database, { seq, entry }: PlacedEntry): void {
  db.all(
    'INSERT INTO audit (seq, id, time, actor, action, target, entry) VALUES (?, ?, ?, ?, ?, ?, ?)',
    seq,
    entry.id,
    Date.parse(entry.time),
    entry.actor.id,
    entry.action,
    entry.target,
    JSON.stringify(entry),
  )
  moveEnd(db, 'head', { seq, hash: entry.hash })
}

/** Remove at most `max` entries from before a time from the start of the chain, which then hangs on the newest of them. What is told late
 *  stands behind what is younger, and goes with it. */
export function expireAudit(db: Database, before: number, max: number): void {
  const oldest = db.all<{ seq: number; time: number; entry: string }>(
    'SELECT seq, time, entry FROM audit ORDER BY seq LIMIT coalesce((SELECT iif(time < ?, ?, 0) FROM audit ORDER BY seq LIMIT 1), 0)',
    before,
    max,
  )
  const kept = oldest.findIndex(({ time }) => time >= before)
  const gone = kept < 0 ? oldest.at(-1) : oldest[kept - 1]
  if (!gone) return
  db.all('DELETE FROM audit WHERE seq <= ?', gone.seq)
  moveEnd(db, 'anchor', { seq: gone.seq, hash: (JSON.parse(gone.entry) as AuditEntry).hash })
}

/** Entries behind a seq, oldest first. */
export function auditBehind(db: Database, seq: number, filter: AuditFilter, limit: number): PlacedEntry[] {
  return select(db, [['seq > ?', [seq]], ...conditionsOf(filter)], 'ASC', limit)
}

/** Entries before a seq (null: all), newest first. */
export function auditBefore(db: Database, seq: number | null, filter: AuditFilter, limit: number): PlacedEntry[] {
  const before: Condition[] = seq === null ? [] : [['seq < ?', [seq]]]
  return select(db, [...before, ...conditionsOf(filter)], 'DESC', limit)
}

/** An entry as a row: as it stands in the store. */
export interface AuditRow extends Record<string, string | number | null> {
  seq: number
  id: string
  time: number
  actor: string
  action: string
  target: string | null
  entry: string
}

/** An entry as it stands in the store, whatever became of it there. `entry`: null when it cannot be read. `isFiled`: filters find it
 *  by what it says. */
export interface StoredEntry {
  seq: number
  id: string
  entry: AuditEntry | null
  isFiled: boolean
}

/** What is stored behind a seq, oldest first. */
export function storedBehind(db: Database, seq: number, limit: number): StoredEntry[] {
  return db.all<AuditRow>('SELECT * FROM audit WHERE seq > ? ORDER BY seq LIMIT ?', seq, limit).map(storedOf)
}

export function newestStored(db: Database): StoredEntry | undefined {
  const row = db.first<AuditRow>('SELECT * FROM audit ORDER BY seq DESC LIMIT 1')
  return row && storedOf(row)
}

function storedOf({ seq, entry: text, ...row }: AuditRow): StoredEntry {
  try {
    const entry = JSON.parse(text) as AuditEntry
    const said = [entry.id, Date.parse(entry.time), entry.actor.id, entry.action, entry.target]
    const filed = [row.id, row.time, row.actor, row.action, row.target]
    return { seq, id: entry.id, entry, isFiled: said.every((value, index) => value === filed[index]) }
  } catch {
    return { seq, id: row.id, entry: null, isFiled: false }
  }
}

type Condition = [string, Value[]]

function select(db: Database, conditions: Condition[], order: 'ASC' | 'DESC', limit: number): PlacedEntry[] {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}`
  return db
    .all<{ seq: number; entry: string }>(
      `SELECT seq, entry FROM audit ${where} ORDER BY seq ${order} LIMIT ?`,
      ...conditions.flatMap(([, values]) => values),
      limit,
    )
    .map(({ seq, entry }) => ({ seq, entry: JSON.parse(entry) as AuditEntry }))
}

function conditionsOf({ from, to, actor, action, target }: AuditFilter): Condition[] {
  const conditions: Condition[] = []
  if (from !== undefined) conditions.push(['time >= ?', [from]])
  if (to !== undefined) conditions.push(['time < ?', [to]])
  if (actor !== undefined) conditions.push(['actor = ?', [actor]])
  if (action !== undefined) conditions.push(['action = ?', [action]])
  if (target !== undefined) conditions.push(['target = ?', [target]])
  return conditions
}

/** Keep an act until its end is told. */
export function openAudit(db: Database, id: string, fact: AuditFact, now: number): void {
  db.all('INSERT INTO audit_open (id, time, fact) VALUES (?, ?, ?)', id, now, JSON.stringify(fact))
}

export function closeAudit(db: Database, id: string): void {
  db.all('DELETE FROM audit_open WHERE id = ?', id)
}

/** Acts from before a time whose end was never told, oldest first. */
export function leftOpen(db: Database, before: number, limit: number): { id: string; fact: AuditFact }[] {
  return db
    .all<{ id: string; fact: string }>(
      'SELECT id, fact FROM audit_open WHERE time < ? ORDER BY time LIMIT ?',
      before,
      limit,
    )
    .map(({ id, fact }) => ({ id, fact: JSON.parse(fact) as AuditFact }))
}

/** What went from the tenant's own audit to objects beside it: a row a part, in the order of the chain. `hash`: of the last entry.
 *  `oldest`: time of the first that is left (Unix ms). Made when it is first used. */
const PARTS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS audit_parts (n INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, hash TEXT NOT NULL, oldest INTEGER NOT NULL);',
])

export interface AuditPartRow {
  n: number
  first: number
  last: number
  hash: string
  oldest: number
}

/** Oldest first. */
export function auditParts(db: Database): AuditPartRow[] {
  if (!isMade(db, PARTS_SCHEMA)) return []
  return db.all<AuditPartRow & Record<string, number | string>>('SELECT * FROM audit_parts ORDER BY n')
}

/** The entries of a part are elsewhere: they go from here, where the chain hangs on the last of them. */
export function moveToPart(db: Database, part: AuditPartRow): void {
  makeForUse(db, PARTS_SCHEMA)
  db.transaction(() => {
    putPart(db, part)
    db.all('DELETE FROM audit WHERE seq <= ?', part.last)
    moveEnd(db, 'anchor', { seq: part.last, hash: part.hash })
  })
}

export function putPart(db: Database, { n, first, last, hash, oldest }: AuditPartRow): void {
  db.all(
    'INSERT OR REPLACE INTO audit_parts (n, first, last, hash, oldest) VALUES (?, ?, ?, ?, ?)',
    n,
    first,
    last,
    hash,
    oldest,
  )
}

export function removePart(db: Database, n: number): void {
  db.all('DELETE FROM audit_parts WHERE n = ?', n)
}

export function firstAudit(db: Database): AuditRow | undefined {
  return db.first<AuditRow>('SELECT * FROM audit ORDER BY seq LIMIT 1')
}

/** When the month of a time is over. */
export function nextMonth(ms: number): number {
  const time = new Date(ms)
  return Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1)
}

/** Up to where (seq) entries are a part of their own, the newest aside, which stays: those of the oldest month, once another has begun,
 *  or as many as a part may have. Null: none are. */
export function partEnd(db: Database, entriesMax: number): { first: AuditRow; last: AuditRow } | null {
  const first = firstAudit(db)
  const newest = db.first<{ seq: number }>('SELECT max(seq) AS seq FROM audit')?.seq ?? 0
  if (!first) return null
  const sql = 'SELECT min(seq) AS seq FROM audit WHERE time >= ?'
  const ofNextMonth = db.first<{ seq: number | null }>(sql, nextMonth(first.time))?.seq ?? Infinity
  const end = Math.min(ofNextMonth, first.seq + entriesMax, newest) - 1
  const isDue = ofNextMonth < Infinity || newest - first.seq >= entriesMax
  const last = db.first<AuditRow>('SELECT * FROM audit WHERE seq <= ? ORDER BY seq DESC LIMIT 1', end)
  return isDue && last ? { first, last } : null
}

/** Rows behind a seq, up to another, as they stand. */
export function auditRows(db: Database, after: number, upTo: number, limit: number): AuditRow[] {
  return db.all<AuditRow>('SELECT * FROM audit WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?', after, upTo, limit)
}

/** Keep rows of another object, as they stood there. What is kept again changes nothing. `before`: what the first of all hangs on. */
export function keepAuditRows(db: Database, before: ChainEnd, rows: readonly AuditRow[]): void {
  db.transaction(() => {
    if (!chainEnd(db, 'anchor')) moveEnd(db, 'anchor', before)
    for (const { seq, id, time, actor, action, target, entry } of rows) {
      db.all(
        'INSERT OR IGNORE INTO audit (seq, id, time, actor, action, target, entry) VALUES (?, ?, ?, ?, ?, ?, ?)',
        seq,
        id,
        time,
        actor,
        action,
        target,
        entry,
      )
    }
    const last = rows.at(-1)
    if (last) moveEnd(db, 'head', { seq: last.seq, hash: hashIn(last) })
  })
}

/** The hash that an entry says it has; empty: it cannot be read. */
export function hashIn({ entry }: AuditRow): string {
  try {
    return (JSON.parse(entry) as AuditEntry).hash
  } catch {
    return ''
  }
}

export function auditSeq(db: Database, id: string): number | null {
  return db.first<{ seq: number }>('SELECT seq FROM audit WHERE id = ?', id)?.seq ?? null
}

/** Unix ms of the first entry; null: there is none. */
export function oldestAudit(db: Database): number | null {
  return db.first<{ time: number }>('SELECT time FROM audit ORDER BY seq LIMIT 1')?.time ?? null
}
