// The client that the conformance suite drives: `node mcp-conformance-client.ts URL`. It does what a session does: reach the
// server, list its tools, call each of them as its schema asks, and close.
import { closeConnections, withConnection } from '../../src/mcp/connections.ts'
import { callTool, listTools, type McpAnswer } from '../../src/mcp/client.ts'
import { nextQuestion, responseFor, type InputWanted } from '../../src/mcp/elicitation.ts'
import type { McpListedTool, McpServer } from '../../src/domain/mcp.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown>
const server: McpServer = {
  name: 'conformance',
  url,
  headers: {},
  description: null,
  enabled: true,
  trustHints: false,
  origin: 'config',
  version: '1',
}
const target = { server, manner: null, fetch, toolsChanged: () => {} }
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
await withConnection(home, target, async (connection) => {
  const tools = await listTools(connection, signal)
  const wanted = listed ?? tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool) }))
  for (const [index, { name, arguments: args }] of wanted.entries()) {
    const tool = tools.find((one) => one.name === name)
    if (tool === undefined) continue
    const call = (input: InputWanted | null) =>
      callTool(connection, { tool, args, callId: `call_${index}`, signal, input, tell: () => {} })
    await answering(call).catch((error: unknown) => console.error(`${scenario}: ${name}:`, error))
  }
})
await closeConnections(home)

/** Makes a call, again with an answer for as long as the server asks the user something. */
async function answering(call: (input: InputWanted | null) => Promise<McpAnswer>): Promise<void> {
  let given = await call(null)
  for (let rounds = 1; 'wanted' in given && rounds < 5; rounds++) {
    let input: InputWanted = { ...given.wanted, responses: {}, rounds }
    for (let asked = nextQuestion(input); asked !== null && asked !== 'unknown'; asked = nextQuestion(input)) {
      const answered = responseFor(asked, JSON.stringify(argumentsOf({ inputSchema: asked.schema })))
      if (!answered.ok) throw new Error(answered.wrong)
      input = { ...input, responses: { ...input.responses, [asked.key]: answered.response } }
    }
    given = await call(input)
  }
}
