import { LIMITS } from '../domain/limits.ts'
import type { KeptConnection } from '../domain/connection.ts'
import type { McpServer } from '../domain/mcp.ts'
import type { HeldSettings, Settings } from '../domain/settings.ts'
import type { Engine, TenantEngines } from '../engine/engine.ts'
import type { TenantParty } from '../engine/work.ts'
import { ShortMemory } from '../lib/short-memory.ts'
import type { ServerView } from '../run/setup/create-engine.ts'
import { directoryObject, type Env } from './env.ts'
import { openedServer, sealedFor, sealOf } from './seal.ts'

/** What an isolate keeps of a tenant for a moment, for its runs. `settings` null: it has set nothing. */
export interface TenantSnapshot {
  servers: readonly McpServer[]
  settings: HeldSettings | null
  connections: readonly OpenedConnection[]
  hasUserConnections: boolean
}

/** A connection with its secret; undefined: it has none, or that cannot be opened here. */
export interface OpenedConnection extends KeptConnection {
  value: string | undefined
}

/** What an isolate keeps for a moment of tenants and of their users. */
export interface TenantMemories {
  tenants: ShortMemory<TenantSnapshot>
  users: ShortMemory<readonly OpenedConnection[]>
}

/** The memories of this isolate: a server is made anew for another config, and what is open goes on with the one before. */
const living = new Set<WeakRef<TenantMemories>>()

/** A tenant has changed something, or that of one of its users: all in this isolate look again. */
export function forgetTenant(tenant: string, user: string | null = null): void {
  for (const one of living) {
    const memories = one.deref()
    if (!memories) living.delete(one)
    else {
      memories.tenants.forget(tenant)
      if (user !== null) memories.users.forget(userKey(tenant, user))
    }
  }
}

const userKey = (tenant: string, user: string) => JSON.stringify([tenant, user])

/** What tenants have, as it was read lately: their settings, MCP servers and connections come in one answer, those of a user in another. */
export function tenantMemories(env: Env): TenantMemories {
  const { keptMs, tenantsMax, usersMax } = LIMITS.settings
  const tenants: ShortMemory<TenantSnapshot> = new ShortMemory({ read, keptMs, keysMax: tenantsMax, now: Date.now })
  const users: TenantMemories['users'] = new ShortMemory({ read: readUser, keptMs, keysMax: usersMax, now: Date.now })
  const memories = { tenants, users }
  living.add(new WeakRef(memories))
  return memories

  async function read(tenant: string): Promise<TenantSnapshot> {
    const before = tenants.at(tenant)
    const known = before?.settings ?? null
    const { settings, connections, servers, ...rest } = await directoryObject(env, tenant).snapshot(known?.version ?? 0)
    return {
      ...rest,
      servers: await openedServersIn(env, tenant, servers, before?.servers ?? []),
      settings: settings === 'known' ? known : settings,
      connections: await openedIn(env, tenant, connections, before?.connections ?? []),
    }
  }

  async function readUser(key: string): Promise<OpenedConnection[]> {
    const [tenant, user] = JSON.parse(key) as [string, string]
    return openedIn(env, tenant, await directoryObject(env, tenant).connections(user), users.at(key) ?? [])
  }
}

/** What was opened before is not opened again. */
function openedIn(
  env: Env,
  tenant: string,
  kept: readonly KeptConnection[],
  before: readonly OpenedConnection[],
): Promise<OpenedConnection[]> {
  return Promise.all(
    kept.map(async (one) => {
      const known = before.find(({ sealed, name }) => sealed === one.sealed && name === one.name)
      if (known) return { ...one, value: known.value }
      const value = one.sealed === '' ? null : await sealOf(env)?.open(one.sealed, sealedFor(tenant, one))
      return { ...one, value: value ?? undefined }
    }),
  )
}

/** The same of MCP servers. */
function openedServersIn(
  env: Env,
  tenant: string,
  kept: readonly McpServer[],
  before: readonly McpServer[],
): Promise<McpServer[]> {
  return Promise.all(
    kept.map(async (one) => {
      const known = before.find(({ name, version, sealed }) => name === one.name && version === one.version && !sealed)
      return known ?? openedServer(env, tenant, one)
    }),
  )
}

type MakeView = (party: TenantParty, settings: Settings, connections: readonly OpenedConnection[]) => ServerView

/** A server as it holds for each of its tenants, and for those of their users who have connections: made anew when something of it is set anew. */
export class TenantViews implements TenantEngines {
  /** As it holds for those that have set nothing. */
  readonly file: ServerView
  readonly #memories: TenantMemories
  readonly #make: MakeView
  readonly #made = new Map<string, { version: string; view: ServerView }>()

  constructor(file: ServerView, memories: TenantMemories, make: MakeView) {
    this.file = { ...file, engine: { ...file.engine, tenants: this } }
    this.#memories = memories
    this.#make = make
  }

  load({ tenant, user }: TenantParty): Promise<unknown> | null {
    const { tenants } = this.#memories
    if (tenants.isFresh(tenant)) return this.#loadUser(tenant, user)
    return tenants.load(tenant).then(() => this.#loadUser(tenant, user))
  }

  refresh({ tenant, user }: TenantParty): Promise<unknown> | null {
    const { tenants, users } = this.#memories
    const tenantsOwn = tenants.refresh(tenant)
    const usersOwn =
      user !== null && tenants.at(tenant)?.hasUserConnections ? users.refresh(userKey(tenant, user)) : null
    return tenantsOwn || usersOwn ? Promise.all([tenantsOwn, usersOwn]) : null
  }

  #loadUser(tenant: string, user: string | null): Promise<unknown> | null {
    const { tenants, users } = this.#memories
    if (user === null || !tenants.at(tenant)?.hasUserConnections) return null
    const key = userKey(tenant, user)
    return users.isFresh(key) ? null : users.load(key)
  }

  forget({ tenant, user }: TenantParty): void {
    forgetTenant(tenant, user)
  }

  held(tenant: string): HeldSettings | null | undefined {
    const snapshot = this.#memories.tenants.at(tenant)
    return snapshot ? snapshot.settings : undefined
  }

  of(party: TenantParty, last: HeldSettings | null): Engine {
    return this.viewOf(party, last).engine
  }

  /** By what was read lately; where nothing ever was, by `last`. */
  viewOf(party: TenantParty, last: HeldSettings | null = null): ServerView {
    const { tenant, user } = party
    const held = this.held(tenant)
    const now = held === undefined ? last : held
    const { own, all } = this.#connectionsOf(party)
    if (now === null && all.length === 0) return this.file
    const version = JSON.stringify([
      now?.version ?? 0,
      all.map(({ name, sealed, updatedTime }) => [name, sealed, updatedTime]),
    ])
    const key = user === null || own.length === 0 ? tenant : userKey(tenant, user)
    const known = this.#made.get(key)
    if (known?.version === version) return known.view
    const view = this.#make(party, now?.settings ?? {}, all)
    if (this.#made.size >= LIMITS.settings.tenantsMax) this.#made.clear()
    this.#made.set(key, { version, view })
    return view
  }

  /** One of a user, else of the tenant; null: there is none, as far as was read. */
  connection(party: TenantParty, wanted: string): OpenedConnection | null {
    return this.#connectionsOf(party).all.find(({ name }) => name === wanted) ?? null
  }

  /** A user's own, and before those of the tenant. */
  #connectionsOf({ tenant, user }: TenantParty) {
    const { tenants, users } = this.#memories
    const { connections = [], hasUserConnections = false } = tenants.at(tenant) ?? {}
    const own = user !== null && hasUserConnections ? (users.at(userKey(tenant, user)) ?? []) : []
    const others = connections.filter(({ name }) => !own.some((one) => one.name === name))
    return { own, all: [...own, ...others] }
  }
}
