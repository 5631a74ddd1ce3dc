import {
  type CallToolResult,
  type InputRequiredResult,
  isJSONRPCResponse,
  type Server,
  type ServerContext,
  type ServerOptions,
  type WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { calledFixture, TOOLS } from './tools.ts'
import { filledFixture, PROMPTS } from './prompts.ts'
import { FIXTURE_TEMPLATES, RESOURCES, readFixture } from './resources.ts'
import { STATE } from './state.ts'

/** What the conformance suite of the protocol looks for at a server. It is offered where `YAA_CONFORMANCE` is `1`, and nowhere else; the suite
 *  says what each of it is called and answers. */
export interface ConformanceFixtures {
  capabilities: Record<string, object>
  options: Pick<ServerOptions, 'requestState'>
  tools: typeof TOOLS
  prompts: typeof PROMPTS
  resources: typeof RESOURCES
  resourceTemplates: typeof FIXTURE_TEMPLATES
  /** Null: it is no tool of the suite. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    ctx: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult | null>
  prompt: typeof filledFixture
  resource: typeof readFixture
  serve(server: Server): void
  /** A transport of a session, whose requests may be answered by way of another. */
  opened(session: string, transport: WebStandardStreamableHTTPServerTransport): void
  heard(session: string, response: object): void
}

/** Transports by session, the newest of each. */
const open = new Map<string, WebStandardStreamableHTTPServerTransport[]>()
const KEPT_MAX = 10
const SESSIONS_MAX = 100

export const conformanceFixtures: ConformanceFixtures = {
  capabilities: { logging: {}, completions: {}, resources: { subscribe: true } },
  options: {
    requestState: { verify: (state, ctx) => (state.startsWith('v1.') ? STATE.verify(state, ctx) : undefined) },
  },
  tools: TOOLS,
  prompts: PROMPTS,
  resources: RESOURCES,
  resourceTemplates: FIXTURE_TEMPLATES,
  call: calledFixture,
  prompt: filledFixture,
  resource: readFixture,
  serve: (server) => {
    server.setRequestHandler('completion/complete', async () => ({ completion: { values: [], hasMore: false } }))
    server.setRequestHandler('resources/subscribe', async () => ({}))
    server.setRequestHandler('resources/unsubscribe', async () => ({}))
  },
  opened: (session, transport) => {
    const transports = [...(open.get(session) ?? []), transport].slice(-KEPT_MAX)
    open.set(session, transports)
    if (open.size > SESSIONS_MAX) open.delete([...open.keys()][0] ?? '')
  },
  heard: (session, response) => {
    if (!isJSONRPCResponse(response)) return
    for (const transport of open.get(session) ?? []) transport.onmessage?.(response)
  },
}
