import type { SkillDefinition, SkillSummary } from '../domain/skill.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import { ShortMemory } from '../lib/short-memory.ts'

const { listedMax, workersMax, workersCharsMax, listKeptMs: keptMs, tenantsKept: keysMax } = LIMITS.skill

/** Where the skills of tenants are listed. */
export interface SkillLists {
  summaries(tenant: string, limit: number): Promise<SkillSummary[]>
  /** Those that are marked as workers. */
  workers(tenant: string, limit: number): Promise<SkillDefinition[]>
}

/** What an isolate knows of the skills of tenants; it may be some seconds old, so that most prompts cost no request. All engines of
 *  a server share it: a skill that was put through one is known to the others at once. */
export class KnownSkills {
  /** Names and descriptions. */
  readonly summaries: ShortMemory<readonly SkillSummary[]>
  /** Those that can be given sub-tasks. */
  readonly workers: ShortMemory<readonly SkillDefinition[]>

  constructor(tenants: SkillLists | null, now: Now) {
    const kept = { keptMs, keysMax, now }
    this.summaries = new ShortMemory({ ...kept, read: async (tenant) => tenants?.summaries(tenant, listedMax) ?? [] })
    const read = async (tenant: string) => withinChars((await tenants?.workers(tenant, workersMax)) ?? [])
    this.workers = new ShortMemory({ ...kept, read })
  }

  /** The tenant's skills have changed. */
  forget(tenant: string): void {
    this.summaries.forget(tenant)
    this.workers.forget(tenant)
  }
}

/** Those that a session can keep with itself. */
function withinChars(skills: readonly SkillDefinition[]): SkillDefinition[] {
  let left: number = workersCharsMax
  return skills.filter((skill) => (left -= JSON.stringify(skill).length) >= 0)
}
