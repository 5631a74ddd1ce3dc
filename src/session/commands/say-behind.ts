import type { AuditActor } from '../../domain/audit.ts'
import { type AppError, fail, invalid, ok, type Result } from '../../domain/errors.ts'
import type { RunMode } from '../../domain/event.ts'
import type { NewMessageInput } from '../../domain/session-input.ts'
import type { SessionState } from '../../domain/state.ts'
import type { MoveContext } from '../../engine/engine.ts'
import { isActive } from '../../log/branches.ts'
import type { Begin } from './begin.ts'
import type { AnsweredItems } from './decide.ts'
import type { Placed, TakenContent } from './parts/taken.ts'
import { clientToolsEvents, decisionMessage, MAY_NOT_DECIDE } from './run.ts'
import { steerEvents } from './steer.ts'

/** A message with what it brings along. */
export type TakenMessageInput = Omit<NewMessageInput, 'content'> & { content: TakenContent }

/** What goes with a task alone. */
const OF_TASKS = ['output_schema', 'inputs'] as const

/** Why a message that decides cannot say this; null: it says nothing of a task. */
export function noTask(input: TakenMessageInput): AppError | null {
  const message = 'nothing: the run waits for a human, and this message decides'
  const given = OF_TASKS.filter((path) => input[path] !== undefined)
  return given.length === 0 ? null : invalid(given.map((path) => ({ path, message }))).error
}

const NO_WORDS = 'nothing: no step of a workflow hears words; answer alone what waits'

interface SaidBehind {
  input: TakenMessageInput
  said: Placed
  mode: RunMode
  /** Who may decide by words on what waits; undefined: the caller may not. */
  by: (open: Pick<SessionState, 'pending'>) => AuditActor | undefined
}

/** What was said of items that wait, and a message behind that. The run hears the message with its next model call, unless more waits: then that is
 *  what the words are about. */
export function saidBehind(
  context: MoveContext,
  { events, record, open }: AnsweredItems,
  { input, said, mode, by: deciderOn }: SaidBehind,
): Result<Begin> {
  const { state } = context.journal
  if (open.length === 0 || isActive(state)) {
    const { hearsNothing } = (state.run && context.engine.orchestrators.find(state.run.orchestrator)) ?? {}
    if (hearsNothing !== undefined) return invalid([{ path: 'content', message: NO_WORDS }])
    const steered = steerEvents(context, input, said, { mode, triggered: undefined, record })
    return steered.ok ? ok({ ...steered.value, events: [...events, ...steered.value.events] }) : steered
  }
  const by = deciderOn({ pending: open })
  if (!by) return MAY_NOT_DECIDE
  const idle = noTask(input)
  if (idle) return fail(idle)
  const words = decisionMessage(context, said.content, { mode, by, pending: open })
  return ok({ events: [...clientToolsEvents(input.client_tools), ...events, ...words], record, files: said.files })
}
