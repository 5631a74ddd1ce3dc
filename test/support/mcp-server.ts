import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type McpHttpHandler,
} from '@modelcontextprotocol/server'
import { onLoopback } from './on-loopback.ts'

/** What a server of a test was sent: one entry a request. */
export interface McpSent {
  method: string
  headers: Record<string, string>
  /** Of JSON-RPC: the method or `response`; empty for a request without a body. */
  rpc: string
  params: Record<string, unknown>
}

export interface McpTestServer {
  url: string
  /** `host:port`. */
  host: string
  sent: McpSent[]
  /** The tools that were called, with their arguments. */
  calls(): { name: unknown; arguments: unknown; key: unknown }[]
  /** Resolves once so many requests of a kind have come. */
  readonly when: (is: (sent: McpSent) => boolean, count: number) => Promise<void>
  /** Forget the sessions that were given, as a restart does. */
  forgetSessions(): void
  /** What is answered in place of the protocol; null: nothing. */
  fail: ((request: Request) => Promise<Response | null>) | null
  notify: McpHttpHandler['notify']
  close(): Promise<void>
}

export interface McpServerOptions {
  /** `modern`: revision 2026-07-28 alone, without sessions; `legacy`: the older ones, with sessions. */
  era: 'modern' | 'legacy'
  /** Add what it offers to a new instance. */
  readonly register: (server: McpServer) => void
}

/** A server of the Model Context Protocol on loopback, made with the official SDK. */
export async function startMcpServer({ era, register }: McpServerOptions): Promise<McpTestServer> {
  const make = () => {
    const server = new McpServer(
      { name: 'test', version: '1.0.0' },
      { capabilities: { tools: { listChanged: true }, logging: {} } },
    )
    register(server)
    return server
  }
  const modern = createMcpHandler(make, { legacy: 'reject' })
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const serve = (request: Request) => (era === 'modern' ? modern.fetch(request) : withSession(request, make, sessions))
  const sent: McpSent[] = []
  const lookers = new Set<() => void>()
  const server = createServer((request, response) => void answer(request, response))
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await webRequest(incoming, response)
    sent.push(await sentOf(request.clone()))
    for (const look of lookers) look()
    await write((await state.fail?.(request.clone())) ?? (await serve(request)), response)
  }
  const { url, host, close } = await onLoopback(server)
  const state: McpTestServer = {
    url: `${url}/mcp`,
    host,
    sent,
    calls: () =>
      sent
        .filter(({ rpc }) => rpc === 'tools/call')
        .map(({ params }) => ({
          name: params['name'],
          arguments: params['arguments'],
          key: Reflect.get(Object(params['_meta']), 'Idempotency-Key'),
        })),
    when: (is, count) =>
      new Promise((found) => {
        const look = () => {
          if (sent.filter(is).length < count) return
          lookers.delete(look)
          found()
        }
        lookers.add(look)
        look()
      }),
    forgetSessions: () => sessions.clear(),
    fail: null,
    notify: modern.notify,
    close: async () => {
      await close()
      await modern.close()
      for (const transport of sessions.values()) await transport.close()
    },
  }
  return state
}

async function withSession(
  request: Request,
  make: () => McpServer,
  sessions: Map<string, WebStandardStreamableHTTPServerTransport>,
): Promise<Response> {
  const id = request.headers.get('mcp-session-id')
  const known = id === null ? undefined : sessions.get(id)
  if (known) return known.handleRequest(request)
  if (id !== null) return Response.json(rpcError('Session not found'), { status: 404 })
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (made) => void sessions.set(made, transport),
  })
  await make().connect(transport)
  return transport.handleRequest(request)
}

const rpcError = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32_001, message } })

async function webRequest(incoming: IncomingMessage, response: ServerResponse): Promise<Request> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const method = incoming.method ?? 'GET'
  const body = method === 'GET' || method === 'HEAD' ? {} : { body: Buffer.concat(chunks) }
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method,
    headers,
    signal: gone.signal,
    ...body,
  })
}

async function sentOf(request: Request): Promise<McpSent> {
  const text = await request.text()
  const body: unknown = text === '' ? {} : JSON.parse(text)
  const { method, params } = Object(body) as { method?: string; params?: Record<string, unknown> }
  const rpc = method ?? (text === '' ? '' : 'response')
  return { method: request.method, headers: Object.fromEntries(request.headers), rpc, params: params ?? {} }
}

async function write(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  if (answer.body === null) return void response.end()
  const body = Readable.fromWeb(answer.body as never)
  response.once('close', () => body.destroy())
  body.on('error', () => response.destroy()).pipe(response)
}
