import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool, McpProbe, McpServer } from '../domain/mcp.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { ToolNews } from '../domain/tool.ts'
import { abortable } from '../lib/abortable.ts'
import { timeLimit } from '../lib/time-limit.ts'
import { callTool, failureOf, listTools, type McpAnswer } from './client.ts'
import { open, withConnection, type Reachable } from './connections.ts'
import type { InputWanted } from './elicitation.ts'
import { failureWords, type McpFailure } from './failure.ts'

/** Where tenants keep their servers, and what was last found of those and of the config's. */
export interface TenantServers {
  servers(tenant: string): Promise<McpServer[]>
  probe(tenant: string, name: string): Promise<McpProbe | null>
  keepProbe(tenant: string, name: string, probe: McpProbe): Promise<void>
}

export interface BookPorts {
  /** Those of the config file. */
  config: readonly McpServer[]
  tenants: TenantServers | null
  readonly fetchFor: (server: McpServer) => Fetch
  now: Now
}

/** A server and what is known of its tools. */
export interface McpOffer {
  server: McpServer
  probe: McpProbe
}

/** Of the call of a session: whose it is, and its id, which is its idempotency key. */
export interface McpCallContext {
  home: object
  tenant: string
  callId: string
  signal: AbortSignal
  readonly tell: (news: ToolNews) => void
}

export type McpCalled = ({ ok: true } & McpAnswer) | { ok: false; failure: McpFailure }

/** The servers that sessions may use, and what they offer. What was found stays in memory, by server and version. */
export class McpBook {
  readonly #ports: BookPorts
  readonly #servers = new Map<string, { until: number; servers: readonly McpServer[] }>()
  readonly #offers = new Map<string, McpOffer>()

  constructor(ports: BookPorts) {
    this.#ports = ports
  }

  /** Whether a tenant's sessions can have servers at all, as far as is known without asking. */
  isEmpty(tenant: string): boolean {
    const { config, tenants, now } = this.#ports
    const known = this.#servers.get(tenant)
    return config.length === 0 && (tenants === null || (known?.servers.length === 0 && known.until > now()))
  }

  /** All servers of a tenant, those that are switched off too; the config's go before one of the same name. */
  async servers(tenant: string): Promise<McpServer[]> {
    const { config } = this.#ports
    const named = new Set(config.map(({ name }) => name))
    return [...config, ...(await this.#added(tenant)).filter(({ name }) => !named.has(name))]
  }

  async #added(tenant: string): Promise<readonly McpServer[]> {
    const { tenants, now } = this.#ports
    const known = this.#servers.get(tenant)
    if (tenants === null || (known && known.until > now())) return known?.servers ?? []
    const servers = await tenants.servers(tenant).catch(() => known?.servers ?? [])
    keep(this.#servers, tenant, { until: now() + LIMITS.mcp.serversKeptMs, servers })
    return servers
  }

  /** What a session may use: all that are enabled, or those of them that it names. One that is down keeps none waiting. */
  async load(tenant: string, wanted: readonly string[] | null): Promise<McpOffer[]> {
    const servers = (await this.servers(tenant)).filter(
      ({ name, enabled }) => enabled && (wanted === null || wanted.includes(name)),
    )
    return Promise.all(servers.map((server) => this.offer(tenant, server)))
  }

  /** What is known of a server, asked anew when that is old. */
  async offer(tenant: string, server: McpServer): Promise<McpOffer> {
    const known = this.#offers.get(keyOf(tenant, server)) ?? (await this.#stored(tenant, server))
    if (known && !this.#isDue(known.probe)) return known
    return this.refresh(tenant, server)
  }

  async #stored(tenant: string, server: McpServer): Promise<McpOffer | null> {
    const probe = await this.#ports.tenants?.probe(tenant, server.name).catch(() => null)
    if (!probe || probe.version !== server.version) return null
    return this.#remember(tenant, { server, probe })
  }

  #isDue({ error, triedTime }: McpProbe): boolean {
    const { listKeptMs, retryMs } = LIMITS.mcp
    return this.#ports.now() >= triedTime + (error === null ? listKeptMs : retryMs)
  }

  /** Ask a server what it offers. One that cannot be reached keeps what was known of it. */
  async refresh(tenant: string, server: McpServer): Promise<McpOffer> {
    const known = this.#offers.get(keyOf(tenant, server))?.probe ?? null
    const probe = await this.#probe(tenant, server, known)
    await this.#ports.tenants?.keepProbe(tenant, server.name, probe).catch(() => {})
    return this.#remember(tenant, { server, probe: sameTools(known, probe) })
  }

  async #probe(tenant: string, server: McpServer, known: McpProbe | null): Promise<McpProbe> {
    const { now } = this.#ports
    const limit = timeLimit(LIMITS.mcp.probeMs)
    try {
      const found = await abortable(listed(this.#reach(tenant, server, known), limit.signal), limit.signal)
      return { version: server.version, triedTime: now(), listedTime: now(), error: null, ...found }
    } catch (error) {
      const words = failureWords(failureOf(error), 'en')
      const { listedTime = null, manner = null, tools = [] } = known ?? {}
      return { version: server.version, triedTime: now(), listedTime, error: words, manner, tools }
    } finally {
      limit.end()
    }
  }

  #reach(tenant: string, server: McpServer, known: McpProbe | null): Reachable {
    const fetch = this.#ports.fetchFor(server)
    return { server, manner: known?.manner ?? null, fetch, toolsChanged: () => this.#expire(tenant, server) }
  }

  #remember(tenant: string, offer: McpOffer): McpOffer {
    keep(this.#offers, keyOf(tenant, offer.server), offer)
    return offer
  }

  /** Have a tool called over the connection that its session has to the server. */
  async call(
    server: McpServer,
    tool: McpListedTool,
    args: Record<string, unknown>,
    { home, tenant, ...call }: McpCallContext,
    input: InputWanted | null,
  ): Promise<McpCalled> {
    const target = this.#reach(tenant, server, this.#offers.get(keyOf(tenant, server))?.probe ?? null)
    try {
      const given = await withConnection(home, target, (connection) =>
        callTool(connection, { tool, args, input, ...call }),
      )
      return { ok: true, ...given }
    } catch (error) {
      call.signal.throwIfAborted()
      return { ok: false, failure: failureOf(error) }
    }
  }

  /** The server says that its tools have changed: they are asked for before the next use. */
  #expire(tenant: string, server: McpServer): void {
    const known = this.#offers.get(keyOf(tenant, server))
    if (known) this.#remember(tenant, { server, probe: { ...known.probe, triedTime: 0 } })
  }

  /** The tenant's servers have changed. */
  forget(tenant: string): void {
    this.#servers.delete(tenant)
  }
}

async function listed(target: Reachable, signal: AbortSignal) {
  const connection = await open(target)
  try {
    return { manner: connection.manner, tools: bounded(await listTools(connection, signal)) }
  } finally {
    await connection.close()
  }
}

/** As many as are taken. A tool whose schemas are larger than any that a model could use is left out. */
function bounded(tools: readonly McpListedTool[]): McpListedTool[] {
  const { toolsMax, schemaCharsMax, listCharsMax } = LIMITS.mcp
  const kept: McpListedTool[] = []
  let chars = 0
  for (const tool of tools) {
    const length = JSON.stringify(tool).length
    if (length > schemaCharsMax || kept.length >= toolsMax || chars + length > listCharsMax) continue
    kept.push(tool)
    chars += length
  }
  return kept
}

/** The same list as before where nothing of it has changed: what was made of it stays. */
function sameTools(known: McpProbe | null, probe: McpProbe): McpProbe {
  const isSame = known && JSON.stringify(known.tools) === JSON.stringify(probe.tools)
  return isSame ? { ...probe, tools: known.tools } : probe
}

function keyOf(tenant: string, { origin, name, version }: McpServer): string {
  return JSON.stringify([origin === 'config' ? '' : tenant, name, version])
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  if (map.size >= LIMITS.mcp.keptMax && !map.has(key)) map.clear()
  map.set(key, value)
}
