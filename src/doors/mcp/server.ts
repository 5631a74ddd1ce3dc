import { ProtocolError, ResourceNotFoundError, Server, type ServerContext } from '@modelcontextprotocol/server'
import type { Context } from 'hono'
import { version } from '../../../package.json'
import { memberOf } from '../../lib/json.ts'
import { lacks } from '../../service/caller.ts'
import type { AppEnv } from '../../http/context.ts'
import type { Pending } from '../../domain/pending.ts'
import type { McpPlace } from '../../domain/mcp-session.ts'
import { calledTool, faultOf, callLanguage, type AskedCall } from './call.ts'
import type { ConformanceFixtures } from './conformance/fixtures.ts'
import { filledPrompt, listedPrompts } from './prompts.ts'
import { listedFiles, readResource, RESOURCE_TEMPLATES } from './resources.ts'
import { type DeclaredClient, serveTasks, TASKS } from './tasks.ts'
import { listedTools } from './tools.ts'

/** The server of the official SDK for one request: what it offers, and who does it. */

/** How one request is served. */
export interface Serving {
  c: Context<AppEnv>
  client: DeclaredClient
  /** The session of the client, of revisions that have one; it is asked by requests in the stream of its call then. */
  stream: CallStream | null
  fixtures: ConformanceFixtures | null
}

/** The stream of a call in a session. */
export interface CallStream {
  mcpSession: string
  begun(place: McpPlace): void | Promise<void>
  /** What is sent next stands at this place of the stream. */
  at(seq: number): void
  ask(seq: number, nth: number, pending: Pending): Promise<void>
  isPutOff(): Promise<boolean>
}

/** Revisions whose clients have sessions, the newest first: that is what a client of any other is told. */
export const SESSION_REVISIONS = ['2025-11-25', '2025-06-18']

const SERVER_INFO = { name: 'yaa', version, title: 'yaa' }

const INSTRUCTIONS =
  'An agent that works at tasks in durable sessions. run_task hands it one; what it may not do by itself it asks a person for. session_status says how a session stands.'

export function sdkServer(serving: Serving): Server {
  const { c, client, stream, fixtures } = serving
  const isStateless = stream === null
  const server = new Server(SERVER_INFO, {
    capabilities: {
      tools: {},
      prompts: {},
      resources: {},
      ...(isStateless ? { extensions: { [TASKS]: {} } } : {}),
      ...fixtures?.capabilities,
    },
    instructions: INSTRUCTIONS,
    ...(isStateless ? {} : { supportedProtocolVersions: SESSION_REVISIONS }),
    ...fixtures?.options,
  })
  const language = callLanguage(c, '')
  server.setRequestHandler('tools/list', async () => ({
    tools: [...(await listedTools(c, language)), ...(fixtures?.tools ?? [])],
  }))
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const fixture = await fixtures?.call(params.name, params.arguments ?? {}, ctx)
    return fixture ?? (await calledTool(c, askedCall(serving, params, ctx)))
  })
  server.setRequestHandler('prompts/list', async () => {
    const prompts = await listedPrompts(c, language)
    if (!prompts.ok) throw faultOf(c, prompts.error)
    return { prompts: [...prompts.value, ...(fixtures?.prompts ?? [])] }
  })
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    const fixture = fixtures?.prompt(params.name, params.arguments ?? {}, ctx)
    if (fixture) return fixture
    const prompt = await filledPrompt(c, params.name, params.arguments ?? {}, language)
    if (!prompt.ok) throw faultOf(c, prompt.error)
    return { ...prompt.value }
  })
  server.setRequestHandler('resources/list', async ({ params }) => {
    const page = await listedFiles(c, params?.cursor)
    if (!page.ok) throw faultOf(c, page.error)
    const { resources, ...more } = page.value
    return { resources: [...(fixtures?.resources ?? []), ...resources], ...more }
  })
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...RESOURCE_TEMPLATES, ...(fixtures?.resourceTemplates ?? [])],
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const fixture = fixtures?.resource(uri)
    if (fixture) return { contents: [fixture] }
    const found = await readResource(c, uri)
    if (!found.ok) throw found.error.code === 'not_found' ? new ResourceNotFoundError(uri) : faultOf(c, found.error)
    return { contents: [found.value] }
  })
  if (isStateless) serveTasks(server, c, client)
  fixtures?.serve(server)
  return server
}

function askedCall(
  { c, client, stream }: Serving,
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, unknown> | undefined },
  ctx: ServerContext,
): AskedCall {
  const mayDecide = lacks(c.get('principal'), 'decide') === null
  const canAsk = client.elicits && mayDecide
  const state = ctx.mcpReq.requestState()
  const token = memberOf(memberOf(ctx.mcpReq, '_meta'), 'progressToken')
  const takesProgress = typeof token === 'string' || typeof token === 'number'
  return {
    name,
    args,
    again: typeof state === 'string' ? { state, responses: ctx.mcpReq.inputResponses ?? {} } : null,
    mcpSession: stream?.mcpSession ?? null,
    client: {
      asks: canAsk ? (stream ? 'by_request' : 'by_answer') : null,
      takesTasks: client.takesTasks,
      takesProgress,
      isPatient: !takesProgress && !client.takesTasks && stream === null,
      begun: async (place) => {
        c.header('x-yaa-session', place.session)
        c.header('x-yaa-run', place.run)
        await stream?.begun(place)
      },
      hasLeft: () => ctx.mcpReq.signal.aborted,
      progress: async (seq, text) => {
        if (ctx.mcpReq.signal.aborted) throw new ProtocolError(CLOSED, 'The client has gone')
        if (!takesProgress) return
        stream?.at(seq)
        const params = { progressToken: token, progress: seq, message: text }
        await ctx.mcpReq.notify({ method: 'notifications/progress', params })
      },
      ask: async (seq, nth, pending) => stream?.ask(seq, nth, pending),
      isPutOff: async () => stream?.isPutOff() ?? false,
    },
  }
}

const CLOSED = -32_000
