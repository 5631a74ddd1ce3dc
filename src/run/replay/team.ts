import type { SessionEvent } from '../../domain/event.ts'
import { roleAt, taskIn } from '../../domain/lineage.ts'
import { seatOf } from '../../domain/seat.ts'
import type { SessionState } from '../../domain/state.ts'
import { USER } from '../../domain/team.ts'

/** What events of a team show to have been decided. */
export type TeamRecorded =
  | { type: 'start-round' | 'end-round'; scope: string | null }
  | { type: 'start-action' | 'prompt-role' | 'ask-role' | 'end-turn' | 'publish'; scope: string }
  /** A model call of a role that could not be made. */
  | { type: 'refused-call'; scope: string | null }

/** The decision of a team behind an event; null: it is an outcome, or of no team. */
export function teamDecisionIn(event: SessionEvent): TeamRecorded | null {
  const { scope } = event
  switch (event.type) {
    case 'round-start':
      return { type: 'start-round', scope }
    case 'round-end':
      return { type: 'end-round', scope }
    case 'role-state':
      if (event.to === 'EXECUTING') return { type: 'start-action', scope: lineOf(event) }
      return event.to === 'IDLE' ? { type: 'end-turn', scope: lineOf(event) } : null
    case 'team-message':
      return scope === null ? null : { type: 'publish', scope }
    case 'call-refused':
      return { type: 'refused-call', scope }
    default:
      return null
  }
}

/** Whether a branch is that of a role whose next action is still to be chosen. */
export function isChoosing(state: SessionState, scope: string | null): boolean {
  return scope !== null && isOfRole(state, scope) && roleAt(state, scope).todo === null
}

/** Whether a branch is that of a role, of the session's team or of one that works at a sub-task. */
export function isOfRole({ run }: Pick<SessionState, 'run'>, scope: string | null): boolean {
  if (run === null || scope === null || taskIn(run, scope) !== null) return false
  return run.orchestrator === 'team' || seatOf(scope).owner !== null
}

/** The branch of the role that an event speaks of. */
function lineOf({ scope, role }: SessionEvent & { type: 'role-state' }): string {
  return scope ?? role
}

/** What the requirement of a sub-task, at which a team works, leaves behind its first message. */
export function requirementFrom(events: readonly SessionEvent[], at: number): number {
  const event = events[at]
  if (event?.type !== 'team-message' || event.message.sent_from !== USER) return 0
  return 1 + countFrom(events, at + 1, (one) => isStep(one) && one.from === 'IDLE' && one.to === 'HAS_NEWS')
}

/** How many of the events from here on one move of a team wrote; 0: it is of no team. */
export function teamLengthAt(events: readonly SessionEvent[], at: number): number {
  const event = events[at]
  switch (event?.type) {
    case 'round-start':
      return 1 + countFrom(events, at + 1, (one) => isStep(one) && one.from === 'HAS_NEWS' && one.to === 'HAS_TODO')
    case 'team-message':
      return event.scope === null ? 0 : publishedFrom(events, at, event.scope)
    case 'role-state':
      return event.to === 'EXECUTING'
        ? 1 + countOfTask(events[at + 1], lineOf(event))
        : turnEndFrom(events, at, lineOf(event))
    default:
      return 0
  }
}

/** What the choice of an action leaves behind the reply that made it. */
export function choiceFrom(events: readonly SessionEvent[], at: number, scope: string | null): number {
  if (scope === null) return 0
  const isUnknown = (one: SessionEvent) => one.type === 'error' && one.code === 'unknown_action'
  const errors = countFrom(events, at, isUnknown)
  const ended = events[at + errors]
  if (ended?.type !== 'iteration-end' || ended.scope !== scope) return 0
  const turn = turnEndFrom(events, at + errors + 1, scope)
  return turn === 0 ? 0 : errors + 1 + turn
}

/** Who hears a message, its files, and the next action of its sender or the end of their turn. */
function publishedFrom(events: readonly SessionEvent[], at: number, scope: string): number {
  const hears = (one: SessionEvent) => isStep(one) && one.from === 'IDLE' && one.to === 'HAS_NEWS'
  const isAbout = (one: SessionEvent) =>
    one.scope === scope && (one.type === 'file' || (one.type === 'error' && ABOUT_OUTPUT.has(one.code)))
  const told = at + 1 + countFrom(events, at + 1, (one) => hears(one) || isAbout(one))
  const next = events[told]
  const opens = events[told + 1]?.type === 'iteration-start'
  const iteration = next?.type === 'iteration-end' && next.scope === scope && !opens ? 1 : 0
  return told + iteration + turnEndFrom(events, told + iteration, scope) - at
}

const ABOUT_OUTPUT: ReadonlySet<string> = new Set(['unknown_addressee', 'file_refused', 'max_plan_rounds'])

/** A step of a role to its next action or out of its turn, and to what it heard meanwhile. */
function turnEndFrom(events: readonly SessionEvent[], at: number, scope: string): number {
  const event = events[at]
  if (!isStep(event) || lineOf(event) !== scope || event.dropped || event.from === 'HAS_TODO') return 0
  if (event.to === 'HAS_TODO') return 1
  const next = events[at + 1]
  const hasNews = isStep(next) && lineOf(next) === scope && next.from === 'IDLE' && next.to === 'HAS_NEWS'
  return event.to !== 'IDLE' ? 0 : hasNews ? 2 : 1
}

function countOfTask(event: SessionEvent | undefined, scope: string): number {
  return event?.type === 'message' && event.scope === scope && event.message.kind === 'task' ? 1 : 0
}

function isStep(event: SessionEvent | undefined): event is SessionEvent & { type: 'role-state' } {
  return event?.type === 'role-state'
}

function countFrom(events: readonly SessionEvent[], at: number, holds: (event: SessionEvent) => boolean): number {
  let count = 0
  for (let event = events[at]; event && holds(event); event = events[at + count]) count++
  return count
}
