import type { SkillDefinition } from '../domain/skill.ts'
import type { FolderFile } from '../skills/folder.ts'
import { makeWithAnswer, type StoredResponse } from '../store/claims.ts'
import {
  getSkill,
  getSkillFile,
  listSkillFiles,
  listSkillNames,
  listSkills,
  listWorkers,
  putSkill,
  removeSkill,
} from '../store/skills.ts'
import { TenantMcp } from './tenant-mcp.ts'

/** The skills that a tenant added, with their folders. */
export class TenantSkillStore extends TenantMcp {
  skill(name: string) {
    return getSkill(this.db, name)
  }

  skills(after: string, limit: number) {
    return listSkills(this.db, after, limit)
  }

  skillSummaries(limit: number) {
    return listSkillNames(this.db, limit)
  }

  workerSkills(limit: number) {
    return listWorkers(this.db, limit)
  }

  /** `files`: see `putSkill` of the store. */
  putSkill(
    skill: SkillDefinition,
    mayReplace: boolean,
    files: readonly FolderFile[] | null = null,
    done: StoredResponse | null = null,
  ) {
    return makeWithAnswer(this.db, done, () => putSkill(this.db, skill, mayReplace, files))
  }

  removeSkill(name: string) {
    return this.db.transaction(() => removeSkill(this.db, name))
  }

  skillFile(name: string, path: string) {
    return getSkillFile(this.db, name, path)
  }

  skillFiles(name: string) {
    return listSkillFiles(this.db, name)
  }
}
