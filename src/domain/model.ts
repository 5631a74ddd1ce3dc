import type { Price, TokenUsage } from './usage.ts'

/** A message as OpenAI-compatible services take it. */
export type WireMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; reasoning_content?: string; tool_calls?: WireToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

export interface WireToolCall {
  id: string
  type: 'function'
  /** `arguments` is JSON text of an object. */
  function: { name: string; arguments: string }
}

export interface WireTool {
  type: 'function'
  function: { name: string; description: string; parameters: Record<string, unknown> }
}

export type Protocol = 'auto' | 'native' | 'xml'
export type Provider = 'openai' | 'workers-ai' | 'built-in'

/** How one service differs from the others, as data. */
export interface Quirks {
  /** What becomes of an earlier `reasoning_content` in the history: never sent, sent with every reply, or with tool calls only. */
  echoReasoning: 'never' | 'always' | 'with_tool_calls'
  /** The name under which the bound on the reply's tokens is sent. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Whether `stream_options: {include_usage: true}` may be sent. */
  streamUsage: boolean
  /** Whether `temperature` may be sent. */
  temperature: boolean
  /** Whether a JSON Schema may be sent as `response_format`, to which the reply is then held. */
  structuredOutput: boolean
  /** Content sent for an assistant message that holds tool calls only. */
  emptyContent: 'null' | 'empty_string'
  /** Fields added to every tool call of the history. */
  toolCallExtra?: Readonly<Record<string, unknown>>
}

/** Where a price comes from: the config, or the catalogue by what its page said on a day. */
export type PriceSource = 'config' | { url: string; date: string }

/** A model that is ready to be called: an alias of the config with all defaults and the session's own `llm` in it. */
export interface ModelSpec {
  alias: string
  provider: Provider
  /** Base to which `/chat/completions` is added; empty for providers without an address. */
  apiUrl: string
  /** Sent to the origin of `apiUrl` only. */
  apiKey: string | null
  /** Other keys of the same service, used while those before them rest. */
  spareKeys: readonly string[]
  /** Calls that the service is asked for at the same time; null: as many as come. */
  maxConcurrency: number | null
  model: string
  protocol: Protocol
  temperature: number | null
  maxTokens: number
  timeoutMs: number
  stream: boolean
  retry: { times: number; delayMs: number }
  price: Price | null
  priceSource: PriceSource | null
  /** Tokens that the model itself takes; null: not known. */
  contextWindow: number | null
  /** Tokens that a session keeps to. */
  contextTokens: number
  quirks: Quirks
  /** Asked in this order when the model fails for good. */
  fallbacks: ModelSpec[]
  /** `client`: the address came with a request, so the guard holds for it. `server`: from the server's own config. */
  origin: 'server' | 'client'
}

export interface ModelRequest {
  messages: WireMessage[]
  /** Absent or empty: the request holds no `tools` at all. */
  tools?: readonly WireTool[]
  /** The reply is to be JSON that fits it; sent to models that can be held to it. */
  outputSchema?: Record<string, unknown>
}

/** A tool call as the model wrote it; `arguments` is its raw text and may be broken. */
export interface RawToolCall {
  id: string
  name: string
  arguments: string
}

export interface ModelReply {
  content: string
  reasoning: string
  toolCalls: RawToolCall[]
  usage: TokenUsage
  /** The provider's own word: `stop`, `length`, `tool_calls`, … or null. */
  stopReason: string | null
}

/** Why a call gave no reply. `detail` is safe to show: no address, key or path of ours in it. */
export interface ModelFailure {
  code:
    | 'model_unreachable'
    | 'model_timeout'
    | 'model_rejected'
    | 'model_unauthorized'
    | 'model_rate_limited'
    | 'model_unavailable'
    | 'model_overflow'
    | 'model_bad_answer'
    | 'model_cancelled'
    | 'address_refused'
  status: number | null
  detail: string
  retryable: boolean
  retryAfterMs: number | null
  /** True: the service says that it cannot take `tools`. */
  toolsRefused: boolean
}

export type ModelOutcome = { ok: true; reply: ModelReply } | { ok: false; failure: ModelFailure }

export type DeltaKind = 'content' | 'reasoning'

/** A piece of the arguments of a native call as it arrives. */
export interface ArgumentsPiece {
  /** Which call of the reply, from 0. */
  call: number
  /** The tool's name as far as it is known. */
  name: string
  text: string
  /** The first piece of this call; of the same call again, where a try is made again. */
  isFirst: boolean
}

export interface ModelCall {
  spec: ModelSpec
  request: ModelRequest
  signal: AbortSignal
  /** The trace that the request is part of (W3C Trace Context). */
  traceparent?: string | null
  /** An answer without text and calls is a reply too, not a failure. */
  mayBeEmpty?: boolean
  /** False: nobody hears of the reply while it is written, so a call that breaks off is tried again whatever came. */
  isHeard?: boolean
  /** Told as text arrives; a retry inside a call never tells anything twice (a call that has told is not retried). */
  onDelta(kind: DeltaKind, text: string): void
  /** Given arguments as they arrive. True: something of them was told. */
  onArguments?(piece: ArgumentsPiece): boolean
  /** Asked before a failed try is made again; false: it is not. */
  again?(failure: ModelFailure): boolean | Promise<boolean>
}

/** The one door to language models. */
export interface Models {
  call(call: ModelCall): Promise<ModelOutcome>
}
