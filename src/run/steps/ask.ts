import { keepsReservation } from '../../budget/reserve.ts'
import { costOf } from '../../budget/usage.ts'
import { NOTHING_SPENT } from '../../domain/budget.ts'
import type { ModelFailure, ModelOutcome, ModelSpec, ReplyObserver } from '../../domain/model.ts'
import { mayFallBack } from '../../models/retry.ts'
import { refusalFor } from './refusal.ts'
import { traceparentOf } from '../trace.ts'
import type { MoveContext } from '../../engine/job.ts'
import { reserveCall, settleCall } from './purse.ts'
import { currentMessageId, holdOf, type Turn } from './turn.ts'

export interface Asked {
  /** The turn as it was answered: by which model, in which protocol. */
  used: Turn
  outcome: ModelOutcome
}

/** One call of a turn's model, tried again as its config says and its budget allows. */
export async function ask(
  turn: Turn,
  context: MoveContext,
  signal: AbortSignal,
  observer: ReplyObserver,
): Promise<ModelOutcome> {
  const again = (failure: ModelFailure) => mayAskAgain(turn, failure, context)
  const { spec, request, mayBeEmpty } = turn
  const traceparent = await traceparentOf(turn.messageId, context)
  return context.engine.models.call({ spec, request, traceparent, mayBeEmpty, signal, observer, again })
}

/** Ask the turn's model, and those that it falls back to while the failure is not one of the request and nothing was told. */
export async function askInOrder<A extends Asked>(
  turn: Turn,
  context: MoveContext,
  askOne: (spec: ModelSpec, onTold: () => void) => Promise<A>,
): Promise<A> {
  const asked = await askEach(turn, context, askOne)
  await settle(turn, asked, context)
  return asked
}

/** The last try is settled with what it took; those before it, which may have been billed, stay held. */
async function settle(turn: Turn, { used, outcome }: Asked, context: MoveContext): Promise<void> {
  if (!outcome.ok && keepsReservation(outcome.failure)) return
  const { price } = used.spec
  const spent = outcome.ok
    ? {
        tokens: outcome.reply.usage.prompt_tokens + outcome.reply.usage.completion_tokens,
        cost: price && costOf(outcome.reply.usage, price),
      }
    : NOTHING_SPENT
  await settleCall(context, tryOf(turn), spent)
}

/** The id under which the try that is made is held. */
function tryOf({ messageId, tries }: Turn): string {
  return tries.repeated === 0 ? messageId : `${messageId}.${tries.repeated}`
}

async function askEach<A extends Asked>(
  turn: Turn,
  context: MoveContext,
  askOne: (spec: ModelSpec, onTold: () => void) => Promise<A>,
): Promise<A> {
  let told = false
  const onTold = () => (told = true)
  const chain = [turn.spec, ...turn.spec.fallbacks]
  for (const [index, spec] of chain.entries()) {
    const asked = await askOne(spec, onTold)
    const next = chain[index + 1]
    if (asked.outcome.ok || told || !next || !mayFallBack(asked.outcome.failure)) return asked
    if (!(await mayAskAgain({ ...turn, spec: next }, asked.outcome.failure, context))) return asked
  }
  throw new Error('unreachable: a chain has a last model')
}

/** What failed may have been paid for all the same: then it stays held, and once more has to fit beside it. */
async function mayAskAgain(turn: Turn, failure: ModelFailure, context: MoveContext): Promise<boolean> {
  if (!keepsReservation(failure)) return true
  if (currentMessageId(context, turn.scope) !== turn.messageId) return false
  if (refusalFor(context, [turn.spec], turn)) return false
  const { messageId, scope, spec, tries } = turn
  const next = { ...turn, tries: { repeated: tries.repeated + 1 } }
  if (await reserveCall(context, { ...holdOf(turn), id: tryOf(next) })) return false
  if (currentMessageId(context, scope) !== messageId) {
    await settleCall(context, tryOf(next), NOTHING_SPENT)
    return false
  }
  tries.repeated++
  context.journal.append([
    { type: 'model-retry', scope, message_id: messageId, model: spec.alias, failure: failure.code },
  ])
  return true
}
