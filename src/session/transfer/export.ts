import { EXPORT_VERSION, type SessionRecord } from '../../domain/session.ts'
import type { EventType, SessionEvent } from '../../domain/event.ts'
import type { Message } from '../../domain/message.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Engine } from '../../engine/engine.ts'
import { withoutApproval } from '../../engine/settings.ts'
import type { SessionConfig } from '../../domain/config.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import type { Journal } from '../../log/journal.ts'
import { sessionHead } from '../queries/session-data.ts'
import { fileTexts } from './exported-files.ts'

export interface ExportOptions {
  /** The last event that is in it. */
  atSeq: number
  engine: Pick<Engine, 'config' | 'orchestrators'>
  /** True for a fork within the server: the copy keeps the secrets of the config. Nobody else reads it, so messages are in it as events alone. */
  secrets: boolean
}

/** A session as one JSON document, written piece by piece: what it is, its messages, what its records say, its log, its
 *  whole tool results, its files. */
export function* exportTexts(
  journal: Journal,
  { atSeq, engine, secrets }: ExportOptions,
): Generator<string, void, void> {
  const head = sessionHead(journal, engine)
  const { skill, team, workflow, workers, workerTeams } = journal.record
  const cast = Object.entries({ skill, team, workflow, workers, worker_teams: workerTeams }).flatMap(([name, value]) =>
    value ? [`,"${name}":${JSON.stringify(value)}`] : [],
  )
  const session = secrets ? { ...head, config: undecided(journal.record) } : head
  yield `{"object":"session.export","version":${EXPORT_VERSION},"session":${JSON.stringify(session).slice(0, -1)},"messages":`
  yield* listTexts(secrets ? [] : messagesUpTo(journal, atSeq))
  // Records first: whoever reads it from start to end knows of an event where its record begins.
  yield `}${cast.join('')},"records":`
  yield* listTexts(recordsUpTo(journal, atSeq))
  yield ',"events":'
  yield* listTexts(eventsUpTo(journal, atSeq))
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

/** A list as JSON, in pieces of some length. */
function* listTexts(items: Iterable<unknown>): Generator<string, void, void> {
  let text = '['
  let separator = ''
  for (const item of items) {
    text += separator + JSON.stringify(item)
    separator = ','
    if (text.length < LIMITS.transfer.pieceChars) continue
    yield text
    text = ''
  }
  yield `${text}]`
}

function* messagesUpTo(journal: Journal, atSeq: number): Generator<Message, void, void> {
  for (const event of eventsUpTo(journal, atSeq, ['message'])) if (event.type === 'message') yield event.message
}

function* eventsUpTo(
  { log }: Journal,
  atSeq: number,
  types?: readonly EventType[],
): Generator<SessionEvent, void, void> {
  for (let after = 0; after < atSeq;) {
    const page = log.events(after, LIMITS.transfer.eventsPerPage, types)
    if (page.length === 0 && types) return
    if (page.length === 0) throw new Error('the session was deleted while it was exported')
    for (const event of page) if (event.seq <= atSeq) yield event
    after = page.at(-1)?.seq ?? atSeq
  }
}

function* recordsUpTo({ log }: Journal, atSeq: number): Generator<LogRecord, void, void> {
  for (let after = 0; after < atSeq;) {
    const page = log.records(after, LIMITS.transfer.eventsPerPage)
    for (const record of page) if (record.seq <= atSeq) yield record
    after = page.at(-1)?.seq ?? atSeq
  }
}

function* resultsUpTo(journal: Journal, atSeq: number): Generator<string, void, void> {
  for (const { truncated, tool_call_id: callId } of messagesUpTo(journal, atSeq))
    if (truncated && callId !== undefined) yield callId
}

/** The config without what a human approved for the rest of this session: a fork takes no decision along. */
function undecided({ config, remembered = {} }: SessionRecord): SessionConfig {
  const { tools } = config
  return tools ? { ...config, tools: Object.keys(remembered).reduce(withoutApproval, tools) } : config
}
