import { LIMITS } from '../domain/limits.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { Database } from './database.ts'
import { isMade, makeForUse, schemaOf } from './migrate.ts'

/** Skills of a tenant: the definition as JSON. */
export const SKILLS_SCHEMA =
  'CREATE TABLE IF NOT EXISTS skills (name TEXT PRIMARY KEY, description TEXT NOT NULL, definition TEXT NOT NULL) WITHOUT ROWID;'

/** Files of skills' folders, of the few tenants that have any. */
const SKILL_FILES_SCHEMA = schemaOf([
  'CREATE TABLE IF NOT EXISTS skill_files (skill TEXT NOT NULL, path TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (skill, path)) WITHOUT ROWID;',
])

/** A file of the folder of a skill. */
interface StoredFile {
  path: string
  bytes: Uint8Array
}

/** What became of a skill that was to be kept. */
export type Kept = 'made' | 'replaced' | 'known' | 'too_many'

/** Keep a skill. One of its name is replaced if that `mayReplace`; else it is `known`, and nothing changes. `files`: those of its folder, in
 *  the place of all that it had; null: it has those that it had. */
export function putSkill(
  db: Database,
  skill: SkillDefinition,
  mayReplace: boolean,
  files: readonly StoredFile[] | null = null,
): Kept {
  const known = getSkill(db, skill.name)
  const isKnown = known !== null
  if (isKnown && !mayReplace) return 'known'
  if (!isKnown && countSkills(db) >= LIMITS.skill.perTenantMax) return 'too_many'
  db.all(
    `INSERT INTO skills (name, description, definition) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET description = excluded.description, definition = excluded.definition`,
    skill.name,
    skill.description,
    JSON.stringify(files === null ? { ...skill, files: known?.files } : skill),
  )
  if (files !== null) putFiles(db, skill.name, files)
  return isKnown ? 'replaced' : 'made'
}

function putFiles(db: Database, skill: string, files: readonly StoredFile[]): void {
  removeFiles(db, skill)
  if (files.length > 0) makeForUse(db, SKILL_FILES_SCHEMA)
  for (const { path, bytes } of files)
    db.all('INSERT INTO skill_files (skill, path, bytes) VALUES (?, ?, ?)', skill, path, bytes)
}

function removeFiles(db: Database, skill: string): void {
  if (isMade(db, SKILL_FILES_SCHEMA)) db.all('DELETE FROM skill_files WHERE skill = ?', skill)
}

export function getSkillFile(db: Database, skill: string, path: string): Uint8Array | null {
  if (!isMade(db, SKILL_FILES_SCHEMA)) return null
  const row = db.first<{ bytes: Uint8Array }>('SELECT bytes FROM skill_files WHERE skill = ? AND path = ?', skill, path)
  return row?.bytes ?? null
}

/** All files of a skill, by path. */
export function listSkillFiles(db: Database, skill: string): StoredFile[] {
  if (!isMade(db, SKILL_FILES_SCHEMA)) return []
  return db.all<StoredFile>('SELECT path, bytes FROM skill_files WHERE skill = ? ORDER BY path', skill)
}

export function getSkill(db: Database, name: string): SkillDefinition | null {
  const row = db.first<{ definition: string }>('SELECT definition FROM skills WHERE name = ?', name)
  return row ? (JSON.parse(row.definition) as SkillDefinition) : null
}

/** False: there was none. */
export function removeSkill(db: Database, name: string): boolean {
  removeFiles(db, name)
  return db.all('DELETE FROM skills WHERE name = ? RETURNING name', name).length > 0
}

/** Skills by name, without their prompts: those behind `after`, at most `limit`. */
export function listSkills(db: Database, after: string, limit: number): Omit<SkillDefinition, 'prompt'>[] {
  const rows = db.all<{ definition: string }>(
    `SELECT json_remove(definition, '$.prompt') AS definition FROM skills WHERE name > ? ORDER BY name LIMIT ?`,
    after,
    limit,
  )
  return rows.map((row) => JSON.parse(row.definition) as Omit<SkillDefinition, 'prompt'>)
}

/** Names and descriptions by name, at most `limit`. */
export function listSkillNames(db: Database, limit: number): Pick<SkillDefinition, 'name' | 'description'>[] {
  return db.all('SELECT name, description FROM skills ORDER BY name LIMIT ?', limit)
}

/** Skills that can be given sub-tasks, by name, at most `limit`. */
export function listWorkers(db: Database, limit: number): SkillDefinition[] {
  const rows = db.all<{ definition: string }>(
    "SELECT definition FROM skills WHERE json_extract(definition, '$.worker') ORDER BY name LIMIT ?",
    limit,
  )
  return rows.map((row) => JSON.parse(row.definition) as SkillDefinition)
}

function countSkills(db: Database): number {
  return db.first<{ count: number }>('SELECT count(*) AS count FROM skills')?.count ?? 0
}
