import * as z from 'zod'
import { count, onDemand, type ShapeOf } from '../lib/shape.ts'
import type { InputIssue } from './errors.ts'
import type { TraceContext } from './telemetry.ts'
import { price, type Price, type TokenUsage } from './usage.ts'

/** A part of what is said to a model. `base64`: the bytes of the image. */
export type ModelPart = { type: 'text'; text: string } | { type: 'image'; mediaType: string; base64: string }

/** What is said to a model: a text, or parts in their order. */
export type ModelContent = string | readonly ModelPart[]

/** A message for a model, whichever service it is of. */
export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: ModelContent }
  /** `content` is empty where it calls tools and says nothing; `reasoning`: thoughts that came beside it. */
  | { role: 'assistant'; content: string; reasoning?: string; toolCalls?: readonly RawToolCall[] }
  /** The result of the call that has this id in a message before. */
  | { role: 'tool'; callId: string; content: ModelContent }

/** A tool that a model may call; `parameters` is the JSON Schema of its arguments. */
export interface ModelTool {
  name: string
  description: string
  parameters: Record<string, unknown>
}

/** Whether images are in what is said. */
export function hasImages({ messages }: { messages: readonly ModelMessage[] }): boolean {
  return messages.some(({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'image'))
}

/** The text of what is said; parts of other kinds have none. */
export function textIn(content: ModelContent): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** How a model is told of tools, and calls them. */
export const PROTOCOLS = ['auto', 'native', 'xml'] as const
export type Protocol = (typeof PROTOCOLS)[number]

/** How a service differs from others of its provider, as a config says. */
export const modelQuirks = z.strictObject({
  echo_reasoning: z.enum(['never', 'always', 'with_tool_calls']).optional(),
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  stream_usage: z.boolean().optional(),
  temperature: z.boolean().optional(),
  structured_output: z.boolean().optional(),
  empty_content: z.enum(['null', 'empty_string']).optional(),
})
export type ModelQuirks = z.infer<typeof modelQuirks>

/** Where a price comes from: the config, or the catalogue by what its page said on a day. */
const priceSource = /* @__PURE__ */ onDemand(() =>
  z.union([z.literal('config'), z.object({ url: z.string(), date: z.string() })]),
)
export type PriceSource = ShapeOf<typeof priceSource>

/** What a name stands for that clients of other protocols give as a model: an agent, a skill, a team, a workflow, or the agent with that model. */
export const MODEL_KINDS = ['agent', 'model', 'team', 'skill', 'workflow'] as const

/** A model as clients see it: no address, no key. `providers`: the names of those that there are. */
export const model = (providers: readonly string[]) =>
  z.object({
    id: z.string(),
    object: z.literal('model'),
    /** Unix seconds; 0: not known. */
    created: count(),
    owned_by: z.string(),
    kind: z.literal('model'),
    provider: z.enum(providers),
    model: z.string(),
    protocol: z.enum(PROTOCOLS),
    /** Null: not known, so that its cost is not either. */
    price: price.nullable(),
    price_source: priceSource().nullable(),
    /** Tokens that the model itself takes; null: not known. */
    context_window: count().nullable(),
    context_tokens: count(),
    max_tokens: count(),
    /** Whether it is shown images. */
    vision: z.boolean(),
    default: z.boolean(),
  })
export type ModelInfo = z.infer<ReturnType<typeof model>>

/** A name of a list that may have more than models: those have all of their fields, the others a description. */
export const listedModel = (providers: readonly string[]) => {
  const { id, object, created, owned_by, kind: _, ...others } = model(providers).shape
  return z.object({
    id,
    object,
    created,
    owned_by,
    kind: z.enum(MODEL_KINDS),
    description: z.string().exactOptional(),
    ...z.object(others).partial().shape,
  })
}
export type ListedModel = z.infer<ReturnType<typeof listedModel>>

/** A model that is ready to be called: an alias of the config with all defaults and the session's own `llm` in it. */
export interface ModelSpec {
  alias: string
  /** The name of its provider. */
  provider: string
  /** Base to which `/chat/completions` is added; empty for providers without an address. */
  apiUrl: string
  /** Sent to the origin of `apiUrl` only. */
  apiKey: string | null
  /** Other keys of the same service, used while those before them rest. */
  spareKeys: readonly string[]
  /** Calls that the service is asked for at the same time, and those of one tenant among them; null: as many as come. */
  maxConcurrency: number | null
  tenantConcurrency: number | null
  model: string
  protocol: Protocol
  temperature: number | null
  maxTokens: number
  timeouts: ModelTimeouts
  stream: boolean
  retry: { times: number; delayMs: number }
  reasoningEffort: string | null
  /** Fields and headers that its requests have beside those of every request. */
  extraBody: Readonly<Record<string, unknown>>
  extraHeaders: Readonly<Record<string, string>>
  price: Price | null
  priceSource: PriceSource | null
  /** Tokens that the model itself takes; null: not known. */
  contextWindow: number | null
  /** Tokens that a session keeps to. */
  contextTokens: number
  /** It is shown images. */
  vision: boolean
  /** How its service differs from others of its provider, as far as the config says. */
  quirks: ModelQuirks
  /** Asked in this order when the model fails for good. */
  fallbacks: ModelSpec[]
  /** `client`: the address came with a request, so the guard holds for it. `server`: from the server's own config. */
  origin: 'server' | 'client'
  /** The alias as the config has it, where a session changed something of it; null: it did not. */
  base: ModelSpec | null
  /** Fields of the session's `llm` that count for nothing, as the alias does not let them be changed. */
  refused: readonly string[]
}

/** Milliseconds; null: not bounded so. */
export interface ModelTimeouts {
  /** Of one whole call. */
  callMs: number | null
  /** Of silence before the first byte of the answer, and between two. */
  firstByteMs: number | null
  idleMs: number | null
}

/** The model that a config chooses, or what is wrong with its words. */
export type ModelChoice = { ok: true; spec: ModelSpec } | { ok: false; issues: InputIssue[] }

/** What any model is asked. */
export interface ModelRequest {
  messages: readonly ModelMessage[]
  /** Absent or empty: none is offered. */
  tools?: readonly ModelTool[]
  /** The reply is to be JSON that fits it; sent to models that can be held to it. */
  outputSchema?: Record<string, unknown>
  /** How its service was found to take the fields beside these; absent: as is known of it. */
  fields?: RequestFields
}

/** How a service takes fields that go with every request. */
export interface RequestFields {
  stream?: false
  streamUsage?: false
  temperature?: false
  maxTokensField?: 'max_completion_tokens'
}

/** A tool call as models write and read it. `arguments` is the JSON text of an object; in a reply it may be broken. */
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
  /** A request with a schema for the reply was refused: as the service takes none (`any`), or none beside tools (`beside_tools`), for
   *  this schema or what was written to it (`this`), or it does not say why (`perhaps`). Absent: no schema was sent, or the failure is of
   *  another kind. */
  schemaRefused?: 'any' | 'beside_tools' | 'this' | 'perhaps'
  /** A request with images was refused: for them (`yes`), or it does not say why (`perhaps`). Absent: none were sent, or it is of another kind. */
  imagesRefused?: 'yes' | 'perhaps'
}

/** `id`: what the service called its answer. */
export type ModelOutcome = { ok: true; reply: ModelReply; id?: string } | { ok: false; failure: ModelFailure }

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

/** Watches a reply while it is written. True: somebody heard of it, so that the call is not made again. */
export interface ReplyObserver {
  onDelta(kind: DeltaKind, text: string): boolean
  onArguments(piece: ArgumentsPiece): boolean
}

/** A request as it is put to one model: in the words of a protocol, for whoever watches the reply. */
export interface EncodedRequest {
  protocol: Protocol
  request: ModelRequest
  /** Its images were left out, as the service refused them; absent: they were not. */
  imagesRefused?: true
  /** Hears nothing twice: a call of which something was heard is not tried again. */
  observer: ReplyObserver
}

/** The budgets, as far as one call asks them. What its first try may take is reserved before it is made. */
export interface CallBudget {
  /** Reserve one try more, by this model. False: it is not made. `failure`: of the try before, which may have been billed. */
  reserve(spec: ModelSpec, failure: ModelFailure): Promise<boolean>
  /** Tell that a try failed and another is made after a while, by this model. */
  tellWait(spec: ModelSpec, failure: ModelFailure): void
  /** The last try ended so; those before it stay reserved. Null: it was not sent. */
  settle(spec: ModelSpec, outcome: ModelOutcome | null): Promise<void>
}

/** One call of a model, with all that it may take to be answered. */
export interface ModelCall<S extends EncodedRequest = EncodedRequest> {
  /** The model that is asked first, with those that it falls back to. */
  spec: ModelSpec
  /** Whose call it is. */
  tenant: string
  /** What it is asked. */
  said: S
  /** The same for another model, or in another protocol. */
  say(spec: ModelSpec, protocol?: Protocol): S
  /** Times that the call was made, from 1: each under a message id of its own. */
  attempt: number
  budget: CallBudget
  signal: AbortSignal
  /** The trace that the request is part of. */
  trace?: TraceContext | null
  /** What an answer without text and calls is; absent: `failure`. */
  silence?: Silence
}

/** What an answer without text and calls is: an output; a reply to warn of, if the model meant to stop there; else a failure. */
export type Silence = 'output' | 'reply' | 'failure'

/** How a call ended, and by which model. */
export interface ModelCallEnd<S extends EncodedRequest = EncodedRequest> {
  spec: ModelSpec
  said: S
  outcome: ModelOutcome
  /** Milliseconds after which the call is to be made anew, because it broke off after something was heard; null: it is over. */
  againMs: number | null
}

/** The one door to language models. */
export interface Models {
  call<S extends EncodedRequest>(call: ModelCall<S>): Promise<ModelCallEnd<S>>
}
