import { compactRequest, summaryContent } from '../../agent/compact.ts'
import { afterThoughts } from '../../agent/visible.ts'
import { refusalOf, reservationFor } from '../../budget/reserve.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply, ModelSpec } from '../../domain/model.ts'
import { newId } from '../../lib/id.ts'
import { estimateRequest } from '../../models/estimate.ts'
import { failureOf } from '../../models/failure.ts'
import type { Move } from '../../orchestrators/move.ts'
import { modelOf } from '../engine/assignment.ts'
import { languageFor, limitsOf } from '../engine/engine.ts'
import { at, type Folding, foldingOf, isLong, keptTokens, leastBudget } from '../window.ts'
import { ask, askInOrder } from './ask.ts'
import type { Job, MoveContext } from './job.ts'
import { settledEvents } from './settled.ts'
import {
  currentMessageId,
  failureEvents,
  holdOf,
  messageBudget,
  promptFor,
  protocolOf,
  startedEvent,
  type Turn,
} from './turn.ts'

/** Whether the window is over what the model takes, or was said to be, and something of it can be folded away. */
export function mustCompact(context: MoveContext): boolean {
  const { journal } = context
  const { run, window } = journal.state
  const choice = modelOf(context, null)
  if (!run || !choice.ok) return false
  const mustFold = run.overflowed || isLong(journal.log, journal.state)
  if (!mustFold && window.tokens <= leastBudget(choice.spec)) return false
  const budget = budgetOf(choice.spec, context)
  return (mustFold || window.tokens > budget) && foldingOf(journal.log, journal.state, budget).folded.length > 0
}

function budgetOf(spec: ModelSpec, context: MoveContext): number {
  const protocol = protocolOf(spec, context)
  const turn = { spec, protocol, scope: null }
  return messageBudget({ ...turn, prompt: promptFor(turn, context) }, context)
}

/** One model call that summarises what is older than the newest turns; its message takes their place in the window. */
export function compactJob(move: Extract<Move, { type: 'compact' }>, context: MoveContext): Job {
  const { engine, journal } = context
  const choice = modelOf(context, move.scope)
  if (!choice.ok) return { begin: [], end: { code: 'unknown_model' } }
  const folding = foldingOf(journal.log, journal.state, budgetOf(choice.spec, context))
  const turn = prepareTurn(choice.spec, folding, context)
  const { run } = journal.state
  const chain = [turn.spec, ...turn.spec.fallbacks]
  const code = run && refusalOf(run, chain, turn.reserved, limitsOf(engine, journal.record))
  if (code) return { begin: [], end: { code } }
  return {
    begin: [startedEvent(turn, move.attempt)],
    call: holdOf(turn),
    isCurrent: () => currentMessageId(context, move.scope) === turn.messageId,
    work: async (signal) => {
      const { used, outcome } = await askInOrder(turn, context, async (spec) => {
        const one = { ...turn, spec, protocol: spec.protocol }
        return { used: one, outcome: await ask(one, context, signal, { onDelta: () => {} }) }
      })
      if (!outcome.ok) return failureEvents(used, outcome.failure)
      const summary = afterThoughts(outcome.reply.content)
      return summary === ''
        ? failureEvents(used, failureOf('model_bad_answer', 'The model wrote no summary of the older messages.'))
        : summaryEvents(used, { ...outcome.reply, content: summary }, folding, context)
    },
  }
}

function prepareTurn(spec: ModelSpec, { folded, isCut }: Folding, { engine, journal }: MoveContext): Turn {
  const request = compactRequest({
    messages: folded,
    isCut,
    earlier: at(journal.log, journal.state.window.summarySeq)[0]?.content ?? null,
    language: languageFor(engine, journal.record),
    budgetTokens: Math.floor((spec.contextTokens - spec.maxTokens) / 2),
  })
  const reserved = reservationFor([spec, ...spec.fallbacks], estimateRequest(request))
  return {
    spec,
    protocol: spec.protocol,
    tools: [],
    request,
    messageId: newId('msg', journal.now()),
    scope: null,
    reserved,
    tries: { repeated: 0 },
    endsByReply: true,
    mayBeEmpty: false,
    outputSchema: null,
  }
}

function summaryEvents(turn: Turn, reply: ModelReply, { folded }: Folding, context: MoveContext): NewEvent[] {
  const { engine, journal } = context
  const { state } = journal
  const seq = folded.at(-1)?.seq ?? 0
  const covers = { seq, kept_tokens: keptTokens(journal.log, state, seq) }
  const content = summaryContent(reply.content, languageFor(engine, journal.record))
  return [
    journal.messageEvent({ id: turn.messageId, role: 'system', kind: 'summary', content, scope: null }, { covers }),
    ...settledEvents(turn, reply, context, { protocol: state.run?.protocol ?? turn.spec.protocol }),
  ]
}
