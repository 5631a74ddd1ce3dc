import * as z from 'zod'
import { HOOK_OUTCOMES, HOOK_PHASES } from './tool-hook.ts'
import { ENDED_BY, orchestratorName, STATUSES } from './run.ts'
import { messageInput } from './message.ts'
import { DELTA_TYPES, isKnownType, RUN_MODES, type SessionEvent } from './event.ts'
import { feedbackFields } from './feedback.ts'
import { LIMITS } from './limits.ts'
import { ROLE_STEPS } from './role.ts'
import { teamMessage } from './team.ts'
import { money } from './usage.ts'
import { STEP_TYPES } from './workflow-step.ts'
import { workflowSpec } from './workflow.ts'
import { onDemand } from '../lib/shape.ts'
import { textLike } from '../lib/zod.ts'
import { quickParser } from '../lib/zod-quick.ts'
import { storedContent } from './content.ts'
import { DECISIONS, PENDING_TYPES } from './pending.ts'
import { CALL_PURPOSES, TASK_STATUSES } from './plan.ts'
import { PROTOCOLS } from './model.ts'

const tokens = z.number().min(0)
const usage = z.looseObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  total_tokens: tokens,
  cached_tokens: tokens,
  reasoning_tokens: tokens,
  model_calls: tokens,
  tool_calls: tokens,
  iterations: tokens,
})
/** What is said of an error; it goes into lists. */
const words = z.string().transform((text) => text.slice(0, LIMITS.text.errorCharsMax))
const mode = z.enum(RUN_MODES)
const status = z.enum(STATUSES)
const record = z.record(z.string(), z.unknown())
const id = z.string().max(200)
/** What names a branch, a sub-task or a role: it is a key of the log's state. */
const line = id.min(1).refine((name) => !(name in {}), 'another name: this one means something else already')

/** A message as a log holds it: what a model wrote may be longer than what a client may send, and a later release may have said
 *  more of it. */
export const storedMessage = z.looseObject({
  ...messageInput.shape,
  content: storedContent(),
  tool_calls: z
    .array(
      z.looseObject({
        id,
        name: z.string(),
        arguments: record,
        client: z.literal(true).exactOptional(),
        offered_as: z.string().exactOptional(),
      }),
    )
    .optional(),
  tool_name: z.string().optional(),
  truncated: z.looseObject({ original_length: tokens, kept_length: tokens, rest: z.string().nullable() }).optional(),
})

/** As it is read. */
export const readStoredMessage = quickParser(storedMessage)

const planTask = z.looseObject({
  id: line,
  owner: line.optional(),
  round: z.int().min(0),
  name: z.string(),
  worker: z.string(),
  description: z.string(),
  depends_on: z.array(id).optional(),
  status: z.enum(TASK_STATUSES),
  result: z.string().nullable(),
  error: z.string().nullable(),
})

const envelope = { seq: z.int().min(1), run_id: id.nullable(), scope: line.nullable(), time: z.iso.datetime() }

const of = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...envelope, ...shape })

const payer = id.nullable().optional()
/** Tools of a caller, as a log has them. */
const storedClientTools = z
  .array(z.looseObject({ name: id.min(1), description: z.string(), parameters: record }))
  .max(LIMITS.clientTool.toolsMax)
const teamBounds = { rounds: z.int().min(0).optional(), investment: money.optional() }
const roleNames = z.array(line).max(LIMITS.team.rolesMax)
const attempt = z.int().min(1)
/** Ids of steps, those of items with their number. */
const stepPath = textLike(
  /^[\p{L}_][\p{L}\p{N}_-]*(?:\[\d+\])?(?:\.[\p{L}_][\p{L}\p{N}_-]*(?:\[\d+\])?)*$/u,
  'ids of steps with dots between them',
)
  .max(LIMITS.workflow.pathCharsMax)
  .refine((path) => path.split(/[.[\]]/).every((id) => id === '' || !(id in {})), 'ids that mean nothing else')
const stepError = z.looseObject({ code: z.string(), message: words })

/** An event of an exported log, as far as the fold of the log relies on it. */
export const knownEvent = z.discriminatedUnion('type', [
  of('run-start', {
    run_id: id,
    orchestrator: orchestratorName,
    mode,
    resumed: z.boolean(),
    ...teamBounds,
    payer,
    by: z.string().optional(),
    output_schema: record.nullable().optional(),
    door: record.optional(),
  }),
  of('run-resume', { mode, ...teamBounds, payer, door: record.optional() }),
  of('run-pause', { status, finish_reason: z.string().nullable(), usage: usage.optional() }),
  of('run-end', {
    status,
    finish_reason: z.string().max(LIMITS.text.nameCharsMax),
    result: z.string().nullable(),
    usage: usage.optional(),
    error: z
      .looseObject({
        code: z.string().max(LIMITS.text.nameCharsMax),
        detail: words,
        message: words.optional(),
        hint: words.optional(),
      })
      .nullable(),
    ended_by: z.enum(ENDED_BY).nullable().optional(),
    loop: z.literal(true).optional(),
  }),
  of('iteration-start', { iteration: z.int().min(1), model: z.string().max(200).optional() }),
  of('iteration-end', { iteration: z.int() }),
  of('model-start', {
    message_id: z.string(),
    model: z.string(),
    attempt,
    reserved_tokens: tokens,
    reserved_cost: money.nullable(),
    purpose: z.enum(CALL_PURPOSES).optional(),
  }),
  of('plan', {
    plan: z.looseObject({ round: z.int().min(0), tasks: z.array(planTask).max(LIMITS.plan.tasksTotalMax) }),
  }),
  of('task-start', { task: planTask, ...teamBounds }),
  of('task-end', { task: planTask }),
  of('task-retry', { task: planTask }),
  of('route', { worker: id }),
  of('model-retry', { message_id: z.string(), model: z.string(), failure: z.string() }),
  z.discriminatedUnion('ok', [
    of('model-end', {
      message_id: z.string(),
      ok: z.literal(true),
      model: z.string(),
      cost: money.nullable(),
      spent: z.looseObject({
        prompt_tokens: tokens,
        completion_tokens: tokens,
        cached_tokens: tokens,
        reasoning_tokens: tokens,
      }),
      protocol: z.enum(PROTOCOLS),
      call_problems: record,
      dropped_calls: z.int().min(0),
      unseen_calls: z.array(z.string()).optional(),
      images_refused: z.literal(true).optional(),
      response_id: z.string().optional(),
      finish_reason: z.string().optional(),
    }),
    of('model-end', {
      message_id: z.string(),
      ok: z.literal(false),
      failure: z.looseObject({ code: z.string(), detail: z.string() }),
    }),
  ]),
  of('message', {
    message: storedMessage.extend({
      id,
      seq: z.int(),
      run_id: id.nullable().default(null),
      created_time: z.string().max(64),
    }),
    counts_as_error: z.boolean().optional(),
    untrusted: z.boolean().optional(),
    tells_of_circles: z.boolean().optional(),
    words: z.enum(['reply', 'beside']).optional(),
    is_output: z.literal(true).optional(),
    covers: z.looseObject({ seq: z.int().min(0), kept_tokens: tokens }).optional(),
    door: record.optional(),
  }),
  of('tool-start', {
    call_id: z.string(),
    tool: z.string(),
    arguments: record,
    attempt,
    client: z.literal(true).optional(),
  }),
  of('tool-end', {
    call_id: z.string(),
    ok: z.boolean(),
    ms: z.number(),
    digest: z.string(),
    found_tools: z.array(z.string()).optional(),
  }),
  of('pending', {
    pending: z.looseObject({
      id: z.string(),
      type: z.enum(PENDING_TYPES),
      call_id: z.string().optional(),
      tool: z.string().optional(),
      expires_time: z.iso.datetime(),
    }),
  }),
  of('pending-end', {
    id: z.string(),
    decision: z.enum(DECISIONS),
    /** A copy of a log does not say it. */
    by: z.looseObject({ kind: z.string(), id: z.string() }).optional(),
    arguments: record.optional(),
    feedback: z.string().optional(),
    answer: z.string().optional(),
    result: z.unknown().optional(),
    error: z.string().optional(),
    door: record.optional(),
  }),
  of('client-tools', { tools: storedClientTools }),
  of('message-queued', {
    queued_run_id: z.string(),
    mode,
    content: storedContent(),
    untrusted: z.boolean().optional(),
    output_schema: record.nullable().optional(),
    client_tools: storedClientTools.optional(),
    inputs: record.optional(),
    payer,
  }),
  of('round-start', { round: z.int().min(1), roles: roleNames }),
  of('round-end', { round: z.int().min(1) }),
  of('role-state', {
    role: line,
    from: z.enum(ROLE_STEPS),
    to: z.enum(ROLE_STEPS),
    action: id.optional(),
    dropped: z.literal(true).optional(),
  }),
  of('team-message', { message: z.looseObject(teamMessage.shape), heard_by: roleNames }),
  of('workflow-start', { workflow: workflowSpec(), required: z.literal(true) }),
  of('step-start', {
    step: stepPath,
    kind: z.enum(STEP_TYPES),
    attempt,
    input: z.unknown().optional(),
    body: z.int().min(-1).optional(),
    total: z.int().min(0).max(LIMITS.workflow.itemsMax).optional(),
    due_time: z.iso.datetime().optional(),
    worker: z.string().optional(),
    unseen: z.literal(true).optional(),
    ...teamBounds,
  }),
  of('step-end', {
    step: stepPath,
    status: z.enum(['completed', 'failed', 'skipped', 'cancelled']),
    output: z.unknown().optional(),
    error: stepError.optional(),
  }),
  of('step-retry', { step: stepPath, attempt, due_time: z.iso.datetime(), error: stepError }),
  of('step-redo', { step: stepPath }),
  of('step-due', { step: stepPath }),
  of('rollback-start', { step: stepPath }),
  of('rollback-end', { step: stepPath, ok: z.boolean() }),
  of('call-refused', { code: z.string(), detail: z.string().optional() }),
  of('tools-wait', { server: id }),
  of('usage', { usage }),
  of('error', { code: z.string(), detail: z.string() }),
  of('tool-progress', {
    call_id: z.string(),
    progress: z.number(),
    total: z.number().nullable(),
    message: z.string().nullable(),
  }),
  of('tool-hook', {
    call_id: z.string(),
    hook: z.string(),
    phase: z.enum(HOOK_PHASES),
    outcome: z.enum(HOOK_OUTCOMES),
    ms: z.number(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    reason: z.string().optional(),
  }),
  of('tool-log', { call_id: z.string(), level: z.string(), text: z.string() }),
  of('file', { action: z.enum(['write', 'delete']), path: z.string().max(2_000), size: tokens }),
  of('feedback', { message_id: id, ...feedbackFields }),
  of('session-update', { fields: z.array(z.string()) }),
])

const readKnownEvent = quickParser(knownEvent)

/** A type that is not known here. Streams tell deltas and problems under names of their own, which no event of a log has. */
export const otherType = textLike(
  /^(?!.*-delta$|problem$)[a-z][a-z0-9]*(?:[-._][a-z0-9]+)*$/,
  'the type of an event: lower-case words with - . _ between them; no delta, no problem',
)
  .max(64)
  .refine((type) => !isKnownType(type))

/** An event that a later release wrote: no more than its envelope is looked at. */
export const otherEvent = z.looseObject({ type: otherType, ...envelope })

/** An event of a log as documents show it. */
export const eventInput = z.union([knownEvent, otherEvent])

/** The same as it is read: what is said of a wrong one is about its own type. It is typed as what wrote it, since nobody relies on
 *  more of it than was looked at. */
export const loggedEvent = z
  .unknown()
  .transform((given, { issues }): unknown => {
    const { type } = Object(given) as { type?: unknown }
    const read = isKnownType(type) ? readKnownEvent(given) : otherEvent.safeParse(given)
    if (read.success) return read.data
    issues.push(
      ...read.error.issues.map(({ path, message }) => ({ code: 'custom' as const, path, message, input: given })),
    )
    return z.NEVER
  })
  .pipe(z.custom<SessionEvent>())

/** Text of a message that is being written, or of the answer in it: an event that is told, not kept. */
export const deltaEvent = /* @__PURE__ */ onDemand(() =>
  z.object({
    type: z.enum(DELTA_TYPES),
    seq: z.int(),
    /** Of an answer-delta: the call of `finish` that is given the answer. */
    call_id: z.string().optional(),
    message_id: z.string(),
    delta: z.string(),
    run_id: z.string(),
    time: z.iso.datetime(),
    scope: z.string().nullable(),
  }),
)
