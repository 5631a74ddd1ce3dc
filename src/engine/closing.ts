import { answerText, textBesideCalls } from '../agent/text-calls.ts'
import { notRunText, toolFailureText } from '../agent/texts.ts'
import type { NewEvent } from '../domain/event.ts'
import type { EndedBy, FinishReason, RunError, Status } from '../domain/run.ts'
import { MAIN, type OpenCall } from '../domain/state.ts'
import type { Engine, LogContext, MoveContext } from './engine.ts'
import type { Closing } from './work.ts'
import { languageFor, toolOf } from './settings.ts'
import type { Journal } from '../log/journal.ts'
import { argumentsOf } from './open.ts'
import { finish } from '../tools/control.ts'
import { branchOf } from '../log/branches.ts'

export interface Ending {
  status: Status
  finishReason: FinishReason
  result: string | null
  error: RunError | null
  /** Null: there is no answer, or it is no reply's and no call's of the run itself. */
  endedBy: EndedBy | null
  /** The model repeated itself; the result is the best of its words. */
  loop?: true
}

/** The events that end a run: nothing stays pending, every call has a result, every iteration an end. */
export function closingEvents(journal: Journal, engine: Engine, ending: Ending): NewEvent[] {
  const { run } = journal.state
  if (!run) return []
  return [
    ...closedEvents(journal, engine, ending.status === 'failed'),
    ...(ending.status === 'cancelled' ? closedBy('cancelled', { journal, engine }) : []),
    {
      type: 'run-end',
      status: ending.status,
      finish_reason: ending.finishReason,
      result: ending.result,
      usage: run.usage,
      error: ending.error,
      ended_by: ending.endedBy,
      ...(ending.loop ? { loop: true } : {}),
    },
  ]
}

/** The events that leave nothing open in any branch: no pending item, no call without a result, no iteration without an end. `mayGoOn`: the
 *  run failed, and can be carried on. */
export function closedEvents(journal: Journal, engine: Engine, mayGoOn = false): NewEvent[] {
  const { run, pending } = journal.state
  const scopes = new Set([
    null,
    ...Object.keys(run?.scopes ?? {}).filter((name) => name !== MAIN),
    ...pending.map(({ scope }) => scope),
  ])
  return [...scopes].flatMap((scope) => closedBranchEvents(journal, engine, scope, mayGoOn))
}

/** What orchestrators have open, closed. */
export function closedBy(why: Closing, context: LogContext): NewEvent[] {
  return context.engine.orchestrators.all.flatMap(({ close }) => close?.(context, why) ?? [])
}

/** The events that leave nothing open in one branch. */
export function closedBranchEvents(
  journal: Journal,
  engine: Engine,
  scope: string | null,
  mayGoOn = false,
): NewEvent[] {
  const { run, pending } = journal.state
  if (!run) return []
  const { calls, iterationOpen } = branchOf(run, scope)
  const items = pending.filter((item) => (item.scope ?? null) === scope)
  return [
    ...cutReply(journal, scope),
    ...items.map(({ id }): NewEvent => ({ type: 'pending-end', id, decision: 'cancelled', scope })),
    ...calls.map((call) => cancelledResult({ journal, engine }, scope, call, mayGoOn)),
    ...(iterationOpen > 0 ? [{ type: 'iteration-end', iteration: iterationOpen, scope } as const] : []),
  ]
}

/** What watchers heard of a reply that is cut, as its message. Calls that it was writing are none. */
export function cutReply(journal: Journal, scope: string | null): NewEvent[] {
  const { run } = journal.state
  const id = run && branchOf(run, scope).model?.messageId
  const written = id ? journal.deltas.written(id) : null
  if (!id || !written) return []
  const beside = textBesideCalls(written.said.replace(HALF_TAG, ''))
  const answer = written.answer || (beside === '' ? openAnswer(written.said) : '')
  const content = answer.startsWith(beside) ? answer : [beside, answer].filter(Boolean).join('\n\n')
  return content === ''
    ? []
    : [journal.messageEvent({ id, role: 'assistant', kind: 'reply', content, cut: true, scope })]
}

/** What a reply has given to `finish` in tags so far, where calls are not read in its text. */
function openAnswer(said: string): string {
  const words = answerText(said, finish)
  return words.startsWith('<') ? '' : words
}

/** The beginning of a tag at the end of a text. */
const HALF_TAG = /<[^\s<>]{0,80}$/

/** Of a call that was under way and may not be made twice nobody knows how it ended; it is told as such, so that it is not repeated. */
function cancelledResult(context: MoveContext, scope: string | null, call: OpenCall, mayGoOn: boolean): NewEvent {
  const { journal, engine } = context
  const language = languageFor(engine, journal.record)
  const tool = toolOf(engine, call.tool)
  const name = tool?.names[language] ?? call.tool
  const left = mayGoOn && tool?.isMove ? engine.orchestrators.all.map((one) => one.leftOpen?.(call, context)) : []
  const reason = left.find((text) => text !== null && text !== undefined)
  const why = mayBeDone(context, scope, call) ? 'interrupted' : 'cancelled'
  return journal.messageEvent({
    role: 'tool',
    kind: 'tool_result',
    content: reason === undefined ? notRunText(name, why, language) : toolFailureText(name, reason, language),
    tool_call_id: call.id,
    tool_name: call.client ?? call.tool,
    scope,
  })
}

/** Whether an open call may have taken effect, and must not be made twice. */
export function mayBeDone(context: MoveContext, scope: string | null, call: OpenCall): boolean {
  if (call.client !== undefined && call.attempt > 0) return true
  if (call.status !== 'started') return false
  return !toolOf(context.engine, call.tool)?.isIdempotent(argumentsOf(context, scope, call))
}
