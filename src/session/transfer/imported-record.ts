import { sessionConfig, type SessionConfig, unmasked } from '../../domain/config.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { ImportInput } from '../../domain/event-input.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SessionSkill, SkillDefinition } from '../../domain/skill.ts'
import { issuesOf } from '../../lib/zod.ts'
import type { Engine } from '../../engine/engine.ts'
import { checkNewSession } from '../commands/create.ts'
import { importedTeamIssues } from '../commands/team.ts'

/** A document without its lists, which were taken in, and the title that its messages give. */
export interface TakenDocument {
  input: ImportInput
  title: string
}

/** The record of the copy, or why this server does not run it. */
export function importedRecord(
  { input, title }: TakenDocument,
  { id, tenant, now }: { id: string; tenant: string; now: number },
  engine: Engine,
): Result<SessionRecord> {
  const { session } = input
  const config = sessionConfig.safeParse(session.config ?? {})
  if (!config.success) return invalid(issuesOf(config.error, 'session.config'))
  const kept = unmasked(config.data, {})
  const skill = importedSkill(input, engine)
  if (!skill.ok) return skill
  const workers = importedWorkers(input, engine)
  if (!workers.ok) return workers
  const teams = importedTeams(input, engine, kept)
  if (!teams.ok) return teams
  const team = input.team ?? null
  const issues = team ? importedTeamIssues(engine, team, { config: kept }) : []
  if (issues.length > 0) return invalid(issues)
  const cast = { skill: skill.value, team }
  const refused = checkNewSession(engine, { orchestrator: session.orchestrator, config: kept }, cast)
  if (refused) return fail(under('session', refused))
  return ok({
    id,
    tenant,
    title: session.title?.slice(0, LIMITS.text.titleCharsMax) ?? title,
    character: session.character ?? null,
    orchestrator: session.orchestrator ?? 'agent',
    skill: skill.value,
    ...(team ? { team } : {}),
    ...(workers.value ? { workers: workers.value } : {}),
    ...(teams.value ? { workerTeams: teams.value } : {}),
    user: session.user ?? null,
    metadata: session.metadata ?? {},
    config: kept,
    createdTime: now,
  })
}

/** The skill that the session runs, if this server could run it. */
function importedSkill({ skill }: ImportInput, engine: Engine): Result<SessionSkill | null> {
  if (!skill) return ok(null)
  const checked = engine.skills.check(skill.definition)
  if (checked.ok) return ok({ definition: checked.skill, inputs: skill.inputs })
  return fail(under('skill.definition', invalid(checked.issues).error))
}

/** The skills that its plan gave work to, if this server could run them. */
function importedWorkers({ workers }: ImportInput, engine: Engine): Result<SessionRecord['workers'] | null> {
  const checked: Record<string, SkillDefinition> = {}
  for (const [name, given] of Object.entries(workers ?? {})) {
    const one = engine.skills.check(given)
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
