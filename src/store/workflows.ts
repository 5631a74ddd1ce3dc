import { LIMITS } from '../domain/limits.ts'
import type { NamedWorkflow, StoredWorkflow, WorkflowDefinition } from '../domain/workflow.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'
import type { Kept } from './skills.ts'

/** Workflows of the few tenants that have any: a row for each version, which is never changed. */
const WORKFLOWS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS workflows (name TEXT NOT NULL, version INTEGER NOT NULL, definition TEXT NOT NULL, created_time INTEGER NOT NULL, PRIMARY KEY (name, version)) WITHOUT ROWID;',
])

interface Row {
  version: number
  definition: string
  created_time: number
}

/** Keep a workflow as its next version. One of its name gets another version if that `mayReplace`; else it is `known`, and nothing changes.
 *  The oldest versions go. */
export function putWorkflow(db: Database, definition: WorkflowDefinition, mayReplace: boolean, now: number): Kept {
  makeForUse(db, WORKFLOWS_SCHEMA)
  const { name } = definition
  const newest = getWorkflow(db, name)?.version ?? null
  if (newest !== null && !mayReplace) return 'known'
  if (newest === null && countWorkflows(db) >= LIMITS.workflow.perTenantMax) return 'too_many'
  const version = (newest ?? 0) + 1
  db.all(
    'INSERT INTO workflows (name, version, definition, created_time) VALUES (?, ?, ?, ?)',
    name,
    version,
    JSON.stringify(definition),
    now,
  )
  db.all('DELETE FROM workflows WHERE name = ? AND version <= ?', name, version - LIMITS.workflow.versionsMax)
  return newest === null ? 'made' : 'replaced'
}

/** A version of a workflow; null for `version`: the newest. Null: there is none. */
export function getWorkflow(db: Database, name: string, version: number | null = null): StoredWorkflow | null {
  if (!isMade(db, WORKFLOWS_SCHEMA)) return null
  const row = db.first<Row>(
    'SELECT version, definition, created_time FROM workflows WHERE name = ? AND (version = ? OR ? IS NULL) ORDER BY version DESC LIMIT 1',
    name,
    version,
    version,
  )
  return row ? stored(row) : null
}

/** The newest version of each, by name: those behind `after`, at most `limit`. */
export function listWorkflows(db: Database, after: string, limit: number): StoredWorkflow[] {
  if (!isMade(db, WORKFLOWS_SCHEMA)) return []
  const rows = db.all<Row>(
    `SELECT version, definition, created_time FROM workflows AS w WHERE name > ?
     AND version = (SELECT max(version) FROM workflows WHERE name = w.name) ORDER BY name LIMIT ?`,
    after,
    limit,
  )
  return rows.map(stored)
}

/** All of them by name, without their steps. */
export function listWorkflowNames(db: Database): NamedWorkflow[] {
  if (!isMade(db, WORKFLOWS_SCHEMA)) return []
  const rows = db.all<{ name: string; description: string; expose: number | null }>(
    `SELECT name, definition ->> '$.description' AS description, definition ->> '$.expose' AS expose FROM workflows AS w
     WHERE version = (SELECT max(version) FROM workflows WHERE name = w.name) ORDER BY name LIMIT ?`,
    LIMITS.workflow.perTenantMax,
  )
  return rows.map(({ name, description, expose }) => ({ name, description, source: 'tenant', isExposed: expose === 1 }))
}

/** The versions of a workflow that are kept, newest first. */
export function listWorkflowVersions(db: Database, name: string): StoredWorkflow[] {
  if (!isMade(db, WORKFLOWS_SCHEMA)) return []
  return db
    .all<Row>(
      'SELECT version, definition, created_time FROM workflows WHERE name = ? ORDER BY version DESC LIMIT ?',
      name,
      LIMITS.workflow.versionsMax,
    )
    .map(stored)
}

/** With all of its versions. False: there was none. */
export function removeWorkflow(db: Database, name: string): boolean {
  if (!isMade(db, WORKFLOWS_SCHEMA)) return false
  return db.all('DELETE FROM workflows WHERE name = ? RETURNING version', name).length > 0
}

function stored({ version, definition, created_time: createdTime }: Row): StoredWorkflow {
  return { definition: JSON.parse(definition) as WorkflowDefinition, version, source: 'tenant', createdTime }
}

function countWorkflows(db: Database): number {
  return db.first<{ count: number }>('SELECT count(DISTINCT name) AS count FROM workflows')?.count ?? 0
}
