import type { BudgetPort } from '../../domain/budget.ts'
import type { Fetch } from '../../domain/ports.ts'
import type { MemoryOf } from '../../domain/memory.ts'
import { orchestratorOfSkill } from '../../domain/skill.ts'
import type { Tool } from '../../domain/tool.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { LIMITS } from '../../domain/limits.ts'
import { maskOf } from '../../lib/mask.ts'
import { maskedStream } from '../../lib/masked-stream.ts'
import { readAllText } from '../../lib/streams.ts'
import { sleep } from '../../lib/wait.ts'
import type { ModelInfo, ModelSpec } from '../../domain/model.ts'
import type { Settings } from '../../domain/settings.ts'
import { accountsOf } from '../../budget/budget-ledger.ts'
import { listModels, modelChooser, type ModelEnv, resolveModel } from '../../models/aliases.ts'
import { type ModelMemory, modelMemory } from '../../models/findings.ts'
import { createModels, type ModelPorts } from '../../models/try.ts'
import type { WorkersAi } from '../../models/provider.ts'
import { McpRegistry, type TenantServers } from '../../mcp/registry.ts'
import { configServers } from '../../mcp/servers.ts'
import { ApiRegistry, type TenantApis } from '../../openapi-tools/registry.ts'
import { configApis } from '../../openapi-tools/sources.ts'
import { ToolHooks } from '../../callbacks/tool-hooks.ts'
import { describeAddressProblem, type GuardedFetch } from '../../net/outcome.ts'
import { createFetchLike, createGuardedFetch, type GuardPorts, trustedAt } from '../../net/guarded-fetch.ts'
import { SkillRegistry, type SkillSources } from '../../skills/registry.ts'
import { KnownSkills } from '../../skills/known-skills.ts'
import { mayComeToMean, means, type SkillSurroundings } from '../../skills/check-skill.ts'
import type { TeamFile } from '../../domain/team.ts'
import { allTools, requestLimits, secretsOf } from '../../tools/all-tools.ts'
import { ownCredentials } from '../../tools/openapi/credentials.ts'
import { NAMES as WEB_SEARCH_NAMES } from '../../tools/web-search/texts.ts'
import type { Engine, Orchestrators } from '../../engine/engine.ts'
import { schemaMisfit } from '../../engine/orchestrator-of.ts'
import type { TenantParty } from '../../engine/work.ts'
import { connectionOf, type RunConnection, secretsWith, withConnections } from './tenant-config.ts'
import type { KnownSecret } from '../../net/secrets.ts'
import { ORCHESTRATORS } from '../../orchestrators/growing.ts'

/** What a server has of the world. */
export interface EngineWorld {
  publicFetch: Fetch
  /** For hosts that config names; null: as the public one. */
  privateFetch: Fetch | null
  models: ModelEnv
  workersAi: WorkersAi | null
  runtime: string
  /** What is remembered of users; without it nothing is. */
  memory?: MemoryOf
  /** The budgets of tenants; without it there are none. Whose budgets there are is said by the config. */
  budgets?: Omit<BudgetPort, 'accountsOf'> & Partial<BudgetPort>
  /** The shipped skills, and where tenants keep their own; without it there are none. */
  skills?: SkillSources
  /** The shipped teams; without it there are none. */
  teams?: () => Promise<readonly TeamFile[]>
  /** The workflows of tenants and the shipped ones; without it there are none. */
  workflows?: Engine['workflows']
  namedWorkflows?: Engine['namedWorkflows']
  /** Where tenants keep MCP servers; without it there are those of the config. */
  servers?: TenantServers
  /** Secrets of a tenant, or of a user of it, at the moment; without it there are those of the config. */
  secretsFor?: (whose: TenantParty) => Promise<readonly KnownSecret[]>
  /** Hosts of the server's own network that a tenant's MCP servers may be at; absent: those of the config. */
  privateHostsFor?: (tenant: string) => Promise<readonly string[]>
  /** Where tenants keep APIs; without it there are those of the config. */
  apis?: TenantApis
  /** The ways in which its runs can go on, where they are others than the product's. */
  orchestrators?: Orchestrators
  /** Tools beside those of the product. */
  tools?: readonly Tool[]
}

const NO_TEAMS = async () => []
const NO_SKILLS: SkillSources = { files: async () => ({}), tenants: null }

/** A server as it holds for some: its engine, and what GET /v1/models tells. */
export interface ServerView {
  engine: Engine
  models: ModelInfo[]
}

/** `settings`: what the tenant has set of it. `connections`: of the tenant and of a user of it. */
type ViewFor = (effective: ServerConfig, settings: Settings, connections?: readonly RunConnection[]) => ServerView

/** What all views of one server share, whatever a tenant has set. */
interface ServerParts {
  world: EngineWorld
  shared: ReturnType<typeof sharedParts>
  /** What was found out about model services, and of skills. */
  remembered: ModelMemory
  knownSkills: KnownSkills
  modelPorts: Omit<ModelPorts, 'fetchFor'>
}

/** The engine of a config: its models behind one door, its tools, its guard. `viewFor`: the same as it holds where a tenant has set something, over
 *  the memory of this one. */
export function createEngine(config: ServerConfig, world: EngineWorld): ServerView & { viewFor: ViewFor } {
  const modelPorts = { sleep, random: Math.random, now: Date.now, workersAi: world.workersAi }
  const server: ServerParts = {
    world,
    shared: sharedParts(config, world),
    remembered: modelMemory(modelPorts),
    knownSkills: new KnownSkills(world.skills?.tenants ?? null, Date.now),
    modelPorts,
  }
  const viewFor: ViewFor = (given, settings, connections = []) => viewOf({ given, settings, connections }, server)
  return { ...viewFor(config, {}), viewFor }
}

function sharedParts(config: ServerConfig, world: EngineWorld) {
  const trusted = trustedFetch(world)
  const guarded = createFetchLike(guardOf(config, world))
  return {
    teams: world.teams ?? NO_TEAMS,
    workflows: world.workflows ?? (async () => null),
    namedWorkflows: world.namedWorkflows ?? (async () => []),
    mcp: new McpRegistry({
      config: configServers(config),
      tenants: world.servers ?? null,
      fetchFor: ({ origin, url }, tenant) =>
        origin === 'config' ? trustedAt(url, trusted, guarded) : guardedFor(tenant, config, world),
      secretsFor: world.secretsFor ?? (async () => secretsOf({ config, secret: (name) => world.models.secret(name) })),
      now: Date.now,
      publicUrl: config.public_url?.replace(/\/+$/, '') ?? null,
    }),
    apis: new ApiRegistry({
      config: configApis(config),
      tenants: world.apis ?? null,
      fetch: createGuardedFetch(guardOf(config, world)),
      now: Date.now,
    }),
    orchestrators: world.orchestrators ?? ORCHESTRATORS,
    workers: [],
    missing: [],
    memory: world.memory ?? null,
    runtime: world.runtime,
  }
}

/** A server for some: its config with what the tenant has set, and their connections. */
interface ViewOf {
  given: ServerConfig
  settings: Settings
  connections: readonly RunConnection[]
}

function viewOf({ given, settings, connections }: ViewOf, server: ServerParts): ServerView {
  const { world, shared, remembered, knownSkills, modelPorts } = server
  const effective = withConnections(given, connections)
  const secret = secretsWith(connections, (name) => world.models.secret(name))
  const around = { ...world.models, secret }
  const guard = guardOf(effective, world)
  const fetchFor = modelFetch({ given, settings, connections }, guard, world)
  const ofTenant = { search: settings.web?.search !== undefined, render: settings.web?.render !== undefined }
  const tools = toolsOf(effective, { ...world, models: around }, { connections, ofTenant })
  const fetchGuarded = createGuardedFetch(guard)
  const secrets = secretsOf({ config: effective, secret, connections })
  const { orchestrators } = shared
  const engine: Engine = {
    ...shared,
    config: effective,
    models: createModels({ ...modelPorts, fetchFor }, remembered),
    tools,
    secrets,
    skills: skillRegistry({ tools, config: effective, orchestrators }, { ...world, models: around }, knownSkills),
    chooseModel: modelChooser(effective, around),
    refuseAddress: (url) => addressRefusal(url, guard),
    hooks: hooksOf(effective, fetchGuarded, world),
    fetchGuarded,
    apiPorts: { fetch: fetchGuarded, credentials: ownCredentials(secrets), settings: requestLimits(effective) },
    budgets: world.budgets ? { accountsOf: (run) => accountsOf(effective, run), ...world.budgets } : null,
  }
  return { engine, models: listModels(effective, around) }
}

/** The way to a host that the config file names. */
function trustedFetch({ publicFetch, privateFetch }: EngineWorld): Fetch {
  return privateFetch ?? publicFetch
}

/** The way to the service of each model. Addresses of the file are trusted; those that a tenant or a client names go through the guard. */
function modelFetch({ given, settings, connections }: ViewOf, guard: GuardPorts, world: EngineWorld) {
  const trusted = trustedFetch(world)
  const guarded = createFetchLike(guard)
  const isNamedByThem = ({ alias, origin }: ModelSpec) =>
    origin === 'client' || settings.models?.[alias]?.api_url !== undefined
  return (spec: ModelSpec): Fetch => {
    const way = isNamedByThem(spec) ? guarded : trusted
    const connection = spec.origin === 'server' ? connectionOf(given.models?.[spec.alias], connections) : null
    if (connection === null) return way
    return connection.isGrant ? grantedFetch(way, connection) : secretFetch(way, connection)
  }
}

async function addressRefusal(url: string, { allowPrivateHosts }: GuardPorts): Promise<string | null> {
  const { checkAddress } = await import('../../net/address.ts')
  const checked = checkAddress(url, allowPrivateHosts)
  return checked.ok ? null : describeAddressProblem(checked.detail, 'en')
}

/** A way out with a token that is good at the moment, and is in nothing that comes back. */
function grantedFetch(fetch: Fetch, connection: RunConnection): Fetch {
  return async (url, init) => {
    const token = await connection.value(null)
    if (!token) return fetch(url, init)
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return withoutToken(await fetch(url, { ...init, headers }), token)
  }
}

/** A way out to a service whose key is a secret of a tenant, which is in nothing that comes back. */
function secretFetch(fetch: Fetch, { key }: RunConnection): Fetch {
  return key ? async (url, init) => withoutToken(await fetch(url, init), key) : fetch
}

/** An answer without the token that it was asked with: of a refusal in whatever spelling, of what is streamed as it stands. */
async function withoutToken({ body, status, statusText, headers }: Response, token: string): Promise<Response> {
  const answer = { status, statusText, headers: new Headers(headers) }
  answer.headers.delete('content-length')
  if (body === null) return new Response(null, answer)
  if (status < 300) return new Response(maskedStream(body, token), answer)
  const said = await readAllText(body, LIMITS.model.errorBodyCharsMax).catch(() => null)
  return new Response(maskOf([token])(said ?? ''), answer)
}

function guardOf({ web }: ServerConfig, { publicFetch, privateFetch }: EngineWorld): GuardPorts {
  return { publicFetch, privateFetch, allowPrivateHosts: web?.allow_private_hosts ?? [] }
}

/** The guarded way out of a tenant, as its settings are when it is taken. */
function guardedFor(tenant: string, config: ServerConfig, world: EngineWorld): Fetch {
  const { privateHostsFor } = world
  const guard = guardOf(config, world)
  if (!privateHostsFor) return createFetchLike(guard)
  return async (url, init) => {
    const allowPrivateHosts = await privateHostsFor(tenant)
    return createFetchLike({ ...guard, allowPrivateHosts })(url, init)
  }
}

function toolsOf(
  config: ServerConfig,
  world: EngineWorld,
  given: Pick<Parameters<typeof allTools>[0], 'connections' | 'ofTenant'>,
): Tool[] {
  return allTools({
    config,
    publicFetch: world.publicFetch,
    privateFetch: world.privateFetch,
    now: Date.now,
    secret: (variable) => world.models.secret(variable),
    ...given,
    memory: world.memory,
    hasSkills: world.skills !== undefined,
    others: world.tools ?? [],
  })
}

function hooksOf({ hooks }: ServerConfig, fetch: GuardedFetch, { models }: EngineWorld): ToolHooks | null {
  if (hooks === undefined || Object.keys(hooks).length === 0) return null
  return new ToolHooks({ hooks, fetch, secret: (variable) => models.secret(variable), now: Date.now })
}

/** The shipped skills that this server can run, and those of its tenants. */
function skillRegistry(
  { tools, config, orchestrators }: Pick<Engine, 'tools' | 'config' | 'orchestrators'>,
  world: EngineWorld,
  knownSkills: KnownSkills,
): SkillRegistry {
  // A search that is not configured yet may be so later: a skill that names it is not wrong.
  const known = [...tools, { id: 'web_search', names: WEB_SEARCH_NAMES }]
  const hasModel = (alias: string) => resolveModel(config, { model: alias }, world.models).ok
  const hasTool = (name: string) => mayComeToMean(name) || known.some((tool) => means(name, tool))
  const around: SkillSurroundings = {
    tools: known,
    hasModel,
    teamIssues: async (team, skills) => {
      const [files] = await Promise.all([(world.teams ?? NO_TEAMS)(), orchestrators.load()])
      const hasTeam = (name: string) => files.some((file) => file.name === name)
      const given = { hasTool, hasModel, hasTeam, ...skills }
      return orchestrators.all.flatMap(({ teams }) => teams?.givenIssues(team, given) ?? [])
    },
    skillIssues: async (tenant, skill) => {
      const orchestrator = orchestratorOfSkill(skill)
      if (orchestrator === 'agent' || (orchestrator !== 'workflow' && skill.output_schema === null)) return []
      await orchestrators.load()
      const unfit = skill.output_schema && schemaMisfit(orchestrators, orchestrator)
      if (unfit) return [{ path: 'output_schema', message: unfit }]
      const find = async (name: string) => (await world.workflows?.(tenant, name, 'en'))?.definition ?? null
      const found = await Promise.all(
        orchestrators.all.map(async ({ skillIssues }) => skillIssues?.(skill, find) ?? []),
      )
      return found.flat()
    },
  }
  return new SkillRegistry(around, world.skills ?? NO_SKILLS, knownSkills)
}
