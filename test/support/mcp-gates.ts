import { startMcpServer } from './mcp-server.ts'
import { registerTestTools } from './mcp-tools.ts'
import { Waiting } from './waiting.ts'

/** What a server does when it is asked for its tools: say them, keep the question until it is told otherwise, refuse all, or say odd
 *  ones: one that is good, one that cannot be used, and one that has no name. */
export type GateState = 'open' | 'held' | 'down' | 'odd'

interface Gate {
  state: GateState
  /** Lets what is held go on. */
  readonly release: () => void
  opened: Promise<void>
}

/** MCP servers of tests, by name at `/NAME/mcp`. `PUT /NAME` with a state sets it; `GET /NAME?count=N` says how often it was asked for
 *  its tools, once that is `N` times or more. */
export async function startMcpGates(): Promise<{ url: string; host: string; close: () => Promise<void> }> {
  const gates = new Map<string, Gate>()
  const asked = new Waiting<true>()
  const server = await startMcpServer({ era: 'modern', register: registerTestTools })
  const set = (name: string, state: GateState) => {
    gates.get(name)?.release()
    const { promise: opened, resolve: release } = Promise.withResolvers<void>()
    gates.set(name, { state, opened, release })
  }
  const count = (name: string, least: number) =>
    new Promise<Response>((answer) => {
      asked.when(name, least, (all) => answer(Response.json(all.length)))
    })
  server.fail = async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    const [, name = '', place] = pathname.split('/')
    if (place === 'mcp') return passed(request, name)
    if (request.method === 'GET') return count(name, Number(searchParams.get('count') ?? 0))
    const { state } = await request.json<{ state: GateState }>()
    set(name, state)
    return Response.json(state)
  }
  const passed = async (request: Request, name: string): Promise<Response | null> => {
    const { state = 'open' } = gates.get(name) ?? {}
    const text = await request.text()
    const isList = text.includes('"tools/list"')
    if (isList) asked.add(name, true)
    if (state === 'held' && isList) await gates.get(name)?.opened
    if (state === 'odd' && isList) return oddTools(text)
    return state === 'down' ? new Response('down', { status: 503 }) : null
  }
  return { url: new URL(server.url).origin, host: server.host, close: () => server.close() }
}

function oddTools(question: string): Response {
  const { id } = JSON.parse(question) as { id: unknown }
  const inputSchema = { type: 'object' }
  const tools = [{ name: 'good', inputSchema }, { name: 'bare' }, { inputSchema }]
  const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools }
  return Response.json({ jsonrpc: '2.0', id, result })
}
