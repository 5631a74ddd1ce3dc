import type { BudgetPort } from '../../domain/budget.ts'
import type { Fetch } from '../../domain/ports.ts'
import type { MemoryOf } from '../../domain/memory.ts'
import type { Tool } from '../../domain/tool.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { sleep } from '../../lib/wait.ts'
import type { ModelInfo } from '../../domain/model.ts'
import { listModels, modelChooser, type ModelEnv, resolveModel } from '../../models/aliases.ts'
import { createModels } from '../../models/try.ts'
import type { WorkersAi } from '../../models/provider.ts'
import { McpRegistry, type TenantServers } from '../../mcp/registry.ts'
import { configServers } from '../../mcp/servers.ts'
import { describeAddressProblem } from '../../net/outcome.ts'
import { createFetchLike, createGuardedFetch, trustedAt } from '../../net/guarded-fetch.ts'
import { SkillRegistry, type SkillSources } from '../../skills/registry.ts'
import { mayComeToMean, means, type SkillSurroundings } from '../../skills/check-skill.ts'
import type { TeamFile } from '../../domain/team.ts'
import { allTools } from '../../tools/all-tools.ts'
import { NAMES as WEB_SEARCH_NAMES } from '../../tools/web-search/texts.ts'
import type { Engine, Orchestrators } from '../../engine/engine.ts'
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
  /** The budgets of tenants; without it there are none. */
  budgets?: BudgetPort
  /** The shipped skills, and where tenants keep their own; without it there are none. */
  skills?: SkillSources
  /** The shipped teams; without it there are none. */
  teams?: () => Promise<readonly TeamFile[]>
  /** Where tenants keep MCP servers; without it there are those of the config. */
  servers?: TenantServers
  /** The ways in which its runs can go on, where they are others than the product's. */
  orchestrators?: Orchestrators
  /** Tools beside those of the product. */
  tools?: readonly Tool[]
}

const NO_TEAMS = async () => []

/** The engine of a config: its models behind one door, its tools, its guard. */
export function createEngine(config: ServerConfig, world: EngineWorld): { engine: Engine; models: ModelInfo[] } {
  const allowPrivateHosts = config.web?.allow_private_hosts ?? []
  const guard = { publicFetch: world.publicFetch, privateFetch: world.privateFetch, allowPrivateHosts }
  const trusted = world.privateFetch ?? world.publicFetch
  const guarded = createFetchLike(guard)
  const models = createModels({
    fetchFor: (spec) => (spec.origin === 'client' ? guarded : trusted),
    sleep,
    random: Math.random,
    now: Date.now,
    workersAi: world.workersAi,
  })
  const tools = allTools({
    config,
    publicFetch: world.publicFetch,
    privateFetch: world.privateFetch,
    now: Date.now,
    secret: (variable) => world.models.secret(variable),
    memory: world.memory,
    hasSkills: world.skills !== undefined,
    others: world.tools ?? [],
  })
  const { orchestrators = ORCHESTRATORS } = world
  const engine: Engine = {
    config,
    models,
    tools,
    skills: skillRegistry({ tools, config, orchestrators }, world),
    teams: world.teams ?? NO_TEAMS,
    mcp: new McpRegistry({
      config: configServers(config),
      tenants: world.servers ?? null,
      fetchFor: ({ origin, url }) => (origin === 'config' ? trustedAt(url, trusted, guarded) : guarded),
      now: Date.now,
      publicUrl: config.public_url?.replace(/\/+$/, '') ?? null,
    }),
    orchestrators,
    workers: [],
    missing: [],
    chooseModel: modelChooser(config, world.models),
    refuseAddress: async (url) => {
      const { checkAddress } = await import('../../net/address.ts')
      const checked = checkAddress(url, allowPrivateHosts)
      return checked.ok ? null : describeAddressProblem(checked.detail, 'en')
    },
    fetchGuarded: createGuardedFetch(guard),
    memory: world.memory ?? null,
    budgets: world.budgets ?? null,
    runtime: world.runtime,
  }
  return { engine, models: listModels(config, world.models) }
}

/** The shipped skills that this server can run, and those of its tenants. */
function skillRegistry(
  { tools, config, orchestrators }: Pick<Engine, 'tools' | 'config' | 'orchestrators'>,
  world: EngineWorld,
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
  }
  return new SkillRegistry(around, world.skills ?? { files: async () => ({}), tenants: null }, Date.now)
}
