import { taskIn } from '../../domain/lineage.ts'
import { seatOf } from '../../domain/seat.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { RunState } from '../../domain/state.ts'
import type { TeamAction, TeamRole } from '../../domain/team.ts'
import type { TeamSpec } from '../../domain/team-spec.ts'
import { LLM_WORKER } from '../../domain/plan.ts'

/** What knows of the teams of a session. */
export interface Teams {
  record: Pick<SessionRecord, 'team' | 'workerTeams'>
  run: Pick<RunState, 'scopes'> | null
}

/** The team of the session (null), or of the worker that does a sub-task; absent: it has none. */
export function teamSpecOf({ record, run }: Teams, owner: string | null): TeamSpec | undefined {
  if (owner === null) return record.team
  const worker = teamWorkerOf({ run }, owner)
  return worker === null ? undefined : record.workerTeams?.[worker]
}

/** The skill whose team works at a sub-task; null: it is no sub-task. */
export function teamWorkerOf({ run }: Pick<Teams, 'run'>, owner: string | null): string | null {
  return (run && taskIn(run, owner)?.task.worker) ?? null
}

/** The role whose branch it is; absent: it is that of no role. */
export function roleIn(teams: Teams, scope: string | null): TeamRole | undefined {
  if (scope === null) return undefined
  const seat = seatOf(scope)
  return teamSpecOf(teams, seat.owner)?.roles.find(({ name }) => name === seat.role)
}

/** The action of a role that a worker of the role's plan is; absent: it is none. */
export function actionIn(teams: Teams, owner: string | null, worker: string): TeamAction | undefined {
  if (worker === LLM_WORKER) return undefined
  return roleIn(teams, owner)?.actions.find(({ name }) => name === worker)
}
