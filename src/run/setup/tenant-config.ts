import { LIMITS } from '../../domain/limits.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import type { Settings } from '../../domain/settings.ts'
import { shownAddress } from '../../lib/addresses.ts'
import { isObject } from '../../lib/json.ts'
import type { KnownSecret } from '../../net/secrets.ts'
import { ownToolId, toolsById, withToolsById } from '../../tools/own-names.ts'
import { serviceUrl } from '../../tools/web-access/render-address.ts'
import { searchAddress } from '../../tools/web-search/providers.ts'

/** The tenant whose administrators are those of the server: it alone opens the server's own network, and says what it may spend itself. */
export const OWNERS_TENANT = 'default'

/** What the settings of another tenant may not say. */
const OF_THE_OWNER: readonly string[] = ['web.allow_private_hosts', 'budgets.tenant']

/** Services that a tenant sets as a whole or not at all. */
const WHOLE = /^(web\.(?:search|render))\..*$/

/** A tool, under any of its names. */
const OF_TOOL = /^tools\.([^.]+)/

/** What a tenant may not set here. */
export function lockedFor({ locked = [] }: Pick<ServerConfig, 'locked'>, tenant: string): readonly string[] {
  const ofFile = locked.map((path) =>
    path.replace(WHOLE, '$1').replace(OF_TOOL, (_, name: string) => `tools.${ownToolId(name)}`),
  )
  return [...new Set(tenant === OWNERS_TENANT ? ofFile : [...ofFile, ...OF_THE_OWNER])]
}

/** Which field of those that are locked another one is, or is within; null: none. */
export function lockOf(path: string, locked: readonly string[]): string | null {
  return locked.find((one) => path === one || path.startsWith(`${one}.`)) ?? null
}

/** The innermost fields in which two values differ, with dots between; a list is one field. */
export function changedFields(before: unknown, after: unknown, path = ''): string[] {
  if (isObject(before) || isObject(after)) {
    const [one, other] = [before, after].map((value) => (isObject(value) ? value : {}))
    const names = [...new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})])].toSorted()
    const inner = names.flatMap((name) =>
      changedFields(one?.[name], other?.[name], path === '' ? name : `${path}.${name}`),
    )
    if (inner.length > 0 || (isObject(before) && isObject(after))) return inner
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [path]
}

/** What is said of a model that is asked with the server's own secrets, and nowhere else. */
const SECRETS = ['api_key', 'api_key_env', 'api_keys', 'api_keys_env', 'extra_headers'] as const

/** What of a tenant's settings holds: all but what the file has locked since. */
export function ownSettings(file: ServerConfig, tenant: string, settings: Settings): Settings {
  return withoutLocked(withToolsById(settings), lockedFor(file, tenant)) as Settings
}

/** The config of a server as it holds for a tenant: its settings over the file, but for what the file has locked since. */
export function effectiveConfig(file: ServerConfig, tenant: string, settings: Settings): ServerConfig {
  const own = ownSettings(file, tenant, settings)
  const { models = {}, budgets, tools, web, limits, default_model: chosen } = own
  const ofTenant = budgets?.tenant && {
    ...(file.budgets?.tenants?.[tenant] ?? file.budgets?.tenant),
    ...budgets.tenant,
  }
  const laid = Object.entries(models).map(([name, model]) => [name, modelOver(file.models?.[name], model)] as const)
  return {
    ...file,
    ...(chosen === undefined ? {} : { default_model: chosen }),
    models: { ...file.models, ...Object.fromEntries(laid) },
    budgets: {
      ...file.budgets,
      ...(ofTenant ? { tenants: { ...file.budgets?.tenants, [tenant]: ofTenant } } : {}),
      ...(budgets?.user ? { user: { ...file.budgets?.user, ...budgets.user } } : {}),
    },
    tools: laidOver(toolsById(file.tools ?? {}), tools ?? {}),
    web: { ...file.web, ...web },
    limits: { ...file.limits, ...limits },
  }
}

type FileModel = NonNullable<ServerConfig['models']>[string]

/** A key of the file goes to the address that the file names it for, and to no other. */
function modelOver(
  file: FileModel | undefined,
  {
    api_key: _a,
    api_key_env: _b,
    api_keys: _c,
    api_keys_env: _d,
    extra_headers: _e,
    ...own
  }: NonNullable<Settings['models']>[string],
): FileModel {
  if (file === undefined) return own
  const isElsewhere =
    (own.api_url !== undefined && originOf(own.api_url) !== originOf(file.api_url)) ||
    (own.provider !== undefined && own.provider !== (file.provider ?? 'openai'))
  const base = isElsewhere
    ? Object.fromEntries(Object.entries(file).filter(([name]) => !SECRETS.some((one) => one === name)))
    : file
  return { ...base, ...own }
}

const originOf = (url: string | undefined) => URL.parse(url ?? '')?.origin ?? ''

function laidOver<T extends object>(file: Record<string, T>, own: Record<string, T>): Record<string, T> {
  const laid = Object.entries(own).map(([name, one]) => [name, { ...file[name], ...one }] as const)
  return { ...file, ...Object.fromEntries(laid) }
}

function withoutLocked(value: unknown, locked: readonly string[], path = ''): unknown {
  if (!isObject(value)) return value
  const within = (name: string) => (path === '' ? name : `${path}.${name}`)
  const free = Object.entries(value).filter(([name]) => lockOf(within(name), locked) === null)
  return Object.fromEntries(free.map(([name, inner]) => [name, withoutLocked(inner, locked, within(name))]))
}

/** The config that holds for a tenant as it is shown: what may be set, without any secret. What the file says of the addresses of models is the
 *  owner's. */
export function shownConfig(config: ServerConfig, tenant: string, settings: Settings): Record<string, unknown> {
  const { models = {}, default_model: chosen, budgets = {}, tools = {}, web = {}, limits = {} } = config
  const ofTenant = budgets.tenants?.[tenant] ?? budgets.tenant
  const { allow_private_hosts: hosts, trusted_hosts: trusted, timeout_ms: ms, body_bytes_max: bytes } = web
  const { search, render } = web
  const shownModel = (name: string, model: FileModel) => {
    const { extra_body: body, api_url: url, ...rest } = model
    const open = Object.fromEntries(Object.entries(rest).filter(([field]) => !SECRETS.some((one) => one === field)))
    const own = settings.models?.[name]
    const mayTell = tenant === OWNERS_TENANT
    return {
      ...open,
      ...(url !== undefined && (mayTell || own?.api_url !== undefined) ? { api_url: shownAddress(url) } : {}),
      ...(body !== undefined && (mayTell || own?.extra_body !== undefined) ? { extra_body: body } : {}),
    }
  }
  return {
    models: Object.fromEntries(Object.entries(models).map(([name, model]) => [name, shownModel(name, model)])),
    ...(chosen === undefined ? {} : { default_model: chosen }),
    budgets: { ...(ofTenant ? { tenant: ofTenant } : {}), ...(budgets.user ? { user: budgets.user } : {}) },
    tools,
    web: Object.fromEntries(
      Object.entries({
        allow_private_hosts: hosts,
        trusted_hosts: trusted,
        timeout_ms: ms,
        body_bytes_max: bytes,
        search: shownService(search, tenant, settings.web?.search),
        render: shownService(render, tenant, settings.web?.render),
      }).filter(([, value]) => value !== undefined),
    ),
    limits,
  }
}

/** A service without the variable of its key. Where that of the file is is the owner's. */
function shownService(
  service: { api_key_env?: unknown; url?: string | undefined } | undefined,
  tenant: string,
  own: object | undefined,
): Record<string, unknown> | undefined {
  if (service === undefined) return undefined
  const { api_key_env: _variable, url, ...rest } = service
  return {
    ...rest,
    ...(url !== undefined && (tenant === OWNERS_TENANT || own !== undefined) ? { url: shownAddress(url) } : {}),
  }
}

/** What the fields of a version are named by, as many as there is room for. */
export const namedChanges = (changed: readonly string[]) =>
  changed.slice(0, LIMITS.settings.changedMax).map((path) => path.slice(0, LIMITS.settings.pathCharsMax))

/** A connection as runs use it. `key`: its value where that is at hand, for a model; `isGrant`: it is a token, which is asked for at each call. */
export interface RunConnection extends KnownSecret {
  key: string | undefined
  isGrant?: true
}

/** Under which the secret of a connection is asked for; no variable of an environment has such a name. */
const connectionVariable = (name: string) => `connection:${name}`

/** The connection that a model names, where it is for the origin of the model; null: there is none. */
export function connectionOf(
  model: Pick<FileModel, 'api_url' | 'connection'> | undefined,
  connections: readonly RunConnection[],
): RunConnection | null {
  const { connection: named, api_url: url } = model ?? {}
  return connections.find(({ name, origin }) => name === named && origin === originOf(url)) ?? null
}

/** The config of a tenant whose models are asked with the connections that they name, each where it is for its origin. No other key is tried beside
 *  it. */
export function withConnections(file: ServerConfig, connections: readonly RunConnection[]): ServerConfig {
  const config = withServices(file, connections)
  if (connections.length === 0) return config
  const models = Object.entries(config.models ?? {}).map(([alias, model]) => {
    const found = connectionOf(model, connections)
    if (found === null) return [alias, model]
    const { api_key: _key, api_keys: _keys, api_keys_env: _names, ...rest } = model
    return [alias, { ...rest, api_key_env: connectionVariable(found.name) }]
  })
  return { ...config, models: Object.fromEntries(models) }
}

/** The same of what finds pages and shows them: a connection that is none, or is for another origin, gives no key, and then nothing is asked. */
function withServices(config: ServerConfig, connections: readonly RunConnection[]): ServerConfig {
  const { search, render } = config.web ?? {}
  if (search?.connection === undefined && render?.connection === undefined) return config
  const keyed = (name: string | undefined, address: string | null) => {
    if (name === undefined) return {}
    const found = connectionOf({ api_url: address ?? '', connection: name }, connections)
    return { api_key_env: connectionVariable(found ? name : '') }
  }
  const web = {
    ...config.web,
    ...(search ? { search: { ...search, ...keyed(search.connection, searchAddress(search)) } } : {}),
    ...(render ? { render: { ...render, ...keyed(render.connection, serviceUrl(render, '')) } } : {}),
  }
  return { ...config, web }
}

/** A connection that settings name, with the origin of the service that it is for. */
export interface NamedConnection {
  path: string
  name: string
  origin: string
}

/** The connections that settings name, by what holds with them. */
export function namedConnections({ models = {}, web = {} }: ServerConfig, own: Settings): NamedConnection[] {
  const { search, render } = web
  const named = [
    ...Object.keys(own.models ?? {}).map((alias) => {
      const { connection, api_url: url } = models[alias] ?? {}
      return [`models.${alias}.connection`, connection, url ?? ''] as const
    }),
    ['web.search.connection', own.web?.search && search?.connection, search ? searchAddress(search) : ''] as const,
    ['web.render.connection', own.web?.render && render?.connection, render ? serviceUrl(render, '') : ''] as const,
  ]
  return named.flatMap(([path, name, url]) =>
    name === undefined ? [] : [{ path, name, origin: originOf(url ?? undefined) }],
  )
}

/** The values of connections, and of the environment. */
export function secretsWith(
  connections: readonly RunConnection[],
  secret: (variable: string) => string | undefined,
): (variable: string) => string | undefined {
  const keys = new Map(connections.map(({ name, key }) => [connectionVariable(name), key]))
  return (variable) => (keys.has(variable) ? keys.get(variable) : secret(variable))
}
