import type { Database } from './database.ts'

/** The session that a key of a trigger leads to. `made`: it was there once. */
export interface Thread {
  session: string
  made: boolean
}

/** The session of a key, or a new one of this id. The longest unused are forgotten when there are too many. */
export function openThread(
  db: Database,
  { trigger, key, session, now }: { trigger: string; key: string; session: string; now: number },
  threadsMax: number,
): Thread {
  const known = db.all<{ session: string; made: number }>(
    'UPDATE threads SET used = ? WHERE trigger = ? AND key = ? RETURNING session, made',
    now,
    trigger,
    key,
  )[0]
  if (known) return { session: known.session, made: known.made === 1 }
  const { count = 0 } =
    db.first<{ count: number }>('SELECT count(*) AS count FROM threads WHERE trigger = ?', trigger) ?? {}
  if (count >= threadsMax)
    db.all(
      'DELETE FROM threads WHERE trigger = ? AND key IN (SELECT key FROM threads WHERE trigger = ? ORDER BY used LIMIT 1)',
      trigger,
      trigger,
    )
  db.all('INSERT INTO threads (trigger, key, session, used) VALUES (?, ?, ?, ?)', trigger, key, session, now)
  return { session, made: false }
}

/** The session of a key, if it has one. */
export function findThread(db: Database, trigger: string, key: string): string | null {
  const sql = 'SELECT session FROM threads WHERE trigger = ? AND key = ?'
  return db.first<{ session: string }>(sql, trigger, key)?.session ?? null
}

/** The session of a key was made. */
export function markThreadMade(db: Database, trigger: string, session: string): void {
  db.all('UPDATE threads SET made = 1 WHERE trigger = ? AND session = ?', trigger, session)
}

/** The session of a key is gone: the key leads to another one from now on. */
export function closeThread(db: Database, trigger: string, session: string): void {
  db.all('DELETE FROM threads WHERE trigger = ? AND session = ?', trigger, session)
}
