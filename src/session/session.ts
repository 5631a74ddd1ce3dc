import { sessionConfig, type SessionConfig } from '../domain/config.ts'
import type { NewEvent, RunMode, SessionEvent } from '../domain/event.ts'
import { fail, invalid, ok, type AppError, type Result } from '../domain/errors.ts'
import type { Message } from '../domain/message.ts'
import type { StoredRequest } from '../domain/ports.ts'
import type {
  ContinueInput,
  DecisionInput,
  NewMessageInput,
  NewSession,
  SessionPatch,
} from '../domain/session-input.ts'
import type { AgentResponseData, SessionData, SessionRecord } from '../domain/session.ts'
import { issuesOf } from '../lib/zod-issues.ts'
import { checkConfig, mergePatch, unmasked } from './check-config.ts'
import { closingEvents } from './closing.ts'
import { checkNewSession, historyEvents, newRecord, titleOf } from './commands/create.ts'
import { checkDecision, decisionEvent, remembered } from './commands/decide.ts'
import { CANCELLED, decisionMessage, newTaskEvents } from './commands/run.ts'
import type { Cursor } from './deltas.ts'
import { Driver } from './drive.ts'
import { retentionEnd } from './due.ts'
import { Journal } from './journal.ts'
import { adopt, exportTexts, importedRecord, readImport } from './commands/transfer.ts'
import { queueEvents } from './commands/queue.ts'
import { readBehind, type Told } from './observe.ts'
import type { AnswerForm, SessionPorts } from './ports.ts'
import { agentResponse, etagOf, pagesOf, sessionHead } from './projections.ts'
import { publish } from './publish.ts'
import { eventStream, textOrStream, textStream } from './sse.ts'
import { isActive } from './state.ts'

/** How a call that runs is answered; `replayed`: by what its first sending got. */
export type RunAnswer = { replayed?: boolean } & (
  | { form: 'wait'; response: AgentResponseData }
  | { form: 'stream'; body: ReadableStream<Uint8Array> }
  | { form: 'background'; accepted: { session_id: string; run_id: string | null } }
)

/** What becomes of a message while a run is going. */
export type WhenBusy = 'reject' | 'queue' | 'interrupt'

/** How a call wants to be answered, and the key under which it may come again. */
export interface CallOptions {
  form: AnswerForm
  key?: string | undefined
  whenBusy?: WhenBusy
}

export type MessagesPart = 'all' | 'last_run' | 'none'

/** SessionData as JSON: a text when it is short, else a stream. */
export interface SessionText {
  etag: string
  body: string | ReadableStream<Uint8Array>
  /** True: what the first sending of a keyed call got. */
  replayed?: boolean
}

/** How a document is taken in. */
export interface ImportOptions {
  key?: string | undefined
  bytesMax: number
}

/** What happens at once, in one transaction, before a run is driven. */
interface Begin {
  events: NewEvent[]
  record?: SessionRecord
  /** The run that the caller waits for, when it is not the newest. */
  runId?: string
}

/** One session and what can be asked of it. Commands are one transaction each; then the driver goes on. */
export class Session {
  readonly #journal: Journal
  readonly #ports: SessionPorts
  readonly #driver: Driver

  constructor(ports: SessionPorts) {
    this.#ports = ports
    this.#journal = new Journal(ports.log, ports.now)
    this.#driver = new Driver(this.#journal, ports)
  }

  /** Make the session, with the messages it comes with; a `task` starts its run. */
  async create(
    id: string,
    tenant: string,
    input: NewSession,
    options: CallOptions,
  ): Promise<Result<RunAnswer | SessionText>> {
    if (this.#journal.exists) return this.#createdBefore(options)
    const refused = checkNewSession(this.#ports.engine, input)
    if (refused) return fail(refused)
    const asked = input.task === undefined ? this.#requestOf(options, null) : {}
    this.#journal.append([], { record: newRecord(id, tenant, input, this.#ports.now()), ...asked })
    if (input.messages?.length) this.#journal.append(historyEvents(this.#journal, this.#ports.engine, input.messages))
    if (input.task === undefined) await this.#driver.settle()
    const ran = input.task === undefined ? null : await this.addMessage({ content: input.task }, options)
    if (ran && (!ran.ok || ran.value.form !== 'wait')) return ran
    return options.key === undefined ? this.read('all') : this.#keepCreated(options.key)
  }

  async addMessage(input: NewMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      if (this.#runs() && options.whenBusy === 'interrupt') this.#stop()
      if (this.#runs() && options.whenBusy === 'queue') return queueEvents(this.#journal, input.content, mode)
      if (this.#runs() && options.whenBusy !== 'interrupt') return this.#inProgress()
      const record = this.#configured(input.config)
      if (!record.ok) return record
      const { engine } = this.#ports
      const decided = decisionMessage(this.#journal, engine, input.content, mode)
      if (decided) return ok({ events: decided, record: record.value })
      const titled = record.value.title === '' ? { ...record.value, title: titleOf(input.content) } : record.value
      return ok({ events: newTaskEvents(this.#journal, engine, input.content, mode), record: titled })
    })
  }

  /** The next batch of the same run, or a run that failed once more; limits in the config are new totals. */
  async continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const { status, run } = this.#journal.state
      if (this.#runs()) return this.#inProgress()
      if (!run || status === 'idle' || status === 'completed' || status === 'cancelled')
        return fail({ code: 'nothing_to_continue', status })
      const record = this.#configured(input.config)
      if (!record.ok) return record
      const again: NewEvent =
        status === 'failed'
          ? { type: 'run-start', orchestrator: run.orchestrator, mode, resumed: true }
          : { type: 'run-resume', mode }
      return ok({ events: [again], record: record.value })
    })
  }

  /** A human's decision on one pending item; for anything but what waits nothing happens. */
  async decide(pendingId: string, input: DecisionInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#run(options, (mode) => {
      const checked = checkDecision(this.#journal, this.#ports.engine, pendingId, input)
      if (!checked.ok) return checked
      const { item } = checked
      const known = this.#journal.record
      const record = input.remember && item.tool !== undefined ? remembered(known, item.tool) : known
      const resume: NewEvent[] = isActive(this.#journal.state) ? [] : [{ type: 'run-resume', mode }]
      return ok({ events: [decisionEvent(item, input), ...resume], record })
    })
  }

  /** Stop the run; what is under way is cut and its outcome dropped. Without a run nothing happens. */
  async cancel({ key }: Pick<CallOptions, 'key'> = {}): Promise<Result<RunAnswer>> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    const known = key === undefined ? null : this.#journal.log.request(key)
    if (known) return this.#replay(known, 'wait')
    const asked = this.#requestOf({ key }, this.#journal.state.run?.id ?? null, this.#journal.state.lastSeq)
    this.#stop(asked)
    const response = agentResponse(this.#journal)
    if (key !== undefined) this.#journal.log.keepAnswer(key, JSON.stringify(response))
    await publish(this.#journal, this.#ports)
    this.#driver.recover()
    return ok({ form: 'wait', response })
  }

  /** SessionData as JSON text, messages written page by page. */
  read(part: MessagesPart): Result<SessionText> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    this.#driver.recover()
    const head = sessionHead(this.#journal, this.#character())
    const after = { all: 0, last_run: (this.#journal.state.run?.firstSeq ?? 1) - 1, none: Infinity }[part]
    return ok({ etag: head.etag, body: textOrStream(sessionJson(head, this.#journal, after)) })
  }

  /** Title, metadata and config; metadata and config are merged member by member. */
  async patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    const etag = etagOf(this.#journal.state)
    if (ifMatch !== null && !matches(ifMatch, etag)) return fail({ code: 'precondition_failed', etag })
    const config =
      input.config === undefined
        ? undefined
        : sessionConfig.safeParse(mergePatch(this.#journal.record.config, input.config ?? {}))
    if (config && !config.success) return invalid(issuesOf(config.error, 'config'))
    const merged = this.#checked({
      ...this.#journal.record,
      ...(input.title === undefined ? {} : { title: input.title }),
      ...(input.metadata === undefined
        ? {}
        : { metadata: mergePatch(this.#journal.record.metadata, input.metadata ?? {}) }),
      ...(config ? { config: unmasked(config.data, this.#journal.record.config) } : {}),
    })
    if (!merged.ok) return merged
    this.#journal.append([{ type: 'session-update', fields: Object.keys(input) }], { record: merged.value })
    await publish(this.#journal, this.#ports)
    return this.read('all')
  }

  /** The whole session up to a seq as one document, piece by piece. */
  export(atSeq: number | null, secrets: boolean): Result<ReadableStream<Uint8Array>> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    const { lastSeq } = this.#journal.state
    if (atSeq !== null && atSeq > lastSeq)
      return invalid([{ path: 'at_seq', message: `at most ${lastSeq}, the last event of the session` }])
    return ok(
      textStream(exportTexts(this.#journal, { atSeq: atSeq ?? lastSeq, character: this.#character(), secrets })),
    )
  }

  /** Make the session from an exported document; nothing in it runs. */
  async import(
    id: string,
    tenant: string,
    body: ReadableStream<Uint8Array>,
    { key, bytesMax }: ImportOptions,
  ): Promise<Result<SessionText>> {
    if (this.#journal.exists) return this.#createdBefore({ form: 'wait', key }) as Promise<Result<SessionText>>
    const { engine, now } = this.#ports
    const input = await readImport(body, bytesMax)
    if (!input.ok) return input
    const record = importedRecord(input.value, id, tenant, engine, now())
    if (!record.ok) return record
    const adopted = adopt(this.#journal, engine, input.value, {
      record: record.value,
      ...this.#requestOf({ key }, null),
    })
    if (!adopted.ok) return adopted
    await this.#driver.settle()
    return key === undefined ? this.read('all') : this.#keepCreated(key)
  }

  /** Forget everything; a run in it is cancelled first, so that whoever waits is told. */
  async remove(): Promise<Result<null>> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    const { id, tenant } = this.#journal.record
    await this.cancel()
    await this.#ports.directory.remove(tenant, id)
    this.#journal.forget()
    this.#ports.log.clear()
    await this.#ports.destroy()
    return ok(null)
  }

  messages(after: number, limit: number): Result<Message[]> {
    const missing = this.#missing()
    return missing ? fail(missing) : ok(this.#journal.log.messages({ after, limit }))
  }

  events(after: number, limit: number): Result<SessionEvent[]> {
    const missing = this.#missing()
    return missing ? fail(missing) : ok(this.#journal.log.events(after, limit))
  }

  /** Events from a cursor on, until the client leaves or the session is deleted. */
  observe(from: Cursor): Result<ReadableStream<Uint8Array>> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    this.#driver.recover()
    return ok(eventStream(this.#journal, { from, untilRestOf: null }))
  }

  /** What is told behind a cursor, deltas of the message in progress included; bounded. */
  tail(cursor: Cursor): Told[] {
    return this.#journal.exists ? readBehind(this.#journal, cursor) : []
  }

  /** Hear of every event and delta. */
  listen(listener: () => void): () => void {
    return this.#journal.listen(listener)
  }

  /** Whether the session was created; and a run that died with its process is taken up. */
  awake(): boolean {
    if (this.#journal.exists) this.#driver.recover()
    return this.#journal.exists
  }

  /** The whole text of a result that was cut. */
  result(callId: string): Result<string> {
    const text = this.#journal.exists ? this.#journal.log.text(`result:${callId}`) : null
    return text === null ? fail({ code: 'not_found', what: 'result' }) : ok(text)
  }

  /** What the alarm does; a session that is older than it is kept goes. */
  async wake(): Promise<void> {
    await this.#driver.wake()
    const end = this.#journal.exists && !this.#runs() ? retentionEnd(this.#journal, this.#ports.engine) : null
    if (end !== null && end <= this.#ports.now()) await this.remove()
  }

  /** One command that runs: its transaction, then the driver, then the answer in the form that was asked for. */
  async #run(options: CallOptions, begin: (mode: RunMode) => Result<Begin>): Promise<Result<RunAnswer>> {
    const missing = this.#missing()
    if (missing) return fail(missing)
    this.#driver.recover()
    const known = options.key === undefined ? null : this.#journal.log.request(options.key)
    if (known) return this.#replay(known, options.form)
    const mode = options.form === 'background' ? 'background' : 'request'
    const fromSeq = this.#journal.state.lastSeq
    const begun = begin(mode)
    if (!begun.ok) return begun
    const { events, record } = begun.value
    const runId = begun.value.runId ?? newRunIn(events) ?? this.#journal.state.run?.id ?? null
    this.#journal.append(events, { ...(record ? { record } : {}), ...this.#requestOf(options, runId, fromSeq) })
    return this.#answer(options, mode, runId, fromSeq)
  }

  async #answer(
    options: CallOptions,
    mode: RunMode,
    runId: string | null,
    fromSeq: number,
  ): Promise<Result<RunAnswer>> {
    const { form, key } = options
    const rested = this.#driver.rested(runId ?? '')
    this.#driver.go(mode)
    if (form === 'stream') return ok({ form, body: this.#streamOf(runId, fromSeq) })
    if (form === 'background') {
      await publish(this.#journal, this.#ports)
      return ok({ form, accepted: { session_id: this.#journal.record.id, run_id: runId } })
    }
    const response = await rested
    if (key !== undefined && this.#journal.exists) this.#journal.log.keepAnswer(key, JSON.stringify(response))
    return ok({ form, response })
  }

  /** The answer that a keyed call got, or gets now that the process that ran it is gone. */
  #replay(known: StoredRequest, form: AnswerForm): Result<RunAnswer> {
    const { runId } = known
    if (form === 'background')
      return ok({ form, replayed: true, accepted: { session_id: this.#journal.record.id, run_id: runId } })
    if (known.answer !== null && form === 'wait')
      return ok({ form, replayed: true, response: JSON.parse(known.answer) as AgentResponseData })
    const { run, queue } = this.#journal.state
    const going = (run?.id === runId && run.phase === 'active') || queue.some((queued) => queued.runId === runId)
    if (going) return fail({ code: 'idempotency_in_progress' })
    if (form === 'stream') return ok({ form, replayed: true, body: this.#streamOf(runId, known.fromSeq) })
    const response = agentResponse(this.#journal)
    this.#journal.log.keepAnswer(known.key, JSON.stringify(response))
    return ok({ form, replayed: true, response })
  }

  /** The same SessionData for the first sending of a keyed call and for those that follow. */
  async #keepCreated(key: string): Promise<Result<SessionText>> {
    const read = this.read('all')
    if (!read.ok) return read
    const text = await new Response(read.value.body).text()
    this.#journal.log.keepAnswer(key, text)
    return ok({ etag: read.value.etag, body: text })
  }

  async #createdBefore({ form, key }: CallOptions): Promise<Result<RunAnswer | SessionText>> {
    const known = key === undefined ? null : this.#journal.log.request(key)
    if (!known || key === undefined) return fail({ code: 'internal_error' })
    this.#driver.recover()
    if (form !== 'wait' && known.runId !== null) return this.#replay(known, form)
    if (known.answer !== null) return ok({ replayed: true, etag: etagOf(this.#journal.state), body: known.answer })
    if (isActive(this.#journal.state)) return fail({ code: 'idempotency_in_progress' })
    const made = await this.#keepCreated(key)
    return made.ok ? ok({ ...made.value, replayed: true }) : made
  }

  #requestOf({ key }: Pick<CallOptions, 'key'>, runId: string | null, fromSeq = 0): { request?: StoredRequest } {
    return key === undefined ? {} : { request: { key, runId, fromSeq, answer: null } }
  }

  #streamOf(runId: string | null, fromSeq: number): ReadableStream<Uint8Array> {
    return eventStream(this.#journal, { from: { seq: fromSeq, n: 0 }, untilRestOf: runId })
  }

  /** End the run as cancelled, if there is one; whoever waits for it is told. */
  #stop(asked: { request?: StoredRequest } = {}): void {
    const { status } = this.#journal.state
    const unfinished = status === 'in_progress' || status === 'interrupted'
    const events = unfinished ? closingEvents(this.#journal, this.#ports.engine, CANCELLED) : []
    if (unfinished || asked.request) this.#journal.append(events, asked)
    this.#driver.abort('cancelled')
  }

  #missing(): AppError | null {
    return this.#journal.exists ? null : { code: 'not_found', what: 'session' }
  }

  /** True while a run is active here or, after a crash, is about to be taken up. */
  #runs(): boolean {
    return this.#driver.busy || isActive(this.#journal.state)
  }

  #inProgress(): Result<never> {
    return fail({ code: 'run_in_progress', runId: this.#journal.state.run?.id ?? '' })
  }

  #configured(config: SessionConfig | undefined): Result<SessionRecord> {
    const { record } = this.#journal
    if (!config) return ok(record)
    return this.#checked({ ...record, config: mergePatch(record.config, unmasked(config, record.config)) })
  }

  #checked(record: SessionRecord): Result<SessionRecord> {
    const refused = checkConfig(this.#ports.engine, record.config)
    return refused ? fail(refused) : ok(record)
  }

  #character(): string {
    return this.#ports.engine.config.character ?? 'yaa'
  }
}

function* sessionJson(
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

/** Source: RFC 9110 §13.1.1; weak tags never match. */
function matches(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag)
}

/** The run that events begin, if they do. */
function newRunIn(events: readonly NewEvent[]): string | undefined {
  return events.find(({ type, run_id }) => type === 'run-start' && run_id !== undefined)?.run_id
}
