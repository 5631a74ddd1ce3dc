import type { Fetch } from '../domain/ports.ts'

/** An answer that went on for longer than it may. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong'

  constructor(bytesMax: number) {
    super(`an answer of at most ${bytesMax} bytes was expected`)
  }
}

/** A `Fetch` whose answers end with `AnswerTooLong` behind `bytesMax` bytes of body. */
export function limitedFetch(fetch: Fetch, bytesMax: number): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.body === null) return response
    const body = response.body.pipeThrough(counter(bytesMax))
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
  }
}

function counter(bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength
      if (bytes > bytesMax) controller.error(new AnswerTooLong(bytesMax))
      else controller.enqueue(chunk)
    },
  })
}
