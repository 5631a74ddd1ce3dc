import { withConnection } from '../../src/mcp/connections.ts'
import { closeConnections } from '../../src/mcp/open-connections.ts'
import { callTool, type McpAnswer } from '../../src/mcp/call.ts'
import type { McpConnection } from '../../src/mcp/client.ts'
import { listTools } from '../../src/mcp/probe.ts'
import { nextQuestion, responseFor, type InputWanted } from '../../src/mcp/elicitation.ts'
import type { McpListedTool, McpServer } from '../../src/domain/mcp.ts'
import { sha256Hex } from '../../src/lib/hash.ts'
import { AuthorisationWanted } from '../../src/mcp/server-fetch.ts'
import type { Away, Asker } from '../../src/mcp/oauth-grant.ts'
import { ServerHeaders } from '../../src/mcp/server-headers.ts'
import { OAuthProvider } from '../../src/mcp/oauth-provider.ts'
import { nodeGrants } from './node-grants.ts'

/** A scenario of the conformance suite: its server, and what it says of itself. */
export interface Scenario {
  url: string
  name: string
  context: Record<string, unknown>
}

const asker: Asker = { tenant: 'default', session: null, holder: null, by: null, language: 'en', canVisit: true }
const { signal } = new AbortController()

/** The client that the suite drives. It does what a session does: reach the server, list its tools, call each of them as its
 *  schema asks, and close. `say` is told of calls that fail. */
export async function playScenario({ url, name, context }: Scenario, say: (line: string) => void): Promise<void> {
  const server: McpServer = {
    name: 'conformance',
    url,
    headers: {},
    ...clientOf(context),
    description: null,
    enabled: true,
    trustHints: false,
    origin: 'config',
    version: '1',
  }
  const place = {
    server,
    asker,
    grants: nodeGrants(),
    fetch,
    now: Date.now,
    publicUrl: 'http://localhost:8787',
    // The document that the suite knows; its own has to be at an https address.
    clientDocument: 'https://conformance-test.local/client-metadata.json',
  }
  const headers = new ServerHeaders(server, null)
  const target = { server, manner: null, headers, fetch, auth: new OAuthProvider(place), toolsChanged: () => {} }
  const home = {}
  const listed = context['toolCalls'] as WantedCall[] | undefined
  await authorising(place, () => withConnection(home, target, useAll))
  await closeConnections(home)

  async function useAll(connection: McpConnection): Promise<void> {
    const { tools } = await listTools(connection, signal)
    const wanted = listed ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool) }))
    for (const [index, { name: called, arguments: args }] of wanted.entries()) {
      const tool = tools.find((one) => one.name === called)
      if (tool === undefined) continue
      const call = (input: InputWanted | null) =>
        callTool(connection, { tool, args, callId: `call_${index}`, trace: null, signal, input, notify: () => {} })
      await authorising(place, () => answering(call)).catch((error: unknown) =>
        say(`${name}: ${called}: ${String(error)}`),
      )
    }
  }
}

type Place = ConstructorParameters<typeof OAuthProvider>[0] & { grants: ReturnType<typeof nodeGrants> }
type WantedCall = { name: string; arguments: Record<string, unknown> }

/** A value that a schema takes. */
function valueOf(schema: Record<string, unknown>): unknown {
  const { type, default: given, enum: choices } = schema
  if (given !== undefined) return given
  if (Array.isArray(choices)) return choices[0]
  if (type === 'number' || type === 'integer') return 2
  if (type === 'boolean') return true
  if (type === 'array') return []
  return type === 'object' ? argumentsOf({ inputSchema: schema }) : 'text'
}

function argumentsOf({ inputSchema }: Pick<McpListedTool, 'inputSchema'>): Record<string, unknown> {
  const properties = Object(inputSchema['properties']) as Record<string, Record<string, unknown>>
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueOf(schema)]))
}

/** Does what it can, and where the server wants to be authorised what a user's browser does; each at most so often. */
async function authorising(place: Place, work: () => Promise<void>): Promise<void> {
  for (let visits = 0; ; visits++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AuthorisationWanted) || visits >= 3) throw error
      await visit(place, error.url)
    }
}

async function visit(place: Place, address: string): Promise<void> {
  const { headers } = await fetch(address, { redirect: 'manual' })
  const back = new URL(headers.get('location') ?? '', address).searchParams
  const redirect = await place.grants.comeBack('default', await sha256Hex(back.get('state') ?? ''), { type: 'cookie' })
  if (redirect === null || redirect === 'other') throw new Error('nobody was sent away with that state')
  const provider = new OAuthProvider(place, JSON.parse(redirect.text) as Away)
  await provider.finish({ code: back.get('code') ?? '', iss: back.get('iss') ?? undefined })
}

/** What the suite has registered by hand. */
function clientOf({ client_id: id, client_secret: secret }: Record<string, unknown>): Pick<McpServer, 'oauthClient'> {
  return typeof id === 'string' && typeof secret === 'string' ? { oauthClient: { id, secret } } : {}
}

/** Makes a call, again with an answer for as long as the server asks the user something. */
async function answering(call: (input: InputWanted | null) => Promise<McpAnswer>): Promise<void> {
  let given = await call(null)
  for (let rounds = 1; 'wanted' in given && rounds < 5; rounds++) {
    let input: InputWanted = { ...given.wanted, rounds }
    for (let asked = nextQuestion(input); asked !== null && asked !== 'unknown'; asked = nextQuestion(input)) {
      const answered = responseFor(asked, JSON.stringify(argumentsOf({ inputSchema: asked.schema })))
      if (!answered.ok) throw new Error(answered.wrong)
      input = { ...input, responses: { ...input.responses, [asked.key]: answered.response } }
    }
    given = await call(input)
  }
}
