import type { Purse } from '../../domain/budget.ts'
import type { Fetch } from '../../domain/ports.ts'
import type { MemoryOf } from '../../domain/memory.ts'
import type { Tool } from '../../domain/tool.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { LIMITS } from '../../domain/limits.ts'
import { sleep } from '../../lib/sleep.ts'
import type { ModelEnv } from '../../models/aliases.ts'
import { withBreakers } from '../../models/breaker.ts'
import { withSlots } from '../../models/slots.ts'
import { listModels, type ListedModel } from '../../models/list.ts'
import { createModels } from '../../models/models.ts'
import { modelChooser, resolveModel } from '../../models/resolve.ts'
import type { WorkersAi } from '../../models/workers-ai.ts'
import { checkAddress } from '../../net/address.ts'
import { McpBook, type TenantServers } from '../../mcp/book.ts'
import { configServers } from '../../mcp/config-servers.ts'
import { describeAddressProblem } from '../../net/failure-texts.ts'
import { createFetchLike } from '../../net/fetch-like.ts'
import { createGuardedFetch } from '../../net/guarded-fetch.ts'
import { SkillBook, type SkillSources } from '../../skills/book.ts'
import type { Surroundings } from '../../skills/check-skill.ts'
import { mayComeToMean, means } from '../../skills/names.ts'
import { givenTeamIssues } from '../../teams/check-team.ts'
import type { TeamFile } from '../../teams/shipped.ts'
import { CONTROL_TOOLS } from '../../tools/control.ts'
import { FILE_TOOLS } from '../../tools/files/index.ts'
import { memoryTools } from '../../tools/memory/index.ts'
import { findTools } from '../../tools/mcp/find-tools.ts'
import { readResult } from '../../tools/read-result.ts'
import { useSkill } from '../../tools/use-skill.ts'
import { httpRequest } from '../../tools/http-request.ts'
import type { KnownSecret } from '../../tools/http-request-secrets.ts'
import { webAccess } from '../../tools/web-access.ts'
import { webSearch } from '../../tools/web-search.ts'
import { NAMES as WEB_SEARCH_NAMES } from '../../tools/web-search-texts.ts'
import type { Engine } from './engine.ts'

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
  purse?: Purse
  /** The shipped skills, and where tenants keep their own; without it there are none. */
  skills?: SkillSources
  /** The shipped teams; without it there are none. */
  teams?: readonly TeamFile[]
  /** Where tenants keep MCP servers; without it there are those of the config. */
  servers?: TenantServers
  /** Tools beside those of the product. */
  tools?: readonly Tool[]
}

/** The engine of a config: its models behind one door, its tools, its guard. */
export function createEngine(config: ServerConfig, world: EngineWorld): { engine: Engine; models: ListedModel[] } {
  const allowPrivateHosts = config.web?.allow_private_hosts ?? []
  const guard = { publicFetch: world.publicFetch, privateFetch: world.privateFetch, allowPrivateHosts }
  const trusted = world.privateFetch ?? world.publicFetch
  const guarded = createFetchLike(guard)
  const direct = createModels({
    fetchFor: (spec) => (spec.origin === 'client' ? guarded : trusted),
    sleep,
    random: Math.random,
    now: Date.now,
    workersAi: world.workersAi,
  })
  const models = withSlots(withBreakers(direct, Date.now), { now: Date.now, sleep })
  const settings = {
    timeoutMs: config.web?.timeout_ms ?? LIMITS.web.timeoutMs,
    bodyBytesMax: config.web?.body_bytes_max ?? LIMITS.web.bodyBytesMax,
  }
  const tools = [
    webAccess({ fetch: createGuardedFetch(guard), now: Date.now, settings }),
    ...webSearch(config.web?.search, { guard, now: Date.now, secret: (name) => world.models.secret(name), settings }),
    httpRequest({ fetch: createGuardedFetch(guard), secrets: secretsOf(config, world), settings }),
    ...FILE_TOOLS,
    ...(world.memory ? memoryTools(world.memory) : []),
    readResult,
    findTools,
    ...(world.skills ? [useSkill] : []),
    ...(world.tools ?? []),
    ...CONTROL_TOOLS,
  ]
  const engine: Engine = {
    config,
    models,
    tools,
    skills: skillBook(tools, config, world),
    teams: world.teams ?? [],
    mcp: new McpBook({
      config: configServers(config),
      tenants: world.servers ?? null,
      fetchFor: ({ origin }) => (origin === 'config' ? trusted : guarded),
      now: Date.now,
      publicUrl: config.public_url?.replace(/\/+$/, '') ?? null,
    }),
    workers: [],
    chooseModel: modelChooser(config, world.models),
    refuseAddress: (url) => {
      const checked = checkAddress(url, allowPrivateHosts)
      return checked.ok ? null : describeAddressProblem(checked.detail, 'en')
    },
    memory: world.memory ?? null,
    purse: world.purse ?? null,
    runtime: world.runtime,
  }
  return { engine, models: listModels(config, world.models) }
}

/** The shipped skills that this server can run, and those of its tenants. */
function skillBook(tools: readonly Tool[], config: ServerConfig, world: EngineWorld): SkillBook {
  // A search that is not configured yet may be so later: a skill that names it is not wrong.
  const known = [...tools, { id: 'web_search', names: WEB_SEARCH_NAMES }]
  const hasModel = (alias: string) => resolveModel(config, { model: alias }, world.models).ok
  const hasTool = (name: string) => mayComeToMean(name) || known.some((tool) => means(name, tool))
  const hasTeam = (name: string) => (world.teams ?? []).some((team) => team.name === name)
  const around: Surroundings = {
    tools: known,
    hasModel,
    teamIssues: (team, skills) => givenTeamIssues(team, { hasTool, hasModel, hasTeam, ...skills }),
  }
  return new SkillBook(around, world.skills ?? { files: {}, tenants: null }, Date.now)
}

function secretsOf({ secrets = {} }: ServerConfig, { models }: EngineWorld): KnownSecret[] {
  return Object.entries(secrets).map(([name, { origin, value_env: variable }]) => ({
    name,
    origin: new URL(origin).origin,
    value: () => models.secret(variable),
  }))
}
