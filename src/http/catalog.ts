import { toolView } from '../tools/all-tools.ts'
import { ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { type Language, languageOf } from '../domain/language.ts'
import type { OrchestratorInfo } from '../domain/orchestrator.ts'
import type { Tool } from '../domain/tool.ts'
import type { Orchestrator } from '../engine/engine.ts'
import { languageTagOf } from '../engine/settings.ts'
import { languageAsked } from './language.ts'
import { serverOf } from '../objects/engine.ts'
import { sessionEngine } from '../run/setup/servers.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { namedListQuery, pageOfWhole, skillListQuery } from './queries.ts'
import { list, query, route } from './route.ts'

/** What this server offers. */
export const catalogRoutes = factory
  .createApp()
  .get(
    '/tools',
    route(
      {
        summary: 'Tools, with their schemas: those of MCP servers first',
        scope: 'read',
        reads: query(namedListQuery),
        returns: listOf('Tool'),
      },
      async ({ c, tenant, input }) => {
        const { engine } = serverOf(c.env)
        const own = sessionEngine(engine, (work) => c.executionCtx.waitUntil(work))
        await own.load({ tenant, user: null, config: {} }, { msMax: LIMITS.mcp.loadMs, usesGrant: false })
        const found = pageOfWhole(addedFirst(own.tools), ({ id }) => id, input)
        if (!found.ok) return found
        const data = found.value.data.map((one) => toolView(one, own.config))
        return ok(list(data, found.value.next))
      },
    ),
  )
  .get(
    '/orchestrators',
    route(
      {
        summary: 'Ways of working of sessions',
        scope: 'read',
        reads: query(skillListQuery),
        returns: listOf('Orchestrator'),
      },
      async ({ c, input }) => {
        const { engine } = serverOf(c.env)
        await engine.orchestrators.load()
        const language = languageOf(input.language ?? languageAsked(c) ?? languageTagOf(engine, {}))
        const own = engine.orchestrators.all.filter(({ isBeside }) => !isBeside)
        const found = pageOfWhole(own, ({ name }) => name, input)
        if (!found.ok) return found
        return ok(
          list(
            found.value.data.map((one) => orchestratorView(one, language)),
            found.value.next,
          ),
        )
      },
    ),
  )

function orchestratorView(one: Orchestrator, language: Language): OrchestratorInfo {
  return {
    id: one.name,
    object: 'orchestrator',
    description: one.description?.[language] ?? '',
    stateless: one.isStateless ?? false,
    fits_schema: one.fitsSchema ?? false,
    has_workers: one.hasWorkers !== undefined,
    limits: Object.fromEntries(
      Object.entries(one.limits ?? {}).flatMap(([name, limit]) => (typeof limit === 'number' ? [[name, limit]] : [])),
    ),
  }
}

/** What somebody has added is what a first page is looked at for; what only a config offers comes last. */
function addedFirst(tools: readonly Tool[]): Tool[] {
  const placeOf = ({ server, optIn }: Tool) => (server === null ? (optIn ? 2 : 1) : 0)
  return tools.toSorted((one, other) => placeOf(one) - placeOf(other))
}
