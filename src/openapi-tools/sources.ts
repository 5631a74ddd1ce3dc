import type {
  ApiAuth,
  ApiCatalogue,
  ApiCatalogueHead,
  ApiSource,
  ConfigOpenApiTools,
  ListedOpenApiTools,
  NewOpenApiTools,
  OpenApiToolsInfo,
  OpenApiToolsPatch,
} from '../domain/openapi-tools.ts'
import type { ServerConfig } from '../domain/server-config.ts'
import { operationInId, withServerIds } from '../domain/tool-id.ts'
import { shownAddress, withKnownSecrets } from '../lib/addresses.ts'
import { canonicalJson, fingerprint } from '../lib/hash.ts'
import { SECRET_MASK } from '../lib/text.ts'
import { secretNames } from '../net/secrets.ts'

/** An API of the config file, with its document where that stands there. */
export interface ConfiguredApi {
  source: ApiSource
  document: ConfigOpenApiTools['document'] | null
}

/** The APIs that the config file names. */
export function configApis({ openapi_tools: apis = {} }: Pick<ServerConfig, 'openapi_tools'>): ConfiguredApi[] {
  return Object.entries(apis).map(([name, given]) => ({
    source: {
      name,
      url: given.url ?? null,
      baseUrl: given.base_url ?? null,
      include: given.include ?? null,
      auth: given.auth ?? null,
      trustedOrigin: addressOrigin(given.base_url ?? null),
      description: given.description?.trim() || null,
      enabled: given.enabled ?? true,
      origin: 'config',
      version: `config:${fingerprint(canonicalJson(given))}`,
    },
    document: given.document ?? null,
  }))
}

/** The origin of an address. */
export function addressOrigin(address: string | null): string | null {
  return address === null ? null : (URL.parse(address)?.origin ?? null)
}

/** An API as an administrator writes it, new. Where it is says its document, unless they did. */
export function sourceFrom(given: NewOpenApiTools): ApiSource {
  const { name, url = null, base_url: baseUrl = null, include = null, auth = null, description, enabled = true } = given
  return {
    name,
    url,
    baseUrl,
    include,
    auth,
    trustedOrigin: null,
    description: description || null,
    enabled,
    origin: 'tenant',
    version: crypto.randomUUID(),
  }
}

/** An API with changes, which make it another version. What says who we are stays at its origin: another one gets none of what is kept. */
export function patchedSource(source: ApiSource, patch: OpenApiToolsPatch): ApiSource {
  const { url, document, base_url: baseUrl, include, description, enabled } = patch
  const base = baseUrl === undefined ? source.baseUrl : baseUrl
  const isMoved = baseUrl !== undefined && addressOrigin(base) !== source.trustedOrigin
  const { sealedAuth, ...known } = source
  return {
    ...known,
    ...(sealedAuth === undefined || isMoved || patch.auth !== undefined ? {} : { sealedAuth }),
    url: url === undefined ? (document === undefined ? source.url : null) : withKnownSecrets(url, source.url ?? ''),
    baseUrl: base,
    include: include === undefined ? source.include : include,
    auth:
      patch.auth === undefined ? (isMoved ? null : source.auth) : unmasked(patch.auth, isMoved ? null : source.auth),
    description: description === undefined ? source.description : description || null,
    enabled: enabled ?? source.enabled,
    version: crypto.randomUUID(),
  }
}

/** What came back masked is what was there. */
function unmasked(given: ApiAuth | null, known: ApiAuth | null): ApiAuth | null {
  if (given === null) return null
  const kept = (value: string, own: string | undefined) => (value === SECRET_MASK ? (own ?? '') : value)
  const all = (values: Readonly<Record<string, string>>, own: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, kept(value, own[name])]))
  const { connection, bearer, basic, headers, query } = given
  return {
    ...(connection === undefined ? {} : { connection }),
    ...(bearer === undefined ? {} : { bearer: kept(bearer, known?.bearer) }),
    ...(basic === undefined
      ? {}
      : {
          basic: {
            username: kept(basic.username, known?.basic?.username),
            password: kept(basic.password, known?.basic?.password),
          },
        }),
    ...(headers === undefined ? {} : { headers: all(headers, known?.headers) }),
    ...(query === undefined ? {} : { query: all(query, known?.query) }),
  }
}

/** Secrets and connections that an `auth` names, and where. */
export function secretsOfAuth({ connection, bearer, basic, headers = {}, query = {} }: ApiAuth): [string, string][] {
  const texts: [string, string][] = [
    ['auth.bearer', bearer ?? ''],
    ['auth.basic.username', basic?.username ?? ''],
    ['auth.basic.password', basic?.password ?? ''],
    ...Object.entries(headers).map(([name, value]): [string, string] => [`auth.headers.${name}`, value]),
    ...Object.entries(query).map(([name, value]): [string, string] => [`auth.query.${name}`, value]),
  ]
  const named = texts.flatMap(([path, text]) => secretNames([text]).map((name): [string, string] => [path, name]))
  return connection === undefined ? named : [['auth.connection', connection], ...named]
}

/** Fields of `auth` that came back masked, and of which nothing is kept. */
export function lostSecrets(given: ApiAuth | null | undefined, patched: ApiAuth | null): string[] {
  if (!given || !patched) return []
  return [
    ...(given.bearer === SECRET_MASK && !patched.bearer ? ['auth.bearer'] : []),
    ...(given.basic?.password === SECRET_MASK && !patched.basic?.password ? ['auth.basic.password'] : []),
    ...lostIn('auth.headers', given.headers, patched.headers),
    ...lostIn('auth.query', given.query, patched.query),
  ]
}

function lostIn(path: string, given: ApiAuth['headers'] = {}, patched: ApiAuth['headers'] = {}): string[] {
  return Object.keys(given).flatMap((name) =>
    given[name] === SECRET_MASK && !patched[name] ? [`${path}.${name}`] : [],
  )
}

/** An API as clients see it. `catalogue` null: nothing is known of its operations. */
export function apiView(source: ApiSource, catalogue: ApiCatalogue | null): OpenApiToolsInfo {
  return {
    ...apiListView(source, catalogue && { ...catalogue, operationsCount: catalogue.operations.length }),
    warnings: [...(catalogue?.warnings ?? [])],
    tools: withServerIds(source.name, catalogue?.operations ?? [], false, operationInId).map(({ id, tool }) => ({
      id,
      name: tool.name,
      method: tool.method,
      path: tool.path,
      description: tool.description,
      input_schema: tool.inputSchema,
    })),
  }
}

/** The same in a list: without its tools. */
export function apiListView(source: ApiSource, catalogue: ApiCatalogueHead | null): ListedOpenApiTools {
  return {
    object: 'openapi_tools',
    name: source.name,
    url: source.url === null ? null : shownAddress(source.url),
    base_url: source.baseUrl ?? catalogue?.baseUrl ?? null,
    include: source.include === null ? null : [...source.include],
    auth: source.auth || source.sealedAuth ? maskedAuth(source.auth ?? {}, source.trustedOrigin) : null,
    description: source.description,
    enabled: source.enabled,
    source: source.origin,
    status: statusOf(source, catalogue),
    error: catalogue?.error ?? null,
    title: catalogue?.title ?? null,
    version: catalogue?.apiVersion ?? null,
    read_time: catalogue && catalogue.readTime > 0 ? new Date(catalogue.readTime).toISOString() : null,
    tools_count: catalogue?.operationsCount ?? 0,
  }
}

function maskedAuth(auth: ApiAuth, origin: string | null): NonNullable<ListedOpenApiTools['auth']> {
  const masked = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.keys(values).map((name) => [name, SECRET_MASK] as const))
  return {
    origin,
    ...(auth.connection === undefined ? {} : { connection: auth.connection }),
    ...(auth.bearer === undefined ? {} : { bearer: SECRET_MASK }),
    ...(auth.basic === undefined ? {} : { basic: { username: SECRET_MASK, password: SECRET_MASK } }),
    ...(auth.headers === undefined ? {} : { headers: masked(auth.headers) }),
    ...(auth.query === undefined ? {} : { query: masked(auth.query) }),
  }
}

function statusOf({ enabled }: ApiSource, catalogue: Pick<ApiCatalogue, 'error'> | null): ListedOpenApiTools['status'] {
  if (!enabled) return 'disabled'
  if (catalogue === null) return 'unknown'
  return catalogue.error === null ? 'ok' : 'error'
}

/** A catalogue of an API whose document could not be read: what was known of it stays. */
export function failedCatalogue(
  source: ApiSource,
  known: ApiCatalogue | null,
  error: string,
  now: number,
): ApiCatalogue {
  const nothing = { title: source.name, apiVersion: '', baseUrl: source.baseUrl ?? '', operations: [], warnings: [] }
  return { ...nothing, ...known, version: source.version, readTime: known?.readTime ?? now, error }
}
