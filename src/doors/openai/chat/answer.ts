import type { Language } from '../../../domain/language.ts'
import type { Pending } from '../../../domain/pending.ts'
import { errorSentences, type FinishReason, type LoggedError, type Status } from '../../../domain/run.ts'
import type { TokenUsage } from '../../../domain/usage.ts'
import { parseJson } from '../../../lib/json.ts'
import { waitingWords } from '../../kernel/waiting-words.ts'

/** What a run comes to in the words of chat completions. Pure: it is used where the session lives and where it is asked. */

/** How a client asked for its answer. */
export interface ChatView {
  /** Chunk by chunk, or the answer when the run rests. */
  form: 'stream' | 'whole'
  /** Of the history that the client sent, and of all that it asks; null: nobody asks for them again. */
  thread: { request: string; history: string } | null
  model: string
  /** Null: that of the session. */
  language: Language | null
  /** Where a person can decide, up to the id of the session. */
  decideAt: string
  includeUsage: boolean
  /** What is thought and done is told as `reasoning_content`. */
  tellsProgress: boolean
  /** The answer ends before the first of these. */
  stops: readonly string[]
}

/** How a run rests. */
export interface Rest {
  status: Status
  finishReason: FinishReason | null
  result: string | null
  error: LoggedError | null
  pending: readonly Pending[]
  /** The model stopped at its `max_tokens`. */
  isCut: boolean
}

/** A call of a tool that the caller runs. Its id is that of the pending item, so that its result leads there. */
export interface ChatToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** What a rest is told as. `failure`: there is no answer. */
export type Told =
  | { failure: ChatFailure }
  | { text: string; calls: ChatToolCall[]; finish: 'stop' | 'length' | 'tool_calls' }

/** Why a run has no answer. */
export interface ChatFailure {
  status: number
  code: string
  type: string
  message: string
  retryAfterMs?: number
}

export function toldOf(
  rest: Rest,
  sessionId: string,
  { language, decideAt, stops }: Pick<ChatView, 'decideAt' | 'stops'> & { language: Language },
): Told {
  const { status, result, pending, isCut } = rest
  if (status === 'completed')
    return { text: stopped(result ?? '', stops), calls: [], finish: isCut ? 'length' : 'stop' }
  if (status === 'interrupted') {
    const calls = pending.filter(({ type }) => type === 'tool_call').map(callOf)
    const asks = pending.filter(({ type }) => type !== 'tool_call')
    const text = asks.map((item) => waitingWords(item, { language, at: `${decideAt}${sessionId}` })).join('\n\n')
    return { text, calls, finish: calls.length > 0 ? 'tool_calls' : 'stop' }
  }
  if (status === 'cancelled')
    return { failure: { status: 409, code: 'cancelled', type: 'server_error', message: CANCELLED[language] } }
  const isBounded = rest.error?.code === rest.finishReason || rest.error === null
  if (isBounded && result !== null && result !== '')
    return { text: stopped(result, stops), calls: [], finish: 'length' }
  return { failure: failureOf(rest) }
}

const CANCELLED: Readonly<Record<Language, string>> = {
  en: 'The run was cancelled before it had an answer. Send the request again to have one.',
  'zh-CN': '运行在得出回答之前被取消了。如仍需回答，请重新发送请求。',
}

function callOf({ id, tool = '', arguments: args = {} }: Pending): ChatToolCall {
  return { id, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }
}

/** The answer up to the first text at which the client wants it to stop. */
export function stopped(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

const OUT_OF_MONEY: readonly string[] = ['budget_exhausted', 'no_money']
const BAD_REQUEST = 400
const BAD_GATEWAY = 502
const TOO_MANY = 429

/** A model that fails is a bad gateway; a service that says when to come again is told on; a budget that is used up is one of the
 *  caller's, and so is a prompt that no window holds. */
function failureOf({ status, finishReason, error }: Rest): ChatFailure {
  const code = error?.code ?? finishReason ?? status
  const message = error ? errorSentences(error) : code
  if (OUT_OF_MONEY.includes(code)) return { status: TOO_MANY, code, type: 'insufficient_quota', message }
  if (code === 'prompt_too_long')
    return { status: BAD_REQUEST, code: 'context_length_exceeded', type: 'invalid_request_error', message }
  if (code === 'model_rate_limited') {
    const { retry_after_ms: retryAfterMs } = error ?? {}
    const again = retryAfterMs === undefined ? {} : { retryAfterMs }
    return { status: TOO_MANY, code, type: 'rate_limit_error', message, ...again }
  }
  if (/^(worker_)?model_/.test(code)) return { status: BAD_GATEWAY, code, type: 'server_error', message }
  return { status: 500, code, type: 'server_error', message }
}

/** Tokens as OpenAI counts them. */
export function usageOf(tokens: TokenUsage) {
  return {
    prompt_tokens: tokens.prompt_tokens,
    completion_tokens: tokens.completion_tokens,
    total_tokens: tokens.prompt_tokens + tokens.completion_tokens,
    prompt_tokens_details: { cached_tokens: tokens.cached_tokens },
    completion_tokens_details: { reasoning_tokens: tokens.reasoning_tokens },
  }
}

/** An answer as its client sends it again, so that both give one hash. */
export function saidBefore(message: {
  role: string
  content: string
  calls?: readonly { id: string; function: { name: string; arguments: string } }[]
  callId?: string
}) {
  const { role, content, calls = [], callId } = message
  return {
    role,
    content: content.trim(),
    ...(calls.length > 0
      ? { calls: calls.map((call) => [call.id, call.function.name, argumentsOf(call.function.arguments)]) }
      : {}),
    ...(callId === undefined ? {} : { call_id: callId }),
  }
}

/** Clients keep arguments as values, and write them anew: what they mean is hashed, not how they are written. */
function argumentsOf(text: string): unknown {
  return parseJson(text) ?? text
}

export const idOf = (runId: string | null) => `chatcmpl-${runId ?? 'none'}`
