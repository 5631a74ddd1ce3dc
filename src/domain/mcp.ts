import * as z from 'zod'
import type { Localized } from './language.ts'
import type { JsonSchema } from './tool.ts'
import { httpUrl } from './config.ts'
import { LIMITS } from './limits.ts'
import { onDemand, record, type ShapeOf, time } from '../lib/shape.ts'
import { SECRET_MASK } from '../lib/text.ts'
import { textLike } from '../lib/zod.ts'

/** `config`: of the server's own file, so that its address may be private and its words are ours. */
const MCP_ORIGINS = ['config', 'tenant'] as const
type McpOrigin = (typeof MCP_ORIGINS)[number]

/** Whose grants calls of a server that wants authorisation use. */
export const MCP_GRANTS = ['tenant', 'user'] as const
export type McpGrants = (typeof MCP_GRANTS)[number]

/** Grants that are not the tenant's: it stands behind the name of a server, which holds no `#`. */
export const grantOfUser = (user: string): string => `#user:${user}`
export const grantOfSession = (session: string): string => `#session:${session}`

/** The name by which grants of a connection are kept beside those of servers: no server has one with a space. */
export const grantsOf = (connection: string): string => `connection ${connection}`

/** A server of the Model Context Protocol, as config or a tenant names it. */
export interface McpServer {
  name: string
  url: string
  /** Sent with every request to it; secret. */
  headers: Readonly<Record<string, string>>
  /** Of the client that its authorisation server knows already; the secret is one. Absent: it is registered. */
  oauthClient?: { id: string; secret: string | null }
  /** What it is for; null: it is no worker of plans. */
  description: string | null
  enabled: boolean
  /** What it says of its own tools (read only, idempotent, destructive) counts. */
  trustHints: boolean
  /** `user`: calls are made with a grant of the user that the session works for. Absent: with the tenant's. */
  grants?: McpGrants
  origin: McpOrigin
  /** Headers and the client's secret as they are kept, encrypted; in a server that is used: they cannot be opened here. */
  sealed?: string
  /** Another one whenever anything of it changes. */
  version: string
}

/** What a server says of a tool. None of it is checked but its shape. */
export interface McpListedTool {
  name: string
  title?: string
  description?: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: McpAnnotations
}

export interface McpAnnotations {
  title?: string | undefined
  readOnlyHint?: boolean | undefined
  idempotentHint?: boolean | undefined
  destructiveHint?: boolean | undefined
  openWorldHint?: boolean | undefined
}

/** What of a server's list cannot be used. `tool` null: it is of none, or of one without a name. */
const mcpWarning = /* @__PURE__ */ onDemand(() => z.object({ tool: z.string().nullable(), message: z.string() }))
export type McpWarning = ShapeOf<typeof mcpWarning>

/** How a server wants to be spoken to; JSON of the SDK's own, null for the older revisions with sessions. */
export interface McpManner {
  era: 'modern' | 'legacy'
  protocol: string
  discover: unknown
}

/** What was last found of a server. With `error` the rest is what was known before. */
export interface McpProbe {
  /** Of the server that was asked. */
  version: string
  /** Unix ms of the last try, and of the last that succeeded; null: never. */
  triedTime: number
  listedTime: number | null
  error: string | null
  /** The error in every language; absent where there is none, and in what older versions kept. */
  errorTexts?: Localized
  manner: McpManner | null
  tools: readonly McpListedTool[]
  warnings: readonly McpWarning[]
}

/** A server that can be given a branch. */
export interface McpWorker {
  name: string
  description: string
}

/** A server whose tools are not there, and why. */
export interface MissingServer {
  name: string
  reason: Localized
}

/** A grant as JSON in place of another; null: there was none. */
export interface McpGrantChange {
  from: string | null
  to: string
}

/** What proves that who comes back from an authorisation server is who was sent there: the browser has the cookie of the state, or a key
 *  or token was shown. */
export type McpReturnProof = { type: 'cookie' } | { type: 'caller'; account: string; mayDecide: boolean }

/** Someone who was sent to an authorisation server. */
export interface McpRedirect {
  /** SHA-256 of the state, in hex: what is kept proves nothing. */
  state: string
  server: string
  /** Whose call it was; null: an administrator's. */
  session: string | null
  /** What is needed to go on, as JSON; `by` of it is the account of who began it. */
  text: string
  /** Unix ms. */
  until: number
}

const { descriptionCharsMax, headersMax, headerCharsMax } = LIMITS.mcp

/** Can stand in a path, a line and an id. */
export const mcpServerName = textLike(
  /^(?!\.{1,2}$)[^\s\p{C}/\\?#%<>"]{1,64}$/u,
  '1–64 characters without white space and none of / \\ ? # % < > "',
)

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'the name of a header')
const headerValue = z
  .string()
  .max(headerCharsMax)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'a value that a header can have')

/** Headers that are the protocol's own cannot be set. */
const RESERVED = /^(?:host|content-length|content-type|accept|transfer-encoding|connection|mcp-.*)$/i

export const mcpHeaders = z
  .record(headerName, headerValue)
  .refine((headers) => Object.keys(headers).length <= headersMax, { error: `at most ${headersMax} headers` })
  .superRefine(refuseReserved)

/** One that is there all the same can be taken away. */
function refuseReserved(headers: Record<string, string | null>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers))
    if (value !== null && RESERVED.test(name))
      context.addIssue({ code: 'custom', path: [name], message: 'the protocol sets this header itself: leave it out' })
}

/** Of a client that was registered with an authorisation server by hand. */
export const mcpClientId = z.string().min(1).max(headerCharsMax)
export const mcpClientSecret = z.string().min(1).max(headerCharsMax)

const oauthClient = z.strictObject({ client_id: mcpClientId, client_secret: mcpClientSecret.nullable().optional() })

const fields = {
  url: httpUrl,
  headers: mcpHeaders.optional(),
  oauth_client: oauthClient.nullable().optional(),
  description: z.string().trim().max(descriptionCharsMax).nullable().optional(),
  enabled: z.boolean().optional(),
  trust_hints: z.boolean().optional(),
  oauth_grants: z.enum(MCP_GRANTS).optional(),
}

/** A server as it is added. */
export const newMcpServer = z.strictObject({ name: mcpServerName, ...fields })
/** What of a server is to change. A header whose value is `***` stays as it is, and so does a client's secret; null takes
 *  it away. */
export const mcpServerPatch = z.strictObject({
  ...fields,
  url: httpUrl.optional(),
  headers: z.record(headerName, headerValue.nullable()).superRefine(refuseReserved).optional(),
})

export type NewMcpServer = z.infer<typeof newMcpServer>
export type McpServerPatch = z.infer<typeof mcpServerPatch>

const listedTool = /* @__PURE__ */ onDemand(() =>
  z.object({ id: z.string(), name: z.string(), description: z.string() }),
)

/** A server as a list shows it: its tools by their names alone. */
export const listedMcpServer = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('mcp_server'),
    name: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.literal(SECRET_MASK)),
    oauth_client: z.object({ client_id: z.string(), client_secret: z.literal(SECRET_MASK).nullable() }).nullable(),
    oauth_grants: z.enum(MCP_GRANTS),
    description: z.string().nullable(),
    enabled: z.boolean(),
    trust_hints: z.boolean(),
    source: z.enum(MCP_ORIGINS),
    status: z.enum(['ok', 'error', 'unknown', 'disabled']),
    error: z.string().nullable(),
    warnings: z.array(mcpWarning()),
    protocol_version: z.string().nullable(),
    checked_time: time().nullable(),
    tools: z.array(listedTool()),
  }),
)
export type ListedMcpServer = ShapeOf<typeof listedMcpServer>

/** A server as it is shown. `authorization_url`: where an administrator lets us in, where it asks for that. */
export const mcpServer = /* @__PURE__ */ onDemand(() =>
  listedMcpServer().extend({
    authorization_url: z.string().exactOptional(),
    tools: z.array(listedTool().extend({ input_schema: record(), annotations: record() })),
  }),
)
export type McpServerInfo = ShapeOf<typeof mcpServer>
