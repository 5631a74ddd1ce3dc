import { LIMITS } from '../../domain/limits.ts'
import type { ApiCatalogue, ApiOperation, ApiSource } from '../../domain/openapi-tools.ts'
import type { Risk, Tool, ToolContext, ToolOutcome } from '../../domain/tool.ts'
import { operationInId, withServerIds } from '../../domain/tool-id.ts'
import { canonicalJson } from '../../lib/hash.ts'
import { maskOf } from '../../lib/mask.ts'
import type { GuardedFetch } from '../../net/outcome.ts'
import { lackingSecret } from '../wanted-secret.ts'
import { calledBySchema } from '../by-schema.ts'
import { responseOutcome } from '../http-request/answer.ts'
import { responseValue } from '../http-request/answer-value.ts'
import type { Credentials, CredentialsFor } from './credentials.ts'
import { type ApiRequest, effectsOf, apiRequestOf } from './request.ts'
import { TEXTS } from './texts.ts'

/** What calls of operations have of the world. */
export interface ApiPorts {
  fetch: GuardedFetch
  credentials: CredentialsFor
  settings: { timeoutMs: number; bodyBytesMax: number }
}

/** What a tool may take longer than the request itself, for reading what came. */
const READING_MS = 5_000

const RISKS: Readonly<Record<string, Risk>> = {
  GET: 'network',
  HEAD: 'network',
  OPTIONS: 'network',
  QUERY: 'network',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
}

/** An operation of an API as a tool. What it may do to the world is said by its method: nothing else that a document says of that counts. */
function operationTool(id: string, source: ApiSource, baseUrl: string, operation: ApiOperation, ports: ApiPorts): Tool {
  const risk = RISKS[operation.method] ?? 'destructive'
  const isSafe = risk === 'network'
  const called = calledBySchema(operation.inputSchema)
  const { trustedOrigin } = source
  return {
    id,
    names: { 'zh-CN': id, en: id },
    description: { 'zh-CN': operation.description, en: operation.description },
    get parameters() {
      return called.parameters
    },
    get definition() {
      return canonicalJson([baseUrl, operation])
    },
    risk,
    riskOf: () => risk,
    effects: (args) => effectsOf(operation, baseUrl, args),
    ...(trustedOrigin === null ? {} : { origin: trustedOrigin }),
    alwaysAsks: false,
    server: source.name,
    idempotent: isSafe,
    isIdempotent: () => isSafe,
    sequential: false,
    synchronous: false,
    control: false,
    needs: null,
    timeoutMs: ports.settings.timeoutMs + READING_MS,
    output: { charsMax: LIMITS.tool.outputCharsMax, linesMax: LIMITS.tool.outputLinesMax, strategy: 'head_tail' },
    units: null,
    paginates: false,
    provenance: 'source',
    guarded: false,
    inputSchema: called.inputSchema,
    parse: called.parse,
    resultValue: responseValue,
    run: (args, context) => run({ source, baseUrl, operation, isSafe, ports }, args, context),
  }
}

interface Called {
  source: ApiSource
  baseUrl: string
  operation: ApiOperation
  isSafe: boolean
  ports: ApiPorts
}

async function run(
  { source, baseUrl, operation, isSafe, ports }: Called,
  args: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolOutcome> {
  const { language, tenant, user, sessionId } = context
  const built = await apiRequestOf(operation, baseUrl, args, context.files)
  if (!built.ok) return { ok: false, reason: TEXTS[language].problems[built.problem](built.path) }
  const { origin } = new URL(built.request.url)
  const given = await ports.credentials(source, origin, { tenant, user, sessionId })
  if (!given.ok) return lackingSecret(given.problem, context)
  const { credentials } = given
  const outcome = await send(ports, { request: built.request, credentials, isSafe }, context)
  const mask = maskOf(credentials.secrets)
  const asked = { url: built.request.url, isSafe, mask, bodyBytesMax: ports.settings.bodyBytesMax }
  return responseOutcome(outcome, asked, context)
}

interface Sent {
  request: ApiRequest
  credentials: Credentials
  isSafe: boolean
}

/** What may have an effect, or says who we are, goes to the address that was approved and no further. */
function send(
  { fetch, settings }: ApiPorts,
  { request, credentials, isSafe }: Sent,
  { callId, signal, barsRedirect }: ToolContext,
) {
  const { method, headers, body } = request
  const url = withQuery(request.url, credentials.query)
  const isNamed = Object.keys({ ...credentials.headers, ...credentials.query }).length > 0
  return fetch(url, {
    method,
    headers: { ...headers, ...credentials.headers, 'idempotency-key': callId },
    ...(body === null ? {} : { body }),
    ...(isSafe && !isNamed ? {} : { maxRedirects: 0 }),
    ...settings,
    barsRedirect: (target) => barsRedirect(url, target),
    signal,
  })
}

function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const more = Object.entries(query).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  return more.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${more.join('&')}`
}

/** Tools by the list that they are made of and whose calls they make, so that a list that stays is converted once. */
const MADE = new WeakMap<readonly ApiOperation[], WeakMap<ApiPorts, { key: string; tools: readonly Tool[] }>>()

/** The tools of an API. `isShared`: ids of another begin alike. */
export function operationTools(
  source: ApiSource,
  { operations, baseUrl }: Pick<ApiCatalogue, 'operations' | 'baseUrl'>,
  ports: ApiPorts,
  isShared = false,
): readonly Tool[] {
  const key = `${source.name}\n${source.version}\n${baseUrl}\n${isShared}`
  const made = MADE.get(operations) ?? new WeakMap<ApiPorts, { key: string; tools: readonly Tool[] }>()
  MADE.set(operations, made)
  const known = made.get(ports)
  if (known?.key === key) return known.tools
  const tools = withServerIds(source.name, operations, isShared, operationInId).map(({ id, tool }) =>
    operationTool(id, source, baseUrl, tool, ports),
  )
  made.set(ports, { key, tools })
  return tools
}
