// The client that the conformance suite drives: `node mcp-conformance-client.ts URL`. It does what a session does: reach the
// server, list its tools, call each of them as its schema asks, and close.
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
import { OAuthProvider } from '../../src/mcp/oauth-provider.ts'
import { nodeGrants } from './node-grants.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown>
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
const grants = nodeGrants()
const asker: Asker = { tenant: 'default', session: null, holder: null, by: null, language: 'en', canVisit: true }
const place = {
  server,
  asker,
  grants,
  fetch,
  now: Date.now,
  publicUrl: 'http://localhost:8787',
  // The document that the suite knows; its own has to be at an https address.
  clientDocument: 'https://conformance-test.local/client-metadata.json',
}
const auth = new OAuthProvider(place)
const target = { server, manner: null, fetch, auth, toolsChanged: () => {} }
const home = {}
const { signal } = new AbortController()

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

const listed = context['toolCalls'] as { name: string; arguments: Record<string, unknown> }[] | undefined
await authorising(() => withConnection(home, target, useAll))
await closeConnections(home)

async function useAll(connection: McpConnection): Promise<void> {
  const { tools } = await listTools(connection, signal)
  const wanted = listed ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool) }))
  for (const [index, { name, arguments: args }] of wanted.entries()) {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) continue
    const call = (input: InputWanted | null) =>
      callTool(connection, { tool, args, callId: `call_${index}`, trace: null, signal, input, notify: () => {} })
    await authorising(() => answering(call)).catch((error: unknown) => console.error(`${scenario}: ${name}:`, error))
  }
}

/** Does what it can, and where the server wants to be authorised what a user's browser does; each at most so often. */
async function authorising(work: () => Promise<void>): Promise<void> {
  for (let visits = 0; ; visits++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AuthorisationWanted) || visits >= 3) throw error
      await visit(error.url)
    }
}

async function visit(address: string): Promise<void> {
  const { headers } = await fetch(address, { redirect: 'manual' })
  const back = new URL(headers.get('location') ?? '', address).searchParams
  const redirect = await grants.comeBack('default', await sha256Hex(back.get('state') ?? ''), { type: 'cookie' })
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
