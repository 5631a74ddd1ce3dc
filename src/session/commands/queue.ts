import { fail, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import { newId } from '../../lib/id.ts'
import type { Engine } from '../engine.ts'
import type { Journal } from '../journal.ts'
import { mayDequeue } from '../state.ts'
import { newTaskEvents } from './run.ts'

/** Keep a message until the run that is going is over; it has the id of its own run already. */
export function queueEvents(
  journal: Journal,
  content: string,
  mode: RunMode,
): Result<{ runId: string; events: NewEvent[] }> {
  const messagesMax = LIMITS.run.queuedMessagesMax
  if (journal.state.queue.length >= messagesMax) return fail({ code: 'queue_full', messagesMax })
  const runId = newId('run', journal.now())
  return ok({ runId, events: [{ type: 'message-queued', queued_run_id: runId, mode, content }] })
}

/** The next queued message as a new run, unless the run before it is still going or waits for a human. */
export function dequeueEvents(journal: Journal, engine: Engine): NewEvent[] {
  const next = journal.state.queue[0]
  if (!next || !mayDequeue(journal.state)) return []
  const queued = journal.log.events(next.seq - 1, 1)[0]
  return queued?.type === 'message-queued' ? newTaskEvents(journal, engine, queued.content, next.mode, next.runId) : []
}
