import { LIMITS } from '../../domain/limits.ts'
import type { Journal } from '../journal.ts'
import { follow, type FollowOptions, type Told } from './observe.ts'

const encoder = new TextEncoder()

/** What `follow` tells as Server-Sent Events; a comment after each silence, so that proxies and observers see life. */
export function eventStream(journal: Journal, options: Omit<FollowOptions, 'signal'>): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const told = follow(journal, { ...options, signal: gone.signal })
  const head = `retry: ${LIMITS.stream.retryMs}\n\n`
  // A run has events to tell at once, so the head goes with them: a chunk less on the way to the first token.
  const goesAhead = options.untilRestOf === null
  const chunks = batchTexts(told, goesAhead ? '' : head)
  return textStream(chunks, { ...(goesAhead ? { head } : {}), onCancel: () => gone.abort() })
}

/** Each batch as text, the first one behind `head`. */
async function* batchTexts(told: AsyncIterable<Told[] | null>, head: string): AsyncGenerator<string, void, void> {
  let before = head
  for await (const batch of told) {
    yield before + (batch === null ? ': beat\n\n' : batch.map(eventText).join(''))
    before = ''
  }
}

function eventText({ id, event }: Told): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(dataOf(event))}\n\n`
}

/** The data of an event as clients see it. A delta's number within its seq is in the id alone. */
export function dataOf(event: Told['event']): Record<string, unknown> {
  if (!('n' in event)) return { ...event }
  const { n: _, ...data } = event
  return data
}

interface TextStreamOptions {
  head?: string
  onCancel?: () => void
}

/** The texts of a source as one, or as a stream when they are long. */
export function textOrStream(source: Iterator<string>): string | ReadableStream<Uint8Array> {
  let text = ''
  while (text.length <= LIMITS.stream.wholeCharsMax) {
    const next = source.next()
    if (next.done) return text
    text += next.value
  }
  return textStream(source, { head: text })
}

/** A byte stream of the pieces that a source gives, pulled at the reader's pace. */
export function byteStream(source: Iterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = source.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
    },
    { highWaterMark: 0 },
  )
}

/** A byte stream of the texts that a source gives, pulled at the reader's pace. */
export function textStream(
  source: AsyncIterator<string> | Iterator<string>,
  { head, onCancel }: TextStreamOptions = {},
): ReadableStream<Uint8Array> {
  let first = head
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = first
        first = undefined
        if (text !== undefined) return controller.enqueue(encoder.encode(text))
        const next = await source.next()
        if (next.done) controller.close()
        else controller.enqueue(encoder.encode(next.value))
      },
      cancel: () => onCancel?.(),
    },
    { highWaterMark: 0 },
  )
}
