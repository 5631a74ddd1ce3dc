import { LIMITS } from '../domain/limits.ts'
import type { McpProbe, McpServer } from '../domain/mcp.ts'
import type { Now } from '../domain/ports.ts'
import { abortable, timeLimit, sleep } from '../lib/wait.ts'
import { failureKept } from './failure.ts'
import type { Asker } from './oauth-grant.ts'
import type { Probed } from './probe.ts'
import { namesSecrets } from './server-headers.ts'
import { isNamedBy } from './servers.ts'

/** A server and what is known of its tools. */
export interface McpOffer {
  server: McpServer
  probe: McpProbe
}

/** Keeps the process alive for work that nobody awaits. */
export type KeepAlive = (work: Promise<unknown>) => void

/** How a list is waited for that is not at hand. */
export interface Waiting {
  hold: KeepAlive
  /** For a server of which nothing is known; `loadMs` at most for one that gave no answer last time, or whose tools have changed. */
  msMax: number
  signal?: AbortSignal
  /** False: a server whose grants are its users' is not asked, which would be done with the tenant's grant; what was found last is given.
   *  Absent: it is asked. */
  usesGrant?: boolean
  /** Called once a server when its list has to be waited for. */
  waits?: (server: string) => void
}

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

interface RefreshedOffer {
  offer: McpOffer
  authorisationUrl: string | null
}

/** What servers offer. A list stays in memory by server and version, and is asked for anew when it is old. Each server has one request
 *  at a time; whoever needs the same list meanwhile waits for it. */
export class Offers {
  readonly #ports: OfferPorts
  readonly #ask: Ask
  readonly #requests: ListRequests
  readonly #known = new Map<string, McpOffer>()

  constructor(ports: OfferPorts, ask: Ask) {
    this.#ports = ports
    this.#ask = ask
    this.#requests = new ListRequests(ports.now)
  }

  /** What is known of a server. Where that is old the server is asked anew; a list that is at hand is not waited for. One that gives no
   *  answer in time says so in its `error`. Rejects with the signal's reason. */
  async offer(tenant: string, server: McpServer, waiting: Waiting): Promise<McpOffer> {
    const key = keyOf(tenant, server)
    if (!this.#known.has(key)) await this.#takeStored(tenant, server)
    const before = this.#known.get(key)
    if (waiting.usesGrant === false && server.grants === 'user')
      return before ?? withoutAnswer(server, this.#ports.now())
    const end = this.#ports.now() + Math.min(waiting.msMax, before ? LIMITS.mcp.loadMs : Infinity)
    for (let isFirst = true; ; isFirst = false) {
      const known = this.#known.get(key)
      if (known && !this.#isDue(known.probe)) return known
      const own = this.#requests.isUnderWay(key) ? null : this.#begin(tenant, server, waiting.hold)
      if (known && isAtHand(known.probe)) return known
      const msLeft = Math.max(0, end - this.#ports.now())
      if (isFirst && msLeft > 0) waiting.waits?.(server.name)
      const ended = own ? within(own, msLeft, waiting.signal) : this.#requests.end(key, msLeft, waiting.signal)
      if ((await ended) !== 'lost') return this.#known.get(key) ?? withoutAnswer(server, this.#ports.now())
    }
  }

  /** Ask a server, for whoever needs it. */
  #begin(tenant: string, server: McpServer, hold: KeepAlive): Promise<unknown> {
    const asked = this.#answer(server, ourselves(tenant))
    hold(asked.then(({ offer }) => this.#keep(tenant, offer)))
    return asked
  }

  async #answer(server: McpServer, asker: Asker): Promise<RefreshedOffer> {
    const { tenant } = asker
    return this.#requests.during(keyOf(tenant, server), async () => {
      const known = this.probeOf(tenant, server)
      const { probe, failure } = await this.#ask(server, asker, known)
      const offer = this.#remember(tenant, { server, probe: sameTools(known, probe) })
      return { offer, authorisationUrl: failure?.code === 'authorise' ? failure.url : null }
    })
  }

  async #keep(tenant: string, { server, probe }: McpOffer): Promise<void> {
    await this.#ports.tenants?.keepProbe(tenant, server.name, probe).catch(() => {})
  }

  /** Have what the tenant kept at hand, unless somebody has found it out meanwhile. */
  async #takeStored(tenant: string, server: McpServer): Promise<void> {
    const probe = await this.#ports.tenants?.probe(tenant, server.name).catch(() => null)
    const isNew = probe?.version === server.version && !this.#known.has(keyOf(tenant, server))
    if (probe && isNew) this.#remember(tenant, { server, probe })
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
  async refresh(server: McpServer, asker: Asker): Promise<RefreshedOffer> {
    const answered = await this.#answer(server, asker)
    await this.#keep(asker.tenant, answered.offer)
    return answered
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

/** Whether there is a list to go on with, which its server has not called old. */
function isAtHand({ listedTime, triedTime }: McpProbe): boolean {
  return listedTime !== null && triedTime !== 0
}

/** Of a server that nobody knows, and that is late. */
function withoutAnswer(server: McpServer, triedTime: number): McpOffer {
  const nothing = { listedTime: null, manner: null, tools: [], warnings: [] }
  return { server, probe: { version: server.version, triedTime, ...nothing, ...failureKept({ code: 'timeout' }) } }
}

/** Resolves when the work is over, however, or after `ms`. Rejects with the signal's reason. */
async function within(work: Promise<unknown>, ms: number, signal?: AbortSignal): Promise<void> {
  const limit = timeLimit(ms)
  const isOver = AbortSignal.any([limit.signal, ...(signal ? [signal] : [])])
  await abortable(work, isOver)
    .catch(() => signal?.throwIfAborted())
    .finally(() => limit.end())
}

/** A server is asked for its list for nobody's session; there is nobody to be sent away. */
export function ourselves(tenant: string): Asker {
  return { tenant, session: null, holder: null, by: null, language: 'en', canVisit: false }
}

/** The same list as before where nothing of it has changed: what was made of it stays. */
function sameTools(known: McpProbe | null, probe: McpProbe): McpProbe {
  const isSame = known && JSON.stringify(known.tools) === JSON.stringify(probe.tools)
  return isSame ? { ...probe, tools: known.tools } : probe
}

/** What is found with a tenant's grant is for that tenant alone. */
function keyOf(tenant: string, server: McpServer): string {
  const { origin, name, version } = server
  const isOurs = origin === 'config' && isNamedBy(server) && !namesSecrets(server)
  return JSON.stringify([isOurs ? '' : tenant, name, version])
}

/** A request under way. */
interface UnderWay {
  isOver: boolean
  /** Signs of life that whoever asks has given: an object can be taken away in the middle of it. */
  signs: number
  /** Unix ms after which it is over, whatever became of it. */
  until: number
}

/** Requests for what servers offer that are under way in this process, one a server. Who waits for that of another looks again and again:
 *  the object of one session cannot wake that of another. */
export class ListRequests {
  readonly #now: Now
  readonly #underWay = new Map<string, UnderWay>()

  constructor(now: Now) {
    this.#now = now
  }

  isUnderWay(key: string): boolean {
    return (this.#underWay.get(key)?.until ?? 0) > this.#now()
  }

  /** Do `work`, which is the request of a server until it is over. */
  async during<T>(key: string, work: () => Promise<T>): Promise<T> {
    const request: UnderWay = { isOver: false, signs: 0, until: this.#now() + LIMITS.mcp.askedMsMax }
    this.#underWay.set(key, request)
    const timer = setInterval(() => request.signs++, LIMITS.mcp.askSignMs)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      request.isOver = true
      this.#drop(key, request)
    }
  }

  /** Wait for a request to end. `lost`: whoever asked gives no sign of life any more, and nobody or another asks now. Rejects with the
   *  signal's reason. */
  async end(key: string, msMax: number, signal?: AbortSignal): Promise<'ended' | 'lost' | 'late'> {
    const request = this.#underWay.get(key)
    if (!request) return 'lost'
    const { askLookMs, askLostMs } = LIMITS.mcp
    const until = this.#now() + msMax
    // Looks are counted, not the time between them: when the process stands still, so does whoever asks.
    for (let silentLooks = 0, signs = -1; this.#now() < until; silentLooks++) {
      if (request.isOver) return 'ended'
      if (request.signs !== signs) silentLooks = 0
      if (silentLooks * askLookMs >= askLostMs) this.#drop(key, request)
      if (this.#underWay.get(key) !== request) return 'lost'
      signs = request.signs
      await sleep(Math.min(askLookMs, until - this.#now()), signal)
    }
    return request.isOver ? 'ended' : 'late'
  }

  #drop(key: string, request: UnderWay): void {
    if (this.#underWay.get(key) === request) this.#underWay.delete(key)
  }
}
