import { type AppError, fail, invalid } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { PendingAnswer } from '../../domain/session-input.ts'
import type { SessionState } from '../../domain/state.ts'
import type { Journal } from '../../log/journal.ts'
import { eventsBehind } from '../../log/read-pages.ts'
import type { CallOptions, PlacedPart } from '../call.ts'

type Refused = { ok: false; error: AppError } | null

/** The session in which the thread of a door goes on; null: this one. One that leads to another is in use, and is kept. */
export function leadsTo(journal: Journal): string | null {
  const { goesOnIn = null } = journal.record
  const isOld = journal.state.updatedTime < journal.now() - LIMITS.door.leadsMs
  if (goesOnIn !== null && isOld) journal.append([{ type: 'session-update', fields: ['thread'] }])
  return goesOnIn
}

/** Keep where the thread of a door goes on, or is about to; neither: it stays here. */
export function turnThread(journal: Journal, leads: Pick<SessionRecord, 'goesOnIn' | 'mayGoOnIn'>): void {
  const { mayGoOnIn: _, ...record } = journal.record
  journal.append([{ type: 'session-update', fields: ['thread'] }], { record: { ...record, ...leads } })
}

/** Why nothing is done in a thread: it goes on in another session, this one has another run than the one that the caller knows of, or what the
 *  caller knows was taken back. */
export function movedOn(journal: Journal, { thread }: Pick<CallOptions, 'thread'>): Refused {
  const elsewhere = thread?.mayBeElsewhere ? leadsTo(journal) : null
  if (elsewhere !== null) return fail({ code: 'precondition_failed', etag: elsewhere, what: 'thread' })
  const { id, mayGoOnIn } = journal.record
  if (thread?.mayBeElsewhere && mayGoOnIn) return fail({ code: 'precondition_failed', etag: id, what: 'thread' })
  const { run } = journal.state
  if (thread?.inRun !== undefined && (run?.id !== thread.inRun || run.endSeq > 0))
    return fail({ code: 'run_over', runId: thread.inRun })
  const { after, afterSeq: fromSeq } = thread ?? {}
  if (after === undefined) return null
  const newest = run?.id ?? null
  if (newest !== after) return fail({ code: 'precondition_failed', etag: newest ?? '', what: 'run' })
  const isGone = fromSeq !== undefined && after !== null && isWithdrawn(journal, { runId: after, fromSeq })
  return isGone ? fail({ code: 'not_found', what: 'run' }) : null
}

/** Why nothing is done where a door leaves no room for silence: something waits for a human, and these answers leave it out; or what results show
 *  would be the word about something else that waits. */
export function leftUnanswered(
  { pending }: SessionState,
  answers: readonly PendingAnswer[],
  { thread }: Pick<CallOptions, 'thread'>,
): Refused {
  const { answersIn: path, showsIn } = thread ?? {}
  const answered = new Set(answers.map(({ pendingId }) => pendingId))
  if (showsIn !== undefined && pending.some(({ id }) => !answered.has(id)))
    return invalid([
      { path: showsIn, message: 'text while something else waits: images and files stand with the last result' },
    ])
  if (path === undefined) return null
  const open = pending.filter(({ id, type }) => type !== 'tool_call' && !answered.has(id))
  const issues = open.map(({ id }) => ({ path, message: `an answer to ${id}` }))
  return open.length === 0
    ? null
    : invalid(issues, 'The run waits for a human: everything that waits is answered at once.')
}

/** What stands for a part that was taken back among the fields that changed. */
export const withdrawn = ({ runId, fromSeq }: PlacedPart): string => `${runId}.${fromSeq}`

/** Whether a part of a run was taken back: nobody is shown it, and nothing goes on behind it. */
export function isWithdrawn(journal: Pick<Journal, 'log'>, part: PlacedPart): boolean {
  for (const event of eventsBehind(journal, part.fromSeq, ['session-update']))
    if (event.type === 'session-update' && event.fields.includes(withdrawn(part))) return true
  return false
}
