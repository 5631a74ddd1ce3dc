import type { SessionRecord } from '../../domain/session.ts'
import { inLanguage, type SkillDefinition } from '../../domain/skill.ts'
import { LLM_WORKER, SELF_WORKER } from '../../domain/plan.ts'
import type { TeamRole } from '../../domain/team.ts'
import type { ToolSettings } from '../../tools/registry.ts'
import type { Engine, ExecutionContext } from '../engine.ts'
import type { Executor } from '../work.ts'
import { languageFor, settingsOf } from '../settings.ts'

/** Whose work it is, without a run. Of a role in a worker's team, `record` has that team, and `crew` is the worker's skill. */
export interface WorkContext extends Omit<ExecutionContext, 'state'> {
  crew: SkillDefinition | null
}

const NOBODY: Executor = { worker: null, team: null, crew: null, member: null, action: null, isPart: false }

/** Who works in a branch: the orchestrator whose branch it is says so. In the run's own branch it is the worker that was picked for the run, if one was;
 *  in all others it is the session. */
export function executorOf(about: ExecutionContext, scope: string | null): Executor {
  if (scope === null) return { ...NOBODY, worker: about.state.run?.worker ?? null }
  for (const { executor } of about.engine.orchestrators.all) {
    const found = executor?.(about, scope, (other) => executorOf(about, other))
    if (found) return found
  }
  return NOBODY
}

/** The record by which they work: it has the session's own team, or that of a worker. */
export function workContextOf({ engine, record }: ExecutionContext, { crew, team }: Executor): WorkContext {
  if (crew === null) return { engine, record, crew: null }
  return { engine, record: { ...record, ...(team ? { team } : {}) }, crew: workerSkill(engine, record, crew) }
}

/** The skill that a member of the team is; null: none. */
export function memberSkill({ team }: Pick<SessionRecord, 'team'>, member: TeamRole | null): SkillDefinition | null {
  return (member?.skill === undefined ? undefined : team?.skills[member.skill]) ?? null
}

/** The settings of tools where they work: those of the server, the session, and the skills that work there. */
export function settingsIn(
  { engine, record, crew }: WorkContext,
  ...skills: readonly (SkillDefinition | null)[]
): ToolSettings {
  return settingsOf(
    engine,
    record,
    [...skills, crew].filter((skill) => skill !== null),
  )
}

/** The skill that a worker is: as it was when it was first given work, else as it is shipped; null: the worker is no skill. */
export function workerSkill(
  engine: Pick<Engine, 'config' | 'skills'>,
  record: Pick<SessionRecord, 'config' | 'workers'>,
  worker: string,
): SkillDefinition | null {
  if (worker === LLM_WORKER || worker === SELF_WORKER) return null
  const kept = record.workers?.[worker]
  if (kept) return kept
  const shipped = engine.skills.shipped.get(worker)
  return shipped ? inLanguage(shipped, languageFor(engine, record)) : null
}
