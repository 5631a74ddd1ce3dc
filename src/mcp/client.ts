/** Reaches servers by the official SDK. */
import {
  Client,
  StreamableHTTPClientTransport,
  isSpecType,
  type OAuthClientProvider,
  type Transport,
} from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import type { McpManner, McpServer } from '../domain/mcp.ts'
import type { Fetch } from '../domain/ports.ts'
import type { ToolNews } from '../domain/tool.ts'
import { type CallQuestions, CallStreams, endWithStream } from './call-streams.ts'
import type { ServerHeaders } from './server-headers.ts'
import { serverFetch, type TokenSource } from './server-fetch.ts'
import { DefaultJsonSchemaValidator } from './schema.ts'

const CLIENT = { name: 'yaa', version: '1' }
/** Of what servers tell while a call is under way. */
export const LOG_LEVEL = 'info'

export interface ConnectOptions {
  fetch: Fetch
  /** As it was found before; null: it is asked. */
  manner: McpManner | null
  signal: AbortSignal
  headers: Pick<ServerHeaders, 'filled'>
  /** Gets the server authorised; null: nobody does. */
  auth: (OAuthClientProvider & TokenSource) | null
  /** The server says that its tools have changed. */
  readonly toolsChanged: () => void
}

/** Hears what the server says and asks while a call is under way. */
export interface CallUnderWay {
  readonly notify: (news: ToolNews) => void
  questions: CallQuestions
}

/** A server that was reached, and how it is spoken to. */
export interface McpConnection {
  client: Client
  manner: McpManner
  /** The id that a server with sessions gave. */
  readonly sessionId: string | undefined
  /** Under way, by their idempotency keys. */
  calls: Map<string, CallUnderWay>
  /** The tools of the page of a list that came last, as the server wrote them. */
  readonly listed: () => readonly unknown[]
  /** Ends its session, too; never rejects. */
  close(): Promise<void>
}

/** Reach a server: in the newest revision if it speaks that, else by the older handshake. Rejects with the SDK's errors. */
export async function openConnection(server: Pick<McpServer, 'url'>, options: ConnectOptions): Promise<McpConnection> {
  const { fetch, headers, manner, signal, auth } = options
  const streams = new CallStreams()
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: streams.watched(serverFetch(fetch, server.url, () => headers.filled(), auth)),
    ...(auth === null ? {} : { authProvider: auth }),
  })
  endWithStream(transport)
  const listed = listedPast(transport)
  const client = new Client(CLIENT, {
    capabilities: { elicitation: { form: {}, url: {} } },
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: LIMITS.mcp.probeMs } },
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: new DefaultJsonSchemaValidator(),
  })
  const calls: McpConnection['calls'] = new Map()
  listen(client, calls, options.toolsChanged)
  takeQuestions(client, calls, streams)
  await client.connect(transport, { signal, timeout: LIMITS.mcp.probeMs, ...priorOf(manner) })
  if (client.getProtocolEra() !== 'modern' && client.getServerCapabilities()?.logging)
    await client.setLoggingLevel(LOG_LEVEL, { signal, timeout: LIMITS.mcp.probeMs }).catch(() => {})
  return {
    client,
    manner: mannerOf(client),
    calls,
    listed,
    get sessionId() {
      return transport.sessionId
    },
    close: () => closed(client, transport),
  }
}

/** Has lists of tools go past the SDK, which would take none of a list with one broken tool: it is shown empty ones. */
function listedPast(transport: Transport): McpConnection['listed'] {
  let listed: readonly unknown[] = []
  const onmessage: Transport['onmessage'] = (message) => {
    if (!('result' in message) || !Array.isArray(message.result['tools'])) return
    listed = message.result['tools']
    message.result['tools'] = []
  }
  // The SDK has a handler that is there before its own hear first.
  Object.assign(transport, { onmessage })
  return () => listed
}

/** What the server says without being asked. Which call a word is of is not told: the oldest under way has it. */
function listen(client: Client, calls: McpConnection['calls'], toolsChanged: () => void): void {
  client.setNotificationHandler('notifications/message', ({ params: { level, data, logger } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    const [first] = calls.values()
    first?.notify({ type: 'log', level, text: logger === undefined ? text : `${logger}: ${text}` })
  })
  client.setNotificationHandler('notifications/tools/list_changed', toolsChanged)
}

/** Servers of older revisions ask within a call: in its stream, or in that of all where no more than one call is under way. */
function takeQuestions(client: Client, calls: McpConnection['calls'], streams: CallStreams): void {
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq: { id } }) => {
    const [first, ...others] = calls.values()
    const only = others.length === 0 ? first : undefined
    const call = calls.get(streams.take(id) ?? '') ?? only
    return call?.questions.answer({ ...params }) ?? { action: 'cancel' }
  })
}

function priorOf(manner: McpManner | null) {
  if (manner === null) return {}
  if (manner.era === 'legacy') return { prior: { kind: 'legacy' as const } }
  // What was kept of a server is looked at again; without it the server is asked anew.
  return isSpecType.DiscoverResult(manner.discover)
    ? { prior: { kind: 'modern' as const, discover: manner.discover } }
    : {}
}

function mannerOf(client: Client): McpManner {
  const protocol = client.getNegotiatedProtocolVersion() ?? ''
  return client.getProtocolEra() === 'modern'
    ? { era: 'modern', protocol, discover: client.getDiscoverResult() ?? null }
    : { era: 'legacy', protocol, discover: null }
}

async function closed(client: Client, transport: StreamableHTTPClientTransport): Promise<void> {
  await transport.terminateSession().catch(() => {})
  await client.close().catch(() => {})
}
