import { generatePrompt } from '../../agent/prompt.ts'
import { problemText, severalCallsText, tooManyFailuresText } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import type { Protocol } from '../../domain/model.ts'
import type { Move } from '../../orchestrators/move.ts'
import { closingEvents } from '../closing.ts'
import { languageFor, languageTagOf, timezoneOf, toolOf } from '../engine.ts'
import { failureText } from '../failure-text.ts'
import { offeredTools } from '../offer.ts'
import { scopeOf } from '../state.ts'
import type { MoveContext } from './job.ts'
import { finishReason } from './tool.ts'

/** The prompt of a new task, stored right behind it. */
export function promptEvents(move: Extract<Move, { type: 'prompt' }>, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const { record, log, state } = journal
  const task = log.messages({ after: state.taskSeq - 1, before: state.taskSeq + 1, limit: 1 })[0]
  const choice = engine.chooseModel(record.config)
  const protocol: Protocol = choice.ok ? choice.spec.protocol : 'auto'
  const content = generatePrompt({
    task: task?.content ?? '',
    character: record.character ?? engine.config.character ?? null,
    language: languageFor(engine, record),
    languageTag: languageTagOf(engine, record.config),
    timezone: timezoneOf(engine, record.config),
    now: journal.now(),
    runtime: engine.runtime,
    instructions: [engine.config.instructions, record.config.instructions].filter(Boolean).join('\n\n'),
    tools: offeredTools(context, move.scope),
    protocol,
  })
  return [journal.messageEvent({ role: 'system', kind: 'prompt', content, scope: move.scope })]
}

export function warningEvents(move: Extract<Move, { type: 'warn' }>, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const tools = offeredTools(context, move.scope)
  const content = problemText(move.problem, tools, languageFor(engine, journal.record))
  const circles = move.problem.code === 'going_in_circles'
  return [
    journal.messageEvent(
      warning(content, move.scope),
      circles ? { tells_of_circles: true } : { counts_as_error: true },
    ),
  ]
}

export function droppedEvents(
  move: Extract<Move, { type: 'note-dropped' }>,
  { journal, engine }: MoveContext,
): NewEvent[] {
  const language = languageFor(engine, journal.record)
  const result = journal.log.messages({ scope: move.scope, limit: 1, newestFirst: true })[0]
  const tool = toolOf(engine, result?.tool_name ?? '')
  const content = severalCallsText(tool?.names[language] ?? result?.tool_name ?? '', move.count, language)
  return [journal.messageEvent(warning(content, move.scope))]
}

function warning(content: string, scope: string | null): Pick<Message, 'role' | 'kind' | 'content' | 'scope'> {
  return { role: 'system', kind: 'warning', content, scope }
}

/** The run rests: `wait` for a human, `rest` at the bound of the request. */
export function pauseEvents(journal: MoveContext['journal'], why: 'wait' | 'rest'): NewEvent[] {
  const { run, pending } = journal.state
  if (!run) return []
  if (why === 'rest') return [{ type: 'run-pause', status: 'in_progress', finish_reason: null, usage: run.usage }]
  const asksApproval = pending.some((item) => item.type === 'approval')
  return [
    {
      type: 'run-pause',
      status: 'interrupted',
      finish_reason: asksApproval ? 'interrupted' : 'waiting_feedback',
      usage: run.usage,
    },
  ]
}

/** The run is over; with a reason when it failed, and with what there is of a result. */
export function endEvents(
  move: Extract<Move, { type: 'end' }>,
  { journal, engine }: MoveContext,
  detail?: string,
): NewEvent[] {
  const { run, record } = { run: journal.state.run, record: journal.record }
  const language = languageFor(engine, record)
  const failure = run?.failure
  const error =
    move.code === null
      ? null
      : {
          code: move.code,
          ...(failure?.status ? { status: failure.status } : {}),
          detail: detail ?? failure?.detail ?? failureText(language, move.code),
        }
  const stuck = move.code === 'stuck' ? [journal.messageEvent(warning(tooManyFailuresText(language), null))] : []
  const finishedBy = run ? scopeOf(run, null).finishedBy : null
  const result = finishedBy === null ? null : finishReason({ journal, engine }, null, finishedBy)
  const known: NewEvent[] = error && !failure ? [{ type: 'error', code: error.code, detail: error.detail }] : []
  return [
    ...stuck,
    ...known,
    ...closingEvents(journal, engine, { status: move.status, finishReason: move.finishReason, result, error }),
  ]
}
