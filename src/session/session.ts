import type { SessionEvent } from '../domain/event.ts'
import { fail, invalid, ok, type AppError, type Result } from '../domain/errors.ts'
import type { Message } from '../domain/message.ts'
import type { PlacedTeamMessage } from '../domain/ports.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import type {
  ContinueInput,
  DecisionInput,
  NewMessageInput,
  NewSession,
  SessionPatch,
} from '../domain/session-input.ts'
import { sleep } from '../lib/sleep.ts'
import type { CallOptions, ImportOptions, KeyOption, MessagesPart, RunAnswer, SessionText } from './call.ts'
import { checkServers } from './check-config.ts'
import { patched } from './commands/configure.ts'
import type { NamedRun } from './commands/skill.ts'
import { exportTexts } from './commands/export.ts'
import type { Cursor } from './deltas.ts'
import { Driver } from './drive.ts'
import { retentionEnd } from './due.ts'
import { Workspace } from './files.ts'
import { Journal } from './journal.ts'
import { readBehind, type Told } from './observe.ts'
import { Opening } from './opening.ts'
import type { SessionPorts } from './ports.ts'
import { livePorts, type LivePorts } from './servers.ts'
import { etagOf } from './projections.ts'
import { spentIn } from './publish.ts'
import { Runs } from './runs.ts'
import { sessionText } from './session-text.ts'
import { eventStream, textStream } from './sse.ts'
import { tellOutbox } from './tell.ts'

/** One session and what can be asked of it. Commands are one transaction each; then the driver goes on. */
export class Session {
  readonly #journal: Journal
  readonly #ports: LivePorts
  readonly #driver: Driver
  readonly #runs: Runs
  readonly #opening: Opening
  /** Its workspace. */
  readonly files: Workspace

  constructor(given: SessionPorts) {
    const ports = livePorts(given)
    this.#ports = ports
    this.#journal = new Journal(ports.log, ports.now, { watch: ports.watch })
    this.#driver = new Driver(this.#journal, ports)
    this.#runs = new Runs(this.#journal, ports, this.#driver)
    this.#opening = new Opening(this.#journal, ports, this.#driver, this.#runs)
    this.files = new Workspace(this.#journal, () => this.#driver.announce())
  }

  /** Make the session, with the messages it comes with; a `task` starts its run. */
  create(
    id: string,
    tenant: string,
    input: NewSession,
    options: CallOptions,
  ): Promise<Result<RunAnswer | SessionText>> {
    return this.#opening.create(id, tenant, input, options)
  }

  /** Make a session that runs a skill, and run it. */
  runSkill(id: string, tenant: string, run: NamedRun, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#opening.runSkill(id, tenant, run, options)
  }

  /** Make the session from an exported document; nothing in it runs. */
  import(
    id: string,
    tenant: string,
    body: ReadableStream<Uint8Array>,
    options: ImportOptions,
  ): Promise<Result<SessionText>> {
    return this.#opening.import(id, tenant, body, options)
  }

  async addMessage(input: NewMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#missing() ?? (await this.#noServer(input)) ?? this.#missing() ?? this.#runs.addMessage(input, options)
  }

  async continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#missing() ?? (await this.#noServer(input)) ?? this.#missing() ?? this.#runs.continue(input, options)
  }

  /** A message on the bus of its team. */
  async tellTeam(input: TeamMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#missing() ?? this.#runs.tellTeam(input, options)
  }

  /** Messages of its team by seq. */
  teamMessages(after: number, limit: number): Result<PlacedTeamMessage[]> {
    const missing = this.#missing()
    if (missing) return missing
    const { record, log } = this.#journal
    return record.team ? ok(log.teamMessages({ after, limit })) : fail({ code: 'not_found', what: 'team' })
  }

  async task(taskId: string, act: 'cancel' | 'retry', options: CallOptions): Promise<Result<RunAnswer>> {
    return this.#missing() ?? this.#runs.task(taskId, act, options)
  }

  async decide(pendingId: string, input: DecisionInput, options: CallOptions): Promise<Result<RunAnswer>> {
    const loading = this.#loadTools()
    if (loading) await loading
    return this.#missing() ?? this.#runs.decide(pendingId, input, options)
  }

  async cancel(options: KeyOption = {}): Promise<Result<RunAnswer>> {
    return this.#missing() ?? this.#runs.cancel(options)
  }

  /** SessionData as JSON text, messages written page by page. */
  read(part: MessagesPart): Result<SessionText> {
    const missing = this.#missing()
    if (missing) return missing
    this.#driver.recover()
    return ok(sessionText(this.#journal, this.#ports.engine, part))
  }

  /** Title, metadata and config; metadata and config are merged member by member. */
  async patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>> {
    const refused = this.#missing() ?? (await this.#noServer(input)) ?? this.#missing()
    if (refused) return refused
    const etag = etagOf(this.#journal.state)
    if (ifMatch !== null && !matches(ifMatch, etag)) return fail({ code: 'precondition_failed', etag })
    const record = patched(this.#ports.engine, this.#journal.record, input)
    if (!record.ok) return record
    this.#journal.append([{ type: 'session-update', fields: Object.keys(input) }], { record: record.value })
    await this.#driver.announce()
    return this.read('all')
  }

  /** The whole session up to a seq as one document, piece by piece. */
  export(atSeq: number | null, secrets: boolean): Result<ReadableStream<Uint8Array>> {
    const missing = this.#missing()
    if (missing) return missing
    const { lastSeq } = this.#journal.state
    if (atSeq !== null && atSeq > lastSeq)
      return invalid([{ path: 'at_seq', message: `at most ${lastSeq}, the last event of the session` }])
    return ok(
      textStream(exportTexts(this.#journal, { atSeq: atSeq ?? lastSeq, character: this.#character(), secrets })),
    )
  }

  /** Forget everything; runs in it are cancelled first, so that whoever waits is told. What the list was being told meanwhile
   *  must not bring the session back there; whoever watches has a turn to read the end. */
  async remove(): Promise<Result<null>> {
    const missing = this.#missing()
    if (missing) return missing
    const { id, tenant } = this.#journal.record
    const { directory, outbox } = this.#ports
    this.#runs.endAll()
    const since = await directory.remove(tenant, id, spentIn(this.#journal))
    this.#runs.endAll()
    await tellOutbox(this.#journal, this.#ports, since)
    const spent = spentIn(this.#journal)
    const listed = this.#driver.listed()
    this.#journal.forget()
    await sleep(0)
    this.#ports.log.clear()
    await this.#ports.destroy()
    await listed
    await directory.remove(tenant, id, spent)
    if (since !== null) await outbox?.forget(tenant, id)
    return ok(null)
  }

  messages(after: number, limit: number): Result<Message[]> {
    const missing = this.#missing()
    return missing ?? ok(this.#journal.log.messages({ after, limit }))
  }

  events(after: number, limit: number): Result<SessionEvent[]> {
    const refused = this.#missing() ?? this.#notBeyond(after)
    return refused ?? ok(this.#journal.log.events(after, limit))
  }

  /** Events from a cursor on, until the client leaves or the session is deleted. */
  observe(from: Cursor): Result<ReadableStream<Uint8Array>> {
    const joined = this.join(from)
    if (!joined.ok) return joined
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

  /** Null: it was never made, or is deleted. */
  get id(): string | null {
    return this.#journal.exists ? this.#journal.record.id : null
  }

  /** True until the session is deleted, once it was made. */
  get exists(): boolean {
    return this.#journal.exists
  }

  /** Whether it can be followed from a cursor on; and a run that died with its process is taken up. */
  join({ seq }: Cursor): Result<null> {
    const refused = this.#missing() ?? this.#notBeyond(seq)
    if (refused) return refused
    this.#driver.recover()
    return ok(null)
  }

  /** The whole text of a result that was cut. */
  result(callId: string): Result<string> {
    const text = this.#journal.exists ? this.#journal.log.text(`result:${callId}`) : null
    return text === null ? fail({ code: 'not_found', what: 'result' }) : ok(text)
  }

  /** What the alarm does; a session that is older than it is kept goes. */
  async wake(): Promise<void> {
    await this.#driver.wake()
    const end = this.#journal.exists && !this.#runs.going ? retentionEnd(this.#journal, this.#ports.engine) : null
    if (end !== null && end <= this.#ports.now()) await this.remove()
  }

  /** Edited arguments are checked by the tool that they are for, which may be a server's. Null: the tools are at hand. */
  #loadTools(): Promise<unknown> | null {
    const { engine } = this.#ports
    return engine.isLoaded || !this.#journal.exists ? null : engine.load(this.#journal.record)
  }

  #missing(): { ok: false; error: AppError } | null {
    return this.#journal.exists ? null : fail({ code: 'not_found', what: 'session' })
  }

  /** A config that names an MCP server that is not there; null: none such. The session may be gone meanwhile. */
  async #noServer({ config }: { config?: unknown }): Promise<{ ok: false; error: AppError } | null> {
    const refused = await checkServers(this.#ports.engine, this.#journal.record.tenant, config)
    return refused ? fail(refused) : null
  }

  /** An id that this log has not given cannot be resumed from. */
  #notBeyond(seq: number): { ok: false; error: AppError } | null {
    const { lastSeq } = this.#journal.state
    return seq <= lastSeq
      ? null
      : invalid([{ path: 'after', message: `at most ${lastSeq}, the last event of the session` }])
  }

  #character(): string {
    return this.#ports.engine.config.character ?? 'yaa'
  }
}

/** Source: RFC 9110 §13.1.1; weak tags never match. */
function matches(ifMatch: string, etag: string): boolean {
  return ifMatch.trim() === '*' || ifMatch.split(',').some((tag) => tag.trim() === etag)
}
