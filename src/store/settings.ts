import { LIMITS } from '../domain/limits.ts'
import type { Settings, SettingsVersion } from '../domain/settings.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** What the few tenants that set anything have set: a row for each version, which is never changed. */
const SETTINGS_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS settings_versions (version INTEGER PRIMARY KEY, time INTEGER NOT NULL, by_account TEXT NOT NULL, changed TEXT NOT NULL, restores INTEGER, settings TEXT NOT NULL);',
])

interface Row {
  version: number
  time: number
  by_account: string
  changed: string
  restores: number | null
  settings: string
}

/** A version of what a tenant has set; null for `version`: the newest. Null: there is none. */
export function getSettings(db: Database, version: number | null = null): SettingsVersion | null {
  if (!isMade(db, SETTINGS_SCHEMA)) return null
  const sql = 'SELECT * FROM settings_versions WHERE version = ? OR ? IS NULL ORDER BY version DESC LIMIT 1'
  const row = db.first<Row & Record<string, string | number | null>>(sql, version, version)
  return row ? versionIn(row) : null
}

/** Keep settings as their next version, if the newest is still `given.version - 1`; false: another change was there first. The oldest go. */
export function putSettings(db: Database, given: SettingsVersion): boolean {
  makeForUse(db, SETTINGS_SCHEMA)
  const { version, time, by, changed, restores, settings } = given
  if ((getSettings(db)?.version ?? 0) !== version - 1) return false
  db.all(
    'INSERT INTO settings_versions (version, time, by_account, changed, restores, settings) VALUES (?, ?, ?, ?, ?, ?)',
    version,
    time,
    by,
    JSON.stringify(changed),
    restores,
    JSON.stringify(settings),
  )
  db.all('DELETE FROM settings_versions WHERE version <= ?', version - LIMITS.settings.versionsMax)
  return true
}

/** Those that are kept, newest first: those before `before`, at most `limit`. */
export function listSettings(db: Database, before: number | null, limit: number): SettingsVersion[] {
  if (!isMade(db, SETTINGS_SCHEMA)) return []
  const sql = 'SELECT * FROM settings_versions WHERE version < ? ORDER BY version DESC LIMIT ?'
  const rows = db.all<Row & Record<string, string | number | null>>(sql, before ?? Number.MAX_SAFE_INTEGER, limit)
  return rows.map(versionIn)
}

function versionIn({ version, time, by_account: by, changed, restores, settings }: Row): SettingsVersion {
  return {
    version,
    time,
    by,
    changed: JSON.parse(changed) as string[],
    restores,
    settings: JSON.parse(settings) as Settings,
  }
}
