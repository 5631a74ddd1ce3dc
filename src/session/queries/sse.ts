import { isDelta } from '../../domain/event.ts'
import { textStream } from '../../lib/text-stream.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Journal } from '../../log/journal.ts'
import { follow, type FollowOptions, type Told } from '../../log/observe.ts'

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
  if (!isDelta(event)) return { ...event }
  const { n: _, ...data } = event
  return data
}
