import type { NewEvent } from '../../domain/event.ts'
import { branchOfRole } from '../../domain/seat.ts'
import type { SessionState } from '../../domain/state.ts'
import type { Closing, LogContext } from '../../engine/engine.ts'
import { stepEvent } from './bus.ts'
import type { TeamState } from './state.ts'

/** What a run that ends leaves of its teams. */
export function closeTeams({ journal: { state } }: LogContext, why: Closing): NewEvent[] {
  if (why === 'copied') return []
  if (why === 'copied-rest') return unansweredEvents(state)
  return why === 'cancelled' ? abandonEvents(state) : requeueEvents(state)
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
