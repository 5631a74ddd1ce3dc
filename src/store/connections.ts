import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** A stream or a socket that somebody of a tenant has open. `session`: that it is of; null: of none. `isAhead`: it is to come. */
export interface CountedConnection {
  id: string
  kind: 'stream' | 'socket'
  session: string | null
  isAhead?: boolean
}

/** `until`, Unix ms: a stream of which nothing is heard is over by then; a socket is taken to be there until then, and may be asked for
 *  from then on. Only tenants whose connections are bounded have the table. */
const CONNECTIONS_SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS connections (id TEXT PRIMARY KEY, kind TEXT NOT NULL, session TEXT, until INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS connections_by_kind ON connections (kind, until);`,
])

/** Keep a connection, one of `max` of its kind; false: there are as many. */
export function keepConnection(
  db: Database,
  { id, kind, session }: CountedConnection,
  { max, now, until }: { max: number; now: number; until: number },
): boolean {
  makeForUse(db, CONNECTIONS_SCHEMA)
  db.all(`DELETE FROM connections WHERE kind = 'stream' AND until <= ?`, now)
  const open = db.first<{ n: number }>('SELECT count(*) AS n FROM connections WHERE kind = ? AND id <> ?', kind, id)
  if ((open?.n ?? 0) >= max) return false
  db.all('INSERT OR REPLACE INTO connections (id, kind, session, until) VALUES (?, ?, ?, ?)', id, kind, session, until)
  return true
}

/** A stream is still there. Where it was taken to be over, it is counted again, whether or not there is a place. */
export function renewStream(db: Database, id: string, until: number): void {
  makeForUse(db, CONNECTIONS_SCHEMA)
  db.all(
    `INSERT INTO connections (id, kind, session, until) VALUES (?, 'stream', NULL, ?) ON CONFLICT (id) DO UPDATE SET until = excluded.until`,
    id,
    until,
  )
}

/** Sockets are still there. */
export function renewSockets(db: Database, ids: readonly string[], until: number): void {
  db.all('UPDATE connections SET until = ? WHERE id IN (SELECT value FROM json_each(?))', until, JSON.stringify(ids))
}

export function removeConnections(db: Database, ids: readonly string[]): void {
  if (!isMade(db, CONNECTIONS_SCHEMA)) return
  db.all('DELETE FROM connections WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids))
}

/** Sockets of which nothing was heard since, by session: those of the sessions that were silent for longest. */
export function silentSockets(db: Database, now: number, sessionsMax: number): { session: string; ids: string[] }[] {
  const rows = db.all<{ session: string; ids: string }>(
    `SELECT session, json_group_array(id) AS ids FROM connections WHERE kind = 'socket' AND until <= ? AND session IS NOT NULL
     GROUP BY session ORDER BY min(until) LIMIT ?`,
    now,
    sessionsMax,
  )
  return rows.map(({ session, ids }) => ({ session, ids: JSON.parse(ids) as string[] }))
}
