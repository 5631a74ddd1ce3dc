import { LIMITS } from '../domain/limits.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import type { Database } from './database.ts'

/** Skills of a tenant: the definition as JSON. */
export const SKILLS_SCHEMA =
  'CREATE TABLE IF NOT EXISTS skills (name TEXT PRIMARY KEY, description TEXT NOT NULL, definition TEXT NOT NULL) WITHOUT ROWID;'

/** What became of a skill that was to be kept. */
export type Kept = 'made' | 'replaced' | 'known' | 'too_many'

/** Keep a skill. One of its name is replaced if that `mayReplace`; else it is `known`, and nothing changes. */
export function putSkill(db: Database, skill: SkillDefinition, mayReplace: boolean): Kept {
  const isKnown = getSkill(db, skill.name) !== null
  if (isKnown && !mayReplace) return 'known'
  if (!isKnown && countSkills(db) >= LIMITS.skill.perTenantMax) return 'too_many'
  db.all(
    `INSERT INTO skills (name, description, definition) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET description = excluded.description, definition = excluded.definition`,
    skill.name,
    skill.description,
    JSON.stringify(skill),
  )
  return isKnown ? 'replaced' : 'made'
}

export function getSkill(db: Database, name: string): SkillDefinition | null {
  const row = db.first<{ definition: string }>('SELECT definition FROM skills WHERE name = ?', name)
  return row ? (JSON.parse(row.definition) as SkillDefinition) : null
}

/** False: there was none. */
export function removeSkill(db: Database, name: string): boolean {
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
