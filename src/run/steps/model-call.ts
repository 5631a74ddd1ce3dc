import { AnswerStream } from '../../agent/answer-stream.ts'
import { reservationFor } from '../../budget/reserve.ts'
import type { NewEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ModelReply, ModelSpec, Protocol } from '../../domain/model.ts'
import type { PlanPurpose } from '../../domain/plan.ts'
import { newId } from '../../lib/id.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { sleep } from '../../lib/wait.ts'
import { mayRetry, retryDelayMs } from '../../models/retry.ts'
import { finish } from '../../tools/control.ts'
import type { ModelChoice } from '../../engine/engine.ts'
import { refusalFor } from './refusal.ts'
import { branchOf } from '../../log/branches.ts'
import { type Asked, ask, askInOrder } from './ask.ts'
import type { Job, MoveContext, Outcome } from '../../engine/job.ts'
import { callable } from './reply.ts'
import { currentMessageId, failureEvents, holdOf, startedEvent, type Turn } from './turn.ts'

/** What one call of a model is for: all in which a turn of the agent, a planner's answer, a role's choice and a summary differ. */
export interface ModelCallFor extends Pick<Turn, 'scope' | 'tools' | 'endsByReply' | 'outputSchema' | 'mayBeEmpty'> {
  attempt: number
  /** What is said to a model; in its own protocol, or in the one given. */
  say(spec: ModelSpec, protocol?: Protocol): Pick<Turn, 'protocol' | 'request'>
  /** What watchers hear while the reply is written: its text and the answer in it, its text, or nothing. */
  heard: 'answer' | 'text' | 'nothing'
  /** Whether it counts as an iteration of the run. */
  iterates: boolean
  purpose?: PlanPurpose
  /** What the reply changes. A function is asked at the moment in which its outcome is written. */
  settle(heard: Heard, reply: ModelReply): NewEvent[] | Outcome | (() => Outcome)
}

/** Of a call that offers no tools: whatever it says is its output. */
export const TOOLLESS = { tools: [], endsByReply: true, outputSchema: null, mayBeEmpty: true } as const

/** A model that was asked, and the answer in its reply as watchers heard it. */
export interface Heard extends Asked {
  answer: AnswerStream
}

/** One call of the model of a branch: held against the budgets, made, tried again, and settled. */
export function modelCall(call: ModelCallFor, choice: ModelChoice, context: MoveContext): Job {
  if (!choice.ok)
    return { begin: [], end: { code: 'unknown_model', detail: choice.issues.map((issue) => issue.message).join('; ') } }
  const turn = prepareTurn(choice.spec, call, context)
  const code = refusalFor(context, [turn.spec, ...turn.spec.fallbacks], turn)
  if (code) return { begin: [], end: { code } }
  return {
    begin: beginEvents(turn, call, context),
    call: holdOf(turn),
    isCurrent: () => currentMessageId(context, call.scope) === turn.messageId,
    work: (signal) => perform(turn, call, context, signal),
  }
}

function prepareTurn(spec: ModelSpec, call: ModelCallFor, { journal }: MoveContext): Turn {
  const { scope, tools, endsByReply, outputSchema, mayBeEmpty } = call
  const said = call.say(spec)
  return {
    spec,
    ...said,
    tools,
    scope,
    endsByReply,
    outputSchema,
    mayBeEmpty,
    messageId: newId('msg', journal.now()),
    reserved: reservationFor([spec, ...spec.fallbacks], estimateRequest(said.request)),
    tries: { repeated: 0 },
  }
}

function beginEvents(turn: Turn, { attempt, iterates, purpose }: ModelCallFor, { journal }: MoveContext): NewEvent[] {
  const { run } = journal.state
  const { scope, spec } = turn
  const started: NewEvent = { ...startedEvent(turn, attempt), ...(purpose ? { purpose } : {}) }
  if (!run || !iterates || attempt > 1) return [started]
  const open = branchOf(run, scope).iterationOpen
  const ended: NewEvent[] = open > 0 ? [{ type: 'iteration-end', iteration: open, scope }] : []
  return [...ended, { type: 'iteration-start', iteration: run.iterations + 1, model: spec.alias, scope }, started]
}

async function perform(
  turn: Turn,
  call: ModelCallFor,
  context: MoveContext,
  signal: AbortSignal,
): Promise<NewEvent[] | Outcome | (() => Outcome)> {
  let told = false
  const heard = await askInOrder(turn, context, (spec, onTold) => {
    const one = spec === turn.spec ? turn : { ...turn, spec, ...call.say(spec) }
    return askInEitherForm(one, call, context, { signal, onTold: () => (onTold(), (told = true)) })
  })
  const { used, outcome } = heard
  if (outcome.ok) return call.settle(heard, outcome.reply)
  const { failure } = outcome
  const { attempt } = call
  const isMadeAgain = told && attempt < LIMITS.run.attemptsMax && mayRetry(failure, attempt, used.spec.retry)
  if (!isMadeAgain) return failureEvents(used, failure)
  const { delayMs } = used.spec.retry
  await sleep(retryDelayMs(attempt, delayMs, failure.retryAfterMs, Math.random), signal).catch(() => {})
  // The call stays open in the log, as one that a crash cut does: it is made again, under another message id.
  return [{ type: 'error', scope: turn.scope, code: failure.code, detail: failure.detail }]
}

interface Hearing {
  signal: AbortSignal
  /** Called with every piece that watchers hear. */
  onTold: () => void
}

/** A model that answers that it takes no `tools` is asked again in text. */
async function askInEitherForm(turn: Turn, call: ModelCallFor, context: MoveContext, hearing: Hearing): Promise<Heard> {
  const heard = await askAloud(turn, call, context, hearing)
  const { outcome } = heard
  const isRefused = !outcome.ok && outcome.failure.toolsRefused && turn.protocol === 'auto'
  return isRefused ? askAloud({ ...turn, ...call.say(turn.spec, 'xml') }, call, context, hearing) : heard
}

/** Whoever watches hears the reply, and the answer in it, as they are written. */
async function askAloud(
  turn: Turn,
  { heard }: ModelCallFor,
  context: MoveContext,
  { signal, onTold }: Hearing,
): Promise<Heard> {
  const { messageId: message_id, protocol, scope } = turn
  const { journal } = context
  const answer = new AnswerStream({
    tools: heard === 'answer' ? callable(turn) : [],
    tool: finish,
    parameter: 'reason',
    protocol,
    newCallId: () => newId('call', journal.now()),
    tell: (call_id, delta) => {
      onTold()
      journal.delta({ type: 'answer-delta', message_id, call_id, delta }, scope)
    },
  })
  const outcome = await ask(turn, context, signal, {
    onDelta: (kind, delta) => {
      if (heard === 'nothing') return false
      onTold()
      journal.delta({ type: kind === 'content' ? 'message-delta' : 'reasoning-delta', message_id, delta }, scope)
      if (kind === 'content') answer.content(delta)
      return true
    },
    onArguments: (piece) => heard === 'answer' && answer.arguments(piece),
  })
  return { used: turn, outcome, answer }
}
