import type { InputIssue } from '../domain/errors.ts'
import {
  inLanguage,
  isGroupWork,
  type Skill,
  type SkillDefinition,
  type SkillInfo,
  type SkillSummary,
} from '../domain/skill.ts'
import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { onDemand } from '../lib/shape.ts'
import { teamInput } from '../domain/team.ts'
import { checkSkill, type CheckedSkill, type SkillSurroundings } from './check-skill.ts'
import type { FolderFile, SkillFolder } from './folder.ts'
import type { ShippedSkills, SkillFiles, SkillProblem } from './shipped.ts'
import type { KnownSkills, SkillLists } from './known-skills.ts'
import { inputSchema } from './template.ts'

/** A skill as it comes: as JSON, or as the folder of a SKILL.md. */
export type GivenSkill = { json: unknown } | SkillFolder

/** Where tenants keep skills of their own. */
export interface TenantSkills extends SkillLists {
  find(tenant: string, name: string): Promise<SkillDefinition | null>
  /** A file of a skill's folder. */
  file(tenant: string, name: string, path: string): Promise<Uint8Array | null>
  /** All of them. */
  files(tenant: string, name: string): Promise<FolderFile[]>
}

/** Where skills come from. */
export interface SkillSources {
  /** The texts of the shipped ones by name, asked for when they are first needed. */
  files: () => Promise<Readonly<Record<string, SkillFiles>>>
  /** Null: there are the shipped ones only. */
  tenants: TenantSkills | null
  /** Told of a shipped skill that is left out. */
  report?: (problem: SkillProblem) => void
}

/** Every skill that can be run here: those of a tenant, and the shipped ones that it does not replace. */
export class SkillRegistry {
  readonly #around: SkillSurroundings
  readonly #tenants: TenantSkills | null
  readonly #known: KnownSkills
  readonly #loadShipped: () => Promise<ShippedSkills>
  #shipped: ShippedSkills | null = null

  constructor(around: SkillSurroundings, { files, tenants, report }: SkillSources, known: KnownSkills) {
    this.#around = around
    this.#tenants = tenants
    this.#known = known
    this.#loadShipped = onDemand(async () => {
      const { shippedSkills } = await import('./shipped.ts')
      this.#shipped = await shippedSkills(await files(), around)
      for (const problem of this.#shipped.problems) report?.(problem)
      return this.#shipped
    })
  }

  /** The skills that come with the product, and what is wrong with those that are left out. */
  loadShipped(): Promise<ShippedSkills> {
    return this.#loadShipped()
  }

  /** The skills that come with the product, once they were loaded. */
  get shipped(): ReadonlyMap<string, Skill> {
    return this.#shipped?.skills ?? NONE
  }

  /** A skill as JSON, checked for this server. */
  check(given: unknown): Promise<CheckedSkill> {
    return checkSkill(given, this.#around)
  }

  /** The same, a SKILL.md as text, or a folder, with the skills of a tenant that roles of its team name. */
  async checkFor(tenant: string, given: GivenSkill): Promise<CheckedSkill> {
    const checked = await this.#checkGiven(given)
    if (!checked.ok) return checked
    const misfits = (await this.#around.skillIssues?.(tenant, checked.skill)) ?? []
    if (misfits.length > 0) return { ok: false, issues: misfits }
    const { name, team } = checked.skill
    const issues = team === null ? [] : await this.teamIssues(tenant, team, name)
    return issues.length > 0 ? { ok: false, issues } : checked
  }

  /** What is wrong with a team that a skill or a step names or brings along; paths begin with `team`. `own`: the skill whose team it is. */
  async teamIssues(tenant: string, team: NonNullable<SkillDefinition['team']>, own?: string): Promise<InputIssue[]> {
    const found = await Promise.all(namedIn(team).map((name) => this.find(tenant, name)))
    const known = new Map(found.flatMap((skill) => (skill ? [[skill.definition.name, skill.definition]] : [])))
    return this.#around.teamIssues(team, {
      hasSkill: (name) => known.has(name) || name === own,
      isTeam: (name) => name === own || isGroup(known.get(name)),
    })
  }

  async #checkGiven(given: GivenSkill): Promise<CheckedSkill> {
    if ('json' in given) return this.check(given.json)
    const { checkSkillFolder } = await import('./shipped.ts')
    return checkSkillFolder(given, this.#around)
  }

  async find(tenant: string, name: string): Promise<Skill | null> {
    const [{ skills }, own] = await Promise.all([this.#loadShipped(), this.#tenants?.find(tenant, name)])
    return own ? { definition: own, texts: {}, source: 'tenant' } : (skills.get(name) ?? null)
  }

  /** The bytes of a file of a skill's folder; null: it has none of that path. */
  async file(tenant: string, { source, definition: { name } }: Skill, path: string): Promise<Uint8Array | null> {
    if (source === 'tenant') return (await this.#tenants?.file(tenant, name, path)) ?? null
    const { files } = await this.#loadShipped()
    return files.get(name)?.find((file) => file.path === path)?.bytes ?? null
  }

  /** All files of a skill's folder. */
  async files(tenant: string, { source, definition: { name } }: Skill): Promise<readonly FolderFile[]> {
    if (source === 'tenant') return (await this.#tenants?.files(tenant, name)) ?? []
    return (await this.#loadShipped()).files.get(name) ?? []
  }

  /** A skill as GET shows it, with what of it does not work here. */
  async view(skill: Skill, language: Language): Promise<SkillInfo> {
    return (await this.#viewer(language))(skill)
  }

  async #viewer(language: Language): Promise<(skill: Skill) => SkillInfo> {
    const { warningsOf } = await import('./warnings.ts')
    return (skill) => skillView(skill, language, warningsOf(skill.definition, this.#around, language))
  }

  /** A page of the list, by name and without prompts: the tenant's own, and the shipped ones that it does not replace.
   *  `last`: the name behind which there is more, null if there is none. `own`: those behind `after`, one more than the page holds if there are so many. */
  async page(
    own: readonly Omit<SkillDefinition, 'prompt'>[],
    { after, limit, language }: { after: string; limit: number; language: Language },
  ) {
    const [{ skills }, view] = await Promise.all([this.#loadShipped(), this.#viewer(language)])
    const names = new Set(own.map(({ name }) => name))
    const others = [...skills.values()].filter(({ definition: { name } }) => name > after && !names.has(name))
    const mine: Skill[] = own.map((one) => ({ definition: { ...one, prompt: '' }, texts: {}, source: 'tenant' }))
    const all = [...others, ...mine].map((skill) => withoutPrompt(view(skill))).toSorted(byName)
    const data = all.slice(0, limit)
    return { data, last: all.length > limit ? (data.at(-1)?.name ?? null) : null }
  }

  /** Whether the list of a tenant's skills is at hand; it may be some seconds old, so that most prompts cost no request. */
  isAtHand(tenant: string): boolean {
    return this.#shipped !== null && (this.#tenants === null || this.#known.summaries.isFresh(tenant))
  }

  /** Have the lists of the shipped and of a tenant's skills at hand; one of a tenant that cannot be had stays as it was. */
  async load(tenant: string): Promise<void> {
    await Promise.all([this.#loadShipped(), this.#tenants && this.#known.summaries.load(tenant)])
  }

  /** Read the lists that are in use anew before they are too old; null: there is no need. */
  refresh(tenant: string): Promise<unknown> | null {
    const { summaries, workers } = this.#known
    const refreshing = [summaries.refresh(tenant), workers.refresh(tenant)].filter((one) => one !== null)
    return refreshing.length > 0 ? Promise.all(refreshing) : null
  }

  /** Have the skills at hand that can be given sub-tasks. */
  async loadWorkers(tenant: string): Promise<void> {
    await Promise.all([this.#loadShipped(), this.#known.workers.load(tenant)])
  }

  /** Names and descriptions, by name, as far as they are at hand. */
  summaries(tenant: string, language: Language): SkillSummary[] {
    const known = new Map([...this.shipped.values()].map((skill) => inLanguage(skill, language)).map(asEntry))
    for (const summary of this.#known.summaries.at(tenant) ?? []) known.set(summary.name, summary)
    return [...known.values()].toSorted(byName).slice(0, LIMITS.skill.listedMax)
  }

  /** The tenant's own skills that can be given sub-tasks, as far as they are at hand. */
  tenantWorkers(tenant: string): readonly SkillDefinition[] {
    return this.#known.workers.at(tenant) ?? []
  }

  /** Skills that can be given sub-tasks, in the words of a language, as far as they are at hand. */
  workers(tenant: string, language: Language): SkillDefinition[] {
    const own = this.tenantWorkers(tenant)
    const shipped = [...this.shipped.values()].map((skill) => inLanguage(skill, language))
    const names = new Set([...own, ...(this.#known.summaries.at(tenant) ?? [])].map(({ name }) => name))
    return [...shipped.filter(({ name, worker }) => worker && !names.has(name)), ...own]
  }

  /** The tenant's skills have changed. */
  forget(tenant: string): void {
    this.#known.forget(tenant)
  }
}

const isGroup = (skill: SkillDefinition | undefined) => skill !== undefined && isGroupWork(skill)

const NONE: ReadonlyMap<string, Skill> = new Map()

/** The order of SQLite, so that pages of both kinds can be merged. */
function byName(a: { name: string }, b: { name: string }): number {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

/** The skills that roles of a team name. */
function namedIn(team: NonNullable<SkillDefinition['team']>): string[] {
  const parsed = teamInput.safeParse(team)
  const names = parsed.success ? (parsed.data.roles ?? []).flatMap(({ skill }) => skill ?? []) : []
  return [...new Set(names)]
}

function asEntry({ name, description }: SkillSummary): [string, SkillSummary] {
  return [name, { name, description }]
}

/** A skill as GET shows it: what POST takes, and where it comes from. */
function skillView(skill: Skill, language: Language, warnings: InputIssue[]): SkillInfo {
  return {
    object: 'skill',
    ...inLanguage(skill, language),
    source: skill.source,
    languages: Object.keys(skill.texts),
    input_schema: inputSchema(skill.definition),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

function withoutPrompt<T extends { prompt: string }>(shown: T): Omit<T, 'prompt'> {
  const { prompt: _, ...others } = shown
  return others
}
