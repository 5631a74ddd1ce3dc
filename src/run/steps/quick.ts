import { contentText } from '../../domain/content.ts'
import { problemText, severalCallsText, tooManyFailuresText } from '../../agent/texts.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import type { ModelFailure } from '../../domain/model.ts'
import type { RunState } from '../../domain/state.ts'
import { closingEvents } from '../../engine/closing.ts'
import { languageFor, type MoveContext, outcomeOf, toolOf } from '../../engine/engine.ts'
import { explained, failureText } from '../../engine/failures/failure-text.ts'
import type { MoveOf } from '../../engine/move.ts'
import { promptEvent, type PromptOf } from '../../engine/prompt.ts'
import { skillsPart } from '../../engine/role.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import { seqsOf } from '../../log/branches.ts'
import { at } from '../../log/window.ts'

/** What a prompt says beside what the session knows. */
export type PromptExtra = Required<Pick<PromptOf, 'parts' | 'untrusted'>>

/** The prompt of a new task, stored right behind it. */
export function promptEvents(
  worker: Worker,
  context: MoveContext,
  extra: PromptExtra = { parts: [], untrusted: false },
): NewEvent[] {
  const { log, state } = context.journal
  const [said] = at(log, seqsOf(state, worker.scope).taskSeq)
  const about = contentText(said?.content ?? '', worker.language)
  const parts = [...skillsPart(context, worker), ...extra.parts]
  return [promptEvent(worker, context, { ...extra, task: taskText(worker.scope, context) ?? about, about, parts })]
}

/** What a branch is to do, in the words of whose branch it is; null: it says none. */
function taskText(scope: string | null, context: MoveContext): string | null {
  const texts = scope === null ? [] : context.engine.orchestrators.all.map((one) => one.taskText?.(context, scope))
  return texts.find((text) => text !== null && text !== undefined) ?? null
}

export function warningEvents(
  move: MoveOf<'warn'>,
  { offered, language }: Worker,
  { journal }: MoveContext,
): NewEvent[] {
  const content = problemText(move.problem, offered, language)
  const circles = move.problem.code === 'going_in_circles'
  return [
    journal.messageEvent(
      warning(content, move.scope),
      circles ? { tells_of_circles: true } : { counts_as_error: true },
    ),
  ]
}

export function droppedEvents(move: MoveOf<'note-dropped'>, { journal, engine }: MoveContext): NewEvent[] {
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

/** Why the model of the run failed, or that of a part of it, where that ended the run. */
function failureIn(run: RunState, code: string | null): ModelFailure | null {
  const failures = Object.values(run.scopes).map(({ failure }) => failure)
  return run.failure ?? failures.find((failure) => failure?.code === code) ?? null
}

/** The run is over; with a reason when it failed, and with what there is of a result. */
export function endEvents(move: MoveOf<'end'>, { journal, engine }: MoveContext, detail?: string): NewEvent[] {
  const { run, record } = { run: journal.state.run, record: journal.record }
  const { status, finishReason } = move
  const language = languageFor(engine, record)
  const failure = run && failureIn(run, move.code)
  const { result, misfits, endedBy } = outcomeOf({ journal, engine }, null, move.code)
  const error =
    move.code === null
      ? null
      : explained(language, {
          code: move.code,
          ...(failure?.status ? { status: failure.status } : {}),
          detail: detail ?? failure?.detail ?? misfits ?? failureText(language, move.code),
        })
  const stuck = move.code === 'stuck' ? [journal.messageEvent(warning(tooManyFailuresText(language), null))] : []
  const known: NewEvent[] = error && !failure ? [{ type: 'error', code: error.code, detail: error.detail }] : []
  return [
    ...stuck,
    ...known,
    ...closingEvents(journal, engine, {
      status,
      finishReason,
      result,
      error,
      endedBy: status === 'completed' ? endedBy : null,
    }),
  ]
}
