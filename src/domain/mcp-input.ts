import * as z from 'zod'
import { httpUrl } from './config.ts'
import { LIMITS } from './limits.ts'
import { textLike } from '../lib/zod.ts'

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
