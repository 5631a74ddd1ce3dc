import type { InputIssue } from '../domain/errors.ts'
import { skillDefinition, type SkillDefinition } from '../domain/skill.ts'
import type { Tool } from '../domain/tool.ts'
import { issuesOf } from '../lib/zod.ts'
import { schemaProblem } from './output-schema.ts'
import { checkTemplate, variablesOf } from './template.ts'

type NamedTool = Pick<Tool, 'id' | 'names'> & Partial<Pick<Tool, 'server' | 'written'>>

/** What a skill may refer to on this server. */
export interface SkillSurroundings {
  tools: readonly NamedTool[]
  hasModel(alias: string): boolean
  /** What is wrong with a team that a skill names or brings along; paths begin with `team`. */
  teamIssues(team: unknown, skills: KnownSkills): Promise<InputIssue[]>
  /** What is wrong with what a skill of a tenant runs by. */
  skillIssues?(tenant: string, skill: SkillDefinition): Promise<InputIssue[]>
}

/** The skills that roles of a team may be. */
interface KnownSkills {
  hasSkill(name: string): boolean
  /** Whether it is itself the work of a team, or of a workflow. */
  isTeam(name: string): boolean
}

/** Where it is not known which there are. */
const ANY_SKILL: KnownSkills = { hasSkill: () => true, isTeam: () => false }

export type CheckedSkill = { ok: true; skill: SkillDefinition } | { ok: false; issues: InputIssue[] }

/** A skill as it came, checked field by field; each issue has the field as its path. */
export async function checkSkill(
  value: unknown,
  around: SkillSurroundings,
  skills: KnownSkills = ANY_SKILL,
): Promise<CheckedSkill> {
  const parsed = skillDefinition.safeParse(value)
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error) }
  const issues = await issuesIn(parsed.data, around, skills)
  return issues.length > 0 ? { ok: false, issues } : { ok: true, skill: parsed.data }
}

async function issuesIn(skill: SkillDefinition, around: SkillSurroundings, skills: KnownSkills): Promise<InputIssue[]> {
  const isKnown = (name: string) => isKnownTool(name, around)
  const template = checkTemplate(skill.prompt, variablesOf(skill))
  const schema = skill.output_schema && schemaProblem(skill.output_schema)
  return [
    ...(template ? [template] : []),
    ...skill.tools.flatMap((name, index) => (isKnown(name) ? [] : [unknownTool(`tools.${index}`, name)])),
    ...Object.keys(skill.permissions).flatMap((name) =>
      isKnown(name) ? [] : [unknownTool(`permissions.${name}`, name)],
    ),
    ...(skill.model === null || around.hasModel(skill.model)
      ? []
      : [{ path: 'model', message: 'a model that GET /v1/models lists' }]),
    ...(schema ? [{ path: 'output_schema', message: schema }] : []),
    ...(skill.team === null ? [] : await around.teamIssues(skill.team, skills)),
  ]
}

function unknownTool(path: string, name: string): InputIssue {
  return { path, message: `no tool ${name} here; see GET /v1/tools` }
}

/** Whether a name means a tool that there is, or that may come. */
export function isKnownTool(name: string, { tools }: Pick<SkillSurroundings, 'tools'>): boolean {
  return mayComeToMean(name) || tools.some((tool) => means(name, tool))
}

/** Whether a name in a skill means a tool: its id, any of its names, `SERVER__*` for all of a server, or `*` for all. */
export function means(name: string, tool: NamedTool): boolean {
  if (name === '*') return true
  if (name.endsWith('__*')) return tool.server === name.slice(0, -3) || tool.id.startsWith(name.slice(0, -1))
  return name === tool.id || name === tool.written || Object.values(tool.names).includes(name)
}

/** Whether a name may come to mean a tool that is not there yet: one of an MCP server. */
export function mayComeToMean(name: string): boolean {
  return name === '*' || /^[^\s/\\?#%<>"]+__\S+$/.test(name)
}
