import { type AwaitedNews, isNotAwaited } from '../../domain/awaited.ts'
import type { NewEvent, SessionEvent } from '../../domain/event.ts'
import type { Language } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { WaitStep } from '../../domain/workflow-step.ts'
import type { MoveContext, StepContext } from '../../engine/engine.ts'
import { type NewPending, pendingItem } from '../../engine/open.ts'
import { languageFor } from '../../engine/settings.ts'
import { type Path } from '../../lib/expression.ts'
import { canonicalJson, sha256Hex } from '../../lib/hash.ts'
import { isId } from '../../lib/id.ts'
import { parseJson } from '../../lib/json.ts'
import { textOf } from '../../lib/text.ts'
import { fitAnswer } from '../../skills/output-schema.ts'
import { deliveredText, notAwaitedText, waitQuestion } from '../../tools/waiting/delivered.ts'
import { fill, fillAsText, shownPlain } from './template.ts'
import { stateAt, type StepState, type WorkflowState } from './state.ts'
import { type Made, stepError } from './texts.ts'

/** A step that waits: the same items as those of the tools `wait` and `ask_form`. */

/** What a step that waits is begun with. `until`: it waits for a time alone. */
export type BegunWait =
  | { is: 'until'; until: Date }
  | { is: 'item'; events: (scope: string) => NewEvent[] }
  | { is: 'refused'; code: 'not_a_time' | 'not_a_key' | 'not_a_session'; detail: string }

interface Waiting {
  path: string
  flow: WorkflowState
  lookUp: (path: Path) => unknown
  context: StepContext
}

export async function begunWait(definition: WaitStep, waiting: Waiting): Promise<BegunWait> {
  const { context } = waiting
  const until = untilOf(definition, waiting)
  if (typeof until === 'string') return { is: 'refused', code: 'not_a_time', detail: until }
  if (until !== null) return { is: 'until', until }
  const { deadline_ms: ms } = definition
  const end = ms === undefined ? undefined : (askedUntil(definition, waiting) ?? context.journal.now() + ms)
  const made = await itemOf(definition, waiting, end)
  if ('code' in made) return { is: 'refused', ...made }
  const { item, last = end } = made
  return { is: 'item', events: (scope) => [pendingItem({ ...item, scope }, context, last)] }
}

/** When the time of a question is over (Unix ms) that is asked anew, since what was said does not fit its form; null: it is not. */
function askedUntil(definition: WaitStep, { path, flow, context }: Waiting): number | null {
  const state = stateAt(flow, path)
  if (!state?.answerSeq || answered(definition, state, context) !== 'again') return null
  const { log } = context.journal
  const said = log.events(state.answerSeq - 1, 1)[0]
  const asked = log.events(state.startSeq, 1)[0]
  // A copy of a session asks anew, whatever was said, and with all of its time.
  if (said?.type !== 'pending-end' || !said.by || asked?.type !== 'pending') return null
  return asked.pending.expires_time ? Date.parse(asked.pending.expires_time) : null
}

interface WaitingItemOf {
  item: Omit<NewPending, 'scope'>
  /** Until when it waits at the latest (Unix ms), where nobody says. */
  last?: number
}

/** What a step names that cannot be waited for. */
interface NoTarget {
  code: 'not_a_key' | 'not_a_session'
  detail: string
}

/** What is awaited, as an item. */
async function itemOf(
  definition: WaitStep,
  { path, lookUp, context }: Waiting,
  end: number | undefined,
): Promise<WaitingItemOf | NoTarget> {
  const { approval, question, webhook_key: key, session, signal, default: otherwise } = definition
  const text = (template: string) => fillAsText(template, lookUp)
  const given = otherwise === undefined ? {} : { default: otherwise }
  if (question) {
    const { options, form } = question
    const about = { ...(options ? { options } : {}), ...(form ? { form } : {}), ...given }
    return { item: { type: 'question', question: text(question.text), ...about } }
  }
  if (key !== undefined) return targetItem({ webhookKey: text(key).trim() }, context, end, given)
  if (session !== undefined) return targetItem({ session: text(session).trim() }, context, end, given)
  const [type, args] =
    approval === undefined
      ? (['tool_call', { step: path, signal: text(signal ?? '') }] as const)
      : (['approval', { step: path, approval: text(approval) }] as const)
  const arguments_hash = await sha256Hex(canonicalJson(args))
  return { item: { type, tool: 'workflow', arguments: args, arguments_hash, ...given } }
}

/** A wait for a delivery, or for another session. */
function targetItem(
  awaited: { webhookKey: string } | { session: string },
  { engine, journal }: StepContext,
  end: number | undefined,
  given: Pick<NewPending, 'default'>,
): WaitingItemOf | NoTarget {
  const wrong = noTarget(awaited, journal.record.id)
  if (wrong) return wrong
  const last = end ?? journal.now() + LIMITS.wait.keyMsMax
  const until = new Date(last).toISOString()
  const question = waitQuestion(languageFor(engine, journal.record), until, awaited)
  const target = 'session' in awaited ? awaited : { webhook_key: awaited.webhookKey }
  return { item: { type: 'question', question, wait: { until, ...target }, ...given }, last }
}

function noTarget(awaited: { webhookKey: string } | { session: string }, own: string): NoTarget | null {
  if ('session' in awaited) {
    const { session } = awaited
    return isId('ses', session) && session !== own ? null : { code: 'not_a_session', detail: session.slice(0, 100) }
  }
  const { webhookKey: key } = awaited
  const isKey = key !== '' && key.length <= LIMITS.trigger.sessionKeyCharsMax
  return isKey ? null : { code: 'not_a_key', detail: key.slice(0, 100) }
}

/** When a wait for a time is over; null: it is not for a time; a text: what is no time. */
function untilOf({ for_ms: ms, until }: WaitStep, { lookUp, context }: Waiting): Date | string | null {
  if (ms !== undefined) return new Date(context.journal.now() + ms)
  if (until === undefined) return null
  const said = shownPlain(fill(until, lookUp))
  const time = new Date(said)
  const latest = context.journal.now() + LIMITS.workflow.waitMsMax
  return Number.isNaN(time.getTime()) || time.getTime() > latest ? said.slice(0, 100) : time
}

type Answer = Extract<SessionEvent, { type: 'pending-end' }>

/** What was said to what a step waits for. Who said it has to be known here: a copy of a log does not say so. */
export function answered(definition: WaitStep, { answerSeq = 0 }: StepState, context: MoveContext): Made | 'again' {
  const { engine, journal } = context
  const language = languageFor(engine, journal.record)
  const event = journal.log.events(answerSeq - 1, 1)[0]
  if (event?.type !== 'pending-end') return 'again'
  const { decision, by, feedback } = event
  const { default: otherwise } = definition
  if (decision === 'expired')
    return otherwise === undefined
      ? { ok: false, error: stepError(language, 'expired') }
      : { ok: true, output: otherwise }
  if (!by) return 'again'
  if (decision === 'reject') return { ok: false, error: stepError(language, 'refused', feedback) }
  if (decision === 'approve') return { ok: true, output: { approved: true, feedback: feedback ?? null } }
  if (definition.session !== undefined && by.kind === 'server') return sessionEnd(event.result as AwaitedNews, language)
  return said(event, definition.question?.form ?? null, context)
}

/** How the run of the other session ended, a result that is JSON as what it stands for. */
function sessionEnd(news: AwaitedNews, language: Language): Made {
  if (isNotAwaited(news))
    return { ok: false, error: stepError(language, 'not_a_session', notAwaitedText(language, news)) }
  const { untrusted: _, result, ...end } = news
  return { ok: true, output: { ...end, result: result === null ? null : (parseJson(result) ?? result) } }
}

function said(
  { answer, result, error }: Answer,
  form: Record<string, unknown> | null,
  context: MoveContext,
): Made | 'again' {
  const language = languageFor(context.engine, context.journal.record)
  if (error !== undefined) return { ok: false, error: stepError(language, 'signal_failed', error) }
  if (result !== undefined) return { ok: true, output: result }
  if (form === null) return { ok: true, output: answer ?? '' }
  const fitted = fitAnswer(answer ?? '', form)
  return fitted.ok ? { ok: true, output: parseJson(fitted.json) } : 'again'
}

function isTainted(news: AwaitedNews): boolean {
  return !isNotAwaited(news) && news.untrusted === true
}

/** What came from outside, as untrusted text that the session knows of; null: nothing did. */
export async function deliveredTo(
  { startSeq, answerSeq = 0, branch }: StepState,
  { engine, journal }: MoveContext,
): Promise<NewEvent | null> {
  const event = answerSeq === 0 ? undefined : journal.log.events(answerSeq - 1, 1)[0]
  if (event?.type !== 'pending-end' || event.result === undefined) return null
  // What another session says is trusted as far as that session is.
  if (event.by?.kind === 'server' && !isTainted(event.result as AwaitedNews)) return null
  // The item was written with the start of its step.
  const begun = journal.log.events(startSeq, 1)[0]
  const asked = begun?.type === 'pending' ? begun.pending : null
  const name = asked?.wait?.webhook_key ?? asked?.wait?.session ?? textOf(asked?.arguments?.['signal'])
  const secret = `${journal.record.id}\n${event.id}`
  const content = await deliveredText(languageFor(engine, journal.record), name, event.result, secret)
  const message = { role: 'tool', kind: 'tool_result', content, scope: branch ?? null, tool_name: 'wait' } as const
  return journal.messageEvent(message, { untrusted: true })
}
