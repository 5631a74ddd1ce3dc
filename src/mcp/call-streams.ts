import { parseJson, isObject } from '../lib/json.ts'
import {
  type ElicitResult,
  type FetchLike,
  ProtocolError,
  type StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { createParser } from 'eventsource-parser'
import { LIMITS } from '../domain/limits.ts'
import { canonicalJson, fingerprint } from '../lib/hash.ts'
import type { InputWanted } from './elicitation.ts'

/** Tells of which call a server asks: of the one in whose stream the question comes. The SDK does not say. */
export class CallStreams {
  /** Keys of calls by the id of the server's question. */
  readonly #calls = new Map<unknown, string>()

  /** The same requests, with an eye on the streams of calls. */
  watched(fetch: FetchLike): FetchLike {
    return async (url, init) => {
      const meta = metaOfCall(init?.body)
      const response = await fetch(url, traced(init, meta))
      const call = textIn(meta, 'Idempotency-Key')
      const isStream = response.headers.get('content-type')?.includes('text/event-stream')
      if (call === null || !isStream || response.body === null) return response
      const { status, headers } = response
      return new Response(response.body.pipeThrough(this.#watching(call)), { status, headers })
    }
  }

  /** The key of the call, once; undefined: it came in no call's stream. */
  take(question: unknown): string | undefined {
    const call = this.#calls.get(question)
    this.#calls.delete(question)
    return call
  }

  #watching(call: string): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder()
    const parser = createParser({
      onEvent: ({ data }) => {
        const id = idOfQuestion(data)
        if (id !== undefined && this.#calls.size < LIMITS.mcp.questionsMax) this.#calls.set(id, call)
      },
    })
    return new TransformStream({
      transform: (chunk, controller) => {
        parser.feed(decoder.decode(chunk, { stream: true }))
        controller.enqueue(chunk)
      },
    })
  }
}

function idOfQuestion(data: string): unknown {
  if (!data.includes('elicitation/create')) return undefined
  const message = parseJson(data)
  return isObject(message) && message['method'] === 'elicitation/create' ? message['id'] : undefined
}

/** What a call says of its trace goes as a header too, for what stands before the server. */
function traced(init: RequestInit | undefined, meta: unknown): RequestInit | undefined {
  const headers = new Headers(init?.headers)
  for (const name of ['traceparent', 'tracestate']) {
    const value = textIn(meta, name)
    if (value !== null) headers.set(name, value)
  }
  return { ...init, headers }
}

/** The `_meta` that a request to call a tool has; null: it is no such request. */
function metaOfCall(body: unknown): unknown {
  if (typeof body !== 'string' || !body.includes('tools/call')) return null
  const message = parseJson(body)
  const params = isObject(message) && message['method'] === 'tools/call' ? message['params'] : null
  return isObject(params) ? params['_meta'] : null
}

function textIn(meta: unknown, name: string): string | null {
  const value = isObject(meta) ? meta[name] : null
  return typeof value === 'string' ? value : null
}

/** Marks what answers a request whose stream ended; known by itself, so that no server can write it. */
const ENDED = {}
const INTERNAL_ERROR = -32_603
/** Nobody is shown it: the failure is told as a server that cannot be reached. */
const UNSEEN = 'the stream ended without an answer'

/** Have a request end with the stream that its answer was to come in, once nothing opens that anew. By the SDK alone it would wait for
 *  all of its time when a server dies over it. */
export function endWithStream(transport: StreamableHTTPClientTransport): void {
  const sent: Transport['send'] = transport.send.bind(transport)
  const send: Transport['send'] = (message, options) => {
    if (!('method' in message && 'id' in message)) return sent(message, options)
    const error = { code: INTERNAL_ERROR, message: UNSEEN, data: ENDED }
    // An answer that came first has ended the request; then nobody waits for this one.
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
    return sent(message, { onRequestStreamEnd, ...options })
  }
  Object.assign(transport, { send })
}

/** Whether a request ended with its stream. */
export function isStreamEnd(error: unknown): boolean {
  return ProtocolError.isInstance(error) && error.data === ENDED
}

type Params = Record<string, unknown>

/**
 * What a server of an older revision asks in the middle of a call. No stream is held open until a human has time: what is not
 * answered yet is told `cancel`, and the call is made again when it is. A question is known by its words and its form.
 */
export class CallQuestions {
  readonly #responses: InputWanted['responses']
  readonly #requests: InputWanted['requests'] = {}
  readonly #times = new Map<string, number>()
  readonly #cancelled = new Set<string>()

  constructor(input: InputWanted | null) {
    this.#responses = input?.responses ?? {}
  }

  /** The user's answer to it, else `cancel`. */
  answer(params: Params): ElicitResult {
    const words = wordsOf(params)
    const print = fingerprint(canonicalJson(words))
    const times = this.#times.get(print) ?? 0
    this.#times.set(print, times + 1)
    const response = this.#responses[`${print}:${times}`]
    if (response !== undefined) return response as ElicitResult
    if (!this.#cancelled.has(print) && isBounded(words, this.#cancelled.size))
      this.#requests[`${print}:${times}`] = { method: 'elicitation/create', params: words }
    this.#cancelled.add(print)
    return { action: 'cancel' }
  }

  /** What the user is to be asked before the call is made again; null: nothing. */
  get wanted(): Pick<InputWanted, 'requests' | 'responses' | 'isCancelled'> | null {
    if (Object.keys(this.#requests).length === 0) return null
    return { requests: this.#requests, responses: this.#responses, isCancelled: true }
  }
}

function wordsOf({ mode, message, url, requestedSchema }: Params): Params {
  return mode === 'url' ? { mode, message, url } : { message, requestedSchema }
}

function isBounded(words: Params, questions: number): boolean {
  return questions < LIMITS.mcp.roundsMax && JSON.stringify(words).length <= LIMITS.mcp.schemaCharsMax
}
