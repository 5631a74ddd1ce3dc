import { codecFor } from '../../agent/codec.ts'
import type { Decoded } from '../../agent/codec-shapes.ts'
import { fits, reservationFor } from '../../budget/reserve.ts'
import { addModelCall, costOf } from '../../budget/usage.ts'
import type { NewEvent, Problem } from '../../domain/event.ts'
import type { DeltaKind, ModelOutcome, ModelReply, ModelRequest, ModelSpec, Protocol } from '../../domain/model.ts'
import type { Reservation } from '../../domain/state.ts'
import { newId } from '../../lib/id.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { Move } from '../../orchestrators/move.ts'
import { languageFor, limitsOf } from '../engine.ts'
import { offeredTools } from '../offer.ts'
import { scopeOf } from '../state.ts'
import { windowOf } from '../window.ts'
import type { Job, MoveContext } from './job.ts'
import {
  currentMessageId,
  failureEvents,
  messageBudget,
  promptFor,
  protocolOf,
  startedEvent,
  type Turn,
} from './turn.ts'

type ModelMove = Extract<Move, { type: 'call-model' }>

/** One model call, from the window that it sees to the reply that it gave. */
export function modelJob(move: ModelMove, context: MoveContext): Job {
  const { engine, journal } = context
  const choice = engine.chooseModel(journal.record.config)
  if (!choice.ok)
    return { begin: [], end: { code: 'unknown_model', detail: choice.issues.map((issue) => issue.message).join('; ') } }
  const turn = prepareTurn(choice.spec, move, context)
  const { run } = journal.state
  if (run && !fits(run, turn.reserved, limitsOf(engine, journal.record)))
    return { begin: [], end: { code: 'budget_exhausted' } }
  return {
    begin: beginEvents(turn, move, context),
    isCurrent: () => currentMessageId(context, move.scope) === turn.messageId,
    work: (signal) => callModel(turn, context, signal),
  }
}

function prepareTurn(spec: ModelSpec, move: ModelMove, context: MoveContext): Turn {
  const addressee = addressed(spec, move.scope, context)
  return {
    ...addressee,
    tools: offeredTools(context, move.scope),
    messageId: newId('msg', context.journal.now()),
    scope: move.scope,
    reserved: largestReservation([spec, ...spec.fallbacks], estimateRequest(addressee.request)),
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

/** Whichever of the models answers, it takes no more than this. */
function largestReservation(specs: ModelSpec[], promptTokens: number): Reservation {
  const each = specs.map((spec) => reservationFor(promptTokens, spec.maxTokens, spec.price))
  const dearest = each.reduce((a, b) => ((b.cost?.amount ?? 0) > (a.cost?.amount ?? 0) ? b : a))
  return { tokens: Math.max(...each.map(({ tokens }) => tokens)), cost: dearest.cost }
}

function requestFor(
  { spec, protocol, scope }: Pick<Turn, 'spec' | 'protocol' | 'scope'>,
  context: MoveContext,
): ModelRequest {
  const { engine, journal } = context
  const prompt = promptFor({ protocol, scope }, context)
  const messages = windowOf(journal.log, journal.state, messageBudget({ spec, protocol, scope, prompt }, context))
  return codecFor(protocol).encode({
    prompt,
    messages,
    tools: offeredTools(context, scope),
    language: languageFor(engine, journal.record),
  })
}

function beginEvents(turn: Turn, move: ModelMove, { journal }: MoveContext): NewEvent[] {
  const { run } = journal.state
  const started = startedEvent(turn, move.attempt)
  if (!run || move.attempt > 1) return [started]
  const open = scopeOf(run, move.scope).iterationOpen
  const ended: NewEvent[] = open ? [{ type: 'iteration-end', iteration: run.iterations, scope: move.scope }] : []
  return [...ended, { type: 'iteration-start', iteration: run.iterations + 1, scope: move.scope }, started]
}

/** Ask the model, and those that it falls back to while the failure is one of the service and nothing was told yet. */
async function callModel(turn: Turn, context: MoveContext, signal: AbortSignal): Promise<NewEvent[]> {
  const chain = [turn, ...turn.spec.fallbacks.map((spec) => ({ ...turn, ...addressed(spec, turn.scope, context) }))]
  let told = false
  const onTold = () => (told = true)
  for (const [index, one] of chain.entries()) {
    const { used, outcome } = await askInEitherForm(one, context, signal, onTold)
    const last = index === chain.length - 1
    if (outcome.ok || last || told || !outcome.failure.retryable) return outcomeEvents(used, outcome, context)
  }
  throw new Error('unreachable: a chain has a last model')
}

/** A model that answers that it takes no `tools` is asked again in text. */
async function askInEitherForm(
  turn: Turn,
  context: MoveContext,
  signal: AbortSignal,
  onTold: () => void,
): Promise<{ used: Turn; outcome: ModelOutcome }> {
  const outcome = await ask(turn, context, signal, onTold)
  const refused = !outcome.ok && outcome.failure.toolsRefused && turn.protocol === 'auto'
  if (!refused) return { used: turn, outcome }
  const spoken = { ...turn, protocol: 'xml' } as const
  const inText: Turn = { ...spoken, request: requestFor(spoken, context) }
  return { used: inText, outcome: await ask(inText, context, signal, onTold) }
}

function ask(
  turn: Turn,
  { engine, journal }: MoveContext,
  signal: AbortSignal,
  onTold: () => void,
): Promise<ModelOutcome> {
  const onDelta = (kind: DeltaKind, text: string) => {
    onTold()
    journal.delta(kind, turn.messageId, text, turn.scope)
  }
  return engine.models.call({ spec: turn.spec, request: turn.request, signal, onDelta })
}

function outcomeEvents(turn: Turn, outcome: ModelOutcome, context: MoveContext): NewEvent[] {
  return outcome.ok ? replyEvents(turn, outcome.reply, context) : failureEvents(turn, outcome.failure)
}

function replyEvents(turn: Turn, reply: ModelReply, context: MoveContext): NewEvent[] {
  const { journal, engine } = context
  const decoded = codecFor(turn.protocol).decode(reply, turn.tools, languageFor(engine, journal.record))
  const calls = decoded.calls.map((call) => ({ ...call, id: newId('call', journal.now()) }))
  const cost = turn.spec.price && costOf(reply.usage, turn.spec.price)
  const usage = addModelCall(journal.state.run?.usage ?? journal.state.usage, reply.usage, cost, turn.spec.alias)
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
    {
      type: 'model-end',
      scope: turn.scope,
      message_id: turn.messageId,
      ok: true,
      model: turn.spec.alias,
      cost,
      spent: reply.usage,
      protocol: spokenProtocol(turn, decoded),
      problem: decoded.problem,
      call_problems: Object.fromEntries(
        calls.flatMap((call): [string, Problem][] => (call.problem ? [[call.id, call.problem]] : [])),
      ),
      dropped_calls: decoded.dropped,
    },
    { type: 'usage', usage, scope: turn.scope },
  ]
}

/** A model that was given `tools` and wrote its call as text is spoken to in text from here on. */
function spokenProtocol(turn: Turn, decoded: Decoded): Protocol {
  return turn.protocol === 'auto' && decoded.form === 'text' ? 'xml' : turn.protocol
}
