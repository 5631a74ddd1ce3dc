import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool, McpProbe, McpReturnProof, McpServer } from '../domain/mcp.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { TraceContext } from '../domain/telemetry.ts'
import type { ToolNews } from '../domain/tool.ts'
import type { McpAnswer } from './call.ts'
import type { Reachable } from './connections.ts'
import type { InputWanted } from './elicitation.ts'
import type { McpFailure } from './failure.ts'
import {
  GrantKeeper,
  type Away,
  type TenantGrants,
  type Asker,
  takeReturn,
  type CameBack,
  type ReturnEnd,
  holderOf,
} from './oauth-grant.ts'
import type { OAuthProvider } from './oauth-provider.ts'
import { type KeepAlive, type McpOffer, Offers, ourselves, type TenantProbes, type Waiting } from './offers.ts'
import type { Probed } from './probe.ts'
import { isNamedBy } from './servers.ts'
import { ServerHeaders } from './server-headers.ts'
import type { KnownSecret } from '../net/secrets.ts'
import { ShortMemory } from '../lib/short-memory.ts'

/** Where tenants keep their servers, and what was last found of those and of the config's. */
export interface TenantServers extends TenantProbes {
  servers(tenant: string): Promise<McpServer[]>
  /** What was read of them lately, where that is kept with other things of the tenant; absent: it is kept here. */
  near?: NearServers
  grants: TenantGrants
}

type NearServers = Pick<ShortMemory<readonly McpServer[]>, 'load' | 'at' | 'isFresh' | 'forget'>

interface RegistryPorts {
  /** Those of the config file. */
  config: readonly McpServer[]
  tenants: TenantServers | null
  /** The way to a server for sessions of a tenant. */
  readonly fetchFor: (server: McpServer, tenant: string) => Fetch
  /** Secrets that headers may name: of a tenant, or of a user of it. Absent: there are none. */
  readonly secretsFor?: (whose: { tenant: string; user: string | null }) => Promise<readonly KnownSecret[]>
  now: Now
  /** Where our server is reached from outside; null: as an administrator reached it. */
  publicUrl: string | null
}

/** An administrator who asks what a server offers. */
interface Visitor {
  /** Where the administrator reached our server. */
  base: string
  /** The administrator's account. */
  by: string
  language: Language
}

/** Of the call of a session: whose it is, and its id, which is its idempotency key. */
interface McpCallContext {
  home: object
  tenant: string
  sessionId: string
  /** Whom the session works for, and the account that began the run. */
  user: string | null
  by: string | null
  language: Language
  callId: string
  signal: AbortSignal
  trace: TraceContext | null
  readonly notify: (news: ToolNews) => void
}

type McpCalled = ({ ok: true } & McpAnswer) | { ok: false; failure: McpFailure }

/** What speaks with servers. */
const wire = () => import('./wire.ts')

/** The servers that sessions may use, what they offer (`Offers`), and the way to them. */
export class McpRegistry {
  readonly #ports: RegistryPorts
  readonly #servers: ServerList
  readonly #offers: Offers

  constructor(ports: RegistryPorts) {
    this.#ports = ports
    this.#servers = new ServerList(ports)
    this.#offers = new Offers(ports, (...asked) => this.#probe(...asked))
  }

  /** Whether a tenant's sessions can have servers at all, as far as is known without asking. */
  isEmpty(tenant: string): boolean {
    return this.#servers.isEmpty(tenant)
  }

  /** All servers of a tenant, those that are switched off too. */
  servers(tenant: string): Promise<McpServer[]> {
    return this.#servers.all(tenant)
  }

  /** The server of a name as it is at this moment, not as it was a moment ago. */
  async serverNow(tenant: string, name: string): Promise<McpServer | undefined> {
    return (await this.#servers.now(tenant)).find((server) => server.name === name)
  }

  /** Of names those that are of none of a tenant's servers. */
  unknown(tenant: string, names: readonly string[]): Promise<string[]> {
    return this.#servers.unknown(tenant, names)
  }

  /** What a session may use: all that are enabled, or those of them that it names. */
  async load(tenant: string, wanted: readonly string[] | null, waiting: Waiting): Promise<McpOffer[]> {
    const servers = (await this.servers(tenant)).filter(
      ({ name, enabled }) => enabled && (wanted === null || wanted.includes(name)),
    )
    return Promise.all(servers.map((server) => this.#offers.offer(tenant, server, waiting)))
  }

  /** Whether the servers that a tenant has added could not be read, so that nobody knows of them. */
  isUnread(tenant: string): boolean {
    return this.#servers.isUnread(tenant)
  }

  /** What is known of a server. Where that is old the server is asked anew, which `hold` keeps alive. */
  offer(tenant: string, server: McpServer, hold: KeepAlive): Promise<McpOffer> {
    return this.#offers.offer(tenant, server, { hold, msMax: LIMITS.mcp.loadMs })
  }

  /** Ask a server what it offers. One that cannot be reached keeps what was known of it. */
  async refresh(tenant: string, server: McpServer): Promise<McpOffer> {
    return (await this.#offers.refresh(server, ourselves(tenant))).offer
  }

  /** The same for an administrator, who may be sent to its authorisation server: to `authorisationUrl`. */
  async refreshFor(
    tenant: string,
    server: McpServer,
    { base, by, language }: Visitor,
  ): Promise<{ offer: McpOffer; authorisationUrl: string | null }> {
    const { tenants } = this.#ports
    if (tenants)
      await new GrantKeeper(tenants.grants, { tenant, holder: null }, server).update((grant) =>
        grant.base === base ? null : { ...grant, base },
      )
    return this.#offers.refresh(server, { tenant, session: null, holder: null, by, language, canVisit: true })
  }

  async #probe(server: McpServer, asker: Asker, known: McpProbe | null): Promise<Probed> {
    const { probeServer } = await wire()
    const target = await this.#reach(server, asker, { isForLists: true }, known)
    return target.headers.masked(await probeServer(target, known, this.#ports.now))
  }

  async #reach(
    server: McpServer,
    asker: Asker,
    whose: { user: string | null } | { isForLists: true },
    known: McpProbe | null,
  ): Promise<Reachable> {
    const { secretsFor } = this.#ports
    const { tenant } = asker
    const fetch = this.#ports.fetchFor(server, tenant)
    const user = 'user' in whose ? whose.user : null
    const headers = new ServerHeaders(server, secretsFor ? () => secretsFor({ tenant, user }) : null, whose)
    const auth = await this.#authFor(server, asker)
    const toolsChanged = () => this.#offers.expire(asker.tenant, server)
    return { server, manner: known?.manner ?? null, fetch, headers, auth, toolsChanged }
  }

  /** Nobody is sent away for a server whose headers say who we are. */
  async #authFor(server: McpServer, asker: Asker, away: Away | null = null): Promise<OAuthProvider | null> {
    const { tenants, now, publicUrl, fetchFor } = this.#ports
    if (tenants === null || isNamedBy(server)) return null
    const { OAuthProvider } = await wire()
    const { grants } = tenants
    const ours = asker.holder === null ? null : await new GrantKeeper(grants, { ...asker, holder: null }, server).read()
    const base = publicUrl ?? ours?.base ?? null
    return new OAuthProvider(
      { server, asker, grants, fetch: fetchFor(server, asker.tenant), now, publicUrl: base },
      away,
    )
  }

  /** Someone comes back from an authorisation server with what it said. */
  async comeBack(tenant: string, said: CameBack, proof: McpReturnProof): Promise<ReturnEnd> {
    const { tenants } = this.#ports
    if (tenants === null) return { outcome: 'unknown' }
    return takeReturn(tenant, said, proof, {
      grants: tenants.grants,
      serverOf: async (name) => (await this.servers(tenant)).find((one) => one.name === name),
      authFor: (...asked) => this.#authFor(...asked),
      refresh: (server) => this.refresh(tenant, server),
    })
  }

  /** Have a tool called over the connection that its session has to the server. */
  async call(
    server: McpServer,
    tool: McpListedTool,
    args: Record<string, unknown>,
    { home, tenant, sessionId, user, by, language, ...call }: McpCallContext,
    input: InputWanted | null,
  ): Promise<McpCalled> {
    const holder = holderOf(server, { user, sessionId })
    const asker = { tenant, session: sessionId, holder, by, language, canVisit: true }
    const { withConnection, callTool, isUnauthorised, mcpFailureOf } = await wire()
    const target = await this.#reach(server, asker, { user }, this.#offers.probeOf(tenant, server))
    const { headers } = target
    try {
      await headers.filled()
      const given = await withConnection(home, target, (connection) =>
        callTool(connection, { tool, args, input, ...call }),
      )
      return { ok: true, ...headers.masked(given) }
    } catch (error) {
      call.signal.throwIfAborted()
      if (isUnauthorised(error)) await target.auth?.giveUp()
      return { ok: false, failure: headers.masked(mcpFailureOf(error)) }
    }
  }

  /** The tenant's servers have changed. */
  forget(tenant: string): void {
    this.#servers.forget(tenant)
  }
}

interface ServerListPorts {
  /** Those of the config file. */
  config: readonly McpServer[]
  tenants: Pick<TenantServers, 'servers' | 'near'> | null
  now: Now
}

/** The servers of tenants: those of the config, and those that each tenant has added. The latter stay in memory for a moment. */
class ServerList {
  readonly #ports: ServerListPorts
  readonly #added: NearServers

  constructor(ports: ServerListPorts) {
    this.#ports = ports
    const { tenants, now } = ports
    const { serversKeptMs: keptMs, keptMax: keysMax } = LIMITS.mcp
    const read = async (tenant: string) => tenants?.servers(tenant) ?? []
    this.#added = tenants?.near ?? new ShortMemory({ read, keptMs, keysMax, now })
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
