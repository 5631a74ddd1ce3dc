import * as z from 'zod'
import { messageInput } from './session-input.ts'
import { money } from './usage.ts'

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
const id = z.string().max(200)

/** A message as a log holds it: what a model wrote may be longer than what a client may send. */
const storedMessage = messageInput.extend({
  content: z.string(),
  tool_calls: z.array(z.looseObject({ id, name: z.string(), arguments: record })).optional(),
  tool_name: z.string().optional(),
  truncated: z.looseObject({ original_length: tokens, kept_length: tokens, rest: z.string() }).optional(),
})

const of = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.looseObject({
    type: z.literal(type),
    seq: z.int().min(1),
    run_id: id.nullable(),
    scope: id.nullable(),
    time: z.iso.datetime(),
    ...shape,
  })

/** An event of an exported log, as far as the fold of the log relies on it. */
export const eventInput = z.discriminatedUnion('type', [
  of('run-start', {
    run_id: id,
    orchestrator: z.enum(['agent', 'plan', 'team', 'route']),
    mode,
    resumed: z.boolean(),
  }),
  of('run-resume', { mode }),
  of('run-pause', { status, finish_reason: z.string().nullable() }),
  of('run-end', {
    status,
    finish_reason: z.string(),
    result: z.string().nullable(),
    error: z.looseObject({ code: z.string(), detail: z.string() }).nullable(),
  }),
  of('iteration-start', { iteration: z.int() }),
  of('iteration-end', { iteration: z.int() }),
  of('model-start', {
    message_id: z.string(),
    model: z.string(),
    attempt: z.int(),
    reserved_tokens: tokens,
    reserved_cost: money.nullable(),
  }),
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
      protocol: z.enum(['auto', 'native', 'xml']),
      call_problems: record,
      dropped_calls: z.int().min(0),
    }),
    of('model-end', {
      message_id: z.string(),
      ok: z.literal(false),
      failure: z.looseObject({ code: z.string(), detail: z.string() }),
    }),
  ]),
  of('message', {
    message: storedMessage.extend({ id, seq: z.int(), created_time: z.string().max(64) }),
    counts_as_error: z.boolean().optional(),
    tells_of_circles: z.boolean().optional(),
    covers: z.looseObject({ seq: z.int().min(0), kept_tokens: tokens }).optional(),
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
    messages: z.array(storedMessage).optional(),
  }),
  events: z.array(eventInput).optional(),
  results: z.record(id, z.string()).optional(),
})
export type EventInput = z.infer<typeof eventInput>
export type ImportInput = z.infer<typeof importInput>
