import { createParser } from 'eventsource-parser'

/** One event of a stream as a client gets it. */
export interface Heard {
  id: string | undefined
  event: string | undefined
  data: Record<string, unknown>
}

/** The events of a stream: at most `limit`, then the reader leaves; all of them to its end without. */
export async function hear(stream: ReadableStream<Uint8Array> | null, limit = Infinity): Promise<Heard[]> {
  return hearUntil(stream, (_heard, count) => count >= limit)
}

/** Events up to the first that `isLast` says is enough; then the reader leaves. */
export async function hearUntil(
  stream: ReadableStream<Uint8Array> | null,
  isLast: (heard: Heard, count: number) => boolean,
): Promise<Heard[]> {
  const heard: Heard[] = []
  if (!stream) return heard
  for await (const one of events(stream)) {
    heard.push(one)
    if (isLast(one, heard.length)) break
  }
  return heard
}

async function* events(stream: ReadableStream<Uint8Array>): AsyncGenerator<Heard, void, void> {
  const batch: Heard[] = []
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      batch.push({ id, event, data: JSON.parse(data) as Record<string, unknown> })
    },
  })
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    parser.feed(text)
    yield* batch.splice(0)
  }
}
