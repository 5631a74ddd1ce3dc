import { LIMITS } from '../../domain/limits.ts'
import type { McpServer, McpWorker, MissingServer } from '../../domain/mcp.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { Tool } from '../../domain/tool.ts'
import type { KeepAlive, McpOffer, Waiting } from '../../mcp/offers.ts'
import { serverPrefix } from '../../mcp/servers.ts'
import type { mcpTools } from '../../tools/mcp/tool.ts'
import { sharedList } from '../../tools/registry.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Journal } from '../../log/journal.ts'
import type { SessionPorts } from '../ports.ts'
import { ClientTools } from './client-tools.ts'

type Whose = Pick<SessionRecord, 'tenant' | 'config'>

/** How lists are waited for: by default as long as a run waits. */
export type Patience = Partial<Omit<Waiting, 'hold'>>

/** The engine of one session: the server's, with the tools of the MCP servers that the session may use. */
export interface SessionEngine extends Engine {
  /** Whether the tools are at hand. */
  readonly isLoaded: boolean
  /** Have the tools at hand as they are now; null: there are no servers. Gives why servers cannot be used, or not as they are now.
   *  Rejects with the reason of the signal. */
  load(whose: Whose, patience?: Patience): Promise<string[]> | null
  /** Have the tools of the caller of the newest run at hand; null: they are, or there are none. */
  loadClientTools(): Promise<void> | null
}

export type LivePorts = Omit<SessionPorts, 'engine'> & { engine: SessionEngine }

/** The ports of a session with an engine of its own. */
export function livePorts(ports: SessionPorts, journal: Journal): LivePorts {
  const hold: KeepAlive = (work) => ports.keepAlive(work)
  return { ...ports, engine: sessionEngine(ports.engine, hold, new ClientTools(() => journal)) }
}

/** `hold`: keeps the process alive while servers are asked. `client`: the tools of the caller. */
export function sessionEngine(
  base: Engine,
  hold: KeepAlive,
  client: ClientTools = new ClientTools(() => null),
): SessionEngine {
  let { tools, workers, missing } = base
  let isLoaded = false
  /** Times that there was nothing to load, which voids what is still being loaded. */
  let voided = 0
  const take = (offers: readonly McpOffer[], wanted: readonly string[], added: readonly Tool[]) => {
    tools = withTools(base, added)
    workers = offers.flatMap(({ server }) => workerOf(server))
    missing = missingOf(offers, wanted)
  }
  const loadNone = () => {
    voided += 1
    take([], [], [])
    return null
  }
  const load = async ({ tenant, config }: Whose, patience: Patience): Promise<string[]> => {
    const wanted = config.mcp_servers ?? null
    const before = voided
    const offers = await base.mcp.load(tenant, wanted, { msMax: LIMITS.mcp.probeMs, ...patience, hold })
    const { mcpTools: toolsOf } = await import('../../tools/mcp/tool.ts')
    if (voided !== before) return []
    take(offers, wanted ?? [], addedTools(base, offers, toolsOf))
    isLoaded = true
    return [...(base.mcp.isUnread(tenant) ? [UNREAD] : []), ...problemsOf(offers, missing)]
  }
  return {
    ...base,
    get tools() {
      return client.beside(tools)
    },
    get workers() {
      return workers
    },
    get missing() {
      return missing
    },
    get isLoaded() {
      return isLoaded
    },
    loadClientTools: () => client.load(),
    load: (whose, patience = {}) => (mayHaveServers(base, whose) ? load(whose, patience) : loadNone()),
  }
}

function mayHaveServers({ mcp }: Engine, { tenant, config }: Whose): boolean {
  return config.mcp_servers ? config.mcp_servers.length > 0 : !mcp.isEmpty(tenant)
}

/** Tools by the offers of servers. */
function addedTools({ mcp }: Engine, offers: readonly McpOffer[], toolsOf: typeof mcpTools): Tool[] {
  const prefixes = offers.map(({ server }) => serverPrefix(server.name))
  return offers.flatMap(({ server, probe }, index) => {
    const isShared = prefixes.indexOf(prefixes[index] ?? '') !== index
    return toolsOf(server, probe.tools, mcp, isShared)
  })
}

function withTools(base: Engine, added: readonly Tool[]): readonly Tool[] {
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

const UNREAD = 'The MCP servers that the tenant has added could not be read.'

const UNKNOWN = {
  'zh-CN': '没有叫这个名字且已启用的 MCP 服务。',
  en: 'There is no MCP server of that name that is switched on.',
}

/** Servers that have no list of tools, and those that are named and not there. */
function missingOf(offers: readonly McpOffer[], wanted: readonly string[]): MissingServer[] {
  const there = new Set(offers.map(({ server }) => server.name))
  return [
    ...wanted.filter((name) => !there.has(name)).map((name) => ({ name, reason: UNKNOWN })),
    ...offers
      .filter(({ probe }) => probe.listedTime === null)
      .map(({ server: { name }, probe: { error, errorTexts } }) => {
        const text = error ?? ''
        return { name, reason: errorTexts ?? { 'zh-CN': text, en: text } }
      }),
  ]
}

/** Why servers cannot be used, or not as they are now. */
function problemsOf(offers: readonly McpOffer[], missing: readonly MissingServer[]): string[] {
  const gone = new Set(missing.map(({ name }) => name))
  const stale = offers.filter(({ server, probe }) => probe.error !== null && !gone.has(server.name))
  return [
    ...missing.map(({ name, reason }) => `${name}: ${reason.en}`),
    ...stale.map(({ server, probe }) => `${server.name}: ${probe.error}`),
  ]
}
