import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** An entry of the list, and the session that it is of. */
export interface ListedSession {
  entry: string
  id: string
}

const LISTED_SESSION = `SELECT id AS entry, summary ->> 'id' AS id FROM sessions`

/** Sessions behind an entry of the list that are in progress and were told of since a time (RFC 3339). */
export function sessionsInProgress(db: Database, after: string, since: string, limit: number): ListedSession[] {
  return db.all(
    `${LISTED_SESSION} WHERE status = 'in_progress' AND id > ? AND summary ->> 'updated_time' >= ? ORDER BY id LIMIT ?`,
    after,
    since,
    limit,
  )
}

/** Sessions behind an entry of the list that rest and should have gone on by themselves at a time (RFC 3339): what they wait for expired before
 *  it. Those that rest and wait for nobody may have had a time for a step, which only they know. */
export function sessionsOverdue(db: Database, after: string, time: string, limit: number): ListedSession[] {
  const expired = `SELECT 1 FROM json_each(summary, '$.pending') item WHERE item.value ->> 'expires_time' <= ?`
  return db.all(
    `${LISTED_SESSION} WHERE status = 'interrupted' AND id > ? AND (summary -> 'pending' IS NULL OR EXISTS (${expired})) ORDER BY id LIMIT ?`,
    after,
    time,
    limit,
  )
}

/** Whether sessions are in progress, or rest for whatever. */
export function areSessionsOpen(db: Database): boolean {
  return db.first(`SELECT 1 FROM sessions WHERE status IN ('in_progress', 'interrupted') LIMIT 1`) !== undefined
}

/** Where a sweep stopped that had asked as many sessions of a list as it may. Made by the first that does. */
const PLACES_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS sweep_places (list TEXT PRIMARY KEY, entry TEXT NOT NULL) WITHOUT ROWID;',
])

/** The entry behind which the next sweep of a list begins; empty: with its first one. */
export function sweepPlace(db: Database, list: string): string {
  if (!isMade(db, PLACES_SCHEMA)) return ''
  return db.first<{ entry: string }>('SELECT entry FROM sweep_places WHERE list = ?', list)?.entry ?? ''
}

/** `entry` null: the next one begins with the first. */
export function keepSweepPlace(db: Database, list: string, entry: string | null): void {
  if (entry !== null) {
    makeForUse(db, PLACES_SCHEMA)
    db.all('INSERT OR REPLACE INTO sweep_places (list, entry) VALUES (?, ?)', list, entry)
  } else if (isMade(db, PLACES_SCHEMA)) db.all('DELETE FROM sweep_places WHERE list = ?', list)
}
