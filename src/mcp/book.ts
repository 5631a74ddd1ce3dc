import type { Language } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import type { McpListedTool, McpProbe, McpServer } from '../domain/mcp.ts'
import type { Fetch, Now } from '../domain/ports.ts'
import type { ToolNews } from '../domain/tool.ts'
import { abortable } from '../lib/abortable.ts'
import { timeLimit } from '../lib/time-limit.ts'
import { callTool, type McpAnswer } from './call.ts'
import { open, withConnection, type Reachable } from './connections.ts'
import type { InputWanted } from './elicitation.ts'
import { failureOf, isUnauthorised } from './failure-of.ts'
import { failureWords, type McpFailure } from './failure.ts'
import { keepBounded } from './kept.ts'
import { listTools } from './listing.ts'
import { GrantKeeper, type Away, type TenantGrants } from './oauth-grant.ts'
import type { Asker } from './oauth-place.ts'
import { OAuthProvider } from './oauth-provider.ts'
import { takeReturn, type CameBack, type ReturnEnd } from './oauth-return.ts'
import { ServerList } from './server-list.ts'

/** Where tenants keep their servers, and what was last found of those and of the config's. */
export interface TenantServers {
  servers(tenant: string): Promise<McpServer[]>
  probe(tenant: string, name: string): Promise<McpProbe | null>
  keepProbe(tenant: string, name: string, probe: McpProbe): Promise<void>
  grants: TenantGrants
}

export interface BookPorts {
  /** Those of the config file. */
  config: readonly McpServer[]
  tenants: TenantServers | null
  readonly fetchFor: (server: McpServer) => Fetch
  now: Now
  /** Where our server is reached from outside; null: as an administrator reached it. */
  publicUrl: string | null
}

/** An administrator who asks what a server offers. */
export interface Visitor {
  /** Where the administrator reached our server. */
  base: string
  language: Language
}

/** A server and what is known of its tools. */
export interface McpOffer {
  server: McpServer
  probe: McpProbe
}

/** Keeps the process alive for work that nobody awaits. */
export type Hold = (work: Promise<unknown>) => void

/** Of the call of a session: whose it is, and its id, which is its idempotency key. */
export interface McpCallContext {
  home: object
  tenant: string
  sessionId: string
  language: Language
  callId: string
  signal: AbortSignal
  traceparent: string | null
  readonly tell: (news: ToolNews) => void
}

export type McpCalled = ({ ok: true } & McpAnswer) | { ok: false; failure: McpFailure }

/** The servers that sessions may use, and what they offer. What was found stays in memory, by server and version. */
export class McpBook {
  readonly #ports: BookPorts
  readonly #servers: ServerList
  readonly #offers = new Map<string, McpOffer>()

  constructor(ports: BookPorts) {
    this.#ports = ports
    this.#servers = new ServerList(ports)
  }

  /** Whether a tenant's sessions can have servers at all, as far as is known without asking. */
  isEmpty(tenant: string): boolean {
    return this.#servers.isEmpty(tenant)
  }

  /** All servers of a tenant, those that are switched off too. */
  servers(tenant: string): Promise<McpServer[]> {
    return this.#servers.all(tenant)
  }

  /** Of names those that are of none of a tenant's servers. */
  unknown(tenant: string, names: readonly string[]): Promise<string[]> {
    return this.#servers.unknown(tenant, names)
  }

  /** What a session may use: all that are enabled, or those of them that it names. One that is down keeps none waiting. */
  async load(tenant: string, wanted: readonly string[] | null, hold: Hold): Promise<McpOffer[]> {
    const servers = (await this.servers(tenant)).filter(
      ({ name, enabled }) => enabled && (wanted === null || wanted.includes(name)),
    )
    return Promise.all(servers.map((server) => this.offer(tenant, server, hold)))
  }

  /** What is known of a server. Where that is old the server is asked anew, which `hold` keeps alive: nobody waits for a list that
   *  is known already, and for one that is not no longer than `loadMs`. */
  async offer(tenant: string, server: McpServer, hold: Hold): Promise<McpOffer> {
    const known = this.#offers.get(keyOf(tenant, server)) ?? (await this.#stored(tenant, server))
    if (known && !this.#isDue(known.probe)) return known
    const probe = known?.probe ?? unasked(server)
    const isExpired = probe.triedTime === 0
    this.#remember(tenant, { server, probe: { ...probe, ...this.#asking(probe) } })
    const asked = this.refresh(tenant, server)
    hold(asked)
    if (known && probe.listedTime !== null && !isExpired) return known
    const limit = timeLimit(LIMITS.mcp.loadMs)
    const late = () => this.#offers.get(keyOf(tenant, server)) ?? { server, probe }
    return abortable(asked, limit.signal)
      .catch(late)
      .finally(() => limit.end())
  }

  /** While a server is being asked it counts as one that gave no answer, and no other asks it. */
  #asking({ listedTime, error }: McpProbe): Pick<McpProbe, 'triedTime' | 'error'> {
    const triedTime = this.#ports.now()
    const { listKeptMs, retryMs } = LIMITS.mcp
    if (listedTime === null) return { triedTime, error: failureWords({ code: 'timeout' }, 'en') }
    return { triedTime: error === null ? triedTime - listKeptMs + retryMs : triedTime, error }
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
    return (await this.#refresh(server, { tenant, session: null, language: 'en', canVisit: false })).offer
  }

  /** The same for an administrator, who may be sent to its authorisation server: to `authorisationUrl`. */
  async refreshFor(
    tenant: string,
    server: McpServer,
    { base, language }: Visitor,
  ): Promise<{ offer: McpOffer; authorisationUrl: string | null }> {
    const { tenants } = this.#ports
    if (tenants)
      await new GrantKeeper(tenants.grants, tenant, server).update((grant) =>
        grant.base === base ? null : { ...grant, base },
      )
    return this.#refresh(server, { tenant, session: null, language, canVisit: true })
  }

  async #refresh(server: McpServer, asker: Asker): Promise<{ offer: McpOffer; authorisationUrl: string | null }> {
    const { tenant } = asker
    const known = this.#offers.get(keyOf(tenant, server))?.probe ?? null
    const { probe, failure } = await this.#probe(server, asker, known)
    await this.#ports.tenants?.keepProbe(tenant, server.name, probe).catch(() => {})
    const offer = this.#remember(tenant, { server, probe: sameTools(known, probe) })
    return { offer, authorisationUrl: failure?.code === 'authorise' ? failure.url : null }
  }

  async #probe(
    server: McpServer,
    asker: Asker,
    known: McpProbe | null,
  ): Promise<{ probe: McpProbe; failure: McpFailure | null }> {
    const { now } = this.#ports
    const { version } = server
    const limit = timeLimit(LIMITS.mcp.probeMs)
    const target = this.#reach(server, asker, known)
    try {
      const found = await abortable(listed(target, limit.signal), limit.signal)
      return { probe: { version, triedTime: now(), listedTime: now(), error: null, ...found }, failure: null }
    } catch (error) {
      if (isUnauthorised(error)) await target.auth?.giveUp()
      const failure = failureOf(error)
      const { listedTime = null, manner = null, tools = [], warnings = [] } = known ?? {}
      const words = failureWords(failure, 'en')
      return { probe: { version, triedTime: now(), listedTime, error: words, manner, tools, warnings }, failure }
    } finally {
      limit.end()
    }
  }

  #reach(server: McpServer, asker: Asker, known: McpProbe | null): Reachable {
    const fetch = this.#ports.fetchFor(server)
    const auth = this.#authFor(server, asker)
    const toolsChanged = () => this.#expire(asker.tenant, server)
    return { server, manner: known?.manner ?? null, fetch, auth, toolsChanged }
  }

  /** Nobody is sent away for a server whose headers say who we are. */
  #authFor(server: McpServer, asker: Asker, away: Away | null = null): OAuthProvider | null {
    const { tenants, now, publicUrl, fetchFor } = this.#ports
    const isNamed = Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization')
    if (tenants === null || isNamed) return null
    return new OAuthProvider({ server, asker, grants: tenants.grants, fetch: fetchFor(server), now, publicUrl }, away)
  }

  /** Someone comes back from an authorisation server with what it said. */
  async comeBack(tenant: string, said: CameBack): Promise<ReturnEnd> {
    const { tenants } = this.#ports
    if (tenants === null) return { outcome: 'unknown' }
    return takeReturn(tenant, said, {
      grants: tenants.grants,
      serverOf: async (name) => (await this.servers(tenant)).find((one) => one.name === name),
      authFor: (...asked) => this.#authFor(...asked),
      refresh: (server) => this.refresh(tenant, server),
    })
  }

  #remember(tenant: string, offer: McpOffer): McpOffer {
    keepBounded(this.#offers, keyOf(tenant, offer.server), offer)
    return offer
  }

  /** Have a tool called over the connection that its session has to the server. */
  async call(
    server: McpServer,
    tool: McpListedTool,
    args: Record<string, unknown>,
    { home, tenant, sessionId, language, ...call }: McpCallContext,
    input: InputWanted | null,
  ): Promise<McpCalled> {
    const asker = { tenant, session: sessionId, language, canVisit: true }
    const target = this.#reach(server, asker, this.#offers.get(keyOf(tenant, server))?.probe ?? null)
    try {
      const given = await withConnection(home, target, (connection) =>
        callTool(connection, { tool, args, input, ...call }),
      )
      return { ok: true, ...given }
    } catch (error) {
      call.signal.throwIfAborted()
      if (isUnauthorised(error)) await target.auth?.giveUp()
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
    this.#servers.forget(tenant)
  }
}

async function listed(target: Reachable, signal: AbortSignal) {
  const connection = await open(target)
  try {
    return { manner: connection.manner, ...(await listTools(connection, signal)) }
  } finally {
    await connection.close()
  }
}

function unasked({ version }: McpServer): McpProbe {
  return { version, triedTime: 0, listedTime: null, error: null, manner: null, tools: [], warnings: [] }
}

/** The same list as before where nothing of it has changed: what was made of it stays. */
function sameTools(known: McpProbe | null, probe: McpProbe): McpProbe {
  const isSame = known && JSON.stringify(known.tools) === JSON.stringify(probe.tools)
  return isSame ? { ...probe, tools: known.tools } : probe
}

function keyOf(tenant: string, { origin, name, version }: McpServer): string {
  return JSON.stringify([origin === 'config' ? '' : tenant, name, version])
}
