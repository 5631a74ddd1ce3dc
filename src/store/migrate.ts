import type { Database } from './database.ts'

/** Bring a database to the newest version of a schema: `steps[n]` leads from version n to n + 1. */
export function migrate(db: Database, steps: readonly string[]): void {
  db.transaction(() => {
    db.script('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const version = db.first<{ version: number }>('SELECT version FROM schema_version')?.version
    if (version === steps.length) return
    for (const step of steps.slice(version ?? 0)) db.script(step)
    db.all(
      version === undefined ? 'INSERT INTO schema_version VALUES (?)' : 'UPDATE schema_version SET version = ?',
      steps.length,
    )
  })
}

/** True when `migrate` has run here. Reads only, so that asking an unknown object leaves nothing behind. */
export function isMigrated(db: Database): boolean {
  return db.first("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'") !== undefined
}
