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
import type { ServerConfig } from '../domain/server-config.ts'
import { enabledTools, outputLimitsOf } from '../tools/registry.ts'
import { permissionOf } from '../tools/permission.ts'

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

/** A tool as GET /v1/tools shows it. */
function shownTool(tool: Tool, server: Pick<ServerConfig, 'tools'>) {
  const settings = { server, session: {} }
  const { charsMax, linesMax, strategy } = outputLimitsOf(tool, settings)
  return {
    id: tool.id,
    object: 'tool',
    names: tool.names,
    description: tool.description,
    parameters: Object.fromEntries(
      Object.entries(tool.parameters).map(([name, { names, required }]) => [name, { names, required }]),
    ),
    input_schema: tool.inputSchema(),
    ...(tool.server === null ? {} : { server: tool.server }),
    risk: tool.risk,
    idempotent: tool.idempotent,
    enabled: enabledTools([tool], settings).length > 0,
    permission: permissionOf(tool, settings),
    auto_approve: permissionOf(tool, settings) === 'allow',
    timeout_ms: tool.timeoutMs,
    output: { chars_max: charsMax, lines_max: linesMax, strategy },
  }
}
