import type { Status } from '../domain/run.ts'
import type { ListedTask, ReportedTask, TaskQuery } from '../domain/task-id.ts'
import type { Database, Value } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** Runs that doors gave out as tasks, by whom they were given to. `time`: RFC 3339. The table is made when there is the first. */
const SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS door_tasks (
     owner TEXT NOT NULL, run TEXT NOT NULL, session TEXT NOT NULL, context TEXT NOT NULL, status TEXT NOT NULL, time TEXT NOT NULL,
     PRIMARY KEY (owner, run)
   ) WITHOUT ROWID;
   CREATE INDEX IF NOT EXISTS door_tasks_by_time ON door_tasks (owner, time, run);
   CREATE INDEX IF NOT EXISTS door_tasks_by_session ON door_tasks (session);`,
])

export function putTask(db: Database, session: string, { owner, run, context, status, time }: ReportedTask): void {
  makeForUse(db, SCHEMA)
  db.all(
    `INSERT INTO door_tasks (owner, run, session, context, status, time) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (owner, run) DO UPDATE SET status = excluded.status, time = excluded.time WHERE excluded.time >= door_tasks.time`,
    owner,
    run,
    session,
    context,
    status,
    time,
  )
}

export function removeTasks(db: Database, session: string): void {
  if (isMade(db, SCHEMA)) db.all('DELETE FROM door_tasks WHERE session = ?', session)
}

interface Row extends Record<string, string> {
  run: string
  session: string
  context: string
  status: Status
  time: string
}

/** Those of one owner, the newest first, at most `limit`; and how many there are in all. */
export function listTaskRows(
  db: Database,
  { owner, context, statuses, since, before, limit }: TaskQuery,
): { tasks: ListedTask[]; total: number } {
  if (!isMade(db, SCHEMA)) return { tasks: [], total: 0 }
  const conditions: [string, Value[]][] = [
    ['owner = ?', [owner]],
    ...(context === null ? [] : [['(context = ? OR session = ?)', [context, context]] as [string, Value[]]]),
    ...(since === null ? [] : [['time >= ?', [since]] as [string, Value[]]]),
    ...(statuses === null
      ? []
      : [[`status IN (${statuses.map(() => '?').join(', ')})`, [...statuses]] as [string, Value[]]]),
  ]
  const where = conditions.map(([sql]) => sql).join(' AND ')
  const values = conditions.flatMap(([, given]) => given)
  const total = db.first<{ n: number }>(`SELECT count(*) AS n FROM door_tasks WHERE ${where}`, ...values)?.n ?? 0
  const behind = before === null ? '' : 'AND (time < ? OR (time = ? AND run < ?))'
  const cursor = before === null ? [] : [before.time, before.time, before.run]
  const tasks = db.all<Row>(
    `SELECT run, session, context, status, time FROM door_tasks WHERE ${where} ${behind} ORDER BY time DESC, run DESC LIMIT ?`,
    ...values,
    ...cursor,
    limit,
  )
  return { tasks, total }
}
