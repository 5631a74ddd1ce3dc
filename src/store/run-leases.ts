import { LIMITS } from '../domain/limits.ts'
import type { Database } from './database.ts'

/** Sessions whose run a key began that is in progress: one row a session and key, since a session that runs for one may be asked
 *  something by another. `until`, Unix ms: when it is taken to be over if nobody tells. */
export const RUN_LEASES_SCHEMA = `
  CREATE TABLE IF NOT EXISTS run_leases (session TEXT, key TEXT, until INTEGER NOT NULL, PRIMARY KEY (session, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS run_leases_by_key ON run_leases (key, until);`

/** Take a place for a session among the `max` of a key; one that has its place keeps it. `taken`: it is a new one; `full`: there
 *  is none. */
export function leaseRun(
  db: Database,
  { key, session, max }: { key: string; session: string; max: number },
  now: number,
): 'taken' | 'known' | 'full' {
  db.all('DELETE FROM run_leases WHERE until <= ?', now)
  const isKnown = db.first('SELECT 1 FROM run_leases WHERE session = ? AND key = ?', session, key) !== undefined
  const others = 'SELECT count(*) AS n FROM run_leases WHERE key = ? AND session <> ?'
  if (!isKnown && (db.first<{ n: number }>(others, key, session)?.n ?? 0) >= max) return 'full'
  db.all(
    `INSERT INTO run_leases (session, key, until) VALUES (?, ?, ?)
     ON CONFLICT (session, key) DO UPDATE SET until = excluded.until`,
    session,
    key,
    now + LIMITS.access.runLeaseMs,
  )
  return isKnown ? 'known' : 'taken'
}

/** A session tells how it stands: one in progress keeps its place, any other gives it back. False: it had none. */
export function reportRun(db: Database, session: string, isInProgress: boolean, now: number): boolean {
  const until = now + LIMITS.access.runLeaseMs
  const places = isInProgress
    ? db.all('UPDATE run_leases SET until = ? WHERE session = ? RETURNING key', until, session)
    : db.all('DELETE FROM run_leases WHERE session = ? RETURNING key', session)
  return places.length > 0
}

/** Give back what a key took for a session that it did not run after all. */
export function giveBackRun(db: Database, key: string, session: string): void {
  db.all('DELETE FROM run_leases WHERE session = ? AND key = ?', session, key)
}

/** Sessions that hold a place of a key and told nothing for so long, at most `limit`; those first that told nothing for longest. */
export function silentRuns(db: Database, key: string, { since, limit }: { since: number; limit: number }): string[] {
  const sql =
    "SELECT session FROM run_leases WHERE key = ? AND until <= ? AND session GLOB 'ses_*' ORDER BY until LIMIT ?"
  const rows = db.all<{ session: string }>(sql, key, since + LIMITS.access.runLeaseMs, limit)
  return rows.map(({ session }) => session)
}

/** Until when the last place of each session is held. */
export function leasesOf(db: Database, sessions: readonly string[]): Record<string, number> {
  const rows = db.all<{ session: string; until: number }>(
    'SELECT session, max(until) AS until FROM run_leases WHERE session IN (SELECT value FROM json_each(?)) GROUP BY session',
    JSON.stringify(sessions),
  )
  return Object.fromEntries(rows.map(({ session, until }) => [session, until]))
}

/** Places that a key has taken. */
export function countRuns(db: Database, key: string, now: number): number {
  return db.first<{ n: number }>('SELECT count(*) AS n FROM run_leases WHERE key = ? AND until > ?', key, now)?.n ?? 0
}
