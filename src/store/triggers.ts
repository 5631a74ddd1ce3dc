import type { Database } from './database.ts'
import { migrate, schemaOf } from './migrate.ts'
import { LIMITS } from '../domain/limits.ts'

/** Webhooks and schedules of a tenant as JSON, what came of them, and the sessions that their keys lead to. `due`: what a
 *  schedule fires for next; `next_time`: when it does; `kept`: entries in its log. `work`: what is left to do until a run is
 *  started, and `retry_time` when it is tried (again). A `key` is what makes a repeat one: a delivery's id, or a due time. */
export const TRIGGERS_SCHEMA = schemaOf(
  [
    `CREATE TABLE IF NOT EXISTS triggers (id TEXT PRIMARY KEY, spec TEXT NOT NULL, due INTEGER, next_time INTEGER, kept INTEGER NOT NULL DEFAULT 0, last_session TEXT) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS triggers_by_time ON triggers (next_time) WHERE next_time IS NOT NULL;
   CREATE TABLE IF NOT EXISTS firings (trigger TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, time INTEGER NOT NULL, status TEXT NOT NULL, session TEXT, run TEXT, repeats INTEGER NOT NULL DEFAULT 0, attempts INTEGER NOT NULL DEFAULT 0, retry_time INTEGER, facts TEXT NOT NULL, work TEXT, PRIMARY KEY (trigger, key)) WITHOUT ROWID;
   CREATE UNIQUE INDEX IF NOT EXISTS firings_by_id ON firings (id);
   CREATE INDEX IF NOT EXISTS firings_of ON firings (trigger, id);
   CREATE INDEX IF NOT EXISTS firings_by_retry ON firings (retry_time) WHERE retry_time IS NOT NULL;
   CREATE TABLE IF NOT EXISTS threads (trigger TEXT NOT NULL, key TEXT NOT NULL, session TEXT NOT NULL, made INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL, PRIMARY KEY (trigger, key)) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS threads_by_use ON threads (trigger, used);
   CREATE TABLE IF NOT EXISTS requests (key TEXT PRIMARY KEY, id TEXT NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS requests_by_time ON requests (time);
   CREATE TABLE IF NOT EXISTS home (tenant TEXT PRIMARY KEY) WITHOUT ROWID;`,
  ],
  { countedSteps: 1 },
)

/** What a trigger's id begins with. */
export type TriggerPrefix = 'whk' | 'sch'

/** When a schedule fires next, and for what; null: never, or it is a webhook. */
export interface NextFiring {
  due: number
  time: number
}

/** A trigger as it is kept: what it is, in JSON, and when it fires. */
export interface StoredTrigger<Spec> {
  spec: Spec
  next: NextFiring | null
  /** The session of its last run. */
  lastSession: string | null
}

interface TriggerRow {
  spec: string
  due: number | null
  next_time: number | null
  last_session: string | null
}

const COLUMNS = 'spec, due, next_time, last_session'

/** Make the tables where there are none, and keep whose they are. */
export function openTriggers(db: Database, tenant: string): void {
  migrate(db, TRIGGERS_SCHEMA)
  db.all('INSERT INTO home (tenant) VALUES (?) ON CONFLICT DO NOTHING', tenant)
}

/** The tenant whose triggers these are. */
export function tenantOfTriggers(db: Database): string {
  const tenant = db.first<{ tenant: string }>('SELECT tenant FROM home')?.tenant
  if (tenant === undefined) throw new Error('no trigger was ever made here')
  return tenant
}

/** Keep a trigger, or replace it. */
export function putTrigger(db: Database, spec: { id: string }, next: NextFiring | null): void {
  db.all(
    `INSERT INTO triggers (id, spec, due, next_time) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET spec = excluded.spec, due = excluded.due, next_time = excluded.next_time`,
    spec.id,
    JSON.stringify(spec),
    next?.due ?? null,
    next?.time ?? null,
  )
}

export function getTrigger<Spec>(db: Database, id: string): StoredTrigger<Spec> | null {
  const row = db.first<TriggerRow>(`SELECT ${COLUMNS} FROM triggers WHERE id = ?`, id)
  return row ? storedOf<Spec>(row) : null
}

/** Triggers of a kind, newest first: those older than `before`, at most `limit`. */
export function listTriggers<Spec>(
  db: Database,
  prefix: TriggerPrefix,
  { before, limit }: { before: string | undefined; limit: number },
): StoredTrigger<Spec>[] {
  const sql = `SELECT ${COLUMNS} FROM triggers WHERE id > ? AND id < min(?, ?) ORDER BY id DESC LIMIT ?`
  const end = `${prefix}_~`
  return db.all<TriggerRow>(sql, `${prefix}_`, end, before ?? end, limit).map((row) => storedOf<Spec>(row))
}

export function countTriggers(db: Database, prefix: TriggerPrefix): number {
  const sql = 'SELECT count(*) AS count FROM triggers WHERE id > ? AND id < ?'
  return db.first<{ count: number }>(sql, `${prefix}_`, `${prefix}_~`)?.count ?? 0
}

/** Forget a trigger and all that came of it; what it has not started yet is not started any more. False: there was none. */
export function removeTrigger(db: Database, id: string): boolean {
  db.all('DELETE FROM firings WHERE trigger = ?', id)
  db.all('DELETE FROM threads WHERE trigger = ?', id)
  return db.all('DELETE FROM triggers WHERE id = ? RETURNING id', id).length > 0
}

/** Schedules that are due, those longest due first. */
export function dueTriggers<Spec>(db: Database, now: number, limit: number): StoredTrigger<Spec>[] {
  const sql = `SELECT ${COLUMNS} FROM triggers WHERE next_time <= ? ORDER BY next_time LIMIT ?`
  return db.all<TriggerRow>(sql, now, limit).map((row) => storedOf<Spec>(row))
}

export function moveTrigger(db: Database, id: string, next: NextFiring | null): void {
  db.all('UPDATE triggers SET due = ?, next_time = ? WHERE id = ?', next?.due ?? null, next?.time ?? null, id)
}

export function keepLastSession(db: Database, id: string, session: string): void {
  db.all('UPDATE triggers SET last_session = ? WHERE id = ?', session, id)
}

/** When there is something to do next, Unix ms; null: never. */
export function nextDueTime(db: Database): number | null {
  const sql = `SELECT min(time) AS time FROM (
    SELECT min(next_time) AS time FROM triggers WHERE next_time IS NOT NULL
    UNION ALL SELECT min(retry_time) FROM firings WHERE retry_time IS NOT NULL)`
  return db.first<{ time: number | null }>(sql)?.time ?? null
}

function storedOf<Spec>(row: TriggerRow): StoredTrigger<Spec> {
  const { due, next_time: time } = row
  const next = due === null || time === null ? null : { due, time }
  return { spec: JSON.parse(row.spec) as Spec, next, lastSession: row.last_session }
}

/** What a request with an Idempotency-Key did to a trigger, written in the transaction that does it. Null: it did nothing yet. */
export function triggerOfRequest(db: Database, key: string): string | null {
  return db.first<{ id: string }>('SELECT id FROM requests WHERE key = ?', key)?.id ?? null
}

/** Keep what a request did; those that are older than keys are kept go. */
export function keepTriggerRequest(db: Database, key: string, id: string, now: number): void {
  db.all('DELETE FROM requests WHERE time < ?', now - LIMITS.idempotency.keptMs)
  db.all('INSERT INTO requests (key, id, time) VALUES (?, ?, ?)', key, id, now)
}
