import type { SessionEvent } from '../../domain/event.ts'
import { seatOf } from '../../domain/seat.ts'
import { choiceFrom, requirementFrom, teamLengthAt } from './team.ts'

/** Events that one move or one command wrote together. */
export interface Group {
  events: SessionEvent[]
  /** The event that says what it was. */
  main: SessionEvent
}

/** A log as the groups in which it was written. */
export function groupsOf(events: readonly SessionEvent[]): Group[] {
  const starts = startsOfEnds(events)
  const groups: Group[] = []
  for (let at = 0; at < events.length;) {
    const end = starts.get(at)
    const last = end ?? at + lengthAt(events, at) - 1
    const main = end === undefined ? mainOf(events.slice(at, last + 1)) : events[end]
    if (main) groups.push({ events: events.slice(at, last + 1), main })
    at = last + 1
  }
  return groups
}

/** The first, where it says what it is; the model's end of a reply; else the last. */
function mainOf(events: readonly SessionEvent[]): SessionEvent | undefined {
  const [first, second] = events
  if (first && FIRST_SAYS.has(first.type)) return first
  return isReply(first, second) ? second : events.at(-1)
}

/** Events that say what those behind them are of. */
const FIRST_SAYS: ReadonlySet<SessionEvent['type']> = new Set([
  'tool-end',
  'task-start',
  'model-end',
  'round-start',
  'role-state',
  'team-message',
])

/** A turn's opening, a reply with its model's end and the plan in it, the begin of a sub-task with its first message, and a
 *  call's end with its result are written together; all else stands alone. */
function lengthAt(events: readonly SessionEvent[], at: number): number {
  const types = events.slice(at, at + 3).map(({ type }) => type)
  const opening = ['iteration-end', 'iteration-start', 'model-start']
  if (opening.every((type, index) => type === types[index])) return 3
  if (types[0] === 'iteration-start' && types[1] === 'model-start') return 2
  if (isReply(events[at], events[at + 1])) return 2 + answerFrom(events, at + 2)
  if (types[0] === 'model-end') return 1 + answerFrom(events, at + 1)
  if (types[0] === 'task-start') return 2 + requirementFrom(events, at + 2)
  if (types[0] === 'tool-end' && types[1] === 'message') return 2 + filesFrom(events, at + 2)
  return Math.max(1, teamLengthAt(events, at))
}

/** What an answered call leaves behind its end: its usage, and the plan, the worker or the action that it names. */
function answerFrom(events: readonly SessionEvent[], at: number): number {
  if (events[at]?.type !== 'usage') return 0
  let end = at + 1
  while (isAboutPlan(events[end])) end++
  const type = events[end]?.type
  return type === 'plan' || type === 'route' ? end + 1 - at : 1 + choiceFrom(events, at + 1, events[at]?.scope ?? null)
}

function isAboutPlan(event: SessionEvent | undefined): boolean {
  return event?.type === 'error' && ABOUT_PLAN.has(event.code)
}

const ABOUT_PLAN: ReadonlySet<string> = new Set(['unknown_worker', 'plan_cycle', 'plan_too_long'])

/** What the call did to the workspace is told behind its result. */
function filesFrom(events: readonly SessionEvent[], at: number): number {
  let count = 0
  while (events[at + count]?.type === 'file') count++
  return count
}

function isReply(event: SessionEvent | undefined, end: SessionEvent | undefined): boolean {
  return event?.type === 'message' && end?.type === 'model-end' && end.message_id === event.message.id
}

/** Where the events begin that were written with each `run-end` and `task-end`, by that place. */
function startsOfEnds(events: readonly SessionEvent[]): Map<number, number> {
  const starts = new Map<number, number>()
  const owners = ownersIn(events)
  events.forEach((event, at) => {
    if (event.type === 'run-end') starts.set(startOfEnd(events, at, event.error?.code ?? null), at)
    const isOwn = event.type === 'task-end' && events[at - 1]?.type !== 'task-start'
    if (isOwn && !starts.has(at)) starts.set(startOfTaskEnd(events, at, owners), at)
  })
  return starts
}

function startOfEnd(events: readonly SessionEvent[], end: number, code: string | null): number {
  let start = end
  while (isClosing(events, start - 1) || isGivenUp(events, start - 1, end)) start--
  const said = events[start - 1]
  const known = events[start - 2]
  if (code === null || said?.type !== 'error' || said.code !== code || known?.type === 'model-end') return start
  return isLastWord(known) && code === 'stuck' ? start - 2 : start - 1
}

/** Whose each sub-task is. */
function ownersIn(events: readonly SessionEvent[]): ReadonlyMap<string, string> {
  return new Map(
    events.flatMap((event) => (event.type === 'task-start' ? [[event.task.id, event.task.owner ?? '']] : [])),
  )
}

/** A sub-task, or a branch of the team that works at it. */
function isOfTask(scope: string | null | undefined, task: string, owners: ReadonlyMap<string, string>): boolean {
  const line = owners.get(scope ?? '') || scope
  return scope === task || (line !== null && line !== undefined && seatOf(line).owner === task)
}

function startOfTaskEnd(events: readonly SessionEvent[], end: number, owners: ReadonlyMap<string, string>): number {
  const scope = events[end]?.scope ?? ''
  let start = end
  while (isOfTask(events[start - 1]?.scope, scope, owners) && isClosing(events, start - 1)) start--
  return events[start - 1]?.scope === scope && isLastWord(events[start - 1]) ? start - 1 : start
}

/** An iteration's end, a result that no call gave, an item or a role's news that is given up. */
function isClosing(events: readonly SessionEvent[], at: number): boolean {
  const event = events[at]
  if (event?.type === 'iteration-end') return true
  if (event?.type === 'pending-end') return event.decision === 'cancelled'
  if (event?.type === 'role-state') return event.dropped === true
  const before = events[at - 1]
  return (
    event?.type === 'message' &&
    event.message.role === 'tool' &&
    event.counts_as_error !== true &&
    !(before?.type === 'tool-end' && before.call_id === event.message.tool_call_id)
  )
}

/** A sub-task, or the open round, that is cancelled with its run. */
function isGivenUp(events: readonly SessionEvent[], at: number, end: number): boolean {
  const [event, last] = [events[at], events[end]]
  if (last?.type !== 'run-end' || last.status !== 'cancelled') return false
  return event?.type === 'task-end' ? event.task.status === 'cancelled' : event?.type === 'round-end' && at === end - 1
}

/** The warning that too many calls failed: told with the end, and no count of its own. */
function isLastWord(event: SessionEvent | undefined): boolean {
  const isWarning = event?.type === 'message' && event.message.kind === 'warning'
  return isWarning && event.counts_as_error !== true && event.tells_of_circles !== true
}
