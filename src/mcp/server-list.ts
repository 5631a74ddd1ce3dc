import { LIMITS } from '../domain/limits.ts'
import type { McpServer } from '../domain/mcp.ts'
import type { Now } from '../domain/ports.ts'
import { keepBounded } from './kept.ts'

export interface ServerListPorts {
  /** Those of the config file. */
  config: readonly McpServer[]
  tenants: { servers(tenant: string): Promise<McpServer[]> } | null
  now: Now
}

/** The servers of tenants: those of the config, and those that each has added, which stay in memory for a moment. */
export class ServerList {
  readonly #ports: ServerListPorts
  readonly #added = new Map<string, { until: number; servers: readonly McpServer[] }>()

  constructor(ports: ServerListPorts) {
    this.#ports = ports
  }

  /** Whether a tenant's sessions can have servers at all, as far as is known without asking. */
  isEmpty(tenant: string): boolean {
    const { config, tenants, now } = this.#ports
    const known = this.#added.get(tenant)
    return config.length === 0 && (tenants === null || (known?.servers.length === 0 && known.until > now()))
  }

  /** All servers of a tenant, those that are switched off too; the config's go before one of the same name. */
  async all(tenant: string): Promise<McpServer[]> {
    const { config } = this.#ports
    const named = new Set(config.map(({ name }) => name))
    return [...config, ...(await this.#addedBy(tenant)).filter(({ name }) => !named.has(name))]
  }

  /** Of names those that are of none of a tenant's servers. What is in memory may be older than a server: where one is missed,
   *  the tenant is asked. */
  async unknown(tenant: string, names: readonly string[]): Promise<string[]> {
    const among = (servers: readonly McpServer[]) => names.filter((name) => !servers.some((one) => one.name === name))
    const missed = among(await this.all(tenant))
    const { tenants, config } = this.#ports
    if (missed.length === 0 || tenants === null) return missed
    this.forget(tenant)
    return among([...config, ...(await tenants.servers(tenant))])
  }

  /** The tenant's servers have changed. */
  forget(tenant: string): void {
    this.#added.delete(tenant)
  }

  async #addedBy(tenant: string): Promise<readonly McpServer[]> {
    const { tenants, now } = this.#ports
    const known = this.#added.get(tenant)
    if (tenants === null || (known && known.until > now())) return known?.servers ?? []
    const servers = await tenants.servers(tenant).catch(() => known?.servers ?? [])
    keepBounded(this.#added, tenant, { until: now() + LIMITS.mcp.serversKeptMs, servers })
    return servers
  }
}
