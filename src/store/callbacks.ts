import type { Callback } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'
import { schemaOf } from './migrate.ts'

/** Tables of a tenant's outbox. `failing`: since when its last attempts failed. `lane`: deliveries of one callback and lane go one
 *  after the other; `due`: when the first of them is tried, null for all others;
 *  `taken`: a try of it is under way; `not_before`: until then the receiver asked to be left alone. `requests`: answers of keyed requests. */
export const OUTBOX_SCHEMA = schemaOf(
  [
    `CREATE TABLE IF NOT EXISTS callbacks (id TEXT PRIMARY KEY, enabled INTEGER NOT NULL, failing INTEGER, callback TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS deliveries (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, callback TEXT NOT NULL, session TEXT, lane TEXT NOT NULL,
     event TEXT NOT NULL, status TEXT NOT NULL, time INTEGER NOT NULL, due INTEGER, step INTEGER NOT NULL, attempts INTEGER NOT NULL,
     ended INTEGER, taken INTEGER NOT NULL DEFAULT 0, data TEXT NOT NULL);
   CREATE INDEX IF NOT EXISTS deliveries_by_due ON deliveries (callback, due) WHERE due IS NOT NULL;
   CREATE INDEX IF NOT EXISTS deliveries_taken ON deliveries (callback) WHERE taken = 1;
   CREATE INDEX IF NOT EXISTS deliveries_by_lane ON deliveries (callback, lane, n) WHERE status = 'pending';
   CREATE INDEX IF NOT EXISTS deliveries_by_id ON deliveries (callback, id);
   CREATE INDEX IF NOT EXISTS deliveries_by_status ON deliveries (callback, status, id);
   CREATE INDEX IF NOT EXISTS deliveries_by_end ON deliveries (callback, ended) WHERE ended IS NOT NULL;
   CREATE INDEX IF NOT EXISTS deliveries_by_session ON deliveries (session) WHERE session IS NOT NULL;
   CREATE TABLE IF NOT EXISTS attempts (delivery TEXT NOT NULL, n INTEGER NOT NULL, attempt TEXT NOT NULL, PRIMARY KEY (delivery, n)) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS requests (key TEXT PRIMARY KEY, time INTEGER NOT NULL, answer TEXT NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS requests_by_time ON requests (time);`,
    'ALTER TABLE deliveries ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;',
  ],
  { countedSteps: 2 },
)

/** A callback and how it fares. `failing`: Unix ms since when, null: it does not. */
export interface KeptCallback {
  callback: Callback
  failing: number | null
}

interface CallbackRow {
  callback: string
  failing: number | null
}

const keptOf = ({ callback, failing }: CallbackRow): KeptCallback => ({
  callback: JSON.parse(callback) as Callback,
  failing,
})

/** Keep a callback, in the place of the one of its id. False: there are as many as there may be. */
export function putCallback(db: Database, callback: Callback): boolean {
  const isKnown = db.first('SELECT 1 FROM callbacks WHERE id = ?', callback.id) !== undefined
  if (!isKnown && countCallbacks(db) >= LIMITS.callback.callbacksMax) return false
  db.all(
    `INSERT INTO callbacks (id, enabled, callback) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET enabled = excluded.enabled, callback = excluded.callback`,
    callback.id,
    callback.enabled ? 1 : 0,
    JSON.stringify(callback),
  )
  return true
}

export function countCallbacks(db: Database): number {
  return db.first<{ count: number }>('SELECT count(*) AS count FROM callbacks')?.count ?? 0
}

export function getCallback(db: Database, id: string): KeptCallback | null {
  const row = db.first<CallbackRow>('SELECT callback, failing FROM callbacks WHERE id = ?', id)
  return row ? keptOf(row) : null
}

/** At most `limit` with ids before `before`, newest first. */
export function listCallbacks(db: Database, before: string | null, limit: number): KeptCallback[] {
  const sql = 'SELECT callback, failing FROM callbacks WHERE ? IS NULL OR id < ? ORDER BY id DESC LIMIT ?'
  return db.all<CallbackRow & Record<string, string | number | null>>(sql, before, before, limit).map(keptOf)
}

/** Those that are switched on; there are `callbacksMax` at most. */
export function enabledCallbacks(db: Database): KeptCallback[] {
  return db.all<CallbackRow>('SELECT callback, failing FROM callbacks WHERE enabled = 1 ORDER BY id').map(keptOf)
}

/** Note since when a callback fails; null: it does not. */
export function noteHealth(db: Database, id: string, failing: number | null): void {
  db.all('UPDATE callbacks SET failing = ? WHERE id = ?', failing, id)
}

/** Forget a callback and all that it was to be told. False: there was none. */
export function removeCallback(db: Database, id: string): boolean {
  db.all('DELETE FROM attempts WHERE delivery IN (SELECT id FROM deliveries WHERE callback = ?)', id)
  db.all('DELETE FROM deliveries WHERE callback = ?', id)
  return db.all('DELETE FROM callbacks WHERE id = ? RETURNING id', id).length > 0
}

/** What a keyed request was answered; null: it did not come. */
export function answerOfRequest(db: Database, key: string): string | null {
  return db.first<{ answer: string }>('SELECT answer FROM requests WHERE key = ?', key)?.answer ?? null
}

/** Keep the answer of a keyed request with its effect. */
export function keepRequest(db: Database, key: string, answer: string, now: number): void {
  db.all('DELETE FROM requests WHERE time < ?', now - LIMITS.idempotency.keptMs)
  const sql = `INSERT INTO requests (key, time, answer) VALUES (?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET time = excluded.time, answer = excluded.answer`
  db.all(sql, key, now, answer)
}
