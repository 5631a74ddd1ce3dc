import { type AuditAct, AUDIT_LIMITS } from '../domain/audit.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** Acts that sessions told and that are to be brought to the audit: a row a report, in the order in which they came. `acts`: JSON list.
 *  The table is made when it is first used. */
const ACTS_SCHEMA = schemaOf(['CREATE TABLE IF NOT EXISTS acts (n INTEGER PRIMARY KEY, acts TEXT NOT NULL);'])

export function keepActs(db: Database, acts: readonly AuditAct[]): void {
  makeForUse(db, ACTS_SCHEMA)
  db.all('INSERT INTO acts (acts) VALUES (?)', JSON.stringify(acts))
}

/** The oldest acts, and up to where they stand; null: none are left. */
export function leftActs(db: Database): { acts: AuditAct[]; upTo: number } | null {
  if (!isMade(db, ACTS_SCHEMA)) return null
  const limit = AUDIT_LIMITS.reportsPerStepMax
  const rows = db.all<{ n: number; acts: string }>('SELECT n, acts FROM acts ORDER BY n LIMIT ?', limit)
  const upTo = rows.at(-1)?.n
  return upTo === undefined ? null : { acts: rows.flatMap((row) => JSON.parse(row.acts) as AuditAct[]), upTo }
}

/** They have arrived. */
export function forgetActs(db: Database, upTo: number): void {
  db.all('DELETE FROM acts WHERE n <= ?', upTo)
}
