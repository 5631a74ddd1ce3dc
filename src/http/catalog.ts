import { toolView } from '../tools/all-tools.ts'
import { ok } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Tool } from '../domain/tool.ts'
import { serverOf } from '../objects/engine.ts'
import { sessionEngine } from '../run/setup/servers.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { namedListQuery, pageOfWhole } from './queries.ts'
import { list, query, route } from './route.ts'

/** What this server offers. */
export const catalogRoutes = factory.createApp().get(
  '/tools',
  route(
    {
      summary: 'Tools, with their schemas: those of MCP servers first',
      scope: 'read',
      reads: query(namedListQuery),
      returns: listOf('Tool'),
    },
    async ({ c, tenant, input }) => {
      const { engine, config } = serverOf(c.env)
      const own = sessionEngine(engine, (work) => c.executionCtx.waitUntil(work))
      await own.load({ tenant, config: {} }, { msMax: LIMITS.mcp.loadMs, usesGrant: false })
      const found = pageOfWhole(addedFirst(own.tools), ({ id }) => id, input)
      if (!found.ok) return found
      const data = found.value.data.map((one) => toolView(one, config))
      return ok(list(data, found.value.next))
    },
  ),
)

/** What somebody has added is what a first page is looked at for. */
function addedFirst(tools: readonly Tool[]): Tool[] {
  return [...tools.filter(({ server }) => server !== null), ...tools.filter(({ server }) => server === null)]
}
