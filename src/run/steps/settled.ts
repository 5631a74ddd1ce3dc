import { addModelCall, costOf } from '../../budget/usage.ts'
import type { NewEvent } from '../../domain/event.ts'
import type { ModelReply } from '../../domain/model.ts'
import type { MoveContext } from '../../engine/engine.ts'
import type { PreparedCall } from './model-call.ts'

type EndEvent = Extract<NewEvent, { type: 'model-end'; ok: true }>
type About = Pick<EndEvent, 'protocol' | 'problem' | 'call_problems' | 'dropped_calls' | 'unseen_calls'>

/** What an answered call leaves in the log beside its message: that it ended, by whom, and what was spent. `about`: what there is
 *  to be said of its reply; nothing of one that holds no calls. */
export function settledEvents(
  { spec, scope, messageId, protocol }: PreparedCall,
  reply: ModelReply,
  { journal: { state } }: MoveContext,
  about: Partial<About> = {},
): NewEvent[] {
  const { alias, price } = spec
  const cost = price && costOf(reply.usage, price)
  const usage = addModelCall(state.run?.usage ?? state.usage, reply.usage, cost, alias)
  return [
    {
      type: 'model-end',
      scope,
      message_id: messageId,
      ok: true,
      model: alias,
      cost,
      spent: reply.usage,
      protocol,
      problem: null,
      call_problems: {},
      dropped_calls: 0,
      ...about,
    },
    { type: 'usage', usage, scope },
  ]
}
