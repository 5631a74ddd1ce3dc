import { EXPORT_VERSION } from '../../domain/session.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Engine } from '../../engine/engine.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import type { Journal } from '../../log/journal.ts'
import { pagesOf, sessionHead } from '../queries/session-data.ts'
import { fileTexts } from './exported-files.ts'

export interface ExportOptions {
  /** The last event that is in it. */
  atSeq: number
  engine: Pick<Engine, 'config' | 'orchestrators'>
  /** True for a fork within the server: the copy keeps the secrets of the config. */
  secrets: boolean
}

/** A session as one JSON document, written piece by piece: what it is, its messages, its log, what the records of that say, its
 *  whole tool results, its files. */
export function* exportTexts(
  journal: Journal,
  { atSeq, engine, secrets }: ExportOptions,
): Generator<string, void, void> {
  const head = sessionHead(journal, engine)
  const { skill, team, workers, workerTeams } = journal.record
  const cast = Object.entries({ skill, team, workers, worker_teams: workerTeams }).flatMap(([name, value]) =>
    value ? [`,"${name}":${JSON.stringify(value)}`] : [],
  )
  const session = secrets ? { ...head, config: journal.record.config } : head
  yield `{"object":"session.export","version":${EXPORT_VERSION},"session":${JSON.stringify(session).slice(0, -1)},"messages":`
  yield* listTexts(messagesUpTo(journal, atSeq))
  yield `}${cast.join('')},"events":`
  yield* listTexts(eventsUpTo(journal, atSeq))
  yield ',"records":'
  yield* listTexts(recordsUpTo(journal, atSeq))
  yield ',"results":{'
  let separator = ''
  for (const callId of resultsUpTo(journal, atSeq)) {
    yield `${separator}${JSON.stringify(callId)}:${JSON.stringify(journal.log.text(`result:${callId}`) ?? '')}`
    separator = ','
  }
  yield '},"files":'
  yield* fileTexts(journal.log.files, atSeq)
  yield '}'
}

function* listTexts(pages: Iterable<readonly unknown[]>): Generator<string, void, void> {
  let separator = '['
  for (const page of pages) {
    if (page.length > 0) yield separator + page.map((item) => JSON.stringify(item)).join(',')
    if (page.length > 0) separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

function* messagesUpTo(journal: Journal, atSeq: number): Generator<readonly unknown[]> {
  for (const page of pagesOf(journal, 0)) {
    yield page.filter(({ seq }) => seq <= atSeq)
    if ((page.at(-1)?.seq ?? 0) >= atSeq) return
  }
}

function* eventsUpTo({ log }: Journal, atSeq: number): Generator<SessionEvent[]> {
  for (let after = 0; after < atSeq;) {
    const page = log.events(after, LIMITS.store.messagesPerPage).filter(({ seq }) => seq <= atSeq)
    if (page.length === 0) throw new Error('the session was deleted while it was exported')
    yield page
    after = page.at(-1)?.seq ?? atSeq
  }
}

function* recordsUpTo({ log }: Journal, atSeq: number): Generator<LogRecord[]> {
  for (let after = 0; after < atSeq;) {
    const page = log.records(after, LIMITS.store.messagesPerPage).filter(({ seq }) => seq <= atSeq)
    yield page
    after = page.at(-1)?.seq ?? atSeq
  }
}

function* resultsUpTo(journal: Journal, atSeq: number): Generator<string> {
  for (const page of messagesUpTo(journal, atSeq)) {
    for (const message of page as { truncated?: unknown; tool_call_id?: string }[]) {
      if (message.truncated && message.tool_call_id !== undefined) yield message.tool_call_id
    }
  }
}
