import { generatePrompt } from '../../agent/prompt.ts'
import { problemText, severalCallsText, tooManyFailuresText } from '../../agent/texts.ts'
import { contentText } from '../../domain/content.ts'
import type { NewEvent } from '../../domain/event.ts'
import { taskIn } from '../../domain/lineage.ts'
import type { Message } from '../../domain/message.ts'
import type { ModelFailure } from '../../domain/model.ts'
import type { EndedBy, Status } from '../../domain/run.ts'
import type { RunState } from '../../domain/state.ts'
import type { Move } from '../../engine/move.ts'
import { closingEvents } from './closing.ts'
import { declaredProtocol, type Worker } from '../../engine/worker/worker.ts'
import { languageFor, languageTagOf, timezoneOf, toolOf } from '../../engine/engine.ts'
import { explained, failureText } from '../../engine/failures/failure-text.ts'
import { taskData } from './plan-data.ts'
import { branchOf, seqsOf } from '../../log/branches.ts'
import { at } from '../../log/window.ts'
import type { MoveContext } from '../../engine/job.ts'
import { missingToolsPart } from '../../engine/missing-tools.ts'
import { outcomeOf } from './outcome.ts'
import { roleOf, skillsPart } from '../../engine/role.ts'

/** What a prompt says beside what the session knows; `untrusted`: text from outside had a part in it. */
export interface PromptExtra {
  parts: { title: string; text: string }[]
  untrusted: boolean
}

/** The prompt of a new task, stored right behind it. */
export function promptEvents(
  worker: Worker,
  context: MoveContext,
  extra: PromptExtra = { parts: [], untrusted: false },
): NewEvent[] {
  const { journal, engine } = context
  const { record, log, state } = journal
  const { scope, finish, outputSchema, language, offered: tools } = worker
  const [task] = at(log, seqsOf(state, scope).taskSeq)
  const said = contentText(task?.content ?? '', language)
  const content = generatePrompt({
    task: descriptionOf(context, scope) ?? said,
    character: roleOf(context, worker, said),
    language,
    languageTag: languageTagOf(engine, record.config),
    timezone: timezoneOf(engine, record.config),
    now: journal.now(),
    runtime: engine.runtime,
    instructions: [engine.config.instructions, record.config.instructions].filter(Boolean).join('\n\n'),
    tools,
    protocol: declaredProtocol(worker),
    finish,
    outputSchema,
    extra: [...missingToolsPart(worker, engine), ...skillsPart(context, worker), ...extra.parts],
  })
  return [
    journal.messageEvent(
      { role: 'system', kind: 'prompt', content, scope },
      extra.untrusted ? { untrusted: true } : {},
    ),
  ]
}

/** The description of a sub-task, without the results that it is given beside it; null: it is none. */
function descriptionOf({ journal }: MoveContext, scope: string | null): string | null {
  const { run } = journal.state
  const owned = run && taskIn(run, scope)
  return owned ? taskData(owned.task, journal).description : null
}

export function warningEvents(
  move: Extract<Move, { type: 'warn' }>,
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

/** Why the model of a team's role failed, where that ended the run. */
function roleFailure(run: RunState | null, code: string | null): ModelFailure | null {
  if (run?.orchestrator !== 'team') return null
  const failures = Object.values(run.scopes).map(({ failure }) => failure)
  return failures.find((failure) => failure?.code === code) ?? null
}

/** What the model ended the run with. The answer of a plan or a team is what comes of many, and none is asked to end it. */
function endedBy(status: Status, run: RunState | null): EndedBy | null {
  if (status !== 'completed' || !run || run.orchestrator === 'plan' || run.orchestrator === 'team') return null
  return branchOf(run, null).finishedBy === null ? 'reply' : 'finish'
}

/** The run is over; with a reason when it failed, and with what there is of a result. */
export function endEvents(
  move: Extract<Move, { type: 'end' }>,
  { journal, engine }: MoveContext,
  detail?: string,
): NewEvent[] {
  const { run, record } = { run: journal.state.run, record: journal.record }
  const { status, finishReason } = move
  const language = languageFor(engine, record)
  const failure = run?.failure ?? roleFailure(run, move.code)
  const { result, misfits } = outcomeOf({ journal, engine }, null, move.code)
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
    ...closingEvents(journal, engine, { status, finishReason, result, error, endedBy: endedBy(status, run) }),
  ]
}
