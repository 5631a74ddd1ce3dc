import { fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { NewMessageInput } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { type SessionState, unheardSteers } from '../../domain/state.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { branchOf, isActive } from '../../log/branches.ts'
import type { Triggered } from '../call.ts'
import type { Begin } from './begin.ts'
import type { Placed } from './parts/taken.ts'
import { clientToolsEvents } from './run.ts'

/** Whether there is a run that a message can join. `isGoing`: moves of it are under way, or are to be made. */
export function maySteer({ run, status }: Pick<SessionState, 'run' | 'status'>, isGoing: boolean): boolean {
  return isGoing && run !== null && status === 'in_progress'
}

interface Steering {
  mode: RunMode
  triggered: Triggered | undefined
  record: SessionRecord
}

/** A message to the run that is going: it stands in the log at once and is in the next model call. What is under way goes on. */
export function steerEvents(
  { journal, engine }: MoveContext,
  { output_schema: schema, client_tools: tools }: Pick<NewMessageInput, 'output_schema' | 'client_tools'>,
  { content, files }: Placed,
  { mode, triggered, record }: Steering,
): Result<Begin> {
  const { state } = journal
  const { run } = state
  if (!run) throw new Error('there is no run to steer')
  if (schema !== undefined) return invalid([{ path: 'output_schema', message: 'nothing: the message joins a run' }])
  const messagesMax = LIMITS.run.steersMax
  const branch = branchOf(run, null)
  const { model } = branch
  if (unheardSteers(branch) >= messagesMax) return fail({ code: 'queue_full', messagesMax })
  const during = model ? { during: model.messageId } : {}
  const message = journal.messageEvent(
    { role: 'user', content, kind: 'steer', ...during },
    triggered?.untrusted ? { untrusted: true } : {},
  )
  const { steer } = engine.orchestrators.get(run.orchestrator)
  const goesOn: NewEvent[] = isActive(state) ? [] : [{ type: 'run-resume', mode }]
  return ok({
    runId: run.id,
    events: [...clientToolsEvents(tools), message, ...(steer?.(journal, content) ?? []), ...goesOn],
    record,
    files,
  })
}
