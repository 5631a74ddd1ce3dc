import type { SessionEvent } from '../../../src/domain/event.ts'
import { roleOfBranch } from '../../../src/domain/role.ts'
import { newState } from '../../../src/domain/state.ts'
import { reduce } from '../../../src/orchestrators/all.ts'

/** Whatever was cut in a round: who was done with it did nothing more, nobody said the same twice, and every message was heard.
 *  A run that failed leaves its round open, since it resumes there; whatever comes next ends that round before another begins. */
export function claimsOfTeam(events: readonly SessionEvent[]): string[] {
  const owners = new Set(events.flatMap((event) => (isOfTeam(event) ? [ownerOf(event)] : [])))
  const teams = [...owners].map((owner) => events.filter((event) => !isOfTeam(event) || ownerOf(event) === owner))
  return [...teams.flatMap((team) => [...rounds(team), ...steps(team)]), ...unheard(events)]
}

/** The sub-task whose team an event tells of; null: it is the session's own. */
function ownerOf({ scope }: SessionEvent): string | null {
  if (scope === null) return null
  return roleOfBranch(scope).owner ?? (scope.startsWith('tsk_') ? scope : null)
}

function isOfTeam({ type }: SessionEvent): boolean {
  return type.startsWith('round-') || type === 'role-state' || type === 'team-message'
}

function rounds(events: readonly SessionEvent[]): string[] {
  const problems: string[] = []
  let open: number | null = null
  let last = 0
  let done = new Set<string>()
  for (const event of events) {
    const { scope, seq } = event
    if (event.type === 'round-start') {
      if (open !== null) problems.push(`round ${event.round} starts at ${seq} within ${open}`)
      if (event.round !== last + 1) problems.push(`round ${event.round} at ${seq} follows ${last}`)
      open = last = event.round
      done = new Set()
    }
    if (event.type === 'round-end') {
      if (event.round !== open) problems.push(`round ${event.round} ends at ${seq}, open is ${open}`)
      open = null
    }
    if (event.type === 'run-end' && event.status !== 'failed' && open !== null)
      problems.push(`round ${open} is open when its run ends at ${seq}`)
    if (event.type === 'model-start' && scope !== null && done.has(scope))
      problems.push(`${scope} was asked again at ${seq}, when it was done with round ${open}`)
    if (event.type !== 'team-message' || scope === null || scope === ownerOf(event)) continue
    if (open === null) problems.push(`${scope} spoke at ${seq}, outside of any round`)
    if (done.has(scope)) problems.push(`${scope} spoke twice in round ${open}, again at ${seq}`)
    done.add(scope)
  }
  return problems
}

/** Each step of a role begins where the one before it ended. */
function steps(events: readonly SessionEvent[]): string[] {
  const at = new Map<string, string>()
  return events.flatMap((event) => {
    if (event.type !== 'role-state') return []
    const before = at.get(event.role) ?? 'IDLE'
    at.set(event.role, event.to)
    return before === event.from ? [] : [`${event.role} is ${before}, not ${event.from}, at ${event.seq}`]
  })
}

/** When a run is completed nobody has anything to do. */
function unheard(events: readonly SessionEvent[]): string[] {
  const { team, run, status } = reduce(newState(0), events)
  const teams = [team, ...Object.values(run?.scopes ?? {}).map((scope) => scope.team)]
  const roles = teams.flatMap((one) => one?.roles ?? [])
  const waiting = roles.filter(({ news, heard }) => news.length + heard.length > 0)
  return status === 'completed' ? waiting.map(({ name }) => `${name} has news that it did not act upon`) : []
}
