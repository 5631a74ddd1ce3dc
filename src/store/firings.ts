import type { Firing, FiringFacts, FiringStatus, StartWork } from '../domain/start.ts'
import type { Database } from './database.ts'

interface FiringRow {
  id: string
  trigger: string
  time: number
  status: FiringStatus
  session: string | null
  run: string | null
  repeats: number
  facts: string
}

const COLUMNS = 'id, trigger, time, status, session, run, repeats, facts'

/** A firing before it is written down; `work`: what it takes to start its run, null: nothing is started. */
export interface NewFiring {
  id: string
  trigger: string
  key: string
  time: number
  status: FiringStatus
  facts: FiringFacts
  work: StartWork | null
  /** When its start is tried again if it gave no sign by then. */
  retryTime: number | null
}

/** How much of a trigger's log is kept. */
export interface LogBounds {
  entriesMax: number
  /** Ids that are older than this one go. */
  oldestId: string
  forgottenAtOnceMax: number
}

/** Write a firing down, unless its key is known. False: it is, and nothing changes. Old entries of the log go. */
export function claimFiring(db: Database, firing: NewFiring, bounds: LogBounds): boolean {
  const { id, trigger, key, time, status, facts, work, retryTime } = firing
  const claimed = db.all(
    `INSERT INTO firings (trigger, key, id, time, status, retry_time, facts, work) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (trigger, key) DO NOTHING RETURNING id`,
    trigger,
    key,
    id,
    time,
    status,
    retryTime,
    JSON.stringify(facts),
    work ? JSON.stringify(work) : null,
  )
  if (claimed.length === 0) return false
  db.all('UPDATE triggers SET kept = kept + 1 WHERE id = ?', trigger)
  forgetOld(db, trigger, bounds)
  return true
}

/** Write a firing in the place of the one that has its key. */
export function replaceFiring(db: Database, firing: NewFiring, bounds: LogBounds): void {
  const gone = db.all('DELETE FROM firings WHERE trigger = ? AND key = ? RETURNING id', firing.trigger, firing.key)
  db.all('UPDATE triggers SET kept = kept - ? WHERE id = ?', gone.length, firing.trigger)
  claimFiring(db, firing, bounds)
}

/** How many of a trigger's firings were refused from a time (Unix ms) on, as far as its log shows. */
export function countRefused(db: Database, trigger: string, since: number): number {
  const sql = "SELECT count(*) AS count FROM firings WHERE trigger = ? AND status = 'refused' AND time >= ?"
  return db.first<{ count: number }>(sql, trigger, since)?.count ?? 0
}

function forgetOld(db: Database, trigger: string, { entriesMax, oldestId, forgottenAtOnceMax }: LogBounds): void {
  const { kept = 0 } = db.first<{ kept: number }>('SELECT kept FROM triggers WHERE id = ?', trigger) ?? {}
  const over = Math.min(Math.max(0, kept - entriesMax), forgottenAtOnceMax)
  const gone = db.all(
    `DELETE FROM firings WHERE trigger = ?1 AND retry_time IS NULL AND (
       id IN (SELECT id FROM firings WHERE trigger = ?1 ORDER BY id LIMIT ?2)
       OR id IN (SELECT id FROM firings WHERE trigger = ?1 AND id < ?3 ORDER BY id LIMIT ?4)) RETURNING id`,
    trigger,
    over,
    oldestId,
    forgottenAtOnceMax,
  )
  if (gone.length > 0) db.all('UPDATE triggers SET kept = kept - ? WHERE id = ?', gone.length, trigger)
}

export function findFiring(db: Database, trigger: string, key: string): Firing | null {
  const row = db.first<FiringRow>(`SELECT ${COLUMNS} FROM firings WHERE trigger = ? AND key = ?`, trigger, key)
  return row ? firingOf(row) : null
}

export function getFiring(db: Database, id: string): Firing | null {
  const row = db.first<FiringRow>(`SELECT ${COLUMNS} FROM firings WHERE id = ?`, id)
  return row ? firingOf(row) : null
}

/** What is left to do for a firing; null: nothing. */
export function workOf(db: Database, id: string): StartWork | null {
  const row = db.first<{ work: string | null }>('SELECT work FROM firings WHERE id = ?', id)
  return row?.work ? (JSON.parse(row.work) as StartWork) : null
}

export function countRepeat(db: Database, id: string): void {
  db.all('UPDATE firings SET repeats = repeats + 1 WHERE id = ?', id)
}

/** Count an attempt before it is made. Gives its number. */
export function countAttempt(db: Database, id: string, retryTime: number): number {
  const sql = 'UPDATE firings SET attempts = attempts + 1, retry_time = ? WHERE id = ? RETURNING attempts'
  return db.all<{ attempts: number }>(sql, retryTime, id)[0]?.attempts ?? 0
}

/** The session that a firing's run is to be in, before it is there. */
export function placeFiring(db: Database, id: string, session: string): void {
  db.all('UPDATE firings SET session = ? WHERE id = ?', session, id)
}

/** What waits for a firing, before it is given it. */
export function noteWoken(db: Database, { id, facts }: Pick<Firing, 'id' | 'facts'>): void {
  db.all('UPDATE firings SET facts = ? WHERE id = ?', JSON.stringify(facts), id)
}

/** What became of a firing; nothing is left to do for it. */
export function settleFiring(
  db: Database,
  { id, status, sessionId, runId, facts }: Pick<Firing, 'id' | 'status' | 'sessionId' | 'runId' | 'facts'>,
): void {
  const sql =
    'UPDATE firings SET status = ?, session = ?, run = ?, facts = ?, work = NULL, retry_time = NULL WHERE id = ?'
  db.all(sql, status, sessionId, runId, JSON.stringify(facts), id)
}

/** A start that failed may be tried anew: the same delivery came again. */
export function forgetFiring(db: Database, { id, trigger }: Pick<Firing, 'id' | 'trigger'>): void {
  db.all('DELETE FROM firings WHERE id = ?', id)
  db.all('UPDATE triggers SET kept = kept - 1 WHERE id = ?', trigger)
}

/** Firings whose runs were not seen to start, those longest due first. */
export function overdueFirings(db: Database, now: number, limit: number): Firing[] {
  const sql = `SELECT ${COLUMNS} FROM firings WHERE retry_time <= ? ORDER BY retry_time LIMIT ?`
  return db.all<FiringRow>(sql, now, limit).map(firingOf)
}

/** Nothing that was begun is under way any more, but for `begun`: its process died, and it is due now. */
export function reclaimFirings(db: Database, now: number, begun: ReadonlySet<string>): void {
  const sql = 'UPDATE firings SET retry_time = ?1 WHERE retry_time > ?1 AND id NOT IN (SELECT value FROM json_each(?2))'
  db.all(sql, now, JSON.stringify([...begun]))
}

/** The log of a trigger, newest first: entries older than `before`, at most `limit`. */
export function listFirings(
  db: Database,
  trigger: string,
  { before, limit }: { before: string | undefined; limit: number },
): Firing[] {
  const sql = `SELECT ${COLUMNS} FROM firings WHERE trigger = ? AND id < ? ORDER BY id DESC LIMIT ?`
  return db.all<FiringRow>(sql, trigger, before ?? '~', limit).map(firingOf)
}

function firingOf({ session, run, facts, ...row }: FiringRow): Firing {
  return { ...row, sessionId: session, runId: run, facts: JSON.parse(facts) as FiringFacts }
}
