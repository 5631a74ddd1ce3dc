import {
  type EventStore,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { isMcpSession, newMcpSessionId } from '../../access/marks.ts'
import { bytesOf } from '../../lib/bytes.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { McpClient, McpPlace, RpcId } from '../../domain/mcp-session.ts'
import { serviceOf } from '../../http/caller.ts'
import { type AppEnv, problem } from '../../http/context.ts'
import { isObject, memberOf } from '../../lib/json.ts'
import type { McpSessionApi } from '../../objects/api.ts'
import { mcpSessionObject } from '../../objects/env.ts'
import { ownerName } from '../kernel/thread.ts'
import { elicitation, callLanguage } from './call.ts'
import type { ConformanceFixtures } from './conformance/fixtures.ts'
import { saidIn } from './questions.ts'
import { cancelled, decided } from './run.ts'
import { type CallStream, sdkServer, SESSION_REVISIONS } from './server.ts'
import { declaredIn } from './stateless.ts'
import { wordsIn } from './words.ts'

/** Requests of the revisions of 2025, whose clients have sessions. An isolate keeps nothing of them: who the client is, and which run a call
 *  began, stands in an object; what happens stands in the log of the run, and streams are made of that. */

const SESSION_HEADER = 'mcp-session-id'

/** A session that a request names. */
export interface NamedSession {
  id: string
  object: McpSessionApi
  client: McpClient
  /** The number of the call that it brings; null: none. */
  call: number | null
}

/** What is wrong with a request, as JSON-RPC over HTTP says it. */
export function rpcRefusal(status: number, code: number, message: string, id: RpcId | null = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status })
}

const NOT_FOUND = -32_001
const REFUSED = -32_000
const INVALID_REQUEST = -32_600

/** The session of a request; a response says why there is none. */
export async function clientSession(c: Context<AppEnv>, message: unknown): Promise<NamedSession | Response> {
  const id = c.req.header(SESSION_HEADER)
  if (id === undefined) return rpcRefusal(400, REFUSED, 'Mcp-Session-Id is missing: send initialize first.')
  const { tenant } = c.get('principal')
  const object = mcpSessionObject(c.env, tenant, id)
  const isGivenOut = await isMcpSession(await serviceOf(c).secret(), tenant, id)
  const entered = isGivenOut ? await object.enter(ownerName(c.get('principal')), newCall(message)) : null
  return entered ? { id, object, ...entered } : rpcRefusal(404, NOT_FOUND, 'Session not found: initialize anew.')
}

function newCall(message: unknown) {
  if (!isJSONRPCRequest(message) || message.method !== 'tools/call') return null
  const { name, _meta: meta } = message.params ?? {}
  const token = memberOf(meta, 'progressToken')
  const isToken = typeof token === 'string' || typeof token === 'number'
  return { rpc: message.id, tool: typeof name === 'string' ? name : '', token: isToken ? token : null }
}

/** A posted message. */
export async function answerInSession(
  c: Context<AppEnv>,
  body: unknown,
  fixtures: ConformanceFixtures | null,
): Promise<Response> {
  if (Array.isArray(body)) return rpcRefusal(400, INVALID_REQUEST, 'Batches are of older revisions: send one message.')
  if (isJSONRPCRequest(body) && isInitializeRequest(body)) return initialized(c, body, fixtures)
  const session = await clientSession(c, body)
  if (session instanceof Response) return session
  if (isJSONRPCResponse(body)) return responded(c, body, session, fixtures)
  if (isJSONRPCNotification(body)) return notified(c, body, session)
  return served(c, body, session, fixtures)
}

async function initialized(
  c: Context<AppEnv>,
  request: JSONRPCRequest,
  fixtures: ConformanceFixtures | null,
): Promise<Response> {
  const { tenant } = c.get('principal')
  const capabilities = request.params?.['capabilities']
  const asked = request.params?.['protocolVersion']
  const client: McpClient = {
    protocol: SESSION_REVISIONS.find((one) => one === asked) ?? SESSION_REVISIONS[0] ?? '',
    elicits: declaredIn(capabilities).elicits,
    capabilities: isObject(capabilities) ? capabilities : {},
  }
  if (bytesOf(JSON.stringify(client)) > LIMITS.mcpDoor.clientBytesMax)
    return rpcRefusal(
      413,
      INVALID_REQUEST,
      `Capabilities of at most ${LIMITS.mcpDoor.clientBytesMax} bytes.`,
      request.id,
    )
  const id = await newMcpSessionId(await serviceOf(c).secret(), tenant, Date.now())
  await mcpSessionObject(c.env, tenant, id).open(ownerName(c.get('principal')), client)
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    enableJsonResponse: true,
  })
  return through(c, transport, request, { id, client, stream: null, fixtures })
}

interface Through {
  id: string
  client: McpClient
  stream: CallStream | null
  fixtures: ConformanceFixtures | null
}

async function through(
  c: Context<AppEnv>,
  transport: WebStandardStreamableHTTPServerTransport,
  message: JSONRPCMessage,
  { id, client, stream, fixtures }: Through,
): Promise<Response> {
  const calls = stream ?? noCall(id)
  const server = sdkServer({ c, client: { elicits: client.elicits, takesTasks: false }, stream: calls, fixtures })
  await server.connect(transport)
  fixtures?.opened(id, transport)
  return transport.handleRequest(c.req.raw, { parsedBody: message })
}

/** Of a request that begins no run. */
function noCall(mcpSession: string): CallStream {
  return { mcpSession, begun: () => {}, at: () => {}, ask: async () => {}, isPutOff: async () => false }
}

/** A request: a tool is answered by a stream, in which it can tell and ask; anything else at once. */
async function served(
  c: Context<AppEnv>,
  body: unknown,
  { id, object, client, call }: NamedSession,
  fixtures: ConformanceFixtures | null,
): Promise<Response> {
  const message = body as JSONRPCMessage
  if (call === null) {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    })
    return through(c, transport, message, { id, client, stream: null, fixtures })
  }
  const stream = new PostStream(c, { id, object, call, rpc: (body as JSONRPCRequest).id })
  const response = await through(c, stream.transport, message, { id, client, stream, fixtures })
  if (!fixtures) await Promise.race([stream.hasBegun, stream.isOver])
  return response
}

/** The stream of one call. Ids of its events are the number of the call and the place in the run, so that another isolate can go on behind any. */
class PostStream implements CallStream {
  readonly mcpSession: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly hasBegun: Promise<void>
  readonly isOver: Promise<void>
  readonly #c: Context<AppEnv>
  readonly #object: McpSessionApi
  readonly #call: number
  readonly #rpc: RpcId
  #place = '0.0'
  #begin = () => {}
  #end = () => {}

  constructor(
    c: Context<AppEnv>,
    { id, object, call, rpc }: { id: string; object: McpSessionApi; call: number; rpc: RpcId },
  ) {
    this.#c = c
    this.#object = object
    this.#call = call
    this.#rpc = rpc
    this.mcpSession = id
    this.hasBegun = new Promise((resolve) => (this.#begin = resolve))
    this.isOver = new Promise((resolve) => (this.#end = resolve))
    const store: EventStore = {
      storeEvent: async (_stream, message) => this.#eventId(message),
      replayEventsAfter: async () => {
        throw new Error('streams are taken up again by GET')
      },
    }
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      eventStore: store,
      keepAliveMs: LIMITS.mcpDoor.beatMs,
    })
  }

  #eventId(message: JSONRPCMessage): string {
    if (!isJSONRPCResponse(message)) return `${this.#call}.${this.#place}`
    this.#end()
    return `${this.#call}.${END}`
  }

  async begun(place: McpPlace): Promise<void> {
    const { isCancelled } = await this.#object.place(this.#call, place)
    if (isCancelled) await cancelled(this.#c, place, { after: null, language: 'en' })
    this.#begin()
  }

  at(seq: number): void {
    this.#place = `${seq}.0`
  }

  async ask(seq: number, nth: number, pending: Parameters<CallStream['ask']>[2]): Promise<void> {
    this.#place = `${seq}.${nth + 1}`
    const request = askRequest(this.#c, this.#call, pending)
    await this.transport.send(request, { relatedRequestId: this.#rpc })
  }

  async isPutOff(): Promise<boolean> {
    return (await this.#object.find({ n: this.#call }))?.isPutOff === true
  }
}

/** Behind everything of a call. */
export const END = 'end'

/** A form for the user of a client, as a request to it. Its id leads back to what waits. */
export function askRequest(
  c: Context<AppEnv>,
  call: number,
  pending: Parameters<CallStream['ask']>[2],
): JSONRPCRequest {
  const { method, params } = elicitation(pending, callLanguage(c, pending.question ?? ''))
  return { jsonrpc: '2.0', id: `${call}.${pending.id}`, method, params: { ...params } }
}

/** What a client answers to a request of ours: what its user says to something that waits. */
async function responded(
  c: Context<AppEnv>,
  body: { id?: RpcId | undefined; result?: unknown },
  { id, object }: NamedSession,
  fixtures: ConformanceFixtures | null,
): Promise<Response> {
  const [, n = '', pendingId = ''] = /^(\d+)\.(pnd_.+)$/.exec(String(body.id)) ?? []
  if (pendingId === '') {
    fixtures?.heard(id, body)
    return new Response(null, { status: 202 })
  }
  const call = await object.find({ n: Number(n) })
  if (!call?.place) return rpcRefusal(400, REFUSED, 'Nothing of this session waits under this id.')
  const said = saidIn(body.result)
  if (said.is === 'put_off') await object.putOff(call.n)
  else {
    const words = wordsIn(callLanguage(c, ''))
    const input =
      said.is === 'decided' ? said.input : { decision: 'reject' as const, feedback: words.notEdited(said.fault) }
    const done = await decided(c, call.place.session, [{ pendingId, input }])
    if (!done.ok && done.error.code === 'invalid_input') {
      const feedback = words.notEdited(done.error.issues.map(({ path, message }) => `${path}: ${message}`).join('; '))
      await decided(c, call.place.session, [{ pendingId, input: { decision: 'reject', feedback } }])
    } else if (!done.ok && done.error.code !== 'stale_decision') {
      return problem(c, done.error)
    }
  }
  return new Response(null, { status: 202 })
}

/** A client that takes a call back stops its run; one that goes away does not. */
async function notified(
  c: Context<AppEnv>,
  { method, params }: { method: string; params?: Record<string, unknown> | undefined },
  { object }: NamedSession,
): Promise<Response> {
  const rpc = params?.['requestId']
  if (method === 'notifications/cancelled' && (typeof rpc === 'string' || typeof rpc === 'number')) {
    const call = await object.takeBack(rpc)
    if (call?.place) await cancelled(c, call.place, { after: null, language: 'en' })
  }
  return new Response(null, { status: 202 })
}
