import type { Context } from 'hono'
import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { type McpProbe, type McpServer, mcpServerPatch, newMcpServer } from '../domain/mcp.ts'
import type { McpRegistry } from '../mcp/registry.ts'
import { listedServer, patchedServer, serverFrom, shownServer } from '../mcp/servers.ts'
import { serverOf } from '../objects/engine.ts'
import type { Done } from '../store/claims.ts'
import { languageFor } from '../engine/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { needs } from './middleware/auth.ts'
import { body, bodyBytes, query } from './middleware/body.ts'
import { type AppEnv, factory } from './context.ts'
import { behindName } from './cursors.ts'
import { describe, listOf } from './openapi/describe.ts'
import { answeredOnce, doneWith } from './middleware/idempotency.ts'
import { list } from './list.ts'
import { problem } from './problem.ts'
import { namedListQuery } from './queries.ts'

/** A server that would have to be started as a process is refused by name. */
const overHttp = factory.createMiddleware(async (c, next) => {
  const bytes = await bodyBytes(c)
  return bytes.ok && namesCommand(bytes.value) ? problem(c, { code: 'unsupported_transport' }) : next()
})

function namesCommand(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'command')
  } catch {
    return false
  }
}

/** MCP servers: those of the config file, and those that the tenant has added. */
export const mcpServers = factory
  .createApp()

  .get(
    '/',
    describe({
      summary: 'MCP servers by name, with what they offer',
      returns: listOf('ListedMcpServer'),
      query: namedListQuery,
    }),
    needs('read'),
    query(namedListQuery),
    async (c) => {
      const { limit: max, cursor = '' } = c.req.valid('query')
      const all = (await registryOf(c).servers(tenantOf(c))).toSorted((a, b) => (a.name < b.name ? -1 : 1))
      const rest = all.filter(({ name }) => name > cursor)
      const page = rest.slice(0, max)
      const data = await Promise.all(page.map(async (server) => listedServer(server, await probeOf(c, server))))
      return list(c, data, rest.length > max ? behindName(page.at(-1)?.name) : null)
    },
  )

  .post(
    '/',
    describe({
      summary: 'Add an MCP server and ask it what it offers',
      returns: 'McpServer',
      status: [201],
      errors: ['already_exists', 'too_many', 'unsupported_transport'],
      audit: { action: 'mcp_server.create' },
      body: newMcpServer,
    }),
    needs('admin'),
    answeredOnce,
    overHttp,
    body(newMcpServer),
    async (c) => {
      const server = serverFrom(c.req.valid('json'))
      const location = `/v1/mcp-servers/${encodeURIComponent(server.name)}`
      const done = doneWith(c, { body: shownServer(server, null), location, goesOn: true })
      const kept = await keep(c, server, false, done)
      if (!kept.ok) return problem(c, kept.error)
      c.header('location', location)
      return c.json(await freshlyShown(c, server), 201)
    },
  )

  .get(
    '/:name',
    describe({ summary: 'An MCP server with its tools', returns: 'McpServer' }),
    needs('read'),
    async (c) => {
      const server = await named(c)
      return server.ok ? c.json(shownServer(server.value, await probeOf(c, server.value))) : problem(c, server.error)
    },
  )

  .patch(
    '/:name',
    describe({
      summary: 'Change an MCP server and ask it anew',
      returns: 'McpServer',
      errors: ['unsupported_transport'],
      audit: { action: 'mcp_server.update', fields: true },
      body: mcpServerPatch,
    }),
    needs('admin'),
    overHttp,
    body(mcpServerPatch),
    async (c) => {
      const known = await own(c)
      if (!known.ok) return problem(c, known.error)
      const server = patchedServer(known.value, c.req.valid('json'))
      const kept = await keep(c, server, true)
      return kept.ok ? c.json(await freshlyShown(c, server)) : problem(c, kept.error)
    },
  )

  .delete(
    '/:name',
    describe({ summary: 'Delete an MCP server', audit: { action: 'mcp_server.delete' } }),
    needs('admin'),
    async (c) => {
      const known = await own(c)
      if (!known.ok) return problem(c, known.error)
      await directoryObject(c.env, tenantOf(c)).removeMcpServer(known.value.name)
      registryOf(c).forget(tenantOf(c))
      return c.body(null, 204)
    },
  )

  .post(
    '/:name/refresh',
    describe({
      summary: 'Ask an MCP server anew what it offers',
      returns: 'McpServer',
      audit: { action: 'mcp_server.refresh' },
    }),
    needs('admin'),
    answeredOnce,
    async (c) => {
      const server = await named(c)
      return server.ok ? c.json(await freshlyShown(c, server.value)) : problem(c, server.error)
    },
  )

const tenantOf = (c: Context<AppEnv>): string => c.get('principal').tenant

function registryOf(c: Context<AppEnv>): McpRegistry {
  return serverOf(c.env).engine.mcp
}

/** The server that the path names, as it is now. */
async function named(c: Context<AppEnv>): Promise<Result<McpServer>> {
  const server = await registryOf(c).serverNow(tenantOf(c), c.req.param('name') ?? '')
  return server ? ok(server) : fail({ code: 'not_found', what: 'MCP server' })
}

/** The same, if the tenant may change it. */
async function own(c: Context<AppEnv>): Promise<Result<McpServer>> {
  const server = await named(c)
  if (!server.ok || server.value.origin === 'tenant') return server
  return fail({ code: 'forbidden', detail: "The server is one of the server's config file; change it there." })
}

async function keep(
  c: Context<AppEnv>,
  server: McpServer,
  mayReplace: boolean,
  done: Done | null = null,
): Promise<Result<null>> {
  const { engine, config } = serverOf(c.env)
  const refused = engine.refuseAddress(server.url)
  if (refused !== null) return invalid([{ path: 'url', message: refused }])
  const { headersMax } = LIMITS.mcp
  if (Object.keys(server.headers).length > headersMax)
    return invalid([{ path: 'headers', message: `at most ${headersMax} headers, with those that are kept` }])
  if (Object.hasOwn(config.mcp_servers ?? {}, server.name) && !mayReplace) return alreadyExists(server)
  const kept = await directoryObject(c.env, tenantOf(c)).putMcpServer(server, mayReplace, done)
  registryOf(c).forget(tenantOf(c))
  if (kept === 'known') return alreadyExists(server)
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'MCP servers', max: LIMITS.mcp.serversMax })
  return ok(null)
}

function alreadyExists({ name }: McpServer) {
  return fail({ code: 'already_exists', what: `MCP server ${name}` })
}

/** What is known of a server; asked anew where that is old. */
async function probeOf(c: Context<AppEnv>, server: McpServer): Promise<McpProbe | null> {
  if (!server.enabled) return null
  return (await registryOf(c).offer(tenantOf(c), server, (work) => c.executionCtx.waitUntil(work))).probe
}

/** The server as it answers now; with `authorization_url`, where it wants to be authorised: for this administrator alone. */
async function freshlyShown(c: Context<AppEnv>, server: McpServer) {
  if (!server.enabled) return shownServer(server, null)
  const { config } = serverOf(c.env).engine
  const visitor = { base: new URL(c.req.url).origin, language: languageFor({ config }, { config: {} }) }
  const { offer, authorisationUrl } = await registryOf(c).refreshFor(tenantOf(c), server, visitor)
  const shown = shownServer(server, offer.probe)
  return authorisationUrl === null ? shown : { ...shown, authorization_url: authorisationUrl }
}
