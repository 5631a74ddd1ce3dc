import type { NewEvent } from '../../domain/event.ts'
import { type OwnedTask, tasksIn } from '../../domain/lineage.ts'
import { LLM_WORKER } from '../../domain/plan.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { isTeamWork } from '../../domain/skill.ts'
import type { TeamSpec } from '../../domain/team-spec.ts'
import { teamOf } from '../../engine/worker/given-team.ts'
import { languageFor } from '../../engine/engine.ts'
import { failureText } from '../../engine/failures/failure-text.ts'
import { publishEvents, requirement } from './team-bus.ts'
import { workerSkill } from '../../engine/worker/workers.ts'
import type { MoveContext, Outcome } from '../../engine/job.ts'

/** The team that does a sub-task, null where its worker is none; or why it cannot, for a person. */
export type FoundTeam = { ok: true; team: TeamSpec | null } | { ok: false; error: string }

/** The team of a sub-task's worker: as it was when it was first given work, else as it is now. */
export async function workerTeam({ owner, task: { worker } }: OwnedTask, context: MoveContext): Promise<FoundTeam> {
  const { engine, journal } = context
  const { record } = journal
  const skill = worker === LLM_WORKER ? null : workerSkill(engine, record, worker)
  if (!skill || !isTeamWork(skill)) return { ok: true, team: null }
  if (owner !== null) return unfit('team_within_team', [], context)
  const kept = record.workerTeams?.[worker]
  if (kept) return { ok: true, team: kept }
  const input = { config: record.config, orchestrator: 'team' } as const
  const found = await teamOf(engine, record.tenant, input, { definition: skill, inputs: {} }).catch(() => null)
  if (!found) return unfit('worker_unavailable', [], context)
  if (found.ok) return { ok: true, team: found.value }
  const { error } = found
  return unfit(
    'team_unfit',
    'issues' in error ? error.issues.map(({ path, message }) => `${path}: ${message}`) : [],
    context,
  )
}

function unfit(code: string, issues: readonly string[], { engine, journal }: MoveContext): FoundTeam {
  return { ok: false, error: [failureText(languageFor(engine, journal.record), code), ...issues].join(' ') }
}

interface Begun {
  begun: NewEvent & { type: 'task-start' }
  said: NewEvent
  /** What the sub-task asks for. */
  content: string
}

/** A team begins to work at a sub-task: what this asks for is the requirement that its roles hear. */
export function teamBegins(
  { begun, said, content }: Begun,
  team: TeamSpec,
  { task }: OwnedTask,
  { journal }: MoveContext,
): Outcome {
  const { events } = publishEvents(requirement(content), { team, owner: task.id }, journal.now(), () => 'IDLE')
  const bounds = { rounds: team.n_round, ...(team.investment ? { investment: team.investment } : {}) }
  return {
    events: [{ ...begun, ...bounds }, said, ...events],
    record: { ...journal.record, workerTeams: { ...usedTeams(journal), [task.worker]: team } },
  }
}

/** Of the teams that are kept, those that the run's sub-tasks name. */
function usedTeams({ record, state: { run } }: MoveContext['journal']): SessionRecord['workerTeams'] {
  const names = new Set(run ? tasksIn(run).map(({ task }) => task.worker) : [])
  return Object.fromEntries(Object.entries(record.workerTeams ?? {}).filter(([name]) => names.has(name)))
}
