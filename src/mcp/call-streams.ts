import type { FetchLike } from '@modelcontextprotocol/client'
import { createParser } from 'eventsource-parser'
import { LIMITS } from '../domain/limits.ts'
import { isObject } from './schema.ts'

/** Tells of which call a server asks: of the one in whose stream the question comes. The SDK does not say. */
export class CallStreams {
  /** Keys of calls by the id of the server's question. */
  readonly #calls = new Map<unknown, string>()

  /** The same requests, with an eye on the streams of calls. */
  watched(fetch: FetchLike): FetchLike {
    return async (url, init) => {
      const response = await fetch(url, init)
      const call = keyOfCall(init?.body)
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
  const message = parsed(data)
  return isObject(message) && message['method'] === 'elicitation/create' ? message['id'] : undefined
}

/** The idempotency key that a request to call a tool has. */
function keyOfCall(body: unknown): string | null {
  if (typeof body !== 'string' || !body.includes('tools/call')) return null
  const message = parsed(body)
  const params = isObject(message) && message['method'] === 'tools/call' ? message['params'] : null
  const meta = isObject(params) ? params['_meta'] : null
  const key = isObject(meta) ? meta['Idempotency-Key'] : null
  return typeof key === 'string' ? key : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
