import { compactRequest, summaryContent } from '../../agent/compact.ts'
import { fits, reservationFor } from '../../budget/reserve.ts'
import { addModelCall, costOf } from '../../budget/usage.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import type { ModelReply, ModelSpec } from '../../domain/model.ts'
import { newId } from '../../lib/id.ts'
import { estimateRequest } from '../../models/estimate.ts'
import type { Move } from '../../orchestrators/move.ts'
import { languageFor, limitsOf } from '../engine.ts'
import { foldable, tokensOf } from '../window.ts'
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

/** Whether the window is over what the model takes, or was said to be, and something of it can be folded away. */
export function mustCompact(context: MoveContext): boolean {
  const { journal, engine } = context
  const { run, window } = journal.state
  const choice = engine.chooseModel(journal.record.config)
  if (!run || !choice.ok) return false
  const budget = budgetOf(choice.spec, context)
  return (run.overflowed || window.tokens > budget) && foldable(journal.log, journal.state, budget).length > 0
}

function budgetOf(spec: ModelSpec, context: MoveContext): number {
  return messageBudget(spec, promptFor(protocolOf(spec, context), context))
}

/** One model call that summarises what is older than the newest turns; its message takes their place in the window. */
export function compactJob(move: Extract<Move, { type: 'compact' }>, context: MoveContext): Job {
  const { engine, journal } = context
  const choice = engine.chooseModel(journal.record.config)
  if (!choice.ok) return { begin: [], end: { code: 'unknown_model' } }
  const folded = foldable(journal.log, journal.state, budgetOf(choice.spec, context))
  const turn = prepareTurn(choice.spec, folded, context)
  const { run } = journal.state
  if (run && !fits(run, turn.reserved, limitsOf(engine, journal.record)))
    return { begin: [], end: { code: 'budget_exhausted' } }
  return {
    begin: [startedEvent(turn, move.attempt)],
    isCurrent: () => currentMessageId(context, move.scope) === turn.messageId,
    work: async (signal) => {
      const outcome = await engine.models.call({ spec: turn.spec, request: turn.request, signal, onDelta: () => {} })
      return outcome.ok ? summaryEvents(turn, outcome.reply, folded, context) : failureEvents(turn, outcome)
    },
  }
}

function prepareTurn(spec: ModelSpec, folded: Message[], { engine, journal }: MoveContext): Turn {
  const { summarySeq } = journal.state.window
  const earlier =
    summarySeq === 0
      ? null
      : (journal.log.messages({ after: summarySeq - 1, before: summarySeq + 1, limit: 1 })[0]?.content ?? null)
  const request = compactRequest({
    messages: folded,
    earlier,
    language: languageFor(engine, journal.record),
    budgetTokens: Math.floor((spec.contextTokens - spec.maxTokens) / 2),
  })
  const reserved = reservationFor(estimateRequest(request), spec.maxTokens, spec.price)
  return {
    spec,
    protocol: spec.protocol,
    tools: [],
    request,
    messageId: newId('msg', journal.now()),
    scope: null,
    reserved,
  }
}

function summaryEvents(turn: Turn, reply: ModelReply, folded: Message[], { engine, journal }: MoveContext): NewEvent[] {
  const { state } = journal
  const foldedTokens = folded.reduce((sum, message) => sum + tokensOf(message), 0)
  const summarised =
    state.window.summarySeq === 0
      ? []
      : journal.log.messages({ after: state.window.summarySeq - 1, before: state.window.summarySeq + 1, limit: 1 })
  const earlierTokens = summarised.reduce((sum, message) => sum + tokensOf(message), 0)
  const cost = turn.spec.price && costOf(reply.usage, turn.spec.price)
  const covers = {
    seq: folded.at(-1)?.seq ?? 0,
    kept_tokens: Math.max(0, state.window.tokens - foldedTokens - earlierTokens),
  }
  const content = summaryContent(reply.content, languageFor(engine, journal.record))
  return [
    journal.messageEvent({ id: turn.messageId, role: 'system', kind: 'summary', content, scope: null }, { covers }),
    {
      type: 'model-end',
      scope: null,
      message_id: turn.messageId,
      ok: true,
      model: turn.spec.alias,
      cost,
      spent: reply.usage,
      protocol: state.run?.protocol ?? turn.spec.protocol,
      problem: null,
      call_problems: {},
      dropped_calls: 0,
    },
    {
      type: 'usage',
      usage: addModelCall(state.run?.usage ?? state.usage, reply.usage, cost, turn.spec.alias),
      scope: null,
    },
  ]
}
