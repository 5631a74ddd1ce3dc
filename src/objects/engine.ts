import type { Memory } from '../domain/memory.ts'
import type { Fetch } from '../domain/ports.ts'
import { serverConfig } from '../models/providers.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { createEngine, type ServerView } from '../run/setup/create-engine.ts'
import { effectiveConfig, ownSettings, type RunConnection } from '../run/setup/tenant-config.ts'
import type { WorkersAi } from '../models/provider.ts'
import type { Engine } from '../engine/engine.ts'
import type { TenantSkills } from '../skills/registry.ts'
import type { TenantServers } from '../mcp/registry.ts'
import type { TenantApis } from '../openapi-tools/registry.ts'
import type { ModelInfo } from '../domain/model.ts'
import { onDemand } from '../lib/shape.ts'
import type { ServicePorts } from '../service/ports.ts'
import { configCheckedBy } from './config.ts'
import { directoryObject, type Env, memoryObject } from './env.ts'
import { reportSkill } from './report.ts'
import { countedFetch, countSubrequest } from './subrequests.ts'
import { sealedGrants } from './mcp-grants.ts'
import { openedApi, openedServer } from './seal.ts'
import {
  forgetTenant,
  type OpenedConnection,
  type TenantMemories,
  tenantMemories,
  TenantViews,
} from './tenant-views.ts'
import type { BudgetPort } from '../domain/budget.ts'

/** The server that a Worker is: its engine and what GET /v1/models tells. One a config, made when it is first needed. */
interface Server {
  config: ServerConfig
  engine: Engine
  models: ModelInfo[]
  tokens: ServicePorts['tokens']
  /** The same as it holds for tenants. */
  tenants: TenantViews
}

let made: { env: Env; server: Server } | undefined

export function serverOf(env: Env): Server {
  if (made?.env.YAA_CONFIG !== env.YAA_CONFIG) made = undefined
  made ??= { env, server: makeServer(env) }
  return made.server
}

export function engineOf(env: Env): Engine {
  return serverOf(env).engine
}

/** The server as it holds for a tenant now: with what it has set. */
export async function serverFor(env: Env, tenant: string): Promise<ServerView> {
  const { tenants } = serverOf(env)
  await tenants.load({ tenant, user: null })
  return tenants.viewOf({ tenant, user: null })
}

function makeServer(env: Env): Server {
  const config = configCheckedBy((given) => serverConfig.parse(given), env)
  const secrets = env.YAA_SECRETS ? (JSON.parse(env.YAA_SECRETS) as Record<string, string>) : {}
  const memories = tenantMemories(env)
  const { viewFor, ...file } = createEngine(config, {
    publicFetch: countedFetch((url, init) => fetch(url, init)),
    privateFetch: countedFetch(privateFetch(env)),
    models: {
      secret: (name) => secrets[name] ?? textOf(env[name]),
      workersAi: env.AI !== undefined,
      ollamaModel: env.YAA_OLLAMA ?? null,
    },
    workersAi: env.AI ? countedAi(env.AI) : null,
    teams: teamFiles,
    workflows: tenantWorkflows(env),
    namedWorkflows: namedWorkflows(env),
    skills: { files: skillFiles, tenants: tenantSkills(env), report: reportSkill },
    servers: tenantServers(env, memories.tenants),
    apis: tenantApis(env),
    secretsFor: async (party) => {
      await tenants.load(party)
      return tenants.viewOf(party).engine.secrets
    },
    privateHostsFor: async (tenant) => {
      const party = { tenant, user: null }
      await tenants.load(party)
      return tenants.viewOf(party).engine.config.web?.allow_private_hosts ?? []
    },
    memory: (tenant, user) => userMemory(env, tenant, user),
    budgets: tenantBudgets(env),
    runtime: 'Cloudflare Workers (workerd)',
  })
  const tenants = new TenantViews(file, memories, ({ tenant }, settings, connections) =>
    viewFor(
      effectiveConfig(config, tenant, settings),
      ownSettings(config, tenant, settings),
      connections.map((one) => runConnection(env, tenant, one)),
    ),
  )
  return { config, ...tenants.file, tokens: tokensOf(config.auth ?? {}, privateFetch(env)), tenants }
}

/** A connection as runs use it. */
function runConnection(env: Env, tenant: string, opened: OpenedConnection): RunConnection {
  const { name, origin, basic, eachUser, oauth2, value } = opened
  if (oauth2) return grantedConnection(env, tenant, opened)
  return {
    name,
    origin,
    key: value,
    value: () => value,
    ...(basic ? { scheme: 'Basic' } : {}),
    ...(eachUser ? { wants: 'secret' } : {}),
  }
}

/** The same of one whose tokens an authorization server gives. */
function grantedConnection(env: Env, tenant: string, opened: OpenedConnection): RunConnection {
  const { name, origin, eachUser } = opened
  return {
    name,
    origin,
    key: undefined,
    isGrant: true,
    value: async (user) => {
      const holder = eachUser ? user : (opened.user ?? null)
      if (eachUser && holder === null) return undefined
      const [{ grantOf }, { engine }] = await Promise.all([import('./connection-grants.ts'), serverFor(env, tenant)])
      return grantOf(env, { tenant, user: holder }, opened, engine.fetchGuarded).token()
    },
    ...(eachUser ? { wants: 'grant', authorize: authorizeFor(env, tenant, opened) } : {}),
  }
}

/** Sends a user to where they grant access, for a call that needs it. */
function authorizeFor(
  env: Env,
  tenant: string,
  { name, oauth2, base: known }: OpenedConnection,
): NonNullable<RunConnection['authorize']> {
  return async ({ user, sessionId: session, by, language }) => {
    const base = serverOf(env).config.public_url?.replace(/\/+$/, '') ?? known
    if (base === undefined || oauth2 === undefined) return null
    const { sendToAuthorize } = await import('./connection-grants.ts')
    return (await sendToAuthorize(env, { name, oauth2 }, { tenant, user, language, by, base, session })).url
  }
}

function countedAi(ai: WorkersAi): WorkersAi {
  return {
    run: (...given) => {
      countSubrequest()
      return ai.run(...given)
    },
  }
}

const skillFiles = async () => (await import('../../configs/skills/index.ts')).SKILL_FILES

const teamFiles = async () => (await import('../../configs/teams/index.ts')).TEAM_FILES

/** Who tokens speak for; what reads them is loaded with the first of a server that has issuers. */
function tokensOf(auth: NonNullable<ServerConfig['auth']>, fetch: Fetch): Server['tokens'] {
  const hasIssuers = auth.access !== undefined || (auth.jwt ?? []).length > 0
  const loaded = onDemand(async () => {
    const { Tokens } = await import('../access/tokens.ts')
    return new Tokens(auth, fetch)
  })
  return {
    ofBearer: async (token) => (hasIssuers ? (await loaded()).ofBearer(token) : null),
    ofAccess: async (token) => (hasIssuers ? (await loaded()).ofAccess(token) : null),
  }
}

/** The skills that tenants keep, as a session knows them. */
function tenantSkills(env: Env): TenantSkills {
  return {
    find: (tenant, name) => directoryObject(env, tenant).skill(name),
    summaries: (tenant, limit) => directoryObject(env, tenant).skillSummaries(limit),
    workers: (tenant, limit) => directoryObject(env, tenant).workerSkills(limit),
    file: (tenant, name, path) => directoryObject(env, tenant).skillFile(name, path),
    files: (tenant, name) => directoryObject(env, tenant).skillFiles(name),
  }
}

/** Their names; one that a tenant wrote goes before a shipped one. */
function namedWorkflows(env: Env): Engine['namedWorkflows'] {
  return async (tenant, language) => {
    const { shippedIn } = await import('../skills/shipped-workflows.ts')
    const own = tenant === null ? [] : await directoryObject(env, tenant).workflowNames()
    const replaced = new Set(own.map(({ name }) => name))
    const shipped = shippedIn(language).map(({ definition: { name, description, expose } }) => ({
      name,
      description,
      source: 'shipped' as const,
      isExposed: expose === true,
    }))
    return [...own, ...shipped.filter(({ name }) => !replaced.has(name))].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }
}

/** The workflows of tenants, those that come with the product among them. */
function tenantWorkflows(env: Env): Engine['workflows'] {
  return async (tenant, name, language) => {
    const own = await directoryObject(env, tenant).workflow(name, null)
    return own ?? (await import('../skills/shipped-workflows.ts')).shippedWorkflow(name, language)
  }
}

/** The MCP servers that tenants keep, as a session knows them. */
function tenantServers(env: Env, snapshots: TenantMemories['tenants']): TenantServers {
  return {
    near: {
      load: async (tenant) => (await snapshots.load(tenant))?.servers ?? null,
      at: (tenant) => snapshots.at(tenant)?.servers ?? null,
      isFresh: (tenant) => snapshots.isFresh(tenant),
      forget: forgetTenant,
    },
    servers: async (tenant) => {
      const kept = await directoryObject(env, tenant).mcpServers()
      return Promise.all(kept.map((server) => openedServer(env, tenant, server)))
    },
    probe: (tenant, name) => directoryObject(env, tenant).mcpProbe(name),
    keepProbe: (tenant, name, probe) => directoryObject(env, tenant).keepMcpProbe(name, probe),
    grants: sealedGrants(env),
  }
}

/** The APIs whose operations are tools, as a session knows them. */
function tenantApis(env: Env): TenantApis {
  return {
    apis: async (tenant) => {
      const kept = await directoryObject(env, tenant).apis()
      return Promise.all(kept.map((source) => openedApi(env, tenant, source)))
    },
    catalogue: (tenant, name) => directoryObject(env, tenant).apiCatalogue(name),
    keepCatalogue: (tenant, name, catalogue) => directoryObject(env, tenant).keepApiCatalogue(name, catalogue),
  }
}

/** The memory of a user as a session knows it. */
function userMemory(env: Env, tenant: string, user: string): Memory {
  const object = memoryObject(env, tenant, user)
  return {
    load: (sessionId) => object.load(sessionId),
    save: (runs) => object.save(user, runs),
    search: (query, count) => object.search(query, count),
    put: (preference) => object.put(user, preference),
    remove: (key) => object.remove(key),
  }
}

/** Reaches addresses that config names, private ones too: by a service of its own where there is one. */
export function privateFetch(env: Env): Fetch {
  const network = env.PRIVATE_NETWORK
  return network ? (url, init) => network.fetch(url, init) : (url, init) => fetch(url, init)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The budgets of tenants, their users and keys, in the objects of the tenants. */
function tenantBudgets(env: Env): Omit<BudgetPort, 'accountsOf'> {
  return {
    reserve: (tenant, wanted) => asked(env, tenant, (object) => object.reserveBudget(wanted)),
    settle: (tenant, id, spent) => asked(env, tenant, (object) => object.settleBudget(id, spent)),
  }
}

type BudgetObject = Pick<ReturnType<typeof directoryObject>, 'reserveBudget' | 'settleBudget'>

/** Once more through a fresh stub when the object died meanwhile, as at a deploy: both are harmless to repeat. */
async function asked<T>(env: Env, tenant: string, ask: (object: BudgetObject) => Promise<T>): Promise<T> {
  try {
    return await ask(directoryObject(env, tenant))
  } catch {
    return ask(directoryObject(env, tenant))
  }
}
