import type { Callback } from '../domain/callback.ts'
import { LIMITS } from '../domain/limits.ts'
import { enabledCallbacks, type KeptCallback, removeCallback } from './callbacks.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** Who is told of one task of a door, beside the callbacks of the tenant. `run` null: of the first whose news come. The table is made when there is the first. */
const SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS pushes (id TEXT PRIMARY KEY, session TEXT NOT NULL, run TEXT, callback TEXT NOT NULL, time INTEGER NOT NULL) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS pushes_by_session ON pushes (session);
   CREATE INDEX IF NOT EXISTS pushes_by_time ON pushes (time);`,
])

interface PushRow extends Record<string, string> {
  callback: string
}

const keptOf = ({ callback }: PushRow): KeptCallback => ({ callback: JSON.parse(callback) as Callback, failing: null })

/** Keep one, in the place of the one of its id, or that its run has under the client's name for it: clients send theirs with each message of a task. It is told
 *  from the time of that one on: its run may have ended before it was named. False: there are as many as there may be. */
export function putPush(db: Database, callback: Callback & Required<Pick<Callback, 'push'>>, now: number): boolean {
  makeForUse(db, SCHEMA)
  const { push } = callback
  for (const { id } of db.all<{ id: string }>('SELECT id FROM pushes WHERE time < ?', now - LIMITS.push.keptMs))
    removePush(db, id)
  const others = pushesOf(db, push.session).filter(({ id }) => id !== callback.id)
  const all = db.first<{ n: number }>('SELECT count(*) AS n FROM pushes')?.n ?? 0
  const ofTask = others.filter((one) => one.push?.run === push.run)
  const same = push.run === null ? undefined : ofTask.find((one) => one.push?.configId === push.configId)
  if (!same && (ofTask.length >= LIMITS.push.perTaskMax || all >= LIMITS.push.perTenantMax)) return false
  if (same) removePush(db, callback.id)
  const { id } = same ?? callback
  db.all(
    `INSERT INTO pushes (id, session, run, callback, time) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET run = excluded.run,
       callback = json_set(excluded.callback, '$.createdTime', json_extract(pushes.callback, '$.createdTime'))`,
    id,
    push.session,
    push.run,
    JSON.stringify({ ...callback, id }),
    now,
  )
  return true
}

export function getPush(db: Database, id: string): KeptCallback | null {
  const row = isMade(db, SCHEMA) ? db.first<PushRow>('SELECT callback FROM pushes WHERE id = ?', id) : undefined
  return row ? keptOf(row) : null
}

export function pushesOf(db: Database, session: string): Callback[] {
  if (!isMade(db, SCHEMA)) return []
  const sql = 'SELECT callback FROM pushes WHERE session = ? ORDER BY time, id'
  return db.all<PushRow>(sql, session).map((row) => keptOf(row).callback)
}

export function countPushes(db: Database): number {
  return isMade(db, SCHEMA) ? (db.first<{ n: number }>('SELECT count(*) AS n FROM pushes')?.n ?? 0) : 0
}

/** Binds one to the run of its first news, where it was for whichever the session has: whoever kept it may have died before it could name the run. False: it is
 *  for another run. */
export function bindPush(
  db: Database,
  { id, push }: Required<Pick<Callback, 'id' | 'push'>>,
  run: string | null,
): boolean {
  if (push.run !== null) return push.run === run
  const bound = "json_set(callback, '$.push.run', ?)"
  db.all(`UPDATE pushes SET run = ?, callback = ${bound} WHERE id = ?`, run, run, id)
  return true
}

/** False: there was none. */
export function removePush(db: Database, id: string): boolean {
  if (!isMade(db, SCHEMA)) return false
  removeCallback(db, id)
  return db.all('DELETE FROM pushes WHERE id = ? RETURNING id', id).length > 0
}

/** Whose deliveries may be due: the callbacks that are switched on, and those of tasks that are to be told something. */
export function dispatched(db: Database): KeptCallback[] {
  const own = enabledCallbacks(db)
  if (!isMade(db, SCHEMA)) return own
  const sql = `SELECT callback FROM pushes WHERE id IN (SELECT callback FROM deliveries WHERE due IS NOT NULL OR taken = 1) ORDER BY id LIMIT ?`
  return [...own, ...db.all<PushRow>(sql, LIMITS.callback.attemptsPerAlarmMax).map(keptOf)]
}
