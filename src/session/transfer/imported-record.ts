import { type LlmConfig, sessionConfig, type SessionConfig, type ToolConfig, unmasked } from '../../domain/config.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { ImportInput } from '../../domain/import-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SessionSkill, SkillDefinition } from '../../domain/skill.ts'
import type { WorkflowSpec } from '../../domain/workflow.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { Engine } from '../../engine/engine.ts'
import { checkModelAddress } from '../../run/setup/check-config.ts'
import { checkNewSession, fittingTitle } from '../commands/create.ts'
import { importedTeamIssues } from '../commands/team.ts'

/** A document without its lists, which were taken in, and the title that its messages give. */
export interface TakenDocument {
  input: ImportInput
  title: string
}

/** The session that the copy is to be. `now`: Unix ms. */
interface CopyPlace {
  id: string
  tenant: string
  now: number
  generation?: number | undefined
  /** What the document's config allows, and the model elsewhere that it names, stay as they are. */
  keepConfig: boolean
}

/** The record of the copy, or why this server does not run it. */
export async function importedRecord(
  { input: given, title }: TakenDocument,
  { id, tenant, now, generation, keepConfig }: CopyPlace,
  engine: Engine,
): Promise<Result<SessionRecord>> {
  const input = keepConfig ? given : withoutSkillGrants(given)
  const { session } = input
  const { output_schema: schema, orchestrator } = session
  const parsed = sessionConfig.safeParse(session.config ?? {})
  if (!parsed.success) return invalid(issuesOf(parsed.error, 'session.config'))
  const own = unmasked(parsed.data, {})
  const config = keepConfig ? own : withoutGrants(own)
  const cast = await importedCast(input, config, engine)
  if (!cast.ok) return cast
  const refused =
    checkNewSession(engine, { orchestrator, config, output_schema: schema }, cast.value) ??
    (await checkModelAddress(engine, config))
  if (refused) return fail(under('session', refused))
  return ok({
    id,
    tenant,
    title: session.title === undefined ? title : fittingTitle(session.title),
    character: session.character ?? null,
    orchestrator: orchestrator ?? 'agent',
    ...cast.value,
    user: session.user ?? null,
    metadata: session.metadata ?? {},
    config,
    ...(schema ? { outputSchema: schema } : {}),
    createdTime: now,
    ...(generation === undefined ? {} : { generation }),
  })
}

/** Who works in the session, and at parts of it. */
type ImportedCast = Pick<SessionRecord, 'skill' | 'team' | 'workflow' | 'workers' | 'workerTeams'>

async function importedCast(input: ImportInput, config: SessionConfig, engine: Engine): Promise<Result<ImportedCast>> {
  const skill = await importedSkill(input, engine)
  if (!skill.ok) return skill
  const workers = await importedWorkers(input, engine)
  if (!workers.ok) return workers
  const teams = importedTeams(input, engine, config)
  if (!teams.ok) return teams
  const { team } = input
  const issues = team ? importedTeamIssues(engine, team, { config }) : []
  if (issues.length > 0) return invalid(issues)
  const workflow = input.workflow as WorkflowSpec | undefined
  return ok({
    skill: skill.value,
    ...(team ? { team } : {}),
    ...(workflow ? { workflow } : {}),
    ...(workers.value ? { workers: workers.value } : {}),
    ...(teams.value ? { workerTeams: teams.value } : {}),
  })
}

/** The skill that the session runs, if this server could run it. */
async function importedSkill({ skill }: ImportInput, engine: Engine): Promise<Result<SessionSkill | null>> {
  if (!skill) return ok(null)
  const checked = await engine.skills.check(skill.definition)
  if (checked.ok) return ok({ definition: checked.skill, inputs: skill.inputs })
  return fail(under('skill.definition', invalid(checked.issues).error))
}

/** The skills that its plan gave work to, if this server could run them. */
async function importedWorkers(
  { workers }: ImportInput,
  engine: Engine,
): Promise<Result<SessionRecord['workers'] | null>> {
  const checked: Record<string, SkillDefinition> = {}
  for (const [name, given] of Object.entries(workers ?? {})) {
    const one = await engine.skills.check(given)
    if (!one.ok) return fail(under(`workers.${name}`, invalid(one.issues).error))
    checked[name] = one.skill
  }
  return ok(workers ? checked : null)
}

/** The teams that worked at its sub-tasks, likewise. */
function importedTeams(
  { worker_teams: teams }: ImportInput,
  engine: Engine,
  config: SessionConfig,
): Result<SessionRecord['workerTeams'] | null> {
  for (const [name, team] of Object.entries(teams ?? {})) {
    const issues = importedTeamIssues(engine, team, { config })
    if (issues.length > 0) return fail(under(`worker_teams.${name}`, invalid(issues).error))
  }
  return ok(teams ?? null)
}

/** The error with its places in a document that holds them under a member. */
function under(member: string, error: AppError): AppError {
  if (!('issues' in error)) return error
  return { ...error, issues: error.issues.map((issue) => ({ ...issue, path: `${member}.${issue.path}` })) }
}

/** What a config of a document says, but for what it allows and where it leads: who wrote the document need not be who imports it. What
 *  forbids or asks stays. */
function withoutGrants({ llm, tools, ...config }: SessionConfig): SessionConfig {
  return {
    ...config,
    ...(llm ? { llm: withoutAddress(llm) } : {}),
    ...(tools
      ? { tools: Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, withoutAllowance(tool)])) }
      : {}),
  }
}

/** A model elsewhere goes, with all that is said of who it is; how it is asked stays. */
function withoutAddress(llm: LlmConfig): LlmConfig {
  if (llm.api_url === undefined) return llm
  const { temperature, max_tokens, stream, retry } = llm
  const kept = Object.entries({ temperature, max_tokens, stream, retry }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(kept)
}

function withoutAllowance({ auto_approve: auto, trusted, permission, rules, ...others }: ToolConfig): ToolConfig {
  return {
    ...others,
    ...(auto === false ? { auto_approve: auto } : {}),
    ...(trusted === false ? { trusted } : {}),
    ...(permission === undefined || permission === 'allow' ? {} : { permission }),
    ...(rules ? { rules: rules.filter((rule) => rule.permission !== 'allow') } : {}),
  }
}

/** The document with skills, wherever it has any, that allow no tool. */
function withoutSkillGrants(input: ImportInput): ImportInput {
  const { skill, workers, team, worker_teams: teams } = input
  return {
    ...input,
    ...(skill ? { skill: { ...skill, definition: asking(skill.definition) } } : {}),
    ...(workers ? { workers: eachAsking(workers) } : {}),
    ...(team ? { team: { ...team, skills: eachAsking(team.skills) } } : {}),
    ...(teams
      ? {
          worker_teams: Object.fromEntries(
            Object.entries(teams).map(([name, one]) => [name, { ...one, skills: eachAsking(one.skills) }]),
          ),
        }
      : {}),
  }
}

function eachAsking<S extends Pick<SkillDefinition, 'permissions'>>(
  skills: Readonly<Record<string, S>>,
): Record<string, S> {
  return Object.fromEntries(Object.entries(skills).map(([name, skill]) => [name, asking(skill)]))
}

function asking<S extends Pick<SkillDefinition, 'permissions'>>(skill: S): S {
  const permissions = Object.entries(skill.permissions).filter(([, permission]) => permission !== 'allow')
  return { ...skill, permissions: Object.fromEntries(permissions) }
}
