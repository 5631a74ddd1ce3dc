import type { Fetch } from '../domain/ports.ts'
import type { Tool } from '../domain/tool.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { LIMITS } from '../domain/limits.ts'
import { sleep } from '../lib/sleep.ts'
import type { ModelEnv } from '../models/aliases.ts'
import { withBreakers } from '../models/breaker.ts'
import { listModels, type ListedModel } from '../models/list.ts'
import { createModels } from '../models/models.ts'
import { resolveModel } from '../models/resolve.ts'
import type { WorkersAi } from '../models/workers-ai.ts'
import { checkAddress } from '../net/address.ts'
import { describeAddressProblem } from '../net/failure-texts.ts'
import { createFetchLike } from '../net/fetch-like.ts'
import { createGuardedFetch } from '../net/guarded-fetch.ts'
import { CONTROL_TOOLS } from '../tools/control.ts'
import { webAccess } from '../tools/web-access.ts'
import { webSearch } from '../tools/web-search.ts'
import type { Engine } from './engine.ts'

/** What a server has of the world. */
export interface EngineWorld {
  publicFetch: Fetch
  /** For hosts that config names; null: as the public one. */
  privateFetch: Fetch | null
  models: ModelEnv
  workersAi: WorkersAi | null
  runtime: string
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
  const models = withBreakers(direct, Date.now)
  const settings = {
    timeoutMs: config.web?.timeout_ms ?? LIMITS.web.timeoutMs,
    bodyBytesMax: config.web?.body_bytes_max ?? LIMITS.web.bodyBytesMax,
  }
  const engine: Engine = {
    config,
    models,
    tools: [
      webAccess({ fetch: createGuardedFetch(guard), now: Date.now, settings }),
      ...webSearch(config.web?.search, { guard, now: Date.now, secret: (name) => world.models.secret(name), settings }),
      ...(world.tools ?? []),
      ...CONTROL_TOOLS,
    ],
    chooseModel: (session) => resolveModel(config, session, world.models),
    refuseAddress: (url) => {
      const checked = checkAddress(url, allowPrivateHosts)
      return checked.ok ? null : describeAddressProblem(checked.detail, 'en')
    },
    runtime: world.runtime,
  }
  return { engine, models: listModels(config, world.models) }
}
