import type { SessionData } from '../../domain/session.ts'
import type { MessagesPart, SessionText } from '../call.ts'
import type { Engine } from '../../run/engine.ts'
import type { Journal } from '../../log/journal.ts'
import { pagesOf, sessionHead } from './session-data.ts'
import { textStream } from '../../lib/text-stream.ts'
import { LIMITS } from '../../domain/limits.ts'

/** SessionData as JSON text, messages written page by page. */
export function sessionText(journal: Journal, engine: Engine, part: MessagesPart): SessionText {
  const head = sessionHead(journal, engine)
  const after = { all: 0, last_run: (journal.state.run?.firstSeq ?? 1) - 1, none: Infinity }[part]
  return { etag: head.etag, body: textOrStream(jsonTexts(head, journal, after)) }
}

function* jsonTexts(
  head: Omit<SessionData, 'messages'>,
  journal: Journal,
  after: number,
): Generator<string, void, void> {
  yield `${JSON.stringify(head).slice(0, -1)},"messages":[`
  let separator = ''
  for (const page of after === Infinity ? [] : pagesOf(journal, after)) {
    yield separator + page.map((message) => JSON.stringify(message)).join(',')
    separator = ','
  }
  yield ']}'
}

/** The texts of a source as one, or as a stream when they are long. */
function textOrStream(source: Iterator<string>): string | ReadableStream<Uint8Array> {
  let text = ''
  while (text.length <= LIMITS.stream.wholeCharsMax) {
    const next = source.next()
    if (next.done) return text
    text += next.value
  }
  return textStream(source, { head: text })
}
