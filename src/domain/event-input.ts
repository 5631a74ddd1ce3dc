import * as z from 'zod'
import { messageInput } from './session-input.ts'

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
const mode = z.enum(['request', 'background'])
const status = z.enum(['idle', 'in_progress', 'interrupted', 'completed', 'failed', 'cancelled'])
const record = z.record(z.string(), z.unknown())

const of = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.looseObject({
    type: z.literal(type),
    seq: z.int().min(1),
    run_id: z.string().max(200).nullable(),
    scope: z.string().max(200).nullable(),
    time: z.iso.datetime(),
    ...shape,
  })

/** An event of an exported log, as far as the fold of the log relies on it. */
export const eventInput = z.discriminatedUnion('type', [
  of('run-start', {
    run_id: z.string().max(200),
    orchestrator: z.enum(['agent', 'plan', 'team', 'route']),
    mode,
    resumed: z.boolean(),
  }),
  of('run-resume', { mode }),
  of('run-pause', { status, finish_reason: z.string().nullable() }),
  of('run-end', { status, finish_reason: z.string(), result: z.string().nullable() }),
  of('iteration-start', { iteration: z.int() }),
  of('iteration-end', { iteration: z.int() }),
  of('model-start', { message_id: z.string(), model: z.string(), attempt: z.int(), reserved_tokens: tokens }),
  of('model-end', { message_id: z.string(), ok: z.boolean() }),
  of('message', {
    message: messageInput.extend({ id: z.string().max(200), seq: z.int(), created_time: z.string().max(64) }),
  }),
  of('tool-start', { call_id: z.string(), tool: z.string(), arguments: record, attempt: z.int() }),
  of('tool-end', { call_id: z.string(), ok: z.boolean(), ms: z.number(), digest: z.string() }),
  of('pending', {
    pending: z.looseObject({ id: z.string(), type: z.enum(['approval', 'question']), expires_time: z.iso.datetime() }),
  }),
  of('pending-end', { id: z.string(), decision: z.enum(['approve', 'reject', 'answer', 'expired', 'cancelled']) }),
  of('message-queued', { queued_run_id: z.string(), mode, content: z.string() }),
  of('usage', { usage }),
  of('error', { code: z.string(), detail: z.string() }),
  of('session-update', { fields: z.array(z.string()) }),
])

/** The version of the export document that this server writes and reads. */
export const EXPORT_VERSION = 1

/** What POST /v1/sessions/import takes: an export, or no more than `session.messages` with role and content. */
export const importInput = z.looseObject({
  object: z.literal('session.export').optional(),
  version: z.literal(EXPORT_VERSION, `an export of version ${EXPORT_VERSION}`).optional(),
  session: z.looseObject({
    title: z.string().max(2_000).optional(),
    character: z.string().max(200).nullish(),
    orchestrator: z.enum(['agent', 'plan', 'team', 'route']).optional(),
    user: z.string().max(200).nullish(),
    metadata: record.optional(),
    config: z.unknown().optional(),
    messages: z.array(messageInput).optional(),
  }),
  events: z.array(eventInput).optional(),
  results: z.record(z.string().max(200), z.string()).optional(),
})
export type ImportInput = z.infer<typeof importInput>
