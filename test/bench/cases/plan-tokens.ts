import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { bundleWorker } from '../../../src/build/bundle.ts'
import type { StepInput } from '../../../src/cli/mock-model/script.ts'
import { type RecordedRequest, startMockModel } from '../../../src/cli/mock-model/server.ts'
import { estimateTokens } from '../../../src/lib/text.ts'
import { startMcpServer } from '../../support/mcp-server.ts'
import { ask } from '../harness/request.ts'
import type { Case } from '../harness/result.ts'
import { SERVE } from '../harness/sides.ts'
import { startWorkerd } from '../harness/workerd.ts'

const SERVERS = ['shop', 'mail', 'calendar']
const TOOLS_EACH = 20
const SHARE_MAX = 0.6

/** Prompt tokens of the same scripted work over 60 tools of three servers: planned (ours), and by one agent that has all of
 *  them in its list (floor). */
export const planTokens: Case = {
  name: 'plan-tokens',
  run: async () => {
    const servers = await Promise.all(SERVERS.map((name) => startMcpServer({ era: 'modern', register: offer(name) })))
    const model = await startMockModel({ script: answer })
    const config = {
      language: 'en',
      models: { bench: { api_url: model.url, model: 'bench', protocol: 'native', context_tokens: 128_000 } },
      default_model: 'bench',
      mcp_servers: Object.fromEntries(
        SERVERS.map((name, index) => [name, { url: servers[index]?.url, description: `Knows about the ${name}` }]),
      ),
      limits: { max_iterations: 50 },
    }
    const bundle = await bundleWorker()
    const worker = await startWorkerd({ config: SERVE, bundle, env: { YAA_CONFIG: JSON.stringify(config) } })
    const tokensOf = async (orchestrator: string) => {
      const from = model.requests.length
      const { text } = await ask(`${worker.url}/v1/sessions`, { body: { orchestrator, task: TASK } })
      completed.parse(JSON.parse(text))
      return model.requests.slice(from).reduce((sum, { body }) => sum + estimateTokens(JSON.stringify(body)), 0)
    }
    const [ours, floor] = [await tokensOf('plan'), await tokensOf('agent')]
    await worker.stop()
    await model.close()
    await Promise.all(servers.map((server) => server.close()))
    const tokens = (count: number) => `${count} tokens`
    return [
      {
        name: 'a plan of three tasks (to one list of 60 tools): prompt tokens',
        ours: tokens(ours),
        floor: tokens(floor),
        ratio: ours / floor,
        spread: null,
        goal: SHARE_MAX,
      },
    ]
  },
}

const TASK = 'Find out what the shop, the mail and the calendar say of Friday'
const completed = z.looseObject({ status: z.literal('completed') })

const offer = (name: string) => (server: McpServer) => {
  for (let index = 0; index < TOOLS_EACH; index++) {
    const description = `Reads entry number ${index} of the ${name}: what it says of a day, who wrote it and when.`
    const inputSchema = z.object({
      day: z.string().describe('The day that is asked about, as a word or a date'),
      count: z.number().int().optional().describe('How many entries at most'),
    })
    server.registerTool(`read_${index}`, { description, inputSchema, annotations: { readOnlyHint: true } }, () => ({
      content: [{ type: 'text' as const, text: `The ${name} says that Friday is free.` }],
    }))
  }
}

const call = (server: string): StepInput => ({
  tool_calls: [{ name: `${server}__read_0`, arguments: { day: 'Friday' } }],
})
const chat = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullish() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
})

/** The model: it plans one task a server, does what a task says, and writes what came out. */
function answer({ body }: RecordedRequest): StepInput {
  const { messages, tools = [] } = chat.parse(body)
  const text = messages.map(({ content }) => content ?? '').join('\n')
  if (text.includes('"plan"')) return planner(text)
  if (tools.length === 0) return 'Friday is free.'
  const servers = SERVERS.filter((name) => tools.some((tool) => tool.function.name.startsWith(`${name}__`)))
  const next = servers[messages.filter(({ role }) => role === 'tool').length]
  return next ? call(next) : { tool_calls: [{ name: 'finish', arguments: { reason: 'Friday is free.' } }] }
}

function planner(text: string): StepInput {
  const isDone = text.includes('Completed sub-tasks')
  const plan = isDone ? [] : SERVERS.map((name) => ({ name, description: `What does the ${name} say of Friday?` }))
  return JSON.stringify({ plan })
}
