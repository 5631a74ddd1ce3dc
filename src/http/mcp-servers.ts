import { McpRegistry } from '../mcp/registry.ts'
import type { Context } from 'hono'
import { type AppError, fail, invalid, ok, type Result } from '../domain/errors.ts'
import { languageOf } from '../domain/language.ts'
import { LIMITS } from '../domain/limits.ts'
import { type McpProbe, type McpServer, mcpServerPatch, newMcpServer } from '../domain/mcp.ts'
import { serverListView, patchedServer, serverFrom, serverView } from '../mcp/servers.ts'
import { serverFor, serverOf } from '../objects/engine.ts'
import type { StoredResponse } from '../store/claims.ts'
import { languageFor } from '../engine/settings.ts'
import { directoryObject } from '../objects/env.ts'
import { closedServer } from '../objects/seal.ts'
import { bodyBytes } from './body.ts'
import { accountOfCaller } from '../service/caller.ts'
import { returnCookie } from './return-cookie.ts'
import { type Call, json, noFields, nothing, page, query, route } from './route.ts'
import { type AppEnv, factory } from './context.ts'
import { languageAsked } from './language.ts'
import { behindName, namedListQuery } from './queries.ts'
import { listOf } from './openapi/describe.ts'

/** A server that would have to be started as a process is refused by name. */
async function overHttp(c: Context<AppEnv>): Promise<AppError | null> {
  const bytes = await bodyBytes(c)
  return bytes.ok && namesCommand(bytes.value) ? { code: 'unsupported_transport' } : null
}

function namesCommand(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'command')
  } catch {
    return false
  }
}

/** MCP servers: those of the config file, and those that the tenant has added. */
export const mcpServerRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'MCP servers by name, with what they offer',
        scope: 'read',
        reads: query(namedListQuery),
        returns: listOf('ListedMcpServer'),
      },
      async (call) => {
        const { limit: max, cursor = '' } = call.input
        const all = (await bookOf(call).servers(call.tenant)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
        const rest = all.filter(({ name }) => name > cursor).slice(0, max + 1)
        const shown = await Promise.all(
          rest.map(async (server, at) => serverListView(server, at < max ? await probeOf(call, server) : null)),
        )
        return ok(page(shown, max, ({ name }) => behindName(name)))
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Add an MCP server and ask it what it offers',
        scope: 'admin',
        refuse: overHttp,
        reads: json(newMcpServer),
        returns: 'McpServer',
        status: [201],
        errors: ['already_exists', 'too_many', 'unsupported_transport'],
        audit: { action: 'mcp_server.create' },
      },
      async (call) => {
        const server = serverFrom(call.input)
        const location = `/v1/mcp-servers/${encodeURIComponent(server.name)}`
        const made = { body: serverView(server, null), location, status: 201 } as const
        const kept = await keep(call, server, false, call.done(made))
        return kept.ok ? ok({ ...made, body: await freshlyShown(call, server) }) : kept
      },
    ),
  )

  .get(
    '/:name',
    route(
      { summary: 'An MCP server with its tools', scope: 'read', reads: nothing, returns: 'McpServer' },
      async (call) => {
        const server = await named(call)
        return server.ok ? ok({ body: serverView(server.value, await probeOf(call, server.value)) }) : server
      },
    ),
  )

  .patch(
    '/:name',
    route(
      {
        summary: 'Change an MCP server and ask it anew',
        scope: 'admin',
        refuse: overHttp,
        reads: json(mcpServerPatch),
        returns: 'McpServer',
        errors: ['unsupported_transport'],
        audit: { action: 'mcp_server.update', fields: true },
      },
      async (call) => {
        const known = await own(call)
        if (!known.ok) return known
        const server = patchedServer(known.value, call.input)
        const kept = await keep(call, server, true)
        return kept.ok ? ok({ body: await freshlyShown(call, server) }) : kept
      },
    ),
  )

  .delete(
    '/:name',
    route(
      {
        summary: 'Delete an MCP server',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'mcp_server.delete' },
      },
      async (call) => {
        const known = await own(call)
        if (!known.ok) return known
        await directoryObject(call.c.env, call.tenant).removeMcpServer(known.value.name)
        bookOf(call).forget(call.tenant)
        return ok({})
      },
    ),
  )

  .post(
    '/:name/refresh',
    route(
      {
        summary: 'Ask an MCP server anew what it offers',
        scope: 'admin',
        reads: noFields,
        returns: 'McpServer',
        audit: { action: 'mcp_server.refresh' },
      },
      async (call) => {
        const server = await named(call)
        return server.ok ? ok({ body: await freshlyShown(call, server.value) }) : server
      },
    ),
  )

function bookOf({ c }: Call<unknown>): McpRegistry {
  return serverOf(c.env).engine.mcp
}

/** The server that the path names, as it is now. */
async function named(call: Call<unknown>): Promise<Result<McpServer>> {
  const server = await bookOf(call).serverNow(call.tenant, call.param('name'))
  return server ? ok(server) : fail({ code: 'not_found', what: 'MCP server' })
}

/** The same, if the tenant may change it. */
async function own(call: Call<unknown>): Promise<Result<McpServer>> {
  const server = await named(call)
  if (!server.ok || server.value.origin === 'tenant') return server
  return fail({ code: 'forbidden', detail: "The server is one of the server's config file; change it there." })
}

async function keep(
  call: Call<unknown>,
  server: McpServer,
  mayReplace: boolean,
  done: StoredResponse | null = null,
): Promise<Result<null>> {
  const { c, tenant } = call
  const { config } = serverOf(c.env)
  const { engine } = await serverFor(c.env, tenant)
  const refused = await engine.refuseAddress(server.url)
  if (refused !== null) return invalid([{ path: 'url', message: refused }])
  const { headersMax } = LIMITS.mcp
  if (Object.keys(server.headers).length > headersMax)
    return invalid([{ path: 'headers', message: `at most ${headersMax} headers, with those that are kept` }])
  if (Object.hasOwn(config.mcp_servers ?? {}, server.name) && !mayReplace) return alreadyExists(server)
  const closed = await closedServer(c.env, tenant, server)
  const kept = await directoryObject(c.env, tenant).putMcpServer(closed, mayReplace, done)
  bookOf(call).forget(tenant)
  if (kept === 'known') return alreadyExists(server)
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'MCP servers', max: LIMITS.mcp.serversMax })
  return ok(null)
}

function alreadyExists({ name }: McpServer) {
  return fail({ code: 'already_exists', what: `MCP server ${name}` })
}

/** What is known of a server; asked anew where that is old. */
async function probeOf(call: Call<unknown>, server: McpServer): Promise<McpProbe | null> {
  if (!server.enabled) return null
  const { probe } = await bookOf(call).offer(call.tenant, server, (work) => call.c.executionCtx.waitUntil(work))
  return inLanguageAsked(call, probe)
}

/** Why a server gave no answer, in the language of the request. */
function inLanguageAsked({ c }: Call<unknown>, probe: McpProbe): McpProbe {
  const asked = languageAsked(c)
  return asked === null || !probe.errorTexts ? probe : { ...probe, error: probe.errorTexts[languageOf(asked)] }
}

/** The server as it answers now; with `authorization_url`, where it wants to be authorised: for this administrator alone. */
async function freshlyShown(call: Call<unknown>, server: McpServer) {
  if (!server.enabled) return serverView(server, null)
  const { config } = serverOf(call.c.env).engine
  const by = accountOfCaller(call.c.get('principal'))
  const visitor = { base: new URL(call.c.req.url).origin, by, language: languageFor({ config }, { config: {} }) }
  const { offer, authorisationUrl } = await bookOf(call).refreshFor(call.tenant, server, visitor)
  const shown = serverView(server, inLanguageAsked(call, offer.probe))
  if (authorisationUrl === null) return shown
  call.c.header('set-cookie', await returnCookie(call.c, authorisationUrl), { append: true })
  return { ...shown, authorization_url: authorisationUrl }
}
