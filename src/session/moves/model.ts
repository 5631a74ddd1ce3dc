import { AnswerStream, type NamedCall } from '../../agent/answer-stream.ts'
import { codecFor } from '../../agent/codec.ts'
import type { Decoded } from '../../agent/codec-shapes.ts'
import { reservationFor } from '../../budget/reserve.ts'
import type { NewEvent, Problem } from '../../domain/event.ts'
import type { ModelReply, ModelRequest, ModelSpec, Protocol } from '../../domain/model.ts'
import { newId } from '../../lib/id.ts'
import { LIMITS } from '../../domain/limits.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { mayRetry } from '../../models/retry.ts'
import { finish } from '../../tools/control.ts'
import type { Move } from '../../orchestrators/move.ts'
import { unseenCalls } from '../caution.ts'
import { modelOf } from '../engine/assignment.ts'
import { languageFor } from '../engine/engine.ts'
import { offeredTools } from '../engine/offer.ts'
import { refusalFor } from '../refusal.ts'
import { scopeOf, seqsOf } from '../state.ts'
import { scopeWindowOf, windowOf } from '../window.ts'
import { type Asked, ask, askInOrder } from './ask.ts'
import type { Job, MoveContext } from './job.ts'
import { callable, readReply } from './reply.ts'
import { settledEvents } from './settled.ts'
import {
  currentMessageId,
  failureEvents,
  holdOf,
  messageBudget,
  outputOf,
  promptFor,
  protocolOf,
  startedEvent,
  type Turn,
} from './turn.ts'

type ModelMove = Extract<Move, { type: 'call-model' }>

/** One model call, from the window that it sees to the reply that it gave. */
export function modelJob(move: ModelMove, context: MoveContext): Job {
  const choice = modelOf(context, move.scope)
  if (!choice.ok)
    return { begin: [], end: { code: 'unknown_model', detail: choice.issues.map((issue) => issue.message).join('; ') } }
  const turn = prepareTurn(choice.spec, move, context)
  const code = refusalFor(context, [turn.spec, ...turn.spec.fallbacks], turn)
  if (code) return { begin: [], end: { code } }
  return {
    begin: beginEvents(turn, move, context),
    call: holdOf(turn),
    isCurrent: () => currentMessageId(context, move.scope) === turn.messageId,
    work: (signal) => callModel(turn, move.attempt, context, signal),
  }
}

function prepareTurn(spec: ModelSpec, move: ModelMove, context: MoveContext): Turn {
  const addressee = addressed(spec, move.scope, context)
  return {
    ...addressee,
    ...outputOf(context, move.scope),
    tools: offeredTools(context, move.scope),
    messageId: newId('msg', context.journal.now()),
    scope: move.scope,
    reserved: reservationFor([spec, ...spec.fallbacks], estimateRequest(addressee.request)),
    tries: { repeated: 0 },
  }
}

/** What is said to one model, in its protocol. */
function addressed(
  spec: ModelSpec,
  scope: string | null,
  context: MoveContext,
): Pick<Turn, 'spec' | 'protocol' | 'request'> {
  const protocol = protocolOf(spec, context)
  return { spec, protocol, request: requestFor({ spec, protocol, scope }, context) }
}

function requestFor(
  { spec, protocol, scope }: Pick<Turn, 'spec' | 'protocol' | 'scope'>,
  context: MoveContext,
): ModelRequest {
  const { engine, journal } = context
  const prompt = promptFor({ protocol, scope }, context)
  const budget = messageBudget({ spec, protocol, scope, prompt }, context)
  const { log, state } = journal
  const messages =
    scope === null ? windowOf(log, state, budget) : scopeWindowOf(log, scope, seqsOf(state, scope).taskSeq, budget)
  const { endsByReply, outputSchema } = outputOf(context, scope)
  const encoded = codecFor(protocol).encode({
    prompt,
    messages,
    tools: offeredTools(context, scope),
    language: languageFor(engine, journal.record),
  })
  return endsByReply && outputSchema ? { ...encoded, outputSchema } : encoded
}

export function beginEvents(
  turn: Turn,
  move: Pick<ModelMove, 'scope' | 'attempt'>,
  { journal }: MoveContext,
): NewEvent[] {
  const { run } = journal.state
  const started = startedEvent(turn, move.attempt)
  if (!run || move.attempt > 1) return [started]
  const open = scopeOf(run, move.scope).iterationOpen
  const ended: NewEvent[] = open > 0 ? [{ type: 'iteration-end', iteration: open, scope: move.scope }] : []
  const { alias: model } = turn.spec
  return [...ended, { type: 'iteration-start', iteration: run.iterations + 1, model, scope: move.scope }, started]
}

/** A model that was asked, and what it gave as the answer while it wrote. */
interface Heard extends Asked {
  answer: AnswerStream
}

async function callModel(turn: Turn, attempt: number, context: MoveContext, signal: AbortSignal): Promise<NewEvent[]> {
  let told = false
  const heard = await askInOrder(turn, context, (spec, onTold) => {
    const one = spec === turn.spec ? turn : { ...turn, ...addressed(spec, turn.scope, context) }
    return askInEitherForm(one, context, signal, () => (onTold(), (told = true)))
  })
  const { used, outcome } = heard
  if (outcome.ok) return replyEvents(heard, outcome.reply, context)
  const { failure } = outcome
  const isMadeAgain = told && attempt < LIMITS.run.attemptsMax && mayRetry(failure, attempt, used.spec.retry)
  // The call stays open in the log, as one that a crash cut does: it is made again, under another message id.
  return isMadeAgain
    ? [{ type: 'error', scope: turn.scope, code: failure.code, detail: failure.detail }]
    : failureEvents(used, failure)
}

/** A model that answers that it takes no `tools` is asked again in text. */
async function askInEitherForm(
  turn: Turn,
  context: MoveContext,
  signal: AbortSignal,
  onTold: () => void,
): Promise<Heard> {
  const heard = await askAloud(turn, context, signal, onTold)
  const { outcome } = heard
  const refused = !outcome.ok && outcome.failure.toolsRefused && turn.protocol === 'auto'
  if (!refused) return heard
  const spoken = { ...turn, protocol: 'xml' } as const
  return askAloud({ ...spoken, request: requestFor(spoken, context) }, context, signal, onTold)
}

/** Whoever watches hears the reply, and the answer in it, as they are written. */
async function askAloud(turn: Turn, context: MoveContext, signal: AbortSignal, onTold: () => void): Promise<Heard> {
  const { messageId: message_id, protocol, scope } = turn
  const { journal } = context
  const answer = new AnswerStream({
    tools: callable(turn),
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
      onTold()
      journal.delta({ type: kind === 'content' ? 'message-delta' : 'reasoning-delta', message_id, delta }, scope)
      if (kind === 'content') answer.content(delta)
    },
    onArguments: (piece) => answer.arguments(piece),
  })
  return { used: turn, outcome, answer }
}

function replyEvents({ used: turn, answer }: Heard, reply: ModelReply, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const decoded = readReply(turn, reply, languageFor(engine, journal.record))
  const calls: readonly NamedCall[] = answer.settle(decoded.calls)
  const unseen = unseenCalls(calls, journal, engine)
  return [
    journal.messageEvent({
      id: turn.messageId,
      role: 'assistant',
      kind: 'reply',
      content: decoded.content,
      scope: turn.scope,
      ...(reply.reasoning ? { reasoning: reply.reasoning } : {}),
      ...(calls.length > 0
        ? { tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })) }
        : {}),
    }),
    ...settledEvents(turn, reply, context, {
      protocol: spokenProtocol(turn, decoded),
      problem: decoded.problem,
      call_problems: Object.fromEntries(
        calls.flatMap((call): [string, Problem][] => (call.problem ? [[call.id, call.problem]] : [])),
      ),
      dropped_calls: decoded.dropped,
      ...(unseen.length > 0 ? { unseen_calls: unseen } : {}),
    }),
  ]
}

/** A model that was given `tools` and wrote its call as text is spoken to in text from here on. */
function spokenProtocol(turn: Turn, decoded: Decoded): Protocol {
  return turn.protocol === 'auto' && decoded.form === 'text' ? 'xml' : turn.protocol
}
