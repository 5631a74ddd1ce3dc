import { toldText } from '../../domain/content.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { NewEvent, RunMode } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { NewMessageInput } from '../../domain/session-input.ts'
import type { SessionRecord } from '../../domain/session.ts'
import { type SessionState, unheardSteers } from '../../domain/state.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { languageFor } from '../../engine/settings.ts'
import { canonicalJson } from '../../lib/hash.ts'
import { branchOf, isActive } from '../../log/branches.ts'
import type { Journal } from '../../log/journal.ts'
import type { Triggered } from '../call.ts'
import type { Begin } from './begin.ts'
import type { Placed } from './parts/taken.ts'
import { clientToolsEvents } from './run.ts'

/** Whether there is a run that a message can join. One that rests between batches goes on with it. */
export function maySteer({ run, status }: Pick<SessionState, 'run' | 'status'>): boolean {
  return run !== null && status === 'in_progress'
}

type SteerInput = Pick<NewMessageInput, 'output_schema' | 'client_tools' | 'inputs'>

interface Steering {
  mode: RunMode
  triggered: Triggered | undefined
  record: SessionRecord
}

/** A message to the run that is going: it stands in the log at once and is in the next model call. What is under way goes on. */
export function steerEvents(
  { journal, engine }: MoveContext,
  input: SteerInput,
  { content, files }: Placed,
  { mode, triggered, record }: Steering,
): Result<Begin> {
  const { state } = journal
  const { run } = state
  if (!run) throw new Error('there is no run to steer')
  const { steer, hearsNothing } = engine.orchestrators.get(run.orchestrator)
  const refused = hearsNothing === undefined ? steerRefusal(input, run, journal) : unheard(hearsNothing)
  if (refused) return refused
  const { model } = branchOf(run, null)
  const during = model ? { during: model.messageId } : {}
  const message = journal.messageEvent(
    { role: 'user', content, kind: 'steer', ...during },
    triggered?.untrusted ? { untrusted: true } : {},
  )
  // Who does not wait for the answer has nobody to go on with the run when the bound of the request that began it comes.
  const isLeft = mode === 'background' && run.mode === 'request'
  const goesOn: NewEvent[] = isActive(state) && !isLeft ? [] : [{ type: 'run-resume', mode }]
  return ok({
    runId: run.id,
    events: [
      ...clientToolsEvents(input.client_tools),
      message,
      ...(steer?.(journal, toldText(content, languageFor(engine, record))) ?? []),
      ...goesOn,
    ],
    record,
    files,
  })
}

type Refused = { ok: false; error: AppError }

const unheard = (why: string): Refused => invalid([{ path: 'when_busy', message: why }])

/** Why a message cannot join a run: it asks for what only a message that begins a run can have, or too many wait to be heard. Null: it can. */
function steerRefusal(
  { output_schema: schema, inputs }: SteerInput,
  run: NonNullable<SessionState['run']>,
  journal: Journal,
): Refused | null {
  if (schema !== undefined && !isOfRun(schema, journal))
    return invalid([{ path: 'output_schema', message: 'nothing: the message joins a run' }])
  if (inputs !== undefined) return invalid([{ path: 'inputs', message: 'nothing: the message joins a run' }])
  const messagesMax = LIMITS.run.steersMax
  return unheardSteers(branchOf(run, null)) >= messagesMax ? fail({ code: 'queue_full', messagesMax }) : null
}

/** Whether it is the schema that the answer of the run has to fit anyway: clients say it with each request. */
function isOfRun(schema: Record<string, unknown> | null, { record, state: { run } }: Journal): boolean {
  const known = run?.outputSchema === undefined ? record.outputSchema : run.outputSchema
  return canonicalJson(schema) === canonicalJson(known ?? null)
}
