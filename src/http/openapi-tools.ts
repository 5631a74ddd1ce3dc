import { fail, invalid, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import {
  type ApiCatalogue,
  type ApiCatalogueHead,
  type ApiSource,
  newOpenApiTools,
  type OpenApiToolsPatch,
  openApiToolsPatch,
} from '../domain/openapi-tools.ts'
import type { ApiRegistry } from '../openapi-tools/registry.ts'
import {
  apiListView,
  apiView,
  lostSecrets,
  secretsOfAuth,
  addressOrigin,
  patchedSource,
  sourceFrom,
} from '../openapi-tools/sources.ts'
import { serverFor, serverOf } from '../objects/engine.ts'
import { directoryObject } from '../objects/env.ts'
import { closedApi } from '../objects/seal.ts'
import type { StoredResponse } from '../store/claims.ts'
import { factory } from './context.ts'
import { listOf } from './openapi/describe.ts'
import { behindName, namedListQuery } from './queries.ts'
import { type Call, json, noFields, nothing, page, query, route } from './route.ts'
import { refusedForSecrets } from './secret-address.ts'

/** APIs whose operations are tools: those of the config file, and those that the tenant has added. */
export const openApiToolRoutes = factory
  .createApp()

  .get(
    '/',
    route(
      {
        summary: 'APIs whose operations are tools, by name',
        scope: 'read',
        reads: query(namedListQuery),
        returns: listOf('ListedOpenApiTools'),
      },
      async (call) => {
        const { limit: max, cursor = '' } = call.input
        const all = (await apisOf(call).sources(call.tenant)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
        const rest = all.filter(({ name }) => name > cursor).slice(0, max + 1)
        const heads = await directoryObject(call.c.env, call.tenant).apiCatalogueHeads()
        const data = await Promise.all(rest.map((source) => shownInList(call, source, heads[source.name])))
        return ok(page(data, max, ({ name }) => behindName(name)))
      },
    ),
  )

  .post(
    '/',
    route(
      {
        summary: 'Read an OpenAPI document and have its operations as tools',
        scope: 'admin',
        reads: json(newOpenApiTools),
        returns: 'OpenApiTools',
        status: [201],
        errors: ['already_exists', 'too_many'],
        audit: { action: 'openapi_tools.create' },
      },
      async (call) => {
        const { document, ...given } = call.input
        const read = await readFor(call, sourceFrom(given), document)
        if (!read.ok) return read
        const { source, catalogue } = read.value
        const location = `/v1/openapi-tools/${encodeURIComponent(source.name)}`
        const made = { body: apiView(source, catalogue), location, status: 201 } as const
        const kept = await keep(call, read.value, false, call.done(made))
        return kept.ok ? ok(made) : kept
      },
    ),
  )

  .get(
    '/:name',
    route(
      { summary: 'An API with its tools', scope: 'read', reads: nothing, returns: 'OpenApiTools' },
      async (call) => {
        const source = await named(call)
        return source.ok ? ok({ body: await shown(call, source.value) }) : source
      },
    ),
  )

  .patch(
    '/:name',
    route(
      {
        summary: 'Change an API, and read its document anew where that is needed',
        scope: 'admin',
        reads: json(openApiToolsPatch),
        returns: 'OpenApiTools',
        audit: { action: 'openapi_tools.update', fields: true },
      },
      async (call) => {
        const known = await own(call)
        if (!known.ok) return known
        const changed = await changedBy(call, known.value, call.input)
        if (!changed.ok) return changed
        const kept = await keep(call, changed.value, true)
        return kept.ok ? ok({ body: apiView(changed.value.source, changed.value.catalogue) }) : kept
      },
    ),
  )

  .delete(
    '/:name',
    route(
      {
        summary: 'Delete an API and its tools',
        scope: 'admin',
        reads: nothing,
        audit: { action: 'openapi_tools.delete' },
      },
      async (call) => {
        const known = await own(call)
        if (!known.ok) return known
        await directoryObject(call.c.env, call.tenant).removeApi(known.value.name)
        apisOf(call).forget(call.tenant)
        return ok({})
      },
    ),
  )

  .post(
    '/:name/refresh',
    route(
      {
        summary: 'Read the document of an API anew',
        scope: 'admin',
        reads: noFields,
        returns: 'OpenApiTools',
        audit: { action: 'openapi_tools.refresh' },
      },
      async (call) => {
        const found = await named(call)
        if (!found.ok) return found
        const source = found.value
        if (source.origin === 'config') {
          const { offer } = await apisOf(call).refresh(call.tenant, source)
          return ok({ body: apiView(offer.source, offer.catalogue) })
        }
        if (source.url === null) return invalid([{ path: 'document', message: SENT }])
        const read = await readFor(call, { ...source, version: crypto.randomUUID() }, undefined)
        if (!read.ok) return read
        const kept = await keep(call, read.value, true)
        return kept.ok ? ok({ body: apiView(read.value.source, read.value.catalogue) }) : kept
      },
    ),
  )

const SENT = 'it was sent, and no address of it is known: send it anew with PATCH, as document'

function apisOf({ c }: Call<unknown>): ApiRegistry {
  return serverOf(c.env).engine.apis
}

interface Read {
  source: ApiSource
  catalogue: ApiCatalogue
}

/** The operations of an API. Where they are now is where an administrator says that they are: what says who we are may go there, and stays
 *  there when a later document names another place. */
async function readFor(call: Call<unknown>, source: ApiSource, document: unknown): Promise<Result<Read>> {
  const { engine } = await serverFor(call.c.env, call.tenant)
  for (const [path, address] of [
    ['url', source.url],
    ['base_url', source.baseUrl],
  ] as const) {
    const refused = address === null ? null : await engine.refuseAddress(address)
    if (refused !== null) return invalid([{ path, message: refused }])
  }
  const read = await engine.apis.read(source, document, engine.fetchGuarded)
  if (!read.ok) return invalid([read.issue], 'The document cannot be used; see errors.')
  const { catalogue } = read
  const refusedBase = await engine.refuseAddress(catalogue.baseUrl)
  if (refusedBase !== null) return invalid([{ path: 'base_url', message: refusedBase }])
  const trustedOrigin = source.trustedOrigin ?? addressOrigin(catalogue.baseUrl)
  return withAuth(call, { source: { ...source, trustedOrigin }, catalogue })
}

/** An API, if what says who we are may go to where it is, and the secrets that it names are there and for that place. */
async function withAuth(call: Call<unknown>, read: Read): Promise<Result<Read>> {
  const { auth, trustedOrigin } = read.source
  if (auth === null || trustedOrigin === null) return ok(read)
  const refused = await refusedForSecrets(call, trustedOrigin, 'base_url')
  if (refused) return refused
  const { engine } = await serverFor(call.c.env, call.tenant)
  const issues = secretsOfAuth(auth).flatMap(([path, name]) => {
    const found = engine.secrets.find((one) => one.name === name)
    const origin = found && addressOrigin(found.origin)
    if (origin === trustedOrigin) return []
    const message = origin
      ? `a connection for ${trustedOrigin}; this one is for ${origin}`
      : `a connection of GET /v1/connections for ${trustedOrigin}: keep it first (POST /v1/connections)`
    return [{ path, message }]
  })
  return issues.length === 0 ? ok(read) : invalid(issues)
}

/** An API with changes. Its document is read where that, or what is taken of it, is another. */
async function changedBy(call: Call<unknown>, known: ApiSource, patch: OpenApiToolsPatch): Promise<Result<Read>> {
  const { document, url, base_url: base, include, auth } = patch
  const source = patchedSource(known, patch)
  const lost = lostSecrets(auth, source.auth)
  if (lost.length > 0)
    return invalid(
      lost.map((path) => ({ path, message: 'the value itself: *** stands for what is kept, and here nothing is' })),
    )
  const isOther = [document, url, base, include].some((field) => field !== undefined)
  const stored = await directoryObject(call.c.env, call.tenant).apiCatalogue(known.name)
  if (!isOther && stored) {
    // An auth that is given anew is for where the operations are now.
    const trustedOrigin = auth ? addressOrigin(stored.baseUrl) : source.trustedOrigin
    return withAuth(call, {
      source: { ...source, trustedOrigin },
      catalogue: { ...stored, version: source.version },
    })
  }
  if (document === undefined && source.url === null) return invalid([{ path: 'document', message: SENT_WITH }])
  const isMoved = base !== undefined || auth !== undefined
  return readFor(call, isMoved ? { ...source, trustedOrigin: null } : source, document)
}

const SENT_WITH = 'the document was sent, and is not kept: send it again with this change'

/** The API that the path names, as it is now. */
async function named(call: Call<unknown>): Promise<Result<ApiSource>> {
  const source = await apisOf(call).sourceNow(call.tenant, call.param('name'))
  return source ? ok(source) : fail({ code: 'not_found', what: 'API' })
}

/** The same, if the tenant may change it. */
async function own(call: Call<unknown>): Promise<Result<ApiSource>> {
  const source = await named(call)
  if (!source.ok || source.value.origin === 'tenant') return source
  return fail({ code: 'forbidden', detail: "The API is one of the server's config file; change it there." })
}

async function keep(
  call: Call<unknown>,
  { source, catalogue }: Read,
  mayReplace: boolean,
  done: StoredResponse | null = null,
): Promise<Result<null>> {
  const { c, tenant } = call
  const { config } = serverOf(c.env)
  const { mcp_servers: servers = {}, openapi_tools: apis = {} } = config
  const taken = { code: 'already_exists', what: `API or MCP server ${source.name}` } as const
  if (Object.hasOwn(servers, source.name) || Object.hasOwn(apis, source.name)) return fail(taken)
  const closed = await closedApi(c.env, tenant, source)
  const kept = await directoryObject(c.env, tenant).putApi(closed, catalogue, mayReplace, done)
  apisOf(call).forget(tenant)
  if (kept === 'known') return fail(taken)
  if (kept === 'too_many') return fail({ code: 'too_many', what: 'APIs', max: LIMITS.openapi.apisMax })
  return ok(null)
}

/** What is known of an API. */
async function catalogueOf(call: Call<unknown>, source: ApiSource): Promise<Read> {
  return apisOf(call).offer(call.tenant, source)
}

/** An API in a list: a list reads no document, and no operations but those that stand in the config. */
async function shownInList(call: Call<unknown>, source: ApiSource, head: ApiCatalogueHead | undefined) {
  if (source.origin === 'config' && source.url === null) {
    const { source: placed, catalogue } = await catalogueOf(call, source)
    return apiListView(placed, { ...catalogue, operationsCount: catalogue.operations.length })
  }
  return apiListView(source, head?.version === source.version ? head : null)
}

async function shown(call: Call<unknown>, source: ApiSource) {
  const read = await catalogueOf(call, source)
  return apiView(read.source, read.catalogue)
}
