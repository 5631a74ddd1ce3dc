import { LIMITS } from '../domain/limits.ts'
import type { ThreadPlace, ThreadRequest, ThreadRest } from '../domain/thread.ts'
import type { Database } from './database.ts'
import { makeForUse, schemaOf } from './migrate.ts'

/** Hashes of histories that were given out, and of requests that run. `run`: the newest of the session, at which the history ends, or behind
 *  which the request comes. `time`: Unix ms. */
const SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS histories (
     id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT NOT NULL UNIQUE, session TEXT NOT NULL, run TEXT, is_over INTEGER NOT NULL, time INTEGER NOT NULL
   );
   CREATE INDEX IF NOT EXISTS histories_by_time ON histories (time);`,
])

interface Row {
  session: string
  run: string | null
}

/** Where a request belongs: to the one that runs already, to the session whose history it continues, or to one that is to be made. */
export function enterThread(
  db: Database,
  { request, history, session, isRetry, isNew = false }: ThreadRequest,
  now: number,
): ThreadPlace {
  makeForUse(db, SCHEMA)
  return db.transaction(() => {
    const since = now - LIMITS.door.historyKeptMs
    const find = (hash: string, isOver: boolean) =>
      db.first<Row>(
        'SELECT session, run FROM histories WHERE hash = ? AND time > ? AND is_over <= ?',
        hash,
        since,
        Number(isOver),
      )
    const running = isNew ? undefined : find(requestHash(request), isRetry)
    if (running) return { session: running.session, after: running.run }
    const found = isNew || history === null ? undefined : find(history, true)
    const place = { session: found?.session ?? session, after: found?.run ?? null }
    keep(db, { hash: requestHash(request), session: place.session, run: place.after, isOver: false }, now)
    return place
  })
}

/** The run of a request rests: whoever sends the history that it led to goes on in its session. */
export function leaveThread(db: Database, { request, history, session, run }: ThreadRest, now: number): void {
  makeForUse(db, SCHEMA)
  db.transaction(() => {
    db.all('UPDATE histories SET is_over = 1 WHERE hash = ? AND session = ?', requestHash(request), session)
    keep(db, { hash: history, session, run, isOver: true }, now)
  })
}

/** A hash of a request is never that of a history. */
const requestHash = (hash: string) => `request:${hash}`

function keep(
  db: Database,
  { hash, session, run, isOver }: { hash: string; session: string; run: string | null; isOver: boolean },
  now: number,
): void {
  const [row] = db.all<{ id: number }>(
    'INSERT OR REPLACE INTO histories (hash, session, run, is_over, time) VALUES (?, ?, ?, ?, ?) RETURNING id',
    hash,
    session,
    run,
    Number(isOver),
    now,
  )
  db.all(
    'DELETE FROM histories WHERE id <= ? OR time <= ?',
    (row?.id ?? 0) - LIMITS.door.historiesMax,
    now - LIMITS.door.historyKeptMs,
  )
}
