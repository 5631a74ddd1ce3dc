import { LIMITS } from '../domain/limits.ts'
import type { McpServer } from '../domain/mcp.ts'
import type { Now } from '../domain/ports.ts'
import { ShortMemory } from '../lib/short-memory.ts'

export interface ServerListPorts {
  /** Those of the config file. */
  config: readonly McpServer[]
  tenants: { servers(tenant: string): Promise<McpServer[]> } | null
  now: Now
}

/** The servers of tenants: those of the config, and those that each has added, which stay in memory for a moment. */
export class ServerList {
  readonly #ports: ServerListPorts
  readonly #added: ShortMemory<readonly McpServer[]>

  constructor(ports: ServerListPorts) {
    this.#ports = ports
    const { tenants, now } = ports
    const { serversKeptMs: keptMs, keptMax: keysMax } = LIMITS.mcp
    const read = async (tenant: string) => tenants?.servers(tenant) ?? []
    this.#added = new ShortMemory({ read, keptMs, keysMax, now })
  }

  /** Whether a tenant's sessions can have servers at all, as far as is known without asking. */
  isEmpty(tenant: string): boolean {
    const { config, tenants } = this.#ports
    const hasNone = () => this.#added.isFresh(tenant) && !this.#added.at(tenant)?.length
    return config.length === 0 && (tenants === null || hasNone())
  }

  /** Whether those that a tenant has added could not be read. */
  isUnread(tenant: string): boolean {
    return this.#ports.tenants !== null && this.#added.at(tenant) === null
  }

  /** All servers of a tenant, those that are switched off too; the config's go before one of the same name. */
  async all(tenant: string): Promise<McpServer[]> {
    return this.#withConfig(this.#ports.tenants === null ? [] : ((await this.#added.load(tenant)) ?? []))
  }

  /** The same, past the memory. Rejects where the tenant cannot be asked. */
  async now(tenant: string): Promise<McpServer[]> {
    return this.#withConfig((await this.#ports.tenants?.servers(tenant)) ?? [])
  }

  #withConfig(added: readonly McpServer[]): McpServer[] {
    const { config } = this.#ports
    const named = new Set(config.map(({ name }) => name))
    return [...config, ...added.filter(({ name }) => !named.has(name))]
  }

  /** Of names those that are of none of a tenant's servers. What is in memory may be older than a server: where one is missed,
   *  the tenant is asked. */
  async unknown(tenant: string, names: readonly string[]): Promise<string[]> {
    const among = (servers: readonly McpServer[]) => names.filter((name) => !servers.some((one) => one.name === name))
    const missed = among(await this.all(tenant))
    if (missed.length === 0 || this.#ports.tenants === null) return missed
    const unknown = among(await this.now(tenant))
    if (unknown.length < missed.length) this.forget(tenant)
    return unknown
  }

  /** The tenant's servers have changed. */
  forget(tenant: string): void {
    this.#added.forget(tenant)
  }
}
