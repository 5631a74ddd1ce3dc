import type { Language, Localized } from '../../domain/language.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { McpServer, McpWorker, MissingServer } from '../../domain/mcp.ts'
import type { SessionRecord } from '../../domain/session.ts'
import type { Tool } from '../../domain/tool.ts'
import type { KeepAlive, McpOffer, Waiting } from '../../mcp/offers.ts'
import { serverPrefix } from '../../domain/tool-id.ts'
import type { ApiOffer } from '../../openapi-tools/registry.ts'
import type { mcpTools } from '../../tools/mcp/tool.ts'
import type { operationTools } from '../../tools/openapi/tool.ts'
import { sharedList } from '../../tools/registry.ts'
import type { Engine } from '../../engine/engine.ts'
import type { TenantParty } from '../../engine/work.ts'
import { languageFor } from '../../engine/settings.ts'
import type { Journal } from '../../log/journal.ts'
import type { SessionPorts, SettingsCopy } from '../ports.ts'
import { ClientTools } from './client-tools.ts'
import { TenantEngine } from './tenant-engine.ts'

type Whose = Pick<SessionRecord, 'tenant' | 'user' | 'config'>

/** How lists are waited for: by default as long as a run waits. */
export type Patience = Partial<Omit<Waiting, 'hold'>>

/** The engine of one session: the server's, with the tools of the MCP servers and APIs that the session may use. */
export interface SessionEngine extends Engine {
  /** Whether the tools are at hand. */
  readonly isLoaded: boolean
  /** Have the tools at hand as they are now; null: there are no servers. Gives why servers cannot be used, or not as they are now.
   *  Rejects with the reason of the signal. */
  load(whose: Whose, patience?: Patience): Promise<string[]> | null
  /** Have at hand what the tenant has set. False: it cannot be read, and was never known. Null: it is at hand. */
  renew(party: TenantParty): Promise<boolean> | null
  /** What was read of the tenant lately does not count any more. */
  forget(party: TenantParty): void
  /** The same between two moves, for a moment at most. Null: it is at hand. */
  renewInTime(): Promise<unknown> | null
  /** Have the tools of the caller of the newest run at hand; null: they are, or there are none. */
  loadClientTools(): Promise<void> | null
}

export type LivePorts = Omit<SessionPorts, 'engine'> & { engine: SessionEngine }

/** The ports of a session with an engine of its own. */
export function livePorts(ports: SessionPorts, journal: Journal): LivePorts {
  const hold: KeepAlive = (work) => ports.keepAlive(work)
  const client = new ClientTools(() => journal)
  const engine = sessionEngine(ports.engine, hold, { client, settings: ports.settings })
  return { ...ports, engine }
}

/** Makes the tools of servers and APIs, as the tenant has set it now. */
type MakeTools = (engine: Engine) => readonly Tool[]

interface EngineParts {
  /** The tools of the caller. */
  client?: ClientTools
  /** What was known last of the tenant's settings. */
  settings?: SettingsCopy | undefined
}

/** `hold`: keeps the process alive while servers are asked. */
export function sessionEngine(
  base: Engine,
  hold: KeepAlive,
  { client = new ClientTools(() => null), settings }: EngineParts = {},
): SessionEngine {
  const own = new TenantEngine(base, hold, settings)
  const none: MakeTools = () => []
  let added: { make: MakeTools; to: Engine; all: readonly Tool[] } = { make: none, to: base, all: base.tools }
  let { workers, missing } = base
  let isLoaded = false
  /** Times that there was nothing to load, which voids what is still being loaded. */
  let voided = 0
  const toolsNow = () => {
    const to = own.now
    if (added.to !== to) added = { make: added.make, to, all: withTools(to, added.make(to)) }
    return added.all
  }
  const take = (offers: readonly McpOffer[], apis: readonly ApiOffer[], wanted: readonly string[], make: MakeTools) => {
    const to = own.now
    added = { make, to, all: withTools(to, make(to)) }
    workers = [...offers.map(({ server }) => server), ...apis.map(({ source }) => source)].flatMap(workerOf)
    missing = [...missingOf(offers, wanted), ...missingApis(apis)]
  }
  const loadNone = () => {
    voided += 1
    take([], [], [], none)
    return null
  }
  const load = async ({ tenant, config }: Whose, patience: Patience): Promise<string[]> => {
    const wanted = config.mcp_servers ?? null
    const before = voided
    const [offers, apis] = await Promise.all([
      base.mcp.load(tenant, wanted, { msMax: LIMITS.mcp.probeMs, ...patience, hold }),
      base.apis.load(tenant),
    ])
    const [{ mcpTools: ofServers }, { operationTools: ofApis }] = await Promise.all([
      import('../../tools/mcp/tool.ts'),
      import('../../tools/openapi/tool.ts'),
    ])
    if (voided !== before) return []
    take(offers, apis, wanted ?? [], (engine) => addedTools(engine, offers, apis, { ofServers, ofApis }))
    isLoaded = true
    const language = languageFor(own.now, { config })
    return [...(base.mcp.isUnread(tenant) ? [UNREAD[language]] : []), ...problemsOf(offers, missing, language)]
  }
  const loadServers = (whose: Whose, patience: Patience) =>
    mayHaveServers(base, whose) ? load(whose, patience) : loadNone()
  return {
    ...base,
    get config() {
      return own.now.config
    },
    get models() {
      return own.now.models
    },
    get skills() {
      return own.now.skills
    },
    chooseModel: (wish) => own.now.chooseModel(wish),
    refuseAddress: (url) => own.now.refuseAddress(url),
    get fetchGuarded() {
      return own.now.fetchGuarded
    },
    get budgets() {
      return own.now.budgets
    },
    get tools() {
      return client.beside(toolsNow())
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
    renew: (party) => own.renew(party),
    forget: (party) => own.forget(party),
    renewInTime: () => own.renewInTime(),
    load: (whose, patience = {}) => {
      const renewing = own.renew(whose)
      return renewing
        ? renewing.then(async () => (await loadServers(whose, patience)) ?? [])
        : loadServers(whose, patience)
    },
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
