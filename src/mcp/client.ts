/** Speaks to servers by the official SDK. Its schemas are made when they are first needed: most sessions never do. */
import {
  Client,
  LOG_LEVEL_META_KEY,
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  isInputRequiredResult,
  isSpecType,
  type CallToolResult,
  type InputRequiredResult,
  type InputResponses,
  type OAuthClientProvider,
  type Progress,
} from '@modelcontextprotocol/client'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool, McpManner, McpServer } from '../domain/mcp.ts'
import type { Fetch } from '../domain/ports.ts'
import type { JsonSchema, ToolNews } from '../domain/tool.ts'
import { AddressRefused } from '../net/address-refused.ts'
import type { InputWanted } from './elicitation.ts'
import type { McpFailure } from './failure.ts'
import { AnswerTooLong } from './limited-fetch.ts'
import { AuthorisationFailed, AuthorisationWanted } from './oauth-errors.ts'
import { serverFetch } from './oauth-fetch.ts'
import { checkOf } from './schema.ts'
import { DefaultJsonSchemaValidator } from './sdk-shims.ts'

const CLIENT = { name: 'yaa', version: '1' }
const LOG_LEVEL = 'info'

export interface ConnectOptions {
  fetch: Fetch
  /** As it was found before; null: it is asked. */
  manner: McpManner | null
  signal: AbortSignal
  /** Gets the server authorised; null: nobody does. */
  auth: OAuthClientProvider | null
  /** The server says that its tools have changed. */
  readonly toolsChanged: () => void
}

/** A server that was reached, and how it is spoken to. */
export interface Connection {
  client: Client
  manner: McpManner
  /** The id that a server with sessions gave. */
  readonly sessionId: string | undefined
  /** Told of what the server says while a call is under way. */
  listeners: Set<(news: ToolNews) => void>
  /** Ends its session, too; never rejects. */
  close(): Promise<void>
}

/** Reach a server: in the newest revision if it speaks that, else by the older handshake. Rejects with the SDK's errors. */
export async function connect(
  server: Pick<McpServer, 'url' | 'headers'>,
  options: ConnectOptions,
): Promise<Connection> {
  const { fetch, manner, signal, auth } = options
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: serverFetch(fetch, server.url, server.headers),
    ...(auth === null ? {} : { authProvider: auth }),
  })
  const client = new Client(CLIENT, {
    capabilities: manner?.era === 'legacy' ? {} : { elicitation: { form: {}, url: {} } },
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: LIMITS.mcp.probeMs } },
    inputRequired: { autoFulfill: false },
    listMaxPages: LIMITS.mcp.listPagesMax,
    jsonSchemaValidator: new DefaultJsonSchemaValidator(),
  })
  const listeners = listenedTo(client, options.toolsChanged)
  await client.connect(transport, { signal, timeout: LIMITS.mcp.probeMs, ...priorOf(manner) })
  if (client.getProtocolEra() !== 'modern' && client.getServerCapabilities()?.logging)
    await client.setLoggingLevel(LOG_LEVEL, { signal, timeout: LIMITS.mcp.probeMs }).catch(() => {})
  return {
    client,
    manner: mannerOf(client),
    listeners,
    get sessionId() {
      return transport.sessionId
    },
    close: () => closed(client, transport),
  }
}

/** What the server says without being asked. Which call a word is of is not told: the oldest under way has it. */
function listenedTo(client: Client, toolsChanged: () => void): Connection['listeners'] {
  const listeners: Connection['listeners'] = new Set()
  client.setNotificationHandler('notifications/message', ({ params: { level, data, logger } }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    const [first] = listeners
    first?.({ type: 'log', level, text: logger === undefined ? text : `${logger}: ${text}` })
  })
  client.setNotificationHandler('notifications/tools/list_changed', toolsChanged)
  return listeners
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

/** What a server offers, all pages of it. */
export async function listTools({ client }: Connection, signal: AbortSignal): Promise<McpListedTool[]> {
  const { tools } = await client.listTools(undefined, { signal, timeout: LIMITS.mcp.probeMs, cacheMode: 'bypass' })
  return tools.map(({ name, title, description, inputSchema, outputSchema, annotations }) => ({
    name,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  }))
}

export interface McpCall {
  tool: McpListedTool
  args: Record<string, unknown>
  /** Also the idempotency key of the call. */
  callId: string
  signal: AbortSignal
  /** Answers to what the server asked when the call was made before. */
  input: InputWanted | null
  readonly tell: (news: ToolNews) => void
}

/** What a call gives: an answer, or what the server wants to know first. */
export type McpAnswer = { answer: CallToolResult } | { wanted: Pick<InputWanted, 'requests' | 'requestState'> }

/** Have a tool called. Rejects with the SDK's errors; a tool that failed by its own account resolves with `isError`. */
export async function callTool(connection: Connection, call: McpCall): Promise<McpAnswer> {
  const { client, listeners } = connection
  const { outputSchema, ...shown } = call.tool
  listeners.add(call.tell)
  try {
    const result: unknown = await client.callTool(paramsOf(connection, call), {
      signal: call.signal,
      timeout: LIMITS.mcp.callMs,
      toolDefinition: { ...shown, inputSchema: { ...shown.inputSchema, type: 'object' } },
      allowInputRequired: true,
      onprogress: (progress) => call.tell(progressNews(progress)),
    })
    if (isInputRequiredResult(result)) return { wanted: wantedBy(result) }
    const answer = result as CallToolResult
    checkOutput(outputSchema, answer)
    return { answer }
  } finally {
    listeners.delete(call.tell)
  }
}

function paramsOf({ manner }: Connection, { tool, args, callId, input }: McpCall) {
  const level = manner.era === 'modern' ? { [LOG_LEVEL_META_KEY]: LOG_LEVEL } : {}
  const answers = input === null ? {} : { inputResponses: input.responses as InputResponses }
  const state = input?.requestState === undefined ? {} : { requestState: input.requestState }
  return { name: tool.name, arguments: args, _meta: { 'Idempotency-Key': callId, ...level }, ...answers, ...state }
}

function wantedBy({
  inputRequests = {},
  requestState,
}: InputRequiredResult): Pick<InputWanted, 'requests' | 'requestState'> {
  return { requests: { ...inputRequests }, ...(requestState === undefined ? {} : { requestState }) }
}

/** What a tool that has an output schema gives must fit it. */
function checkOutput(schema: JsonSchema | undefined, { structuredContent, isError }: CallToolResult): void {
  if (schema === undefined || isError) return
  const [misfit] =
    structuredContent === undefined
      ? [{ path: '', expected: 'no structured content' }]
      : checkOf(schema)(structuredContent)
  if (misfit) throw new SdkError(SdkErrorCode.InvalidResult, `structuredContent ${misfit.path}: ${misfit.expected}`)
}

function progressNews({ progress, total, message }: Progress): ToolNews {
  return { type: 'progress', progress, total: total ?? null, message: message ?? null }
}

/** The class of an error of `connect`, `listTools` or `callTool`. */
export function failureOf(error: unknown): McpFailure {
  if (error instanceof AddressRefused) return { code: 'address_refused', detail: error.detail }
  if (error instanceof AnswerTooLong || isCausedBy(error, AnswerTooLong)) return { code: 'too_long' }
  if (error instanceof AuthorisationWanted) return { code: 'authorise', url: error.url }
  if (UnauthorizedError.isInstance(error)) return { code: 'unauthorized' }
  if (isAuthorisationError(error)) return { code: 'authorisation_failed' }
  if (SdkHttpError.isInstance(error)) return httpFailure(error)
  if (SdkError.isInstance(error)) return sdkFailure(error)
  if (ProtocolError.isInstance(error)) return { code: 'refused', detail: error.message }
  if (isNamed(error, 'TimeoutError')) return { code: 'timeout' }
  return isNamed(error, 'ZodError') || error instanceof SyntaxError
    ? { code: 'bad_answer', detail: '' }
    : { code: 'unreachable' }
}

function isAuthorisationError(error: unknown): boolean {
  return error instanceof AuthorisationFailed || error instanceof OAuthClientFlowError || error instanceof OAuthError
}

function httpFailure({ status, message, data }: SdkHttpError): McpFailure {
  if (status === undefined) return { code: 'unreachable' }
  if (status === 401 || status === 403) return { code: 'unauthorized' }
  return { code: 'status', status, detail: typeof data.text === 'string' ? data.text : message }
}

function sdkFailure(error: SdkError): McpFailure {
  if (error.code === SdkErrorCode.RequestTimeout) return { code: 'timeout' }
  if (error.code === SdkErrorCode.UnsupportedResultType) return { code: 'wants_input' }
  if (error.cause !== undefined && error.cause !== error) return failureOf(error.cause)
  return BAD_ANSWERS.has(error.code) ? { code: 'bad_answer', detail: error.message } : { code: 'unreachable' }
}

const BAD_ANSWERS: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.ClientHttpUnexpectedContent,
  SdkErrorCode.ListPaginationExceeded,
])

/** Whether the server has forgotten the session that it gave; the call was not looked at. */
export function isSessionGone(error: unknown): boolean {
  return SdkHttpError.isInstance(error) && error.status === 404
}

/** Whether the server would say the same however it is spoken to. */
export function isUnauthorised(error: unknown): boolean {
  return ['authorise', 'unauthorized', 'authorisation_failed'].includes(failureOf(error).code)
}

function isCausedBy(error: unknown, kind: new (...args: never[]) => Error): boolean {
  return error instanceof Error && error.cause instanceof kind
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
