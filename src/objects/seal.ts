import type { KeptConnection } from '../domain/connection.ts'
import type { McpServer } from '../domain/mcp.ts'
import type { ApiAuth, ApiSource } from '../domain/openapi-tools.ts'
import { parseJson } from '../lib/json.ts'
import { Seal, SEAL_KEY_CHARS_MIN } from '../lib/seal.ts'
import type { Env } from './env.ts'

let known: { given: string; seal: Seal } | null = null

/** What encrypts the secrets of tenants: by YAA_SECRETS_KEY, and opens what YAA_SECRETS_KEY_BEFORE sealed. Null: there is no usable key. */
export function sealOf(env: Env): Seal | null {
  // A variable that is not set is null where workerd takes it from the environment.
  const { YAA_SECRETS_KEY: key, YAA_SECRETS_KEY_BEFORE: before } = env
  if (!key || key.length < SEAL_KEY_CHARS_MIN) return null
  const given = `${key}\n${before ?? ''}`
  if (known?.given !== given)
    known = { given, seal: new Seal(before && before.length >= SEAL_KEY_CHARS_MIN ? [key, before] : [key]) }
  return known.seal
}

/** Which connection of a tenant, and where its secret goes. */
export type ConnectionPlace = Pick<KeptConnection, 'name' | 'origin' | 'user'>

/** What a sealed secret is for: nowhere else it opens. */
export function sealedFor(tenant: string, { name, origin, user }: ConnectionPlace): string {
  return JSON.stringify(['connection', tenant, name, origin, ...(user === undefined ? [] : [user])])
}

/** An API as it is kept: what says who we are encrypted, where the server has a key for that. */
export async function closedApi(env: Env, tenant: string, source: ApiSource): Promise<ApiSource> {
  const seal = sealOf(env)
  if (source.auth === null || seal === null) return source
  const sealedAuth = await seal.seal(JSON.stringify(source.auth), apiSealedFor(tenant, source))
  return { ...source, auth: null, sealedAuth }
}

/** The same as it is used. */
export async function openedApi(env: Env, tenant: string, source: ApiSource): Promise<ApiSource> {
  const { sealedAuth, ...rest } = source
  if (sealedAuth === undefined) return source
  const opened = await sealOf(env)?.open(sealedAuth, apiSealedFor(tenant, source))
  return opened ? { ...rest, auth: parseJson(opened) as ApiAuth } : source
}

function apiSealedFor(tenant: string, { name, trustedOrigin }: ApiSource): string {
  return JSON.stringify(['api', tenant, name, trustedOrigin])
}

/** What of an MCP server is encrypted. The secret is of the client of that id, and of no other. */
interface McpSecrets {
  headers: McpServer['headers']
  client: McpServer['oauthClient'] | null
}

/** An MCP server as it is kept: its headers and the secret of its client encrypted, where the server has a key for that. */
export async function closedServer(env: Env, tenant: string, server: McpServer): Promise<McpServer> {
  const seal = sealOf(env)
  const { headers, oauthClient: client = null } = server
  if (seal === null || (Object.keys(headers).length === 0 && !client?.secret)) return server
  const secrets: McpSecrets = { headers, client }
  const sealed = await seal.seal(JSON.stringify(secrets), serverSealedFor(tenant, server))
  return { ...server, headers: {}, ...(client ? { oauthClient: { id: client.id, secret: null } } : {}), sealed }
}

/** The same as it is used. What an older release has set since goes before what is encrypted. */
export async function openedServer(env: Env, tenant: string, server: McpServer): Promise<McpServer> {
  const { sealed, ...rest } = server
  if (sealed === undefined) return server
  const opened = await sealOf(env)?.open(sealed, serverSealedFor(tenant, server))
  if (!opened) return server
  const { headers, client } = parseJson(opened) as McpSecrets
  const { oauthClient: known } = rest
  const isSame = known !== undefined && known.secret === null && known.id === client?.id
  return { ...rest, headers: { ...headers, ...rest.headers }, ...(isSame ? { oauthClient: client } : {}) }
}

function serverSealedFor(tenant: string, { name, url }: McpServer): string {
  return JSON.stringify(['mcp server', tenant, name, new URL(url).origin])
}
