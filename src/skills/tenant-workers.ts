import { LIMITS } from '../domain/limits.ts'
import type { Now } from '../domain/ports.ts'
import type { SkillDefinition } from '../domain/skill.ts'

type Find = (tenant: string, limit: number) => Promise<SkillDefinition[]>

/** Skills of tenants that can be given sub-tasks, as far as they are at hand. They may be some seconds old. */
export class TenantWorkers {
  readonly #find: Find
  readonly #now: Now
  readonly #kept = new Map<string, { until: number; skills: readonly SkillDefinition[] }>()

  constructor(find: Find, now: Now) {
    this.#find = find
    this.#now = now
  }

  /** Have those of a tenant at hand; what cannot be had stays as it was. */
  async load(tenant: string): Promise<void> {
    const known = this.#kept.get(tenant)
    if (known && known.until > this.#now()) return
    const found = await this.#find(tenant, LIMITS.skill.workersMax).catch(() => null)
    if (this.#kept.size >= LIMITS.skill.tenantsKept) this.#kept.clear()
    const skills = found ? withinChars(found) : (known?.skills ?? [])
    this.#kept.set(tenant, { until: this.#now() + LIMITS.skill.listKeptMs, skills })
  }

  of(tenant: string): readonly SkillDefinition[] {
    return this.#kept.get(tenant)?.skills ?? []
  }

  forget(tenant: string): void {
    this.#kept.delete(tenant)
  }
}

/** Those that a session can keep with itself. */
function withinChars(skills: readonly SkillDefinition[]): SkillDefinition[] {
  let left: number = LIMITS.skill.workersCharsMax
  return skills.filter((skill) => (left -= JSON.stringify(skill).length) >= 0)
}
