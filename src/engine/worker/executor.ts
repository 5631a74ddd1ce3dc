import { taskIn } from '../../domain/lineage.ts'
import { seatOf } from '../../domain/seat.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { SkillDefinition } from '../../domain/skill.ts'
import type { RunState } from '../../domain/state.ts'
import type { TeamRole } from '../../domain/team.ts'
import type { ToolSettings } from '../../tools/registry.ts'
import { settingsOf, type Engine } from '../engine.ts'
import { actionIn, roleIn, teamSpecOf, teamWorkerOf } from './team-specs.ts'
import { workerSkill } from './workers.ts'

/** Whose work it is. */
export interface ExecutionContext {
  engine: Pick<Engine, 'config' | 'tools' | 'skills'>
  record: Pick<SessionRecord, 'config' | 'skill' | 'team' | 'workers' | 'workerTeams'>
  run: Pick<RunState, 'worker' | 'scopes'> | null
}

/** The same without a run. Of a role in a worker's team, `record` has that team, and `crew` is the worker's skill. */
export interface Place extends Omit<ExecutionContext, 'run'> {
  crew: SkillDefinition | null
}

/** Who does a branch: a worker, a member of a team with its action, or a worker of a member's plan; else the session. */
export interface Executor {
  worker: string | null
  /** The worker whose team the member is of; null: it is of the session's. */
  crew: string | null
  member: TeamRole | null
  action: string | null
}

export function executorOf({ record, run }: Omit<ExecutionContext, 'engine'>, scope: string | null): Executor {
  const owned = run && taskIn(run, scope)
  const name = owned ? owned.owner : scope
  const teams = { record, run }
  const member = roleIn(teams, name) ?? null
  const crew = member && name !== null ? teamWorkerOf(teams, seatOf(name).owner) : null
  const worker = owned ? owned.task.worker : scope === null ? (run?.worker ?? null) : null
  const isAction = owned !== null && member !== null && actionIn(teams, name, owned.task.worker) !== undefined
  const action = owned
    ? isAction
      ? owned.task.worker
      : null
    : (member && name !== null && run?.scopes[name]?.action) || null
  return { worker: isAction ? null : worker, crew, member, action }
}

/** Where they work: in the session's own team, or in that of a worker. */
export function placeOf({ engine, record, run }: ExecutionContext, { crew }: Executor, scope: string | null): Place {
  if (crew === null) return { engine, record, crew: null }
  const owned = run && taskIn(run, scope)
  const { owner } = seatOf((owned ? owned.owner : scope) ?? '')
  const team = teamSpecOf({ record, run }, owner)
  return { engine, record: { ...record, ...(team ? { team } : {}) }, crew: workerSkill(engine, record, crew) }
}

/** The skill that a member of the team is; null: none. */
export function skillOf({ team }: Pick<SessionRecord, 'team'>, member: TeamRole | null): SkillDefinition | null {
  return (member?.skill === undefined ? undefined : team?.skills[member.skill]) ?? null
}

/** What is said of tools where they work: by the server, the session, and the skills that do it. */
export function settingsIn(
  { engine, record, crew }: Place,
  ...skills: readonly (SkillDefinition | null)[]
): ToolSettings {
  return settingsOf(
    engine,
    record,
    [...skills, crew].filter((skill) => skill !== null),
  )
}
