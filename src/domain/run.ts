import * as z from 'zod'
import { onDemand, type ShapeOf } from '../lib/shape.ts'

/** How a session's run stands, and how it ends. */

export const STATUSES = ['idle', 'in_progress', 'interrupted', 'completed', 'failed', 'cancelled'] as const
export type Status = (typeof STATUSES)[number]

export const FINISH_REASONS = [
  'completed',
  'interrupted',
  'waiting_feedback',
  'iteration_limit',
  'budget_exhausted',
  'deadline',
  'stuck',
  'max_rounds',
  'no_money',
  'cancelled',
  'failed',
] as const
export type FinishReason = (typeof FINISH_REASONS)[number]

/** Where a team or a workflow is: a team that was given nothing yet is `ready`. */
export const STAGES = ['ready', 'running', 'rolling_back', 'rolled_back', 'ended'] as const
export type Stage = (typeof STAGES)[number]

/** What the model ended its run with: the tool, or a reply that calls none. */
export const ENDED_BY = ['finish', 'reply'] as const
export type EndedBy = (typeof ENDED_BY)[number]

/** The ways of working that the API names. */
export const ORCHESTRATOR_NAMES = ['agent', 'plan', 'team', 'route', 'workflow'] as const
export type KnownOrchestrator = (typeof ORCHESTRATOR_NAMES)[number]
/** The name of a way of working; which there are is the registry's say. */
export type OrchestratorName = KnownOrchestrator | (string & {})
export const orchestratorName: z.ZodType<OrchestratorName> = /* @__PURE__ */ z.enum(ORCHESTRATOR_NAMES)

/** What becomes of a message while a run is going. */
export const WHEN_BUSY = ['reject', 'queue', 'interrupt', 'steer'] as const
export type WhenBusy = (typeof WHEN_BUSY)[number]

/** Why a run failed; `status` is the HTTP status of the service that failed, where there was one. `message`
 *  and `hint` are for a person, in the session's language. */
export const runError = /* @__PURE__ */ onDemand(() =>
  z.object({
    code: z.string(),
    status: z.int().exactOptional(),
    /** Milliseconds after which the service that failed wants to be asked again, where it said so. */
    retry_after_ms: z.int().exactOptional(),
    detail: z.string(),
    message: z.string(),
    hint: z.string(),
  }),
)
export type RunError = ShapeOf<typeof runError>

/** The same in a log: those of before do not say what happened and what to do. */
export const loggedError = /* @__PURE__ */ onDemand(() =>
  runError().extend({ message: z.string().exactOptional(), hint: z.string().exactOptional() }),
)
export type LoggedError = ShapeOf<typeof loggedError>

/** What happened, and what to do. */
export function errorSentences({ detail, message = detail, hint = '' }: LoggedError): string {
  return [message, hint].filter((part) => part !== '').join(' ')
}
