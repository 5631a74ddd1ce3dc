import * as z from 'zod'
import { onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { RISKS } from './tool.ts'
import { wantedConnection } from './wanted-connection.ts'

export const PENDING_TYPES = ['approval', 'question', 'tool_call'] as const

/** What a human may say to what waits for them. */
export const DECISION_WORDS = ['approve', 'reject', 'answer'] as const
/** How it ended: by their word, or without one. */
export const DECISIONS = [...DECISION_WORDS, 'expired', 'cancelled'] as const
export type Decision = (typeof DECISIONS)[number]

/** Until when a run waits; or for a delivery of which key of webhooks, or the end of which session's run (then until that time at the latest). */
const pendingWait = /* @__PURE__ */ onDemand(() =>
  z.object({
    until: time(),
    webhook_key: z.string().exactOptional(),
    session: z.string().exactOptional(),
    reason: z.string().exactOptional(),
  }),
)

/** Something that a run waits for: the approval of one call with exactly these arguments, the answer to a question, or the result of a
 *  call that the caller makes with a tool of its own. */
export const pending = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    type: z.enum(PENDING_TYPES),
    call_id: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    arguments: record().exactOptional(),
    /** Lower-case hex SHA-256 of the arguments as canonical JSON (keys sorted, no white space). */
    arguments_hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .exactOptional(),
    question: z.string().exactOptional(),
    options: z.array(z.string()).exactOptional(),
    /** JSON Schema that the answer fits, as JSON; and what is taken for it where nobody answers in time. */
    form: record().exactOptional(),
    default: z.unknown().exactOptional(),
    /** It waits for a time, a delivery or another session, not for a human; an answer, or what the user says, ends it at once. */
    wait: pendingWait().exactOptional(),
    /** The call needs this first; once it is given the run goes on by itself. */
    connection: wantedConnection().exactOptional(),
    risk: z.enum(RISKS).exactOptional(),
    reason: z.string().exactOptional(),
    created_time: time(),
    expires_time: time(),
    /** Of a session that its caller keeps: sent back with the decision, it proves that this server asked about the call. */
    proof: z.string().exactOptional(),
    /** The sub-task or role that asks; null: the agent itself. */
    scope: z.string().nullable(),
  }),
)
export type Pending = ShapeOf<typeof pending>

/** What a step of a workflow asks somebody to agree to, in the words of its author; null: something else waits. */
export function stepApproval({
  type,
  tool,
  call_id: call,
  arguments: args,
}: Pick<Pending, 'type' | 'tool' | 'call_id' | 'arguments'>): string | null {
  if (type !== 'approval' || tool !== 'workflow' || call !== undefined) return null
  const { approval } = args ?? {}
  return typeof approval === 'string' ? approval : ''
}

/** The name under which a step of a workflow waits for a result from outside; null: something else waits. */
export function awaitedSignal({
  type,
  tool,
  call_id: call,
  arguments: args,
}: Pick<Pending, 'type' | 'tool' | 'call_id' | 'arguments'>): string | null {
  if (type !== 'tool_call' || tool !== 'workflow' || call !== undefined) return null
  const { signal } = args ?? {}
  return typeof signal === 'string' ? signal : null
}

/** What waits, as the list of a tenant shows it. */
export const listedPending = /* @__PURE__ */ onDemand(() =>
  pending().extend({
    object: z.literal('pending'),
    session_id: z.string(),
    session_title: z.string(),
    user: z.string().nullable(),
    /** The arguments are too long for a list: the session has them. */
    arguments_cut: z.literal(true).exactOptional(),
  }),
)
export type ListedPending = ShapeOf<typeof listedPending>

/** What a session tells its tenant of an item. */
export type ReportedPending = Pending & Pick<ListedPending, 'arguments_cut'>
