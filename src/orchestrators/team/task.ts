import type { SessionRecord } from '../../domain/session.ts'
import { type GivenTask, languageFor, type MoveContext, type TakenTask } from '../../engine/engine.ts'
import { failureText } from '../../engine/failures/failure-text.ts'
import type { TeamSpec } from '../../domain/team-spec.ts'
import { publishEvents, requirement } from './bus.ts'
import { teamOf } from './given.ts'

type Taken = { ok: true; value: TakenTask } | { ok: false; error: string }

/** A team begins to work at a sub-task: what this asks for is the requirement that its roles hear. */
export async function takeTask(task: GivenTask, context: MoveContext): Promise<Taken> {
  const found = await workerTeam(task, context)
  if (!found.ok) return found
  const { team } = found
  const { journal } = context
  const { events } = publishEvents(requirement(task.content), { team, owner: task.branch }, journal.now(), () => 'IDLE')
  return {
    ok: true,
    value: {
      bounds: { rounds: team.n_round, ...(team.investment ? { investment: team.investment } : {}) },
      events,
      record: { ...journal.record, workerTeams: { ...usedTeams(journal.record, task.workers), [task.worker]: team } },
    },
  }
}

/** The team that does a sub-task; or why it cannot, for a person. */
type FoundTeam = { ok: true; team: TeamSpec } | { ok: false; error: string }

/** The team of a sub-task's worker: as it was when it was first given work, else as it is now. */
async function workerTeam({ owner, worker, skill }: GivenTask, context: MoveContext): Promise<FoundTeam> {
  const { engine, journal } = context
  const { record } = journal
  if (owner !== null) return unfit('team_within_team', [], context)
  const kept = record.workerTeams?.[worker]
  if (kept) return { ok: true, team: kept }
  const input = { config: record.config, orchestrator: 'team' } as const
  const found = await teamOf(engine, record.tenant, input, { definition: skill, inputs: {} }).catch(() => null)
  if (found?.ok && found.value) return { ok: true, team: found.value }
  if (!found || found.ok) return unfit('worker_unavailable', [], context)
  const { error } = found
  return unfit(
    'team_unfit',
    'issues' in error ? error.issues.map(({ path, message }) => `${path}: ${message}`) : [],
    context,
  )
}

function unfit(code: string, issues: readonly string[], { engine, journal }: MoveContext): FoundTeam & { ok: false } {
  return { ok: false, error: [failureText(languageFor(engine, journal.record), code), ...issues].join(' ') }
}

/** Of the teams that are kept, those that the run's sub-tasks name. */
function usedTeams({ workerTeams }: SessionRecord, workers: readonly string[]): SessionRecord['workerTeams'] {
  return Object.fromEntries(Object.entries(workerTeams ?? {}).filter(([name]) => workers.includes(name)))
}
