import { LIMITS } from '../domain/limits.ts'
import type { McpProbe, McpServer } from '../domain/mcp.ts'
import type { Now } from '../domain/ports.ts'
import { abortable } from '../lib/abortable.ts'
import { timeLimit } from '../lib/time-limit.ts'
import { failureWords } from './failure.ts'
import type { Asker } from './oauth-place.ts'
import type { Probed } from './probe.ts'

/** A server and what is known of its tools. */
export interface McpOffer {
  server: McpServer
  probe: McpProbe
}

/** Keeps the process alive for work that nobody awaits. */
export type Hold = (work: Promise<unknown>) => void

/** Where tenants keep what was last found of their servers and of the config's. */
export interface TenantProbes {
  probe(tenant: string, name: string): Promise<McpProbe | null>
  keepProbe(tenant: string, name: string, probe: McpProbe): Promise<void>
}

interface OfferPorts {
  tenants: TenantProbes | null
  now: Now
}

/** Ask a server for somebody what it offers, by what is known of it. */
type Ask = (server: McpServer, asker: Asker, known: McpProbe | null) => Promise<Probed>

/** What servers offer. What was found stays in memory, by server and version, and is asked for anew when it is old. */
export class Offers {
  readonly #ports: OfferPorts
  readonly #ask: Ask
  readonly #known = new Map<string, McpOffer>()

  constructor(ports: OfferPorts, ask: Ask) {
    this.#ports = ports
    this.#ask = ask
  }

  /** What is known of a server. Where that is old the server is asked anew, which `hold` keeps alive: nobody waits for a list that
   *  is known already, and for one that is not no longer than `loadMs`. */
  async offer(tenant: string, server: McpServer, hold: Hold): Promise<McpOffer> {
    const known = this.#known.get(keyOf(tenant, server)) ?? (await this.#stored(tenant, server))
    if (known && !this.#isDue(known.probe)) return known
    const probe = known?.probe ?? unasked(server)
    const isExpired = probe.triedTime === 0
    this.#remember(tenant, { server, probe: { ...probe, ...this.#asking(probe) } })
    const asked = this.refresh(server, ourselves(tenant)).then((answer) => answer.offer)
    hold(asked)
    if (known && probe.listedTime !== null && !isExpired) return known
    const limit = timeLimit(LIMITS.mcp.loadMs)
    const late = () => this.#known.get(keyOf(tenant, server)) ?? { server, probe }
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

  /** What was last found of a server in this process. */
  probeOf(tenant: string, server: McpServer): McpProbe | null {
    return this.#known.get(keyOf(tenant, server))?.probe ?? null
  }

  /** Ask a server what it offers. One that cannot be reached keeps what was known of it. `authorisationUrl`: where who asked is
   *  to go first. */
  async refresh(server: McpServer, asker: Asker): Promise<{ offer: McpOffer; authorisationUrl: string | null }> {
    const { tenant } = asker
    const known = this.probeOf(tenant, server)
    const { probe, failure } = await this.#ask(server, asker, known)
    await this.#ports.tenants?.keepProbe(tenant, server.name, probe).catch(() => {})
    const offer = this.#remember(tenant, { server, probe: sameTools(known, probe) })
    return { offer, authorisationUrl: failure?.code === 'authorise' ? failure.url : null }
  }

  /** The server says that its tools have changed: they are asked for before the next use. */
  expire(tenant: string, server: McpServer): void {
    const known = this.#known.get(keyOf(tenant, server))
    if (known) this.#remember(tenant, { server, probe: { ...known.probe, triedTime: 0 } })
  }

  #remember(tenant: string, offer: McpOffer): McpOffer {
    const key = keyOf(tenant, offer.server)
    if (this.#known.size >= LIMITS.mcp.keptMax && !this.#known.has(key)) this.#known.clear()
    this.#known.set(key, offer)
    return offer
  }
}

/** What is known of a server that nobody asked yet. */
function unasked({ version }: McpServer): McpProbe {
  return { version, triedTime: 0, listedTime: null, error: null, manner: null, tools: [], warnings: [] }
}

/** A server is asked for its list for nobody's session; there is nobody to be sent away. */
export function ourselves(tenant: string): Asker {
  return { tenant, session: null, language: 'en', canVisit: false }
}

/** The same list as before where nothing of it has changed: what was made of it stays. */
function sameTools(known: McpProbe | null, probe: McpProbe): McpProbe {
  const isSame = known && JSON.stringify(known.tools) === JSON.stringify(probe.tools)
  return isSame ? { ...probe, tools: known.tools } : probe
}

function keyOf(tenant: string, { origin, name, version }: McpServer): string {
  return JSON.stringify([origin === 'config' ? '' : tenant, name, version])
}
