import type { AuditActor } from '../domain/audit.ts'
import type { UserJob } from '../domain/user-job.ts'
import type { Database } from './database.ts'
import { isMigrated, migrate, schemaOf } from './migrate.ts'

/** Jobs on all that there is of one user, beside the user's memory. `due`: when there is something to do of it (Unix ms). `work`: where
 *  it stands, as JSON. An export in parts of bytes. */
const USER_JOBS_SCHEMA = schemaOf([
  `CREATE TABLE IF NOT EXISTS user_jobs (id TEXT PRIMARY KEY, due INTEGER NOT NULL, job TEXT NOT NULL, work TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE IF NOT EXISTS user_exports (job TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (job, part));`,
])

/** What a job does next. */
export type UserJobStage = 'preferences' | 'rounds' | 'tasks' | 'sessions' | 'memory' | 'usage' | 'tell' | 'over'

/** Where a job stands. `form`: of the user's name, in which it is looked for. `ids`: sessions that the next step takes, written down before it does. `again`: an erasure looks once more.
 *  `parts`: of the export, that are whole. */
export interface UserWork {
  tenant: string
  /** Who asked for it. */
  actor: AuditActor
  stage: UserJobStage
  form: number
  cursor: string | null
  ids: string[]
  again: boolean
  parts: number
  attempts: number
  auditId: string
}

export interface StoredUserJob {
  due: number
  job: UserJob
  work: UserWork
}

interface JobRow {
  due: number
  job: string
  work: string
}

const shape = ({ due, job, work }: JobRow): StoredUserJob => ({
  due,
  job: JSON.parse(job) as UserJob,
  work: JSON.parse(work) as UserWork,
})

export function hasUserJobs(db: Database): boolean {
  return isMigrated(db, USER_JOBS_SCHEMA)
}

export function putUserJob(db: Database, { due, job, work }: StoredUserJob): void {
  migrate(db, USER_JOBS_SCHEMA)
  db.all(
    'INSERT OR REPLACE INTO user_jobs (id, due, job, work) VALUES (?, ?, ?, ?)',
    job.id,
    due,
    JSON.stringify(job),
    JSON.stringify(work),
  )
}

/** Newest first. */
export function userJobs(db: Database): StoredUserJob[] {
  if (!hasUserJobs(db)) return []
  return db.all<JobRow>('SELECT due, job, work FROM user_jobs ORDER BY id DESC').map(shape)
}

export function removeUserJob(db: Database, id: string): void {
  removeExportParts(db, id)
  db.all('DELETE FROM user_jobs WHERE id = ?', id)
}

export function putExportPart(db: Database, job: string, part: number, bytes: Uint8Array): void {
  db.all('INSERT OR REPLACE INTO user_exports (job, part, bytes) VALUES (?, ?, ?)', job, part, bytes)
}

/** Null: there is none. */
export function exportPart(db: Database, job: string, part: number): Uint8Array | null {
  const sql = 'SELECT bytes FROM user_exports WHERE job = ? AND part = ?'
  return db.first<{ bytes: Uint8Array }>(sql, job, part)?.bytes ?? null
}

/** Those from one on. */
export function removeExportParts(db: Database, job: string, from = 0): void {
  db.all('DELETE FROM user_exports WHERE job = ? AND part >= ?', job, from)
}
