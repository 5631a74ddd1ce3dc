import * as z from 'zod'
import { onDemand } from '../../lib/shape.ts'

/** What clients of AG-UI are sent. Source: the AG-UI specification 1.0. */

const EVENT_TYPES = [
  'RUN_STARTED',
  'RUN_FINISHED',
  'RUN_ERROR',
  'STEP_STARTED',
  'STEP_FINISHED',
  'TEXT_MESSAGE_START',
  'TEXT_MESSAGE_CONTENT',
  'TEXT_MESSAGE_END',
  'REASONING_START',
  'REASONING_MESSAGE_START',
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_END',
  'REASONING_END',
  'TOOL_CALL_START',
  'TOOL_CALL_ARGS',
  'TOOL_CALL_END',
  'TOOL_CALL_RESULT',
  'STATE_SNAPSHOT',
  'STATE_DELTA',
  'MESSAGES_SNAPSHOT',
  'SUBAGENT_STARTED',
  'SUBAGENT_FINISHED',
  'SUBAGENT_ERROR',
] as const

/** One event; which members it has is said by its type. */
export const agUiEvent = /* @__PURE__ */ onDemand(() => z.looseObject({ type: z.enum(EVENT_TYPES) }))

export const threadCancelled = /* @__PURE__ */ onDemand(() => z.object({ threadId: z.string(), status: z.string() }))
