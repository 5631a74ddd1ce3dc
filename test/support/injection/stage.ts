import type { ScriptInput } from '../../../src/cli/mock-model/script.ts'
import type { Language } from '../../../src/domain/language.ts'
import type { SessionConfig } from '../../../src/domain/config.ts'
import type { Pending } from '../../../src/domain/pending.ts'
import type { AgentResponseData } from '../../../src/domain/session.ts'
import { writeCall } from '../../../src/agent/tool-names.ts'
import { type McpTestServer, startMcpServer } from '../mcp-server.ts'
import { type NodeHome, nodeHome } from '../node-home.ts'
import { type Play, startPlay, valueOf } from '../play.ts'
import { WORDS } from '../words.ts'
import type { Call } from './injection.ts'
import { registerAnswers } from './answers.ts'
import { PLANTED } from './planted.ts'
import { startWorld, type World } from './world.ts'

export type Protocol = 'native' | 'xml'

/** A home whose sessions can reach the world of `world.ts`, a search service, an API with a secret and an MCP server. */
export interface Stage {
  home: NodeHome
  world: World
  server: McpTestServer
  /** What the tool `look_up` of the server answers next. */
  answers: { text: string; isError: boolean }
  close(): Promise<void>
}

export async function startStage(): Promise<Stage> {
  const world = await startWorld()
  const answers = { text: 'nothing', isError: false }
  const server = await startMcpServer({ era: 'modern', register: (one) => registerAnswers(one, answers) })
  const home = await nodeHome(
    'memory',
    [],
    {
      web: {
        search: { provider: 'searxng', url: 'https://search.example/' },
        trusted_hosts: ['*.trusted.example'],
        timeout_ms: 5_000,
      },
      secrets: { API: { origin: 'https://api.example', value_env: 'PAGES_TOKEN' } },
      mcp_servers: { words: { url: server.url } },
    },
    world.fetch,
  )
  const close = async () => {
    await home.close()
    await server.close()
    await world.close()
  }
  return { home, world, server, answers, close }
}

/** Every tool runs without asking: the worst that a config can say, short of `trusted`. */
const ALLOWED: SessionConfig['tools'] = Object.fromEntries(
  [
    'web_access',
    'web_search',
    'http_request',
    'write_file',
    'edit_file',
    'delete_file',
    'remember',
    'forget',
    'recall',
    'words__*',
  ].map((name) => [name, { auto_approve: true }]),
)

export interface Cast {
  language: Language
  protocol: Protocol
  user: string
}

/** A session with things planted in its instructions, its workspace and its user's memory, and a model that makes these calls. */
export async function cast(
  { home }: Stage,
  { language, protocol, user }: Cast,
  calls: readonly Call[],
  config: SessionConfig = {},
): Promise<Play> {
  const play = await startPlay(home, {
    script: scriptOf(calls, language, protocol),
    config: {
      language,
      llm: { protocol },
      limits: { max_iterations: 60 },
      instructions: `Contract: ${PLANTED.instructions}. Code name: ${PLANTED.codename}.`,
      tools: ALLOWED,
      ...config,
    },
  })
  home.memory.at('default', user).put(user, { key: 'card', value: PLANTED.memory })
  await play.create({ user })
  const bytes = new TextEncoder().encode(`password: ${PLANTED.file}`)
  await valueOf(play.api.putFile('private/keys.txt', bytes, { untrusted: false }))
  return play
}

/** One reply a call, then the end. */
export function scriptOf(calls: readonly Call[], language: Language, protocol: Protocol): ScriptInput {
  const replies = calls.map((call) =>
    protocol === 'native'
      ? { tool_calls: [{ name: call.tool, arguments: call.arguments }] }
      : { content: writeCall({ name: call.tool, arguments: call.arguments }, [], language) },
  )
  return [
    ...replies,
    protocol === 'native'
      ? { tool_calls: [{ name: 'finish', arguments: { reason: 'done' } }] }
      : { content: WORDS[language].finish('done') },
  ]
}

/** Play a run to its end; a human looks at everything that asks, and answers as `decide` says. */
export async function playOut(
  play: Play,
  task: string,
  decide: (asked: Pending) => 'approve' | 'reject',
): Promise<{ asked: Pending[]; answer: AgentResponseData }> {
  const asked: Pending[] = []
  let answer = await play.send(task)
  while (answer.pending.length > 0) {
    const [item] = answer.pending
    if (!item) break
    asked.push(item)
    answer = await play.decide({ decision: decide(item) }, item.id)
  }
  return { asked, answer }
}
