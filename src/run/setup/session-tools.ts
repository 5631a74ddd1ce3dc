import type { Language, Localized } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { McpServer, McpWorker, MissingServer } from '../../domain/mcp.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { Tool } from '../../domain/tool.ts'
import { serverPrefix } from '../../domain/tool-id.ts'
import type { Engine } from '../../engine/engine.ts'
import { languageFor } from '../../engine/settings.ts'
import type { KeepAlive, McpOffer, Waiting } from '../../mcp/offers.ts'
import type { ApiOffer } from '../../openapi-tools/registry.ts'
import type { mcpTools } from '../../tools/mcp/tool.ts'
import type { operationTools } from '../../tools/openapi/tool.ts'
import { sharedList } from '../../tools/registry.ts'
import type { TenantEngine } from './tenant-engine.ts'

export type Whose = Pick<SessionRecord, 'tenant' | 'user' | 'config'>

/** How lists are waited for: by default as long as a run waits. */
export type Patience = Partial<Omit<Waiting, 'hold'>>

/** Makes the tools of servers and APIs, as the tenant has set it now. */
type MakeTools = (engine: Engine) => readonly Tool[]

const NO_TOOLS: MakeTools = () => []

/** The tools that one session has of MCP servers and APIs, beside those of its server. */
export class SessionTools {
  readonly #base: Engine
  readonly #own: TenantEngine
  readonly #hold: KeepAlive
  /** What makes the tools, and the list that it made last; `to`: for this engine. */
  #added: { make: MakeTools; to: Engine; all: readonly Tool[] }
  /** MCP servers and APIs that can be given a branch. */
  workers: readonly McpWorker[]
  /** Those whose tools are not there. */
  missing: readonly MissingServer[]
  isLoaded = false
  /** Times that there was nothing to load, which voids what is still being loaded. */
  #voided = 0

  /** `hold`: keeps the process alive while servers are asked. */
  constructor(base: Engine, own: TenantEngine, hold: KeepAlive) {
    this.#base = base
    this.#own = own
    this.#hold = hold
    this.#added = { make: NO_TOOLS, to: base, all: base.tools }
    this.workers = base.workers
    this.missing = base.missing
  }

  /** All tools as the tenant has set them now: the same list as long as nothing changes. */
  get toolsNow(): readonly Tool[] {
    const to = this.#own.now
    if (this.#added.to !== to) this.#make(this.#added.make)
    return this.#added.all
  }

  /** Have the tools at hand as they are now; null: there are no servers. Gives why servers cannot be used, or not as they are now. */
  load(whose: Whose, patience: Patience): Promise<string[]> | null {
    if (mayHaveServers(this.#base, whose)) return this.#load(whose, patience)
    this.#voided += 1
    this.#take([], [], [], NO_TOOLS)
    return null
  }

  async #load({ tenant, config }: Whose, patience: Patience): Promise<string[]> {
    const { mcp, apis: registry } = this.#base
    const wanted = config.mcp_servers ?? null
    const before = this.#voided
    const [offers, apis] = await Promise.all([
      mcp.load(tenant, wanted, { msMax: LIMITS.mcp.probeMs, ...patience, hold: this.#hold }),
      registry.load(tenant),
    ])
    const [{ mcpTools: ofServers }, { operationTools: ofApis }] = await Promise.all([
      import('../../tools/mcp/tool.ts'),
      import('../../tools/openapi/tool.ts'),
    ])
    if (this.#voided !== before) return []
    this.#take(offers, apis, wanted ?? [], (engine) => addedTools(engine, offers, apis, { ofServers, ofApis }))
    this.isLoaded = true
    const language = languageFor(this.#own.now, { config })
    return [...(mcp.isUnread(tenant) ? [UNREAD[language]] : []), ...problemsOf(offers, this.missing, language)]
  }

  #take(offers: readonly McpOffer[], apis: readonly ApiOffer[], wanted: readonly string[], make: MakeTools): void {
    this.#make(make)
    this.workers = [...offers.map(({ server }) => server), ...apis.map(({ source }) => source)].flatMap(workerOf)
    this.missing = [...missingOf(offers, wanted), ...missingApis(apis)]
  }

  #make(make: MakeTools): void {
    const to = this.#own.now
    this.#added = { make, to, all: withTools(to, make(to)) }
  }
}

function mayHaveServers({ mcp, apis }: Engine, { tenant, config }: Whose): boolean {
  if (!apis.isEmpty(tenant)) return true
  return config.mcp_servers ? config.mcp_servers.length > 0 : !mcp.isEmpty(tenant)
}

/** Tools by the offers of servers and APIs. */
function addedTools(
  { mcp, apiPorts }: Engine,
  offers: readonly McpOffer[],
  apis: readonly ApiOffer[],
  { ofServers, ofApis }: { ofServers: typeof mcpTools; ofApis: typeof operationTools },
): Tool[] {
  const names = [...offers.map(({ server }) => server.name), ...apis.map(({ source }) => source.name)]
  const prefixes = names.map(serverPrefix)
  const isShared = (index: number) => prefixes.indexOf(prefixes[index] ?? '') !== index
  return [
    ...offers.flatMap(({ server, probe }, index) => ofServers(server, probe.tools, mcp, isShared(index))),
    ...apis.flatMap(({ source, catalogue }, index) =>
      ofApis(source, catalogue, apiPorts, isShared(offers.length + index)),
    ),
  ]
}

function withTools(base: Engine, added: readonly Tool[]): readonly Tool[] {
  const taken = new Set(base.tools.map(({ id }) => id))
  const own = added.filter(({ id }) => !taken.has(id))
  return own.length === 0 ? base.tools : sharedList([...base.tools, ...own])
}

const DESCRIPTION_CHARS_MAX = 500

/** A server as planners read of it: in one line. */
function workerOf({ name, description }: Pick<McpServer, 'name' | 'description'>): McpWorker[] {
  const line = description?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return line === '' ? [] : [{ name, description: line.slice(0, DESCRIPTION_CHARS_MAX) }]
}

const UNREAD: Localized = {
  'zh-CN': '此租户添加的 MCP 服务无法读取。',
  en: 'The MCP servers that the tenant has added could not be read.',
}

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

/** APIs whose operations nobody knows. */
function missingApis(apis: readonly ApiOffer[]): MissingServer[] {
  return apis.flatMap(({ source: { name }, catalogue: { operations, error } }) => {
    return error === null || operations.length > 0 ? [] : [{ name, reason: { 'zh-CN': error, en: error } }]
  })
}

/** Why servers cannot be used, or not as they are now. */
function problemsOf(offers: readonly McpOffer[], missing: readonly MissingServer[], language: Language): string[] {
  const gone = new Set(missing.map(({ name }) => name))
  const stale = offers.filter(({ server, probe }) => probe.error !== null && !gone.has(server.name))
  return [
    ...missing.map(({ name, reason }) => `${name}: ${reason[language]}`),
    ...stale.map(({ server, probe }) => `${server.name}: ${probe.errorTexts?.[language] ?? probe.error}`),
  ]
}
