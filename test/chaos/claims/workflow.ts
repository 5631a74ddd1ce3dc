import { contentText } from '../../../src/domain/content.ts'
import type { SessionEvent } from '../../../src/domain/event.ts'
import { ORDER } from '../flow.ts'
import { isCut } from './posts.ts'

/** A step begins once and ends once, but where somebody had it done anew; what was undone is undone whole, the last first; and a run that is
 *  completed has nothing open. */
export function claimsOfWorkflow(events: readonly SessionEvent[]): string[] {
  if (!events.some(({ type }) => type === 'workflow-start')) return []
  return [...steps(events), ...rollback(events)]
}

type Stands = 'open' | 'again' | 'completed' | 'ended'

function steps(events: readonly SessionEvent[]): string[] {
  const at = new Map<string, Stands>()
  const problems: string[] = []
  for (const event of events) {
    const wrong = (what: string) => problems.push(`step ${what} at ${event.seq}`)
    if (event.type === 'step-start') {
      const stands = at.get(event.step)
      if (stands !== undefined && stands !== 'again') wrong(`${event.step}, which is ${stands}, begins`)
      at.set(event.step, 'open')
    }
    if (event.type === 'step-end') {
      const stands = at.get(event.step)
      if (stands === 'completed' || stands === 'ended') wrong(`${event.step}, which is ${stands}, ends`)
      at.set(event.step, event.status === 'completed' || event.status === 'skipped' ? 'completed' : 'ended')
    }
    if (event.type === 'step-retry') at.set(event.step, 'again')
    if (event.type === 'run-start' && event.resumed) for (const [path, stands] of at) reopen(at, path, stands)
    if (event.type === 'step-redo') for (const path of at.keys()) if (isBehind(path, event.step)) at.set(path, 'again')
    if (event.type === 'run-end' && event.status === 'completed') {
      const open = ORDER.filter((path) => at.get(path) !== 'completed')
      if (open.length > 0) wrong(`${open.join(', ')} not done when the run is completed`)
    }
  }
  return problems
}

/** A run that is carried on does once more what failed or was cut; what holds these may go on, or end anew. */
function reopen(at: Map<string, Stands>, path: string, stands: Stands): void {
  if (stands !== 'completed') at.set(path, 'again')
}

/** What may be done anew with a step: it, what is around it, and what comes behind. */
function isBehind(path: string, redone: string): boolean {
  const rootOf = (one: string) => /^[^.[]+/.exec(one)?.[0] ?? ''
  const order = (one: string) => ORDER.findIndex((id) => id === rootOf(one) || (INNER[id] ?? []).includes(rootOf(one)))
  return order(path) >= order(redone)
}

/** Steps that stand within others in the same frame. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  both: ['left', 'nap', 'sub'],
  asked: ['agree', 'which', 'signal'],
  last: ['bad', 'good'],
}

const UNDONE = new Set(['first', 'mark', 'good'])

function rollback(events: readonly SessionEvent[]): string[] {
  const begin = events.findIndex(({ type }) => type === 'rollback-start')
  const isUndoing = events.some((event) => event.type === 'workflow-start' && event.workflow.name === 'chaos-undo')
  const done = endsBefore(events, begin < 0 ? events.length : begin)
  const failed = events.some((event) => event.type === 'run-end' && event.error?.code === 'step_failed')
  if (begin < 0)
    return isUndoing && failed && done.length > 0 ? [`a step failed, and ${done.join(', ')} were not undone`] : []
  const undone = events.flatMap((event) => (event.type === 'rollback-end' ? [event] : []))
  const wanted = done.toReversed().join(', ')
  const made = undone.map(({ step }) => step).join(', ')
  const isOver = events.slice(begin).some(({ type }) => type === 'run-end')
  return [
    ...(isOver && made !== wanted ? [`undone were ${made}, done was ${wanted}, the last first`] : []),
    ...undone.flatMap(({ step, ok, seq }) =>
      ok || hasCause(events, begin) ? [] : [`${step} was not undone at ${seq}`],
    ),
    ...events
      .slice(begin)
      .flatMap((event) =>
        event.type === 'step-start' && !/undo_\w+$/.test(event.step)
          ? [`step ${event.step} begins at ${event.seq}, while what was done is undone`]
          : [],
      ),
  ]
}

/** Steps that are done and have something that undoes them, in the order in which they ended. */
function endsBefore(events: readonly SessionEvent[], end: number): string[] {
  return events
    .slice(0, end)
    .flatMap((event) =>
      event.type === 'step-end' && event.status === 'completed' && UNDONE.has(/\w+$/.exec(event.step)?.[0] ?? '')
        ? [event.step]
        : [],
    )
}

/** Why a step may fail though nobody planned it: a human said no, or a call was cut whose effect nobody knows. */
export function hasCause(events: readonly SessionEvent[], from = 0): boolean {
  return events
    .slice(from)
    .some(
      (event) =>
        (event.type === 'pending-end' && event.decision === 'reject') ||
        (event.type === 'pending-end' && event.error !== undefined) ||
        (event.type === 'message' && isCut(contentText(event.message.content, null))) ||
        (event.type === 'step-end' && event.error?.code === 'interrupted'),
    )
}
