import type { NewEvent } from '../../domain/event.ts'
import type { McpServer, McpWorker } from '../../domain/mcp.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { Tool } from '../../domain/tool.ts'
import type { Hold, McpOffer } from '../../mcp/offers.ts'
import { serverPrefix } from '../../mcp/tool-id.ts'
import { mcpTools } from '../../tools/mcp/tools.ts'
import { sharedList } from '../../tools/shared-list.ts'
import type { Engine } from './engine.ts'
import type { SessionPorts } from '../ports.ts'

type Whose = Pick<SessionRecord, 'tenant' | 'config'>

/** The engine of one session: the server's, with the tools of the MCP servers that the session may use. */
export interface SessionEngine extends Engine {
  /** Whether the tools are at hand. */
  readonly isLoaded: boolean
  /** Have the tools at hand as they are now; null: there are no servers. Gives what is to be told of servers that cannot be
   *  used, once for as long as that lasts. */
  load(whose: Whose): Promise<NewEvent[]> | null
}

export type LivePorts = Omit<SessionPorts, 'engine'> & { engine: SessionEngine }

/** The ports of a session with an engine of its own. */
export function livePorts(ports: SessionPorts): LivePorts {
  return { ...ports, engine: sessionEngine(ports.engine, (work) => ports.keepAlive(work)) }
}

/** `hold`: keeps the process alive while servers are asked. */
export function sessionEngine(base: Engine, hold: Hold): SessionEngine {
  let { tools, workers } = base
  let isLoaded = false
  let told: readonly string[] = []
  /** Times that there was nothing to load, which voids what is still being loaded. */
  let voided = 0
  const take = (offers: readonly McpOffer[]) => {
    tools = withTools(base, offers)
    workers = offers.flatMap(({ server }) => workerOf(server))
  }
  const loadNone = () => {
    voided += 1
    take([])
    told = []
    return null
  }
  const load = async ({ tenant, config }: Whose): Promise<NewEvent[]> => {
    const wanted = config.mcp_servers ?? null
    const before = voided
    const offers = await base.mcp.load(tenant, wanted, hold)
    if (voided !== before) return []
    take(offers)
    isLoaded = true
    const problems = problemsOf(offers, wanted ?? [])
    const news = problems.filter((problem) => !told.includes(problem))
    told = problems
    return news.map((detail) => ({ type: 'error', code: 'mcp_server_unavailable', detail }))
  }
  return {
    ...base,
    get tools() {
      return tools
    },
    get workers() {
      return workers
    },
    get isLoaded() {
      return isLoaded
    },
    load: (whose) => (mayHaveServers(base, whose) ? load(whose) : loadNone()),
  }
}

function mayHaveServers({ mcp }: Engine, { tenant, config }: Whose): boolean {
  return config.mcp_servers ? config.mcp_servers.length > 0 : !mcp.isEmpty(tenant)
}

function withTools(base: Engine, offers: readonly McpOffer[]): readonly Tool[] {
  const prefixes = offers.map(({ server }) => serverPrefix(server.name))
  const added = offers.flatMap(({ server, probe }, index) => {
    const isShared = prefixes.indexOf(prefixes[index] ?? '') !== index
    return mcpTools(server, probe.tools, base.mcp, isShared)
  })
  const taken = new Set(base.tools.map(({ id }) => id))
  const own = added.filter(({ id }) => !taken.has(id))
  return own.length === 0 ? base.tools : sharedList([...base.tools, ...own])
}

const DESCRIPTION_CHARS_MAX = 500

/** A server as planners read of it: in one line. */
function workerOf({ name, description }: McpServer): McpWorker[] {
  const line = description?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return line === '' ? [] : [{ name, description: line.slice(0, DESCRIPTION_CHARS_MAX) }]
}

/** Why servers cannot be used, or not as they are now. */
function problemsOf(offers: readonly McpOffer[], wanted: readonly string[]): string[] {
  const there = new Set(offers.map(({ server }) => server.name))
  const missing = wanted.filter((name) => !there.has(name))
  return [
    ...missing.map((name) => `${name}: there is no server of that name that is switched on`),
    ...offers.flatMap(({ server, probe }) => (probe.error === null ? [] : [`${server.name}: ${probe.error}`])),
  ]
}
