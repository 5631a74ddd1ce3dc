import type { KeptConnection } from '../domain/connection.ts'
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
