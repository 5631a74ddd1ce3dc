import type { SessionRecord } from '../../domain/session.ts'
import type { LogContext, MoveContext } from '../../engine/engine.ts'
import type { Closing, GivenTask, TakenTask } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import { failureText } from '../../engine/failures/failure-text.ts'
import type { TeamSpec } from '../../domain/team.ts'
import { publishEvents, userMessage, stepEvent } from './bus.ts'
import { teamOf } from './given.ts'
import type { NewEvent } from '../../domain/event.ts'
import { branchOfRole } from '../../domain/role.ts'
import type { SessionState } from '../../domain/state.ts'
import type { Journal } from '../../log/journal.ts'
import type { TeamState } from './state.ts'

type Taken = { ok: true; value: TakenTask } | { ok: false; error: string }

/** A team begins to work at a sub-task: what this asks for is the requirement that its roles hear. */
export async function takeTask(task: GivenTask, context: MoveContext): Promise<Taken> {
  const found = await workerTeam(task, context)
  if (!found.ok) return found
  const { team } = found
  const { journal } = context
  const { events } = publishEvents(
    userMessage({ content: task.content }),
    { team, owner: task.branch },
    journal.now(),
    () => 'IDLE',
  )
  return {
    ok: true,
    value: {
      bounds: { rounds: team.n_round, ...(team.investment ? { investment: team.investment } : {}) },
      events,
      record: { ...journal.record, workerTeams: { ...usedTeams(journal, task.workers), [task.worker]: team } },
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

/** Of the teams that are kept, those that the run's sub-tasks name, and those at work: at a step of a workflow, too. */
function usedTeams({ record, state: { run } }: Journal, workers: readonly string[]): SessionRecord['workerTeams'] {
  const atWork = Object.values(run?.scopes ?? {}).map(({ team }) => team?.worker)
  const used = new Set([...workers, ...atWork])
  return Object.fromEntries(Object.entries(record.workerTeams ?? {}).filter(([name]) => used.has(name)))
}

/** What a run that ends leaves of its teams. */
export function closeTeams({ journal: { state } }: LogContext, why: Closing): NewEvent[] {
  if (why === 'copied') return []
  if (why === 'copied-rest') return unansweredEvents(state)
  return why === 'cancelled' ? abandonEvents(state) : requeueEvents(state)
}

/** The end of the round of a team that does a sub-task, where one is open. */
export function closeTeamOf({ journal: { state } }: LogContext, task: string): NewEvent[] {
  const team = state.run?.scopes[task]?.team
  return team ? roundEnd(team).map((event) => ({ ...event, scope: task })) : []
}

/** What a run that is cancelled leaves: nobody acts upon what they had heard. */
function abandonEvents({ team }: SessionState): NewEvent[] {
  if (!team) return []
  return [
    ...team.roles
      .filter(({ step }) => step !== 'IDLE')
      .map(({ name, step }): NewEvent => ({
        type: 'role-state',
        scope: name,
        role: name,
        from: step,
        to: 'IDLE',
        dropped: true,
      })),
    ...roundEnd(team),
  ]
}

/** What a run that failed leaves to the next: turns that were cut begin anew. */
function requeueEvents({ team }: SessionState): NewEvent[] {
  if (!team) return []
  const cut = team.roles.filter(({ heard }) => heard.length > 0)
  return [...cut.map(({ name, step }) => stepEvent(name, step, 'HAS_NEWS')), ...roundEnd(team)]
}

function roundEnd({ round, acting }: { round: number; acting: readonly string[] }): NewEvent[] {
  return acting.length > 0 ? [{ type: 'round-end', round }] : []
}

/** People who answered for a role are asked for it once more. */
function unansweredEvents({ run, team }: SessionState): NewEvent[] {
  const teams: [string | null, TeamState | undefined][] = [
    [null, team],
    ...Object.entries(run?.scopes ?? {}).map(([task, scope]): [string, TeamState | undefined] => [task, scope.team]),
  ]
  return teams.flatMap(([owner, { roles = [] } = {}]) =>
    roles.flatMap(({ name, step, question, todo }) =>
      question === 'none' || todo === null ? [] : [stepEvent(branchOfRole(owner, name), step, 'HAS_TODO', todo)],
    ),
  )
}
