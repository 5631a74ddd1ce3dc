import type { AwaitedAnswer, AwaitedEnd, Awaiter } from '../domain/awaited.ts'
import type { EventType, SessionEvent } from '../domain/event.ts'
import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import type { FeedbackData, FeedbackInput } from '../domain/feedback.ts'
import type { Message } from '../domain/message.ts'
import type { PlacedTeamMessage } from '../domain/ports.ts'
import type { OrchestratorName } from '../domain/run.ts'
import type { SessionRecord, ThreadLead } from '../domain/session.ts'
import type { SessionPatch } from '../domain/session-input.ts'
import { LIMITS } from '../domain/limits.ts'
import { beyondBytes } from '../lib/bytes.ts'
import { sleep } from '../lib/wait.ts'
import type { SessionPorts } from '../run/ports.ts'
import { NotLoaded } from '../engine/orchestrator-of.ts'
import { languageTagOf } from '../engine/settings.ts'
import { textStream } from '../lib/streams.ts'
import type { Cursor } from '../log/deltas.ts'
import { retentionEnd } from './driver/driver.ts'
import { firstSeqOf, restsOverAt } from './queries/response.ts'
import { etagOf, namesEtag, sessionHead } from './queries/session-data.ts'
import { Workspace } from './workspace.ts'
import { missing, unfit } from '../log/journal.ts'
import { readBehind, type ObservedEvent } from '../log/observe.ts'
import { eventsBehind } from '../log/read-pages.ts'
import { Opening } from './opening.ts'
import type { Frames, Projections, SessionHead } from './queries/projection.ts'
import { spentIn } from './notify/publish.ts'
import { hear, takeAwaiter, tellAwaiters } from './notify/awaited.ts'
import { notifyOutbox } from './notify/outbox.ts'
import type { MessagesPart, PlacedPart, RunPart, SessionText, ThreadStand, ThreadTurn, View } from './call.ts'
import { threadTurnsOf } from './queries/turns.ts'
import { patched } from './commands/configure.ts'
import { rate } from './commands/rate.ts'
import { recast } from './commands/recast.ts'
import { isWithdrawn, leadsTo, turnThread, withdrawn } from './commands/thread.ts'

/** Where a run is taken up, and where it rests. */
const PARTS: readonly EventType[] = ['run-start', 'run-resume', 'run-pause', 'run-end']

/** One session and what can be asked of it. Commands are one transaction each; then the driver goes on. What only reads writes nothing,
 *  but a run that died with its process is taken up. */
export class Session extends Opening {
  /** Its workspace. */
  readonly files = new Workspace(this.journal, () => this.driver.announce())
  /** While it is being deleted. */
  #removal: Promise<void> | null = null

  /** The session as a text, messages written page by page. */
  read(part: MessagesPart, view?: View): Result<SessionText> {
    const gone = missing(this.journal)
    if (gone) return gone
    this.driver.recover()
    return ok(this.views.document(part, view))
  }

  /** The session without its messages. */
  head(): Result<SessionHead> {
    return missing(this.journal) ?? ok(sessionHead(this.journal, this.ports.engine))
  }

  /** The whole session up to a seq as one document, piece by piece. */
  async export(atSeq: number | null, secrets: boolean): Promise<Result<ReadableStream<Uint8Array>>> {
    const { exportTexts } = await import('./transfer/export.ts')
    const gone = missing(this.journal)
    if (gone) return gone
    const { lastSeq } = this.journal.state
    if (atSeq !== null && atSeq > lastSeq)
      return invalid([{ path: 'at_seq', message: `at most ${lastSeq}, the last event of the session` }])
    const { engine } = this.ports
    return ok(textStream(exportTexts(this.journal, { atSeq: atSeq ?? lastSeq, engine, secrets })))
  }

  messages(after: number, limit: number): Result<Message[]> {
    return missing(this.journal) ?? this.#notBeyond(after) ?? ok(onePage(this.journal.log.messages({ after, limit })))
  }

  /** Messages of its team by seq. */
  teamMessages(after: number, limit: number): Result<PlacedTeamMessage[]> {
    const refused = missing(this.journal) ?? this.#notBeyond(after)
    if (refused) return refused
    const { record, log } = this.journal
    return record.team ? ok(onePage(log.teamMessages({ after, limit }))) : fail({ code: 'not_found', what: 'team' })
  }

  events(after: number, limit: number): Result<SessionEvent[]> {
    return missing(this.journal) ?? this.#notBeyond(after) ?? ok(onePage(this.journal.log.events(after, limit)))
  }

  /** The whole text of a result that was cut. */
  result(callId: string): Result<string> {
    const text = this.journal.exists ? this.journal.log.text(`result:${callId}`) : null
    return text === null ? fail({ code: 'not_found', what: 'result' }) : ok(text)
  }

  /** Events from a cursor on, until the client leaves or the session is deleted. */
  observe(from: Cursor, view?: View): Result<ReadableStream<Uint8Array>> {
    const joined = this.join(from)
    if (!joined.ok) return joined
    return ok(this.views.stream(view, { from, untilRestOf: null }))
  }

  /** What one run did from this event of it on, to its next rest: as it happens, or up to now. */
  run({ runId, fromSeq: given, follows, isBehind = false }: RunPart, view: View): Result<ReadableStream<Uint8Array>> {
    const none = missing(this.journal)
    if (none) return none
    const fromSeq = given ?? firstSeqOf(this.journal, runId)
    if (fromSeq === null) return NO_RUN
    const gone = this.#notShown({ runId, fromSeq })
    if (gone) return gone
    this.driver.recover()
    const wentOn = given === null ? { restsUpTo: restsOverAt(this.journal, runId) } : {}
    const options = { from: { seq: isBehind ? fromSeq : fromSeq - 1, n: 0 }, untilRestOf: runId, ...wentOn }
    return ok(follows ? this.views.stream(view, options) : this.views.replay(view, options))
  }

  /** Where the newest run begins, or goes on the last time, or is ended as it waits; null: there is none. */
  newestPart(): Result<Pick<RunPart, 'runId' | 'fromSeq'> | null> {
    const gone = missing(this.journal)
    if (gone) return gone
    const { run } = this.journal.state
    if (!run) return ok(null)
    let fromSeq = run.firstSeq
    let pausedAt: number | null = null
    for (const { type, seq } of eventsBehind(this.journal, run.firstSeq - 1, PARTS)) {
      if (type === 'run-start' || type === 'run-resume') fromSeq = seq
      else if (type === 'run-end' && pausedAt !== null) fromSeq = pausedAt + 1
      pausedAt = type === 'run-pause' ? seq : null
    }
    return ok({ runId: run.id, fromSeq })
  }

  /** The run that goes on, or waits: from its first event on, to its next rest, or to the one at which it waits. Null: there is none. */
  openRun(view: View): Result<{ runId: string; body: ReadableStream<Uint8Array> } | null> {
    const gone = missing(this.journal)
    if (gone) return gone
    this.driver.recover()
    const { run, status } = this.journal.state
    if (!run || (status !== 'in_progress' && status !== 'interrupted')) return ok(null)
    let rests = 0
    for (const { seq } of eventsBehind(this.journal, run.firstSeq, ['run-pause', 'run-end'])) rests = seq
    const restsUpTo = status === 'interrupted' ? rests - 1 : rests
    const from = { seq: run.firstSeq - 1, n: 0 }
    return ok({ runId: run.id, body: this.views.stream(view, { from, untilRestOf: run.id, restsUpTo }) })
  }

  /** Where the thread of a door stands. */
  threadStand(): Result<ThreadStand> {
    const gone = missing(this.journal)
    if (gone) return gone
    this.driver.recover()
    const { run, status, pending } = this.journal.state
    const { mayGoOnIn = null } = this.journal.record
    return ok({ goesOnIn: leadsTo(this.journal), mayGoOnIn, status, run: run?.id ?? null, pending })
  }

  /** From here on the thread of a door goes on in another session, and what runs here ends. Gives the session in which it does go on: another
   *  one, where somebody was first. `from`: the one in which it did so far. */
  async goOnIn(session: string, from: string): Promise<Result<string>> {
    const gone = unfit(this.journal)
    if (gone) return gone
    const { record } = this.journal
    const { goesOnIn = record.id } = record
    if (goesOnIn !== from) return ok(goesOnIn)
    turnThread(this.journal, { goesOnIn: session })
    const ended = await this.cancel()
    return ended.ok ? ok(session) : ended
  }

  /** Keeps where the thread of a door is about to go on; null: it stays here. */
  mayGoOnIn(lead: ThreadLead | null): Result<null> {
    const gone = unfit(this.journal)
    if (gone) return gone
    if (lead ?? this.journal.record.mayGoOnIn) turnThread(this.journal, lead ? { mayGoOnIn: lead } : {})
    return ok(null)
  }

  /** The messages of the user in the thread of a door, oldest first. */
  threadTurns(): Result<ThreadTurn[]> {
    return missing(this.journal) ?? ok(threadTurnsOf(this.journal))
  }

  /** Take back what one run did from this event of it on: it is not shown any more, and what goes on or waits of it is stopped, because nobody could
   *  hear of it. With it goes the session, if it holds no more than that and was made for it. */
  async withdraw({ runId, fromSeq, isAll }: PlacedPart & { isAll: boolean }): Promise<Result<null>> {
    const gone = unfit(this.journal) ?? this.#notShown({ runId, fromSeq })
    if (gone) return gone
    const begins = this.journal.log.events(0, 2, ['run-start', 'run-resume'])
    if (isAll && begins.length === 1 && begins[0]?.seq === fromSeq) return this.remove()
    this.journal.append([{ type: 'session-update', fields: [withdrawn({ runId, fromSeq })] }])
    const stopped = this.#isOpen({ runId, fromSeq }) ? await this.cancel() : null
    if (!stopped) this.driver.announce()
    return stopped && !stopped.ok ? stopped : ok(null)
  }

  /** Whether what one run did from this event of it on goes on, or waits, and nobody went on behind that. */
  #isOpen({ runId, fromSeq }: PlacedPart): boolean {
    const { run } = this.journal.state
    if (run?.id !== runId || run.endSeq > 0) return false
    let hasRested = false
    for (const { type } of eventsBehind(this.journal, fromSeq, ['run-pause', 'run-resume', 'pending-end'])) {
      if (hasRested) return false
      hasRested = type === 'run-pause'
    }
    return true
  }

  /** Why no part of a run is shown: it is not there, or was taken back. */
  #notShown({ runId, fromSeq }: PlacedPart): { ok: false; error: AppError } | null {
    const there = this.journal.log.events(fromSeq - 1, 1)[0]?.run_id === runId
    return there && !isWithdrawn(this.journal, { runId, fromSeq }) ? null : NO_RUN
  }

  /** Whether it can be followed from a cursor on; and a run that died with its process is taken up. */
  join({ seq }: Cursor): Result<null> {
    const refused = missing(this.journal) ?? this.#notBeyond(seq)
    if (refused) return refused
    this.driver.recover()
    return ok(null)
  }

  /** The frames for a reader of `tail`. */
  frames(view: View): Frames | Promise<Frames> {
    return this.views.frames(view)
  }

  /** What is told behind a cursor, deltas of the message in progress included; bounded. */
  tail(cursor: Cursor): ObservedEvent[] {
    return this.journal.exists ? readBehind(this.journal, cursor) : []
  }

  /** An id that this log has not given cannot be resumed from. */
  #notBeyond(seq: number): { ok: false; error: AppError } | null {
    const { lastSeq } = this.journal.state
    return seq <= lastSeq
      ? null
      : invalid([{ path: 'after', message: `at most ${lastSeq}, the last event of the session` }])
  }

  /** Title, metadata and config; metadata and config are merged member by member. */
  async patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>> {
    const refused = await this.refused(input)
    if (refused) return refused
    const cast = await this.#recast(input.config?.language)
    const gone = unfit(this.journal)
    if (gone) return gone
    const etag = etagOf(this.journal.state)
    if (ifMatch !== null && !namesEtag(ifMatch, etag)) return fail({ code: 'precondition_failed', etag })
    const record = patched(this.ports.engine, this.journal.record, input)
    if (!record.ok) return record
    const told = this.journal.state.taskSeq === 0 ? { ...record.value, ...cast } : record.value
    this.journal.append([{ type: 'session-update', fields: Object.keys(input) }], { record: told })
    this.driver.announce()
    return this.read('all')
  }

  /** What a person says of an answer. */
  rate(messageId: string, input: FeedbackInput): Result<FeedbackData> {
    return rate(this.journal, messageId, input)
  }

  /** What is told anew of a session that is set to a language before its first task. */
  async #recast(language: unknown): Promise<Partial<Pick<SessionRecord, 'skill' | 'team'>>> {
    const { exists, state } = this.journal
    if (language === undefined || !exists || state.taskSeq > 0) return {}
    const { engine } = this.ports
    return recast(engine, this.journal.record, typeof language === 'string' ? language : languageTagOf(engine, {}))
  }

  /** Forget everything. Who asks while that goes on hears at its end that there is no such session, though one may have been made anew by then; if
   *  it failed, it is tried anew. */
  async remove(ifMatch: string | null = null): Promise<Result<null>> {
    while (this.#removal) if (await isOver(this.#removal)) return fail({ code: 'not_found', what: 'session' })
    const gone = missing(this.journal)
    if (gone) return gone
    const etag = etagOf(this.journal.state)
    if (ifMatch !== null && !namesEtag(ifMatch, etag)) return fail({ code: 'precondition_failed', etag })
    this.#removal = this.#remove().finally(() => (this.#removal = null))
    await this.#removal
    return ok(null)
  }

  /** Runs are cancelled first, so that whoever waits is told. What the list was being told meanwhile must not bring the session back
   *  there; whoever watches has a turn to read the end. */
  async #remove(): Promise<void> {
    const { id, tenant, createdTime, generation } = this.journal.record
    const { directory, outbox, log } = this.ports
    await this.#tellOfItsEnd()
    this.endAll()
    const left = () => ({ spent: spentIn(this.journal), acts: this.journal.acts, createdTime })
    const next = generation === undefined ? null : (log.successor()?.generation ?? generation + 1)
    const since = await directory.remove(tenant, id, left())
    this.endAll()
    await notifyOutbox(this.journal, this.ports, since)
    await this.#tellOfItsEnd()
    const last = left()
    const reported = this.driver.reported()
    this.journal.forget()
    await sleep(0)
    log.clear()
    await this.ports.destroy()
    if (next !== null && !this.journal.exists) this.keepSuccessor(next)
    await reported
    await directory.remove(tenant, id, last)
    if (since !== null) await outbox?.forget(tenant, id)
  }

  /** Whoever waits for this session is told that it goes; nobody tries again once it is gone. */
  async #tellOfItsEnd(): Promise<void> {
    for (let attempt = 1; attempt <= LIMITS.run.attemptsMax; attempt++)
      if (await tellAwaiters(this.journal, this.ports, true)) return
  }

  /** Another session wants to be told when the run of this one is over. */
  awaited(awaiter: Awaiter): AwaitedAnswer {
    return takeAwaiter(this.journal, awaiter)
  }

  /** The run of the session is over that this one waits for by an item. */
  told(item: string, end: AwaitedEnd): void {
    hear(this.journal, this.ports, item, end)
  }

  /** Hear of every event and delta. */
  listen(listener: () => void): () => void {
    return this.journal.listen(listener)
  }

  /** Null: it was never made, or is deleted. */
  get id(): string | null {
    return this.journal.exists ? this.journal.record.id : null
  }

  /** True until the session is deleted, once it was made. */
  get exists(): boolean {
    return this.journal.exists
  }

  /** Those of its next run and of the newest one. */
  get orchestrators(): OrchestratorName[] {
    const { exists, state } = this.journal
    return [...(exists ? [this.journal.record.orchestrator] : []), ...(state.run ? [state.run.orchestrator] : [])]
  }

  /** Asked by the tenant, which takes it to be in progress. True: there is something to go on with, and neither this process nor an
   *  alarm does. One that rests tells the tenant so. */
  isLost(hasAlarm: boolean): boolean {
    if (!this.journal.exists || this.driver.busy) return false
    if (!this.driver.isDue) this.driver.announce()
    return this.driver.isDue && !hasAlarm
  }

  /** Asked by the server that starts again: the session was open when its process ended. */
  takeUp(): void {
    if (this.journal.exists) this.driver.takeUp()
    else this.ports.keepAlive(this.sweep())
  }

  /** What the alarm does; a session that is older than it is kept goes. */
  async wake(): Promise<void> {
    if (!this.journal.exists) return this.sweep()
    await this.driver.wake()
    const end = this.journal.exists && !this.going ? retentionEnd(this.journal, this.ports.engine) : null
    if (end !== null && end <= this.ports.now()) await this.remove()
  }
}

const NO_RUN = fail({ code: 'not_found', what: 'run' })

/** Whether what goes on came to its end, and did not fail. */
const isOver = (going: Promise<void>): Promise<boolean> =>
  going.then(
    () => true,
    () => false,
  )

/** The session of a log. Null: the log has to do with orchestrators that are to be loaded first. */
export function sessionOf(ports: SessionPorts, projections: Projections): Session | null {
  const { isLater } = ports.engine.orchestrators
  try {
    const session = new Session(ports, projections)
    return session.orchestrators.some(isLater) ? null : session
  } catch (error) {
    if (error instanceof NotLoaded) return null
    throw error
  }
}

/** As much as a page of a list has, and one more if there is. */
const onePage = <T>(found: readonly T[]): T[] => beyondBytes(found, LIMITS.http.pageBytesMax)
