import type { SessionEvent } from '../../../domain/event.ts'
import { errorSentences, type LoggedError } from '../../../domain/run.ts'
import type { TokenUsage } from '../../../domain/usage.ts'
import type { OutputItem, ResponseError, ResponseObject, ResponseUsage } from './shapes.ts'

/** What of a request its response says again, as the log keeps it. */
export type Echo = Partial<
  Omit<ResponseObject, 'id' | 'object' | 'created_at' | 'completed_at' | 'status' | 'output' | 'usage' | 'error'>
>

/** Where a response stands. */
export interface Standing {
  status: ResponseObject['status']
  error: ResponseError | null
  incomplete_details: ResponseObject['incomplete_details']
  usage: ResponseUsage | null
  completedTime: string | null
}

export const UNDER_WAY: Standing = {
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  usage: null,
  completedTime: null,
}

/** A response with every field that clients look for. */
export function responseObjectOf(
  { id, createdTime, echo }: { id: string; createdTime: string; echo: Echo },
  { completedTime, ...standing }: Standing,
  output: readonly OutputItem[],
): ResponseObject {
  return {
    ...NOTHING_ASKED,
    ...echo,
    id,
    object: 'response',
    created_at: seconds(createdTime),
    completed_at: completedTime === null ? null : seconds(completedTime),
    ...standing,
    output: [...output],
  }
}

const NOTHING_ASKED = {
  model: 'yaa',
  background: false,
  conversation: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  user: null,
}

function seconds(time: string): number {
  return Math.floor(Date.parse(time) / 1_000)
}

/** Bounds of a run at which the answer is not whole. */
const BOUNDS: readonly string[] = ['iteration_limit', 'budget_exhausted', 'deadline', 'max_rounds', 'no_money']

type Rest = Extract<SessionEvent, { type: 'run-end' | 'run-pause' }>

/** How a run that rests is told. What waits for a human or the caller is an answer that is whole. `isCut`: the model stopped at its limit. */
export function standingOf(rest: Rest, usage: ResponseUsage, isCut: boolean): Standing {
  const { status, finish_reason: reason, time } = rest
  const told = { error: null, incomplete_details: null, usage, completedTime: time }
  if (status === 'interrupted') return { ...told, status: 'completed' }
  const incomplete_details = { reason: 'max_output_tokens' as const, code: reason ?? 'max_output_tokens' }
  if (status === 'completed')
    return isCut
      ? { ...told, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens', code: 'length' } }
      : { ...told, status: 'completed' }
  if (status === 'cancelled') return { ...told, status: 'cancelled', completedTime: null }
  if (reason !== null && BOUNDS.includes(reason)) return { ...told, status: 'incomplete', incomplete_details }
  const error = errorOf(rest.type === 'run-end' ? rest.error : null, reason ?? status)
  return { ...told, status: 'failed', error, completedTime: null }
}

const THEIR_CODES: Readonly<Record<string, ResponseError['code']>> = {
  model_rate_limited: 'rate_limit_exceeded',
  prompt_too_long: 'invalid_prompt',
}

/** Their code says what clients know; `type` is ours. */
function errorOf(error: LoggedError | null, reason: string): ResponseError {
  const code = error?.code ?? reason
  return {
    code: THEIR_CODES[code] ?? 'server_error',
    message: error ? errorSentences(error) : code,
    type: code,
    param: null,
  }
}

/** The last frame of a response's stream. */
export const FINAL_EVENT: Readonly<Record<ResponseObject['status'], string>> = {
  completed: 'response.completed',
  failed: 'response.failed',
  incomplete: 'response.incomplete',
  cancelled: 'response.incomplete',
  in_progress: 'response.in_progress',
  queued: 'response.queued',
}

/** Tokens as Responses count them. */
export function responseUsageOf(tokens: TokenUsage): ResponseUsage {
  return {
    input_tokens: tokens.prompt_tokens,
    input_tokens_details: { cached_tokens: tokens.cached_tokens, cache_write_tokens: 0 },
    output_tokens: tokens.completion_tokens,
    output_tokens_details: { reasoning_tokens: tokens.reasoning_tokens },
    total_tokens: tokens.prompt_tokens + tokens.completion_tokens,
  }
}
