import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import type { SkillDefinition } from '../domain/skill.ts'
import { ShortMemory } from '../lib/short-memory.ts'

type Find = (tenant: string, limit: number) => Promise<SkillDefinition[]>

const { workersMax, listKeptMs: keptMs, tenantsKept: keysMax } = LIMITS.skill

/** Skills of tenants that can be given sub-tasks, as far as they are at hand. They may be some seconds old. */
export class TenantWorkers {
  readonly #kept: ShortMemory<readonly SkillDefinition[]>

  constructor(find: Find, now: Now) {
    const read = async (tenant: string) => withinChars(await find(tenant, workersMax))
    this.#kept = new ShortMemory({ read, keptMs, keysMax, now })
  }

  /** Have those of a tenant at hand; what cannot be had stays as it was. */
  async load(tenant: string): Promise<void> {
    await this.#kept.load(tenant)
  }

  of(tenant: string): readonly SkillDefinition[] {
    return this.#kept.at(tenant) ?? []
  }

  forget(tenant: string): void {
    this.#kept.forget(tenant)
  }
}

/** Those that a session can keep with itself. */
function withinChars(skills: readonly SkillDefinition[]): SkillDefinition[] {
  let left: number = LIMITS.skill.workersCharsMax
  return skills.filter((skill) => (left -= JSON.stringify(skill).length) >= 0)
}
