import type { SessionEvent } from '../domain/event.ts'
import { fail, ok, type AppError, type Result } from '../domain/errors.ts'
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
import type { CallOptions, ImportOptions, KeyOption, MessagesPart, RunAnswer, SessionText, View } from './call.ts'
import { checkServers } from '../run/setup/check-config.ts'
import { patched } from './commands/configure.ts'
import type { NamedRun } from './commands/skill.ts'
import type { Cursor } from '../log/deltas.ts'
import { Driver } from './driver/driver.ts'
import { retentionEnd } from './driver/due.ts'
import { etagOf, namesEtag } from './queries/etag.ts'
import { Workspace } from './workspace.ts'
import { Journal, missing } from '../log/journal.ts'
import type { Told } from '../log/observe.ts'
import { Opening } from './opening.ts'
import type { SessionPorts } from '../run/ports.ts'
import { livePorts, type LivePorts } from '../run/setup/servers.ts'
import { type Frames, type Projections, type SessionHead, Views } from './queries/projection.ts'
import { Reading } from './reading.ts'
import { spentIn } from './notify/publish.ts'
import { tellOutbox } from './notify/tell.ts'
import { sleep } from '../lib/wait.ts'
import { Runs } from './runs.ts'

/** One session and what can be asked of it. Commands are one transaction each; then the driver goes on. */
export class Session {
  readonly #journal: Journal
  readonly #ports: LivePorts
  readonly #driver: Driver
  readonly #runs: Runs
  readonly #opening: Opening
  readonly #reading: Reading
  /** Its workspace. */
  readonly files: Workspace

  constructor(given: SessionPorts, projections: Projections) {
    const ports = livePorts(given)
    this.#ports = ports
    this.#journal = new Journal(ports.log, ports.now, { watch: ports.watch })
    this.#driver = new Driver(this.#journal, ports)
    const views = new Views(this.#journal, ports.engine, projections)
    this.#runs = new Runs(this.#journal, ports, this.#driver, views)
    this.#opening = new Opening(this.#journal, ports, this.#driver, this.#runs, views)
    this.#reading = new Reading(this.#journal, ports, this.#driver, views)
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
    return (await this.#refused(input)) ?? missing(this.#journal) ?? this.#runs.addMessage(input, options)
  }

  async continue(input: ContinueInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return (await this.#refused(input)) ?? missing(this.#journal) ?? this.#runs.continue(input, options)
  }

  /** A message on the bus of its team. */
  async tellTeam(input: TeamMessageInput, options: CallOptions): Promise<Result<RunAnswer>> {
    return missing(this.#journal) ?? this.#runs.tellTeam(input, options)
  }

  async task(taskId: string, act: 'cancel' | 'retry', options: CallOptions): Promise<Result<RunAnswer>> {
    return missing(this.#journal) ?? this.#runs.task(taskId, act, options)
  }

  async decide(pendingId: string, input: DecisionInput, options: CallOptions): Promise<Result<RunAnswer>> {
    const loading = this.#loadTools()
    if (loading) await loading
    return missing(this.#journal) ?? this.#runs.decide(pendingId, input, options)
  }

  async cancel(options: KeyOption = {}): Promise<Result<RunAnswer>> {
    return missing(this.#journal) ?? this.#runs.cancel(options)
  }

  /** Messages of its team by seq. */
  teamMessages(after: number, limit: number): Result<PlacedTeamMessage[]> {
    return this.#reading.teamMessages(after, limit)
  }

  /** The session as a text, messages written page by page. */
  read(part: MessagesPart, view?: View): Result<SessionText> {
    return this.#reading.read(part, view)
  }

  /** The session without its messages. */
  head(): Result<SessionHead> {
    return this.#reading.head()
  }

  /** The whole session up to a seq as one document, piece by piece. */
  export(atSeq: number | null, secrets: boolean): Result<ReadableStream<Uint8Array>> {
    return this.#reading.export(atSeq, secrets)
  }

  messages(after: number, limit: number): Result<Message[]> {
    return this.#reading.messages(after, limit)
  }

  events(after: number, limit: number): Result<SessionEvent[]> {
    return this.#reading.events(after, limit)
  }

  /** The whole text of a result that was cut. */
  result(callId: string): Result<string> {
    return this.#reading.result(callId)
  }

  /** Events from a cursor on, until the client leaves or the session is deleted. */
  observe(from: Cursor, view?: View): Result<ReadableStream<Uint8Array>> {
    return this.#reading.observe(from, view)
  }

  /** The frames for a reader of `tail`. */
  frames(view: View): Frames | Promise<Frames> {
    return this.#reading.frames(view)
  }

  /** Whether it can be followed from a cursor on; and a run that died with its process is taken up. */
  join(cursor: Cursor): Result<null> {
    return this.#reading.join(cursor)
  }

  /** What is told behind a cursor, deltas of the message in progress included; bounded. */
  tail(cursor: Cursor): Told[] {
    return this.#reading.tail(cursor)
  }

  /** Title, metadata and config; metadata and config are merged member by member. */
  async patch(input: SessionPatch, ifMatch: string | null): Promise<Result<SessionText>> {
    const refused = (await this.#refused(input)) ?? missing(this.#journal)
    if (refused) return refused
    const etag = etagOf(this.#journal.state)
    if (ifMatch !== null && !namesEtag(ifMatch, etag)) return fail({ code: 'precondition_failed', etag })
    const record = patched(this.#ports.engine, this.#journal.record, input)
    if (!record.ok) return record
    this.#journal.append([{ type: 'session-update', fields: Object.keys(input) }], { record: record.value })
    await this.#driver.announce()
    return this.read('all')
  }

  /** Forget everything; runs are cancelled first, so that whoever waits is told. What the list was being told meanwhile must not
   *  bring the session back there; whoever watches has a turn to read the end. */
  async remove(): Promise<Result<null>> {
    const gone = missing(this.#journal)
    if (gone) return gone
    const { id, tenant } = this.#journal.record
    const { directory, outbox, log } = this.#ports
    this.#runs.endAll()
    const since = await directory.remove(tenant, id, spentIn(this.#journal))
    this.#runs.endAll()
    await tellOutbox(this.#journal, this.#ports, since)
    const spent = spentIn(this.#journal)
    const listed = this.#driver.listed()
    this.#journal.forget()
    await sleep(0)
    log.clear()
    await this.#ports.destroy()
    await listed
    await directory.remove(tenant, id, spent)
    if (since !== null) await outbox?.forget(tenant, id)
    return ok(null)
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

  /** Why a call cannot be taken: there is no session, or its config names an MCP server that is not there. Null: it can, but the
   *  session may be gone meanwhile. */
  async #refused({ config }: { config?: unknown }): Promise<{ ok: false; error: AppError } | null> {
    const gone = missing(this.#journal)
    if (gone) return gone
    const refused = await checkServers(this.#ports.engine, this.#journal.record.tenant, config)
    return refused ? fail(refused) : null
  }
}
