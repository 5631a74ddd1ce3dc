import type { SessionEvent } from '../domain/event.ts'
import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import type { Message } from '../domain/message.ts'
import type { PlacedTeamMessage } from '../domain/ports.ts'
import type { MessagesPart, SessionText, View } from './call.ts'
import { exportTexts } from './transfer/export.ts'
import type { Cursor } from '../log/deltas.ts'
import type { Driver } from './driver/driver.ts'
import { type Journal, missing } from '../log/journal.ts'
import { readBehind, type Told } from '../log/observe.ts'
import type { SessionPorts } from '../run/ports.ts'
import { textStream } from '../lib/streams.ts'
import type { Frames, SessionHead, Views } from './queries/projection.ts'
import { sessionHead } from './queries/session-data.ts'

/** What can be read of a session and how it is followed. Nothing is written, but a run that died with its process is taken up. */
export class Reading {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #driver: Driver
  readonly #views: Views

  constructor(journal: Journal, ports: SessionPorts, driver: Driver, views: Views) {
    this.#journal = journal
    this.#ports = ports
    this.#driver = driver
    this.#views = views
  }

  /** The session as a text, messages written page by page. */
  read(part: MessagesPart, view?: View): Result<SessionText> {
    const gone = missing(this.#journal)
    if (gone) return gone
    this.#driver.recover()
    return ok(this.#views.document(part, view))
  }

  /** The session without its messages. */
  head(): Result<SessionHead> {
    return missing(this.#journal) ?? ok(sessionHead(this.#journal, this.#ports.engine))
  }

  /** The whole session up to a seq as one document, piece by piece. */
  export(atSeq: number | null, secrets: boolean): Result<ReadableStream<Uint8Array>> {
    const gone = missing(this.#journal)
    if (gone) return gone
    const { lastSeq } = this.#journal.state
    if (atSeq !== null && atSeq > lastSeq)
      return invalid([{ path: 'at_seq', message: `at most ${lastSeq}, the last event of the session` }])
    const { engine } = this.#ports
    return ok(textStream(exportTexts(this.#journal, { atSeq: atSeq ?? lastSeq, engine, secrets })))
  }

  messages(after: number, limit: number): Result<Message[]> {
    return missing(this.#journal) ?? this.#notBeyond(after) ?? ok(this.#journal.log.messages({ after, limit }))
  }

  /** Messages of its team by seq. */
  teamMessages(after: number, limit: number): Result<PlacedTeamMessage[]> {
    const refused = missing(this.#journal) ?? this.#notBeyond(after)
    if (refused) return refused
    const { record, log } = this.#journal
    return record.team ? ok(log.teamMessages({ after, limit })) : fail({ code: 'not_found', what: 'team' })
  }

  events(after: number, limit: number): Result<SessionEvent[]> {
    return missing(this.#journal) ?? this.#notBeyond(after) ?? ok(this.#journal.log.events(after, limit))
  }

  /** The whole text of a result that was cut. */
  result(callId: string): Result<string> {
    const text = this.#journal.exists ? this.#journal.log.text(`result:${callId}`) : null
    return text === null ? fail({ code: 'not_found', what: 'result' }) : ok(text)
  }

  /** Events from a cursor on, until the client leaves or the session is deleted. */
  observe(from: Cursor, view?: View): Result<ReadableStream<Uint8Array>> {
    const joined = this.join(from)
    if (!joined.ok) return joined
    return ok(this.#views.stream(view, { from, untilRestOf: null }))
  }

  /** Whether it can be followed from a cursor on; and a run that died with its process is taken up. */
  join({ seq }: Cursor): Result<null> {
    const refused = missing(this.#journal) ?? this.#notBeyond(seq)
    if (refused) return refused
    this.#driver.recover()
    return ok(null)
  }

  /** The frames for a reader of `tail`. */
  frames(view: View): Frames | Promise<Frames> {
    return this.#views.frames(view)
  }

  /** What is told behind a cursor, deltas of the message in progress included; bounded. */
  tail(cursor: Cursor): Told[] {
    return this.#journal.exists ? readBehind(this.#journal, cursor) : []
  }

  /** An id that this log has not given cannot be resumed from. */
  #notBeyond(seq: number): { ok: false; error: AppError } | null {
    const { lastSeq } = this.#journal.state
    return seq <= lastSeq
      ? null
      : invalid([{ path: 'after', message: `at most ${lastSeq}, the last event of the session` }])
  }
}
