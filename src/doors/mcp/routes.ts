import { COMMANDS } from '../../service/run.ts'
import { isJSONRPCRequest, isLegacyRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import type { Context, Handler } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import * as z from 'zod'
import { ok } from '../../domain/errors.ts'
import { scope } from '../../domain/access.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { JwtConfig } from '../../domain/auth-config.ts'
import type { DoorRoutes } from '../../http/application.ts'
import { bodyBytes, notJson, parsedBody } from '../../http/body.ts'
import { type AppEnv, factory, originOf, problem } from '../../http/context.ts'
import { described } from '../../http/openapi/describe.ts'
import { PROBLEM } from '../../http/openapi/error-shape.ts'
import { inPlace } from '../../http/route.ts'
import { memberOf } from '../../lib/json.ts'
import type { ConformanceFixtures } from './conformance/fixtures.ts'
import { MCP_ERRORS, requestErrors, RESOURCE_METADATA } from './errors.ts'
import { answerInSession, clientSession, rpcRefusal } from './sessions.ts'
import { answerStateless } from './stateless.ts'
import { openedStream } from './streams.ts'

/** `/mcp`: all revisions at one address. */

const mcpMessage = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
})

const REFUSALS = { refusals: MCP_ERRORS } as const

const mcp = factory
  .createApp()
  .post(
    '/',
    described(
      {
        summary: 'A message of an MCP client',
        id: 'postMcpMessage',
        about:
          'Revision 2026-07-28, which is stateless, and 2025-11-25 and 2025-06-18, which have sessions (`Mcp-Session-Id`). Tools begin runs, which go on to their end whoever listens.',
        scope: 'run',
        body: mcpMessage,
        returns: mcpMessage,
        frames: mcpMessage,
        status: [200, 202],
        errors: ['invalid_input', 'forbidden', 'body_too_large', 'unsupported_media_type'],
        audit: { action: COMMANDS.message.action },
        ...REFUSALS,
      },
      posted,
    ),
  )
  .get(
    '/',
    described(
      {
        summary: 'The stream of a session of an MCP client, or of a call behind `Last-Event-ID`',
        id: 'getMcpStream',
        about:
          'Without `Last-Event-ID` it only shows that the session is there; with it, what a call told and tells behind that event, from the log of its run.',
        headers: ['Last-Event-ID'],
        returns: mcpMessage,
        frames: mcpMessage,
        errors: ['not_found', 'method_not_allowed'],
        ...REFUSALS,
      },
      async (c) => {
        if (c.req.header('mcp-session-id') === undefined)
          return problem(c, { code: 'method_not_allowed', allow: ['POST'] })
        const session = await clientSession(c, null)
        return session instanceof Response ? withHeaders(c, session) : openedStream(c, session)
      },
    ),
  )
  .delete(
    '/',
    described(
      {
        summary: 'End the session of an MCP client',
        id: 'deleteMcpSession',
        about: 'What its calls began goes on.',
        answers: 'none',
        errors: ['not_found', 'method_not_allowed'],
        ...REFUSALS,
      },
      async (c) => {
        if (c.req.header('mcp-session-id') === undefined)
          return problem(c, { code: 'method_not_allowed', allow: ['POST'] })
        const session = await clientSession(c, null)
        if (session instanceof Response) return withHeaders(c, session)
        await session.object.end()
        return c.body(null, 204)
      },
    ),
  )

/** Who gives tokens for it. Source: RFC 9728. */
const metadata = factory
  .createApp()
  .get('/', whoGivesTokens('getResourceMetadata', 'Who gives tokens for this server'))
  .get('/mcp', whoGivesTokens('getMcpResourceMetadata', 'Who gives tokens for MCP clients'))

function whoGivesTokens(id: string, summary: string): Handler<AppEnv> {
  return described(
    {
      summary,
      id,
      about: 'The issuers of `auth.jwt` (RFC 9728); where there are none, nothing is found.',
      answers: 'json',
      errors: ['not_found'],
      open: true,
    },
    (c: Context<AppEnv>) => {
      const issuers = c.get('config').auth?.jwt ?? []
      // Not MCP's own: whoever asks expects no error of JSON-RPC.
      c.set('errors', PROBLEM)
      if (issuers.length === 0) return problem(c, { code: 'not_found', what: 'resource' })
      return c.json({
        resource: `${originOf(c)}/mcp`,
        authorization_servers: issuers.map(({ issuer }) => issuer),
        ...scopesAsked(issuers),
        bearer_methods_supported: ['header'],
        resource_name: 'yaa',
      })
    },
  )
}

/** What tokens may be asked for, in the words of their issuers; none where every token has the same. */
function scopesAsked(issuers: readonly JwtConfig[]): { scopes_supported?: string[] } {
  const words = issuers.flatMap(({ scopes_claim: claim, scopes_map: map }) =>
    claim === undefined ? [] : map ? Object.keys(map) : scope.options,
  )
  return words.length > 0 ? { scopes_supported: [...new Set(words)] } : {}
}

export const mcpDoor: DoorRoutes = {
  open: [[RESOURCE_METADATA, metadata]],
  keyed: [['/mcp', mcp]],
  errors: MCP_ERRORS,
  words: async () => (await import('./openapi-words.ts')).MCP_WORDS,
}

const PARSE_ERROR = -32_700

async function posted(c: Context<AppEnv>): Promise<Response> {
  const refused = notJson(c)
  if (refused) return problem(c, refused)
  const bytes = await bodyBytes(c, LIMITS.parts.bodyBytesMax)
  if (!bytes.ok) return problem(c, bytes.error)
  const body = parsedBody(bytes.value)
  if (!body.ok) return withHeaders(c, rpcRefusal(400, PARSE_ERROR, 'Parse error: the body is not valid JSON.'))
  const method = memberOf(body.value, 'method')
  const rpc = method === undefined ? null : memberOf(body.value, 'id')
  if (typeof rpc === 'string' || typeof rpc === 'number') c.set('errors', requestErrors(rpc))
  const isCall = method === 'tools/call'
  return inPlace(c, isCall, async ({ taken, streamed }) => {
    const place = await taken(async () => ok(null))
    if (!place.ok) return problem(c, place.error)
    const fixtures = await fixturesOf(c)
    const isOfSession = !namesRevision(body.value) && (await isLegacyRequest(c.req.raw, body.value))
    const answer = await (isOfSession ? answerInSession : answerStateless)(c, body.value, fixtures)
    const lacking = c.get('lacking')
    if (lacking) {
      await answer.body?.cancel()
      return problem(c, lacking)
    }
    for (const [name, value] of answer.headers) c.header(name, value)
    const contentType = answer.headers.get('content-type') ?? ''
    return answer.body && contentType.startsWith('text/event-stream')
      ? streamed(answer.body, { contentType })
      : c.newResponse(answer.body, answer.status as StatusCode)
  })
}

/** An answer that was made elsewhere, with the headers that every answer of ours has. */
function withHeaders(c: Context<AppEnv>, { body, status, headers }: Response): Response {
  for (const [name, value] of headers) c.header(name, value)
  return c.newResponse(body, status as StatusCode)
}

async function fixturesOf(c: Context<AppEnv>): Promise<ConformanceFixtures | null> {
  return c.env.YAA_CONFORMANCE === '1' ? (await import('./conformance/fixtures.ts')).conformanceFixtures : null
}

/** Whether a request says its revision itself, which only the stateless ones do: the SDK need not look first, and looks when it answers. */
function namesRevision(body: unknown): boolean {
  const version = memberOf(memberOf(memberOf(body, 'params'), '_meta'), PROTOCOL_VERSION_META_KEY)
  return version !== undefined && isJSONRPCRequest(body) && body.method !== 'initialize'
}
