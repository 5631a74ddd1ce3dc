import { DurableObject } from 'cloudflare:workers'
import type { AwaitedEnd, Awaiter } from '../domain/awaited.ts'
import type { FeedbackInput } from '../domain/feedback.ts'
import type { FileQuery } from '../domain/file.ts'
import type {
  ContinueInput,
  PendingAnswer,
  PendingInput,
  NewMessageInput,
  NewSession,
  SessionPatch,
} from '../domain/session-input.ts'
import type { ThreadLead } from '../domain/session.ts'
import type { TeamMessageInput } from '../domain/team.ts'
import type { Cursor } from '../log/deltas.ts'
import type { CallOptions, ImportOptions, KeyOption, MessagesPart, PlacedPart, RunPart, View } from '../session/call.ts'
import type { Projections } from '../session/queries/projection.ts'
import type { FileConditions, PutOptions } from '../session/workspace.ts'
import type { NamedRun } from '../session/commands/skill.ts'
import { type Session, sessionOf } from '../session/session.ts'
import { engineOf } from './engine.ts'
import type { Env } from './env.ts'
import { sessionPorts } from './session-ports.ts'
import { SessionSockets } from './session-sockets.ts'
import type { ObjectAlarm } from './storage.ts'

/** One session. Everything is forwarded; nothing is decided here. */
export abstract class SessionObject extends DurableObject<Env> {
  #opened = this.#open()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    if (this.#opened === null) void ctx.blockConcurrencyWhile(() => this.#openWhole())
  }

  /** Null: its log has to do with orchestrators that this isolate has not loaded yet. */
  #open(): { session: Session; sockets: SessionSockets; alarm: ObjectAlarm } | null {
    const ports = sessionPorts(this.ctx, this.env)
    const session = sessionOf(ports, this.projections())
    return session && { session, sockets: new SessionSockets(this.ctx, this.env, session), alarm: ports.alarm }
  }

  async #openWhole(): Promise<void> {
    await engineOf(this.env).orchestrators.load()
    this.#opened = this.#open()
  }

  /** Nothing is delivered before it is open. */
  get #parts() {
    if (!this.#opened) throw new Error('the session is not open')
    return this.#opened
  }

  get #session(): Session {
    return this.#parts.session
  }

  /** How doors show it. */
  protected abstract projections(): Projections

  create(id: string, tenant: string, input: NewSession, options: CallOptions) {
    return this.#session.create(id, tenant, input, options)
  }

  runSkill(id: string, tenant: string, run: NamedRun, options: CallOptions) {
    return this.#session.runSkill(id, tenant, run, options)
  }

  addMessage(input: NewMessageInput, options: CallOptions) {
    return this.#session.addMessage(input, options)
  }

  continue(input: ContinueInput, options: CallOptions) {
    return this.#session.continue(input, options)
  }

  sendTeamMessage(input: TeamMessageInput, options: CallOptions) {
    return this.#session.sendTeamMessage(input, options)
  }

  teamMessages(after: number, limit: number) {
    return this.#session.teamMessages(after, limit)
  }

  task(taskId: string, act: 'cancel' | 'retry', options: CallOptions) {
    return this.#session.task(taskId, act, options)
  }

  retryStep(path: string, options: CallOptions) {
    return this.#session.retryStep(path, options)
  }

  decide(pendingId: string, input: PendingInput, options: CallOptions) {
    return this.#session.decide(pendingId, input, options)
  }

  decideAll(answers: readonly PendingAnswer[], options: CallOptions) {
    return this.#session.decideAll(answers, options)
  }

  answerAndSay(answers: readonly PendingAnswer[], input: NewMessageInput, options: CallOptions) {
    return this.#session.answerAndSay(answers, input, options)
  }

  awaited(awaiter: Awaiter) {
    return this.#session.awaited(awaiter)
  }

  told(item: string, end: AwaitedEnd) {
    this.#session.told(item, end)
  }

  keyStand(key: Pick<CallOptions, 'key' | 'fingerprint' | 'generation'>) {
    return this.#session.keyStand(key)
  }

  keepSuccessor(generation: number) {
    this.#session.keepSuccessor(generation)
  }

  cancel(options: KeyOption) {
    return this.#session.cancel(options)
  }

  read(part: MessagesPart, view?: View) {
    return this.#session.read(part, view)
  }

  head() {
    return this.#session.head()
  }

  patch(input: SessionPatch, ifMatch: string | null) {
    return this.#session.patch(input, ifMatch)
  }

  rate(messageId: string, input: FeedbackInput) {
    return this.#session.rate(messageId, input)
  }

  remove(ifMatch: string | null = null) {
    return this.#session.remove(ifMatch)
  }

  export(atSeq: number | null, secrets: boolean) {
    return this.#session.export(atSeq, secrets)
  }

  import(id: string, tenant: string, body: ReadableStream<Uint8Array>, options: ImportOptions) {
    return this.#session.import(id, tenant, body, options)
  }

  messages(after: number, limit: number) {
    return this.#session.messages(after, limit)
  }

  events(after: number, limit: number) {
    return this.#session.events(after, limit)
  }

  observe(from: Cursor, view?: View) {
    return this.#session.observe(from, view)
  }

  newestPart() {
    return this.#session.newestPart()
  }

  run(part: RunPart, view: View) {
    return this.#session.run(part, view)
  }

  openRun(view: View) {
    return this.#session.openRun(view)
  }

  threadStand() {
    return this.#session.threadStand()
  }

  threadTurns() {
    return this.#session.threadTurns()
  }

  goOnIn(session: string, from: string) {
    return this.#session.goOnIn(session, from)
  }

  async mayGoOnIn(lead: ThreadLead | null) {
    return this.#session.mayGoOnIn(lead)
  }

  withdraw(part: PlacedPart & { isAll: boolean }) {
    return this.#session.withdraw(part)
  }

  result(callId: string) {
    return this.#session.result(callId)
  }

  files(query: FileQuery) {
    return this.#session.files.list(query)
  }

  file(path: string) {
    return this.#session.files.read(path)
  }

  filesZip() {
    return this.#session.files.zip()
  }

  putFile(path: string, bytes: Uint8Array, options: PutOptions) {
    return this.#session.files.put(path, bytes, options)
  }

  removeFile(path: string, conditions: FileConditions) {
    return this.#session.files.remove(path, conditions)
  }

  /** Go on if there is something to go on with that no alarm stands for. True: so it was. */
  async takeUpIfLost() {
    const isLost = this.#session.isLost((await this.ctx.storage.getAlarm()) !== null)
    if (isLost) await this.ctx.storage.setAlarm(Date.now())
    return isLost
  }

  takeUp() {
    this.#session.takeUp()
  }

  /** The upgrade of a WebSocket; else the error as JSON. */
  override fetch(request: Request) {
    return this.#parts.sockets.accept(request)
  }

  socketIds() {
    return this.#parts.sockets.ids()
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer) {
    return this.#parts.sockets.receive(socket, frame)
  }

  /** Answers the client's goodbye, which otherwise waits for it. */
  override webSocketClose(socket: WebSocket) {
    socket.close(1000)
    return this.#parts.sockets.closed(socket)
  }

  override webSocketError(socket: WebSocket) {
    return this.#parts.sockets.closed(socket)
  }

  override alarm() {
    this.#parts.alarm.rang()
    return this.#session.wake()
  }
}

/** The class of a server whose doors show sessions so. */
export function sessionObjectOf(projections: Projections): new (ctx: DurableObjectState, env: Env) => SessionObject {
  return class extends SessionObject {
    protected override projections() {
      return projections
    }
  }
}
