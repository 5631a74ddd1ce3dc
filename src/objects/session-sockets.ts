import * as z from 'zod'
import { auditActor } from '../domain/audit.ts'
import { STATUS, type AppError } from '../domain/errors.ts'
import { scope } from '../domain/access.ts'
import { LIMITS } from '../domain/limits.ts'
import { problemBody } from '../domain/problem.ts'
import { spokenProtocol } from '../domain/socket.ts'
import { newId } from '../lib/id.ts'
import type { Cursor } from '../log/deltas.ts'
import { type Caller, isMadeKey, isOver, type Principal, stillHolds } from '../service/caller.ts'
import type { ServicePorts } from '../service/ports.ts'
import { countFrame } from '../service/limits.ts'
import { run } from '../service/run.ts'
import type { Session } from '../session/session.ts'
import type { Frames } from '../session/queries/projection.ts'
import { directoryObject, type Env } from './env.ts'
import { report } from './report.ts'
import { servicePorts } from './service-ports.ts'
import { readFrame } from './socket-command.ts'

/** What a socket keeps over hibernation. */
const attachment = z.object({
  seq: z.number(),
  n: z.number(),
  scopes: z.array(z.string()),
  /** Under which the tenant counts it; null: it does not. */
  connection: z.string().nullable().default(null),
  /** Who connected, for the audit of what the frames do, and whose budget pays for it. */
  caller: z.object({
    tenant: z.string(),
    actor: auditActor,
    request_id: z.string(),
    payer: z.string().nullable(),
    /** Sessions that its key may have in progress; null: as many as it likes. */
    at_once: z.int().nullable().default(null),
    /** Requests that it may make in a minute, frames among them; null: as many as it likes. */
    per_minute: z.int().nullable().default(null),
    /** Under which they are counted; null: the actor's id. */
    account: z.string().nullable().default(null),
    /** Unix ms from which on what it showed does not hold any more; null: that has to be looked up, or it holds for ever. */
    expires_time: z.number().nullable().default(null),
  }),
})
export type SocketCaller = z.infer<typeof attachment>['caller']

/** Who sends the frames of a socket. */
function callerOf({ scopes, caller }: z.infer<typeof attachment>): Caller {
  const { tenant, actor, request_id: requestId, payer, account, expires_time: expiresTime } = caller
  const principal: Principal = {
    ...actor,
    tenant,
    scopes: scope.options.filter((one) => scopes.includes(one)),
    ...limitsOf(caller),
    ...(account === null ? {} : { account }),
    ...(expiresTime === null ? {} : { expiresTime }),
  }
  return { principal, requestId, payer }
}

/** Null: it is not counted. */
function connectionOf(socket: WebSocket): { id: string; tenant: string } | null {
  const { connection, caller } = attachment.parse(socket.deserializeAttachment())
  return connection === null ? null : { id: connection, tenant: caller.tenant }
}

function limitsOf({ at_once: atOnce, per_minute: perMinute }: SocketCaller): Pick<Principal, 'limits'> {
  if (atOnce === null && perMinute === null) return {}
  const limits = {
    ...(atOnce === null ? {} : { sessions_at_once: atOnce }),
    ...(perMinute === null ? {} : { requests_per_minute: perMinute }),
  }
  return { limits }
}

/** Headers by which the Worker tells the object who connects, and from where on. They never come from outside. */
export const SOCKET_HEADERS = {
  after: 'x-yaa-after',
  scopes: 'x-yaa-scopes',
  caller: 'x-yaa-caller',
  connection: 'x-yaa-connection',
  protocols: 'x-yaa-protocols',
} as const

/** The WebSockets of a session: they sleep with the object, and are told every event behind their cursor when it is awake. */
export class SessionSockets {
  readonly #ctx: DurableObjectState
  readonly #env: Env
  readonly #session: Session
  readonly #keys: SocketKeys
  readonly #readers = new WeakMap<WebSocket, { cursor: Cursor; frames: Frames }>()

  constructor(ctx: DurableObjectState, env: Env, session: Session) {
    this.#ctx = ctx
    this.#env = env
    this.#session = session
    this.#keys = new SocketKeys(env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    session.listen(() => this.#notifyAll())
  }

  /** Answers an upgrade; what is behind the cursor follows at once. An error is told as JSON. */
  accept(request: Request): Response {
    const { seq, n } = cursorOf(request.headers.get(SOCKET_HEADERS.after) ?? '0')
    const joined = this.#session.join({ seq, n })
    if (!joined.ok) return Response.json(joined.error, { status: STATUS[joined.error.code] })
    const scopes = (request.headers.get(SOCKET_HEADERS.scopes) ?? '').split(',')
    const caller: unknown = JSON.parse(request.headers.get(SOCKET_HEADERS.caller) ?? 'null')
    const connection = request.headers.get(SOCKET_HEADERS.connection)
    const { 0: client, 1: server } = new WebSocketPair()
    this.#ctx.acceptWebSocket(server)
    server.serializeAttachment({ seq, n, scopes, caller, connection })
    this.#ctx.waitUntil(this.#notify(server))
    const protocol = spokenProtocol(request.headers.get(SOCKET_HEADERS.protocols))
    const headers = protocol === null ? {} : { 'sec-websocket-protocol': protocol }
    return new Response(null, { status: 101, webSocket: client, headers })
  }

  /** Under which the tenant counts those that are open. */
  ids(): string[] {
    return this.#ctx.getWebSockets().flatMap((socket) => connectionOf(socket)?.id ?? [])
  }

  /** A socket is gone, which makes room for another. */
  async closed(socket: WebSocket): Promise<void> {
    const connection = connectionOf(socket)
    if (connection) await directoryObject(this.#env, connection.tenant).closeConnection(connection.id).catch(report)
  }

  /** Does what a frame asks, by the service. Without an error it is done, and its events follow; a run goes on as far as one
   *  request would take it. */
  async receive(socket: WebSocket, frame: string | ArrayBuffer): Promise<void> {
    const text = typeof frame === 'string' && frame.length <= LIMITS.parts.bodyBytesMax ? frame : ''
    const ports = this.#ports()
    const caller = callerOf(attachment.parse(socket.deserializeAttachment()))
    const refused = await countFrame(ports, caller.principal)
    if (refused) return this.#refuse(socket, refused)
    const asked = readFrame(text)
    if (!asked.ok) return sendProblem(socket, asked.error)
    const done = await run(ports, caller, {
      ...asked.value,
      sessionId: this.#session.id ?? '',
      idempotency: null,
      form: 'stream',
      status: null,
    })
    if (!done.ok) sendProblem(socket, done.error)
  }

  /** The service, as it reaches the session of this very object. */
  #ports(): ServicePorts {
    return { ...servicePorts(this.#env), session: () => this.#session, listsSession: async () => true }
  }

  #refuse(socket: WebSocket, error: AppError): void {
    sendProblem(socket, error)
    if (error.code === 'unauthorized') socket.close(1008, 'the key is not valid any more')
  }

  #notifyAll(): void {
    for (const socket of this.#ctx.getWebSockets()) {
      const { principal } = callerOf(attachment.parse(socket.deserializeAttachment()))
      if (!this.#session.exists) socket.close(1000, 'the session was deleted')
      else if (this.#keys.isKnown(socket, principal)) this.#ctx.waitUntil(this.#notify(socket))
      else this.#ctx.waitUntil(this.#notifyHolder(socket, principal))
    }
  }

  /** Sends what is new if the key that opened the socket still holds. */
  async #notifyHolder(socket: WebSocket, principal: Principal): Promise<void> {
    const holds = await this.#keys.look(socket, principal)
    if (holds === false) this.#refuse(socket, { code: 'unauthorized' })
    if (holds) await this.#notify(socket)
  }

  async #notify(socket: WebSocket): Promise<void> {
    const frames = this.#readers.get(socket)?.frames ?? (await this.#session.frames(VIEW))
    if (!this.#session.exists) return
    const kept = attachment.parse(socket.deserializeAttachment())
    const reader = this.#readers.get(socket) ?? { cursor: kept, frames }
    this.#readers.set(socket, reader)
    for (let news = this.#session.tail(reader.cursor); news.length > 0; news = this.#session.tail(reader.cursor)) {
      for (const one of news) for (const frame of reader.frames.of(one)) send(socket, frame)
      reader.cursor = cursorOf(news.at(-1)?.id ?? '0')
    }
    const { seq, n } = reader.cursor
    if (seq !== kept.seq) socket.serializeAttachment({ ...kept, seq, n })
  }
}

/** The frames that a socket is sent. */
const VIEW = { name: 'ws' }

/** Whether the keys that opened sockets still hold: looked at before something is told, and not again for a while; and whether tokens do. */
class SocketKeys {
  readonly #env: Env
  readonly #lookedAt = new WeakMap<WebSocket, number>()
  readonly #looks = new WeakSet<WebSocket>()

  constructor(env: Env) {
    this.#env = env
  }

  /** Whether the key need not be looked at now. */
  isKnown(socket: WebSocket, principal: Principal): boolean {
    const now = Date.now()
    if (isOver(principal, now)) return false
    // The clock may have been set back.
    return !isMadeKey(principal) || Math.abs(now - (this.#lookedAt.get(socket) ?? 0)) < LIMITS.access.keyLookMs
  }

  /** Null: nobody knows, or somebody looks already. */
  async look(socket: WebSocket, principal: Principal): Promise<boolean | null> {
    if (this.#looks.has(socket)) return null
    this.#looks.add(socket)
    const holds = await stillHolds(servicePorts(this.#env), principal).catch(report)
    this.#looks.delete(socket)
    if (holds) this.#lookedAt.set(socket, Date.now())
    return holds ?? null
  }
}

function cursorOf(id: string): Cursor {
  const [seq = 0, n = 0] = id.split('.').map(Number)
  return { seq, n }
}

function sendProblem(socket: WebSocket, error: AppError): void {
  send(socket, JSON.stringify({ type: 'problem', problem: problemBody(error, newId('req', Date.now())) }))
}

/** A socket that is closing takes nothing more; its client comes back with its last id. */
function send(socket: WebSocket, frame: string): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(frame)
}
