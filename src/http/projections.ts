import { isCutReason } from '../domain/cut-reason.ts'
import { isDelta } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Message } from '../domain/message.ts'
import { shownEvent, shownHead } from './money.ts'
import type { StreamResponseData } from '../domain/session.ts'
import type { ObservedEvent } from '../log/observe.ts'
import type { DocumentProjection, Projections, StreamAbout, StreamProjection } from '../session/queries/projection.ts'

/** How our own API shows sessions. */

/** Server-Sent Events. */
const sse: StreamProjection = () => ({
  // Without a blank line: it is a field of the first event.
  head: `retry: ${LIMITS.stream.retryMs}\n`,
  of: ({ id, event }) => [`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(dataOf(event))}\n\n`],
  beat: ': beat\n\n',
})

/** Frames of a WebSocket, which keeps its line alive by itself. */
const ws: StreamProjection = () => ({
  of: ({ id, event }) => [JSON.stringify({ ...dataOf(event), event_id: id })],
  beat: '',
})

/** The data of an event as clients see it. A delta's number within its seq is in the id alone. */
function dataOf(event: ObservedEvent['event']): Record<string, unknown> {
  if (!isDelta(event)) return { ...shownEvent(event) }
  const { n: _, ...data } = event
  return data
}

/** SessionData as JSON. */
const sessionJson: DocumentProjection = function* (head, pages) {
  yield `${JSON.stringify(shownHead(head)).slice(0, -1)},"messages":[`
  let separator = ''
  for (const page of pages) {
    yield separator + page.map((message) => JSON.stringify(message)).join(',')
    separator = ','
  }
  yield ']}'
}

/** The same for whoever reads by a link, and has no events to see by which answer a model reached its `max_tokens`. */
const linkJson: DocumentProjection = (head, pages, past) => sessionJson(head, withCutAnswers(pages, past), past)

function* withCutAnswers(
  pages: Iterable<readonly Message[]>,
  past: StreamAbout['past'],
): Generator<readonly Message[]> {
  const cut = new Set<string>()
  for (const event of past(['model-end']))
    if (event.type === 'model-end' && event.ok && isCutReason(event.finish_reason)) cut.add(event.message_id)
  for (const page of pages)
    yield page.map((message) => (cut.has(message.id) && isAnswer(message) ? { ...message, cut: true } : message))
}

const isAnswer = ({ tool_calls: calls = [] }: Message) => calls.every(({ name }) => name === 'finish')

/** The stream of the stateless call: Server-Sent Events without names. */
export const statelessStream: StreamProjection = (about) => ({
  of: (observed) => statelessChunks(about, observed).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
  beat: ': beat\n\n',
})

/** What a reader of the stateless stream is sent of an event; nothing of most. */
export function statelessChunks({ sessionId: id, kept }: StreamAbout, { event }: ObservedEvent): StreamResponseData[] {
  const chunk = { id, object: 'agent.response.chunk', status: 'in_progress' } as const
  const { type } = event
  if (type === 'message-delta') return [{ ...chunk, message_id: event.message_id, delta: event.delta }]
  if (type === 'answer-delta') return [{ ...chunk, message_id: event.message_id, answer_delta: event.delta }]
  if (type === 'message' && event.message.role !== 'user') return [{ ...chunk, message: event.message }]
  if (type === 'run-end') {
    const { status, finish_reason, result, error, ended_by = null, loop } = event
    return [{ ...chunk, status, finish_reason, result, error, ended_by, ...(loop ? { loop } : {}), ...kept() }]
  }
  if (type === 'run-pause') return [{ ...chunk, status: event.status, finish_reason: event.finish_reason, ...kept() }]
  return []
}

export const NATIVE: Projections = {
  streams: { sse, ws },
  documents: { 'session-json': sessionJson, 'link-json': linkJson },
}
