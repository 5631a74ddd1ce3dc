import type { ModelOutcome, ModelRequest, ModelSpec, ReplyObserver, Silence } from '../domain/model.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { ModelConfig } from '../domain/model-config.ts'
import type { TraceContext } from '../domain/telemetry.ts'

/** What is used of the Workers AI binding: an object, or a stream of server-sent events when `stream` is asked for. */
export interface WorkersAi {
  run(model: string, input: unknown, options?: { signal?: AbortSignal }): Promise<unknown>
}

/** What a provider has of the world. */
export interface ProviderPorts {
  /** The fetch for a model's address: guarded for an address that came with a request. A refused address is a rejection
   *  named `AddressRefused` (src/net). */
  fetchFor(spec: ModelSpec): Fetch
  now: Now
  workersAi?: WorkersAi | null
}

/** One request to a service. */
export interface ProviderCall {
  spec: ModelSpec
  /** The one of its keys that is used; null: it has none. */
  apiKey: string | null
  request: ModelRequest
  /** The trace that the request is part of. */
  trace: TraceContext | null
  /** What an answer without text and calls is. */
  silence: Silence
  /** Aborts when the call is cancelled, or its time is over. */
  signal: AbortSignal
  /** Something of the answer came, be it a comment of the stream: the call is alive. */
  onSign: () => void
  observer: ReplyObserver
}

/** A kind of model service: the only place that knows its wire. */
export interface ModelProvider {
  /** Put the request once, and read the answer. Rejects with what fetch threw, or when the signal aborts. */
  ask(call: ProviderCall, ports: ProviderPorts): Promise<ModelOutcome>
  /** What an alias has that names no model. */
  preset?: ModelConfig
  /** Tokens that a session keeps to at most, where its config does not say; absent: `LIMITS.model.contextTokens`. */
  contextTokens?: number
}
