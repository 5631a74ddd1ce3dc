import type { EventBody } from '../../src/domain/event.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'

/** The end of a model call that was answered, with why the service says that it ended. */
export function endedCall(messageId: string, reason: string): EventBody {
  return {
    type: 'model-end',
    message_id: messageId,
    ok: true,
    model: 'm',
    cost: null,
    spent: NO_USAGE,
    protocol: 'native',
    problem: null,
    call_problems: {},
    dropped_calls: 0,
    finish_reason: reason,
  }
}
