import * as z from 'zod'
import { count, onDemand, type ShapeOf } from '../../../lib/shape.ts'

/** What clients of Responses are answered. Source: OpenAI's API reference, "The response object". */

const ITEM_STATUSES = ['in_progress', 'completed', 'incomplete'] as const
const RESPONSE_STATUSES = ['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete'] as const

const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.record(z.string(), z.unknown())),
  logprobs: z.array(z.record(z.string(), z.unknown())),
})
export type OutputText = z.infer<typeof outputText>

const summaryText = z.object({ type: z.literal('summary_text'), text: z.string() })

const messageItem = z.object({
  id: z.string(),
  type: z.literal('message'),
  status: z.enum(ITEM_STATUSES),
  role: z.literal('assistant'),
  content: z.array(outputText),
  phase: z.enum(['commentary', 'final_answer']).exactOptional(),
})
export type MessageItem = z.infer<typeof messageItem>

const reasoningItem = z.object({
  id: z.string(),
  type: z.literal('reasoning'),
  summary: z.array(summaryText),
  status: z.enum(ITEM_STATUSES),
})
export type ReasoningItem = z.infer<typeof reasoningItem>

const functionCall = z.object({
  id: z.string(),
  type: z.literal('function_call'),
  status: z.enum(ITEM_STATUSES),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
})

const mcpCall = z.object({
  id: z.string(),
  type: z.literal('mcp_call'),
  status: z.enum([...ITEM_STATUSES, 'failed']),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
  output: z.string().nullable(),
  error: z.object({ type: z.literal('mcp_tool_execution_error'), content: z.string() }).nullable(),
  approval_request_id: z.string().nullable(),
})
export type McpCallItem = z.infer<typeof mcpCall>

const approvalRequest = z.object({
  id: z.string(),
  type: z.literal('mcp_approval_request'),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
})

const outputItem = z.discriminatedUnion('type', [messageItem, reasoningItem, functionCall, mcpCall, approvalRequest])
export type OutputItem = z.infer<typeof outputItem>

const givenPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({ type: z.literal('input_image'), detail: z.literal('auto'), image_url: z.string() }),
  z.object({ type: z.literal('input_file'), file_url: z.string(), filename: z.string() }),
])
export type GivenPart = z.infer<typeof givenPart>

const givenItem = z.discriminatedUnion('type', [
  z.object({
    id: z.string(),
    type: z.literal('message'),
    role: z.literal('user'),
    status: z.literal('completed'),
    content: z.array(givenPart),
  }),
  z.object({
    id: z.string(),
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: z.string(),
    status: z.literal('completed'),
  }),
  z.object({
    id: z.string(),
    type: z.literal('mcp_approval_response'),
    approval_request_id: z.string(),
    approve: z.boolean(),
    reason: z.string().nullable(),
  }),
])
/** An item that a response was asked with. */
export type GivenItem = z.infer<typeof givenItem>

export const givenItems = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('list'),
    data: z.array(givenItem),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  }),
)

export const deletedResponse = /* @__PURE__ */ onDemand(() =>
  z.object({ id: z.string(), object: z.literal('response'), deleted: z.literal(true) }),
)

const usage = z.object({
  input_tokens: count(),
  input_tokens_details: z.object({ cached_tokens: count(), cache_write_tokens: count() }),
  output_tokens: count(),
  output_tokens_details: z.object({ reasoning_tokens: count() }),
  total_tokens: count(),
})
export type ResponseUsage = z.infer<typeof usage>

const error = z.object({
  code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']),
  message: z.string(),
  type: z.string(),
  param: z.string().nullable(),
})
export type ResponseError = z.infer<typeof error>

const anything = z.record(z.string(), z.unknown())

export const responseObject = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('response'),
    created_at: count(),
    completed_at: count().nullable(),
    status: z.enum(RESPONSE_STATUSES),
    background: z.boolean(),
    error: error.nullable(),
    incomplete_details: z.object({ reason: z.literal('max_output_tokens'), code: z.string() }).nullable(),
    instructions: z.string().nullable(),
    conversation: z.object({ id: z.string() }).nullable(),
    max_output_tokens: count().nullable(),
    max_tool_calls: count().nullable(),
    metadata: anything,
    model: z.string(),
    output: z.array(outputItem),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    reasoning: anything,
    safety_identifier: z.string().nullable(),
    service_tier: z.string(),
    store: z.boolean(),
    temperature: z.number().nullable(),
    text: anything,
    tool_choice: z.union([z.string(), anything]),
    tools: z.array(anything),
    top_logprobs: count(),
    top_p: z.number().nullable(),
    truncation: z.string(),
    usage: usage.nullable(),
    user: z.string().nullable(),
  }),
)
export type ResponseObject = ShapeOf<typeof responseObject>

/** An event of a response: its type as OpenAI names it, its number, and what that type has beside them. */
export const responseEvent = /* @__PURE__ */ onDemand(() =>
  z.looseObject({ type: z.string(), sequence_number: count() }),
)
