import { isDeepStrictEqual } from 'node:util'
import { finishAnswerOf, isDelta, type StreamEvent, type StreamedDelta } from '../../client/client.ts'
import { callsInAnyForm } from '../../client/call-begins.ts'
import { createReplyFilter, type ReplyPiece } from '../../client/reply-filter.ts'
import { contentText } from '../../domain/content.ts'
import type { Message } from '../../domain/message.ts'
import { stepApproval, type Decision, type Pending } from '../../domain/pending.ts'
import { failureLine } from '../../engine/failures/failure-text.ts'
import { isCutReason } from '../../domain/cut-reason.ts'
import { withHiddenShown } from '../../lib/hidden-characters.ts'
import type { AgentResponseData } from '../../domain/session.ts'
import type { TokenUsage } from '../../domain/usage.ts'
import { isObject } from '../../lib/json.ts'
import type { TerminalTexts } from '../texts.ts'
import { columnsOf, excerpt, visible } from './text.ts'
import { createPlanView, planText } from './plan-view.ts'
import { createTeamView } from './team-view.ts'
import type { ViewPart } from './screen.ts'

const ARGUMENT_CHARS_MAX = 200
/** Who approves sees what is approved. */
const APPROVAL_CHARS_MAX = 20_000
const FAILURE_CHARS_MAX = 300
const CONTROL = ['finish', 'ask', 'rethink']

interface Flow {
  kind: ReplyPiece['kind'] | 'answer'
  text: string
}

export interface RunLines {
  /** Parts to show for the next event of a session's stream. */
  push(event: StreamEvent): ViewPart[]
}

/** Turns the events of a run into what a person reads. `toolNames`: every name by which the text protocol may call a tool. */
export function createRunView(texts: TerminalTexts, toolNames: readonly string[]): RunLines {
  let filter = createReplyFilter(toolNames, callsInAnyForm)
  /** The message whose deltas were shown, so that it is not shown again when it is whole. */
  let streamed: string | null = null
  const failed = new Set<string>()
  const tools = new Map<string, string>()

  /** What failed last, until it is known whether the run ends by it. */
  let failure: ViewPart[] = []
  let answering = false
  /** The last reply that answers. */
  let answered: string | null = null
  /** The call whose answer was shown last in this reply. */
  let answerCall: string | null = null
  const plan = createPlanView(texts)
  const team = createTeamView(texts, (taskId) => plan.numberOf(taskId))

  /** Who writes the answer of a plan calls no tool for it. */
  function asAnswer(messageId: string, pieces: ReplyPiece[]): Flow[] {
    return plan.isAnswer(messageId)
      ? pieces.map((piece) => (piece.kind === 'text' ? { ...piece, kind: 'answer' } : piece))
      : pieces
  }

  function flow(pieces: Flow[]): ViewPart[] {
    const parts = pieces.map((piece): ViewPart => ({ type: 'flow', ...piece }))
    if (answering || !pieces.some(({ kind }) => kind === 'answer')) return parts
    answering = true
    return [...parts, { type: 'status', text: texts.answering }]
  }

  function restart(): void {
    filter = createReplyFilter(toolNames, callsInAnyForm)
    streamed = null
    answering = false
    answerCall = null
  }

  function pushDelta(event: StreamedDelta): ViewPart[] {
    const { message_id: id, delta: text } = event
    if (streamed !== id) restart()
    streamed = id
    if (event.type === 'message-delta') return flow(asAnswer(id, filter.push(text)))
    if (event.type === 'reasoning-delta') return flow([{ kind: 'thinking', text }])
    const isOther = answerCall !== null && answerCall !== event.call_id
    if (isOther) filter.nextAnswer()
    answerCall = event.call_id
    const piece = filter.answer(text)
    return [
      ...(isOther ? [{ type: 'turn' } as const] : []),
      ...(piece === '' ? [] : flow([{ kind: 'answer', text: piece }])),
    ]
  }

  function pushMessage({ message, is_output: output }: StreamEvent & { type: 'message' }): ViewPart[] {
    if (message.role === 'assistant') {
      const parts = flow(pushReply(message))
      const answers = (message.tool_calls ?? []).length === 0 || finishAnswerOf(message) !== null
      answered = answers && !message.rejected ? message.id : null
      const isAnswer = !message.rejected && (output === true || filter.repeats)
      const marks = [...(message.rejected ? [texts.notAnswer] : []), ...(message.cut ? [texts.cutReply] : [])]
      const over = { type: 'reply', isAnswer, ...(message.rejected ? { isRejected: true as const } : {}) } as const
      return [...parts, over, ...marks.map((mark) => line('dim', `· ${mark}`))]
    }
    if (message.kind === 'warning')
      return [line('dim', `! ${excerpt(contentText(message.content, texts.language), FAILURE_CHARS_MAX)}`)]
    const bad = message.tool_call_id !== undefined && failed.delete(message.tool_call_id)
    return bad ? [line('bad', `✗ ${excerpt(contentText(message.content, texts.language), FAILURE_CHARS_MAX)}`)] : []
  }

  /** Of an answer that its service cut; what is said beside a call is followed by more. */
  function tooLong({
    message_id: id,
    finish_reason: reason,
  }: {
    message_id: string
    finish_reason?: string
  }): ViewPart[] {
    return id === answered && isCutReason(reason) ? [line('dim', `· ${texts.tooLongReply}`)] : []
  }

  function pushReply(message: Message): Flow[] {
    const calls = (message.tool_calls ?? []).length > 0
    if (streamed === message.id) return asAnswer(message.id, filter.flush(calls))
    restart()
    const thinking: Flow[] = message.reasoning ? [{ kind: 'thinking', text: message.reasoning }] : []
    const begun = filter.push(contentText(message.content, texts.language))
    const answer = filter.answer(finishAnswerOf(message)?.trim() ?? '')
    const said = asAnswer(message.id, [...begun, ...filter.flush(calls)])
    return [...thinking, ...said, ...(answer === '' ? [] : [{ kind: 'answer', text: answer } as const])]
  }

  function push(event: StreamEvent): ViewPart[] {
    if (isDelta(event) || mayEndRun(event)) return pushPart(event)
    const before = event.type === 'run-end' && event.error !== null ? [] : failure
    failure = []
    return [...before, ...pushPart(event)]
  }

  function pushPart(event: StreamEvent): ViewPart[] {
    return plan.push(event) ?? team.push(event) ?? pushAny(event)
  }

  /** What failed in the run itself may be what ends it; then it is told with the end. */
  function held(code: string, detail: string, scope: string | null): ViewPart[] {
    const told = [line('bad', `✗ ${visible(texts.because(failureLine(texts.language, { code, detail }), code))}`)]
    if (scope !== null) return told
    const before = isDeepStrictEqual(failure, told) ? [] : failure
    failure = told
    return before
  }

  function pushAny(event: StreamEvent): ViewPart[] {
    if (isDelta(event)) return pushDelta(event)
    switch (event.type) {
      case 'message':
        return pushMessage(event)
      case 'model-start':
        restart()
        return [
          { type: 'turn' },
          ...(event.attempt > 1 ? [line('dim', `… ${texts.again(event.attempt)}`)] : []),
          { type: 'status', text: texts.reading(event.model), isLong: true },
        ]
      case 'model-retry':
        return [line('dim', `… ${texts.askedAgain(failureLine(texts.language, { code: event.failure, detail: '' }))}`)]
      case 'model-end':
        return event.ok
          ? [spentIn(event.spent), ...tooLong(event)]
          : held(event.failure.code, event.failure.detail, event.scope)
      case 'tool-start':
        tools.set(event.call_id, event.tool)
        if (CONTROL.includes(event.tool)) return []
        return [
          line('call', `→ ${callText(event.tool, event.arguments)}`),
          { type: 'status', text: texts.working(event.tool) },
        ]
      case 'tool-end':
        if (!event.ok) failed.add(event.call_id)
        // A question that was answered is no call that is over: nobody was told that it began.
        return event.ok && tools.has(event.call_id) && !CONTROL.includes(tools.get(event.call_id) ?? '')
          ? [line('good', `✓ ${texts.took(event.ms)}`)]
          : []
      case 'pending':
        return [line('ask', pendingText(event.pending, texts)), { type: 'status', text: null }]
      case 'pending-end':
        return [line('dim', `· ${decisionText(event.decision, texts)}`)]
      case 'tools-wait':
        return [{ type: 'status', text: texts.waitingForTools(visible(event.server)) }]
      case 'error':
        return held(event.code, event.detail, event.scope)
      case 'run-pause':
        return [
          ...flow(filter.flush()),
          ...(event.status === 'in_progress' ? [] : [{ type: 'status', text: null } as const]),
        ]
      case 'run-end':
        return [
          ...flow(filter.flush()),
          { type: 'status', text: null },
          ...(event.loop ? [line('dim', `· ${texts.repeated}`)] : []),
        ]
      default:
        return []
    }
  }

  return { push }
}

/** Whether an event may stand between a failure and the end of the run by it. */
function mayEndRun({ type, scope }: StreamEvent): boolean {
  return scope === null && (type === 'error' || type === 'iteration-end')
}

/** A call on one line: its only argument bare, several as name=value. */
function callText(tool: string, args: Record<string, unknown>, charsMax: number = ARGUMENT_CHARS_MAX): string {
  const entries = Object.entries(args)
  const [only] = entries
  const shown =
    only && entries.length === 1 ? [valueText(only[1])] : entries.map(([name, value]) => `${name}=${valueText(value)}`)
  return excerpt([tool, ...shown].join(' '), charsMax)
}

/** What a human is asked, with what could not be seen in it escaped. */
export function pendingText(asked: Pending, texts: TerminalTexts): string {
  const pending = withHiddenIn(asked)
  const plan =
    pending.tool === 'plan' && pending.call_id === undefined ? planText(pending.arguments ?? {}, texts) : null
  if (plan !== null) return `? ${texts.planAsked}${plan}`
  if (pending.type === 'tool_call') {
    return `? ${askedCall(pending, texts.callAsked)}`
  }
  const agreed = stepApproval(pending)
  if (agreed !== null) return `? ${visible(agreed, true) || texts.stepAsked}`
  if (pending.type === 'approval') {
    return `? ${askedCall(pending, (call) => texts.approvalAsked(call, visible(pending.reason ?? '')))}`
  }
  const options = (pending.options ?? []).map((option, index) => `\n  ${index + 1}. ${visible(option)}`)
  return `? ${visible(pending.question ?? '', true)}${options.join('')}${formText(pending.form, texts)}`
}

/** A call that a human decides on: on one line if it fits, else an argument a line. A text of several lines has them below its name. */
export function askedCall(
  { tool = '', arguments: args = {} }: Pick<Pending, 'tool' | 'arguments'>,
  asked: (call: string) => string,
): string {
  const whole = callText(tool, args, APPROVAL_CHARS_MAX)
  const entries = Object.entries(args)
  const isBroken = entries.some(([, value]) => typeof value === 'string' && value.trim().includes('\n'))
  if (!isBroken && (entries.length < 2 || columnsOf(whole) <= CALL_COLUMNS)) return asked(whole)
  const lines = entries.map(([name, value]) => `\n    ${visible(name)}:${argumentText(value)}`)
  return `${asked(excerpt(tool))}${lines.join('')}`
}

function argumentText(value: unknown): string {
  const text = valueText(value)
  if (typeof value !== 'string' || !value.trim().includes('\n')) return ` ${excerpt(text, APPROVAL_CHARS_MAX)}`
  const whole = visible(text.slice(0, APPROVAL_CHARS_MAX), true).trimEnd()
  const lines = whole.split('\n').map((one) => (one === '' ? '\n' : `\n      ${one}`))
  return `${lines.join('')}${text.length > APPROVAL_CHARS_MAX ? '…' : ''}`
}

/** Of a call on one line. */
const CALL_COLUMNS = 60

/** What a form asks for, a property a line. */
function formText(form: Pending['form'], texts: TerminalTexts): string {
  const { properties, required } = form ?? {}
  const needed = Array.isArray(required) ? required : []
  const lines = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { type, title, description, enum: values } = isObject(schema) ? schema : {}
    const kind = Array.isArray(values)
      ? values.map((value) => JSON.stringify(value)).join(' | ')
      : typeof type === 'string'
        ? type
        : 'JSON'
    const [first, ...rest] = [title, description].filter((text) => typeof text === 'string')
    const said = rest.reduce(texts.told, first ?? '')
    const field = texts.aside(`${visible(name)}${needed.includes(name) ? ' *' : ''}`, visible(kind))
    return `\n  ${field} ${visible(said)}`.trimEnd()
  })
  return lines.join('')
}

function withHiddenIn(pending: Pending): Pending {
  const shown = JSON.stringify(pending, (_, value: unknown) =>
    typeof value === 'string' ? withHiddenShown(value) : value,
  )
  return JSON.parse(shown) as Pending
}

/** How a run ended that came to no answer, and what to do next; then what a service itself said. */
export function runFailureText({ finish_reason: reason, error }: AgentResponseData, texts: TerminalTexts): string {
  const ended = texts.finish[reason ?? 'failed']
  if (error === null) return ended
  const said =
    error.detail.includes(':') && error.detail !== error.message
      ? `\n  ${excerpt(texts.schemaWords(texts.detail(error.detail)), FAILURE_CHARS_MAX)}`
      : ''
  const why = visible(texts.sentences(texts.schemaWords(error.message), error.hint))
  return `${texts.because(texts.told(ended, why), error.code)}${said}`
}

function decisionText(decision: Decision, texts: TerminalTexts): string {
  const words = {
    approve: texts.approved,
    reject: texts.rejected,
    answer: texts.answered,
    expired: texts.expired,
    cancelled: texts.cancelledItem,
  }
  return words[decision]
}

const spentIn = ({ prompt_tokens: asked, completion_tokens: answered }: TokenUsage): ViewPart => ({
  type: 'spent',
  tokens: asked + answered,
})

const line = (style: (ViewPart & { type: 'line' })['style'], text: string): ViewPart => ({ type: 'line', style, text })

const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
