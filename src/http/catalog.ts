import { factory } from './context.ts'
import { pageOfWhole } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { list } from './list.ts'
import { needs } from './middleware/auth.ts'
import { query } from './middleware/body.ts'
import { problem } from './problem.ts'
import { namedListQuery } from './queries.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Tool } from '../domain/tool.ts'
import { serverOf } from '../objects/engine.ts'
import { sessionEngine } from '../run/setup/servers.ts'
import { shownTool } from '../tools/shown-tool.ts'

/** What this server offers. */
export const catalog = factory
  .createApp()
  .get(
    '/tools',
    describe({
      summary: 'Tools, with their schemas: those of MCP servers first',
      returns: listOf('Tool'),
      query: namedListQuery,
    }),
    needs('read'),
    query(namedListQuery),
    async (c) => {
      const { engine, config } = serverOf(c.env)
      const own = sessionEngine(engine, (work) => c.executionCtx.waitUntil(work))
      await own.load({ tenant: c.get('principal').tenant, config: {} }, { msMax: LIMITS.mcp.loadMs })
      const page = pageOfWhole(addedFirst(own.tools), ({ id }) => id, c.req.valid('query'))
      if (!page.ok) return problem(c, page.error)
      const { data, next } = page.value
      return list(
        c,
        data.map((one) => shownTool(one, config)),
        next,
      )
    },
  )
  .get(
    '/models',
    describe({ summary: 'Models', returns: listOf('Model'), query: namedListQuery }),
    needs('read'),
    query(namedListQuery),
    (c) => {
      const page = pageOfWhole(serverOf(c.env).models, ({ id }) => id, c.req.valid('query'))
      return page.ok ? list(c, page.value.data, page.value.next) : problem(c, page.error)
    },
  )

/** What somebody has added is what a first page is looked at for. */
function addedFirst(tools: readonly Tool[]): Tool[] {
  return [...tools.filter(({ server }) => server !== null), ...tools.filter(({ server }) => server === null)]
}
