import type { Context } from 'hono'
import type { TokenHolder } from '../../access/tokens.ts'
import type { KeyLimits, RateStand } from '../../domain/access.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ServerConfig } from '../../domain/server-config.ts'
import { sha256Hex } from '../../lib/canonical-json.ts'
import { serverOf } from '../../objects/engine.ts'
import { directoryObject, type Env } from '../../objects/env.ts'
import { nearKeys } from '../../objects/near-keys.ts'
import type { AppEnv, Principal } from '../context.ts'

/** Who asks, and where its requests of the minute stand; null: they have no limit. */
export interface Admitted {
  principal: Principal
  rate: RateStand | null
}

/** Who comes through Cloudflare Access, where that is configured. */
export async function assertedHolder(c: Context<AppEnv>): Promise<Admitted | null> {
  const token = shownAssertion(c)
  return token === null ? null : admittedHolder(await serverOf(c.env).tokens.ofAccess(token))
}

export function shownAssertion(c: Context<AppEnv>): string | null {
  const token = c.req.header('cf-access-jwt-assertion') ?? ''
  return token === '' || token.length > LIMITS.access.credentialCharsMax ? null : token
}

export async function tokenHolder(c: Context<AppEnv>, shown: string): Promise<Admitted | null> {
  return admittedHolder(await serverOf(c.env).tokens.ofBearer(shown))
}

function admittedHolder(holder: TokenHolder | null): Admitted | null {
  if (!holder) return null
  const { subject: id, ...held } = holder
  return { principal: { kind: 'jwt', id, ...held }, rate: null }
}

export function shownKey(c: Context<AppEnv>): string | null {
  const header = c.req.header('authorization') ?? ''
  if (header.length > LIMITS.access.credentialCharsMax) return null
  return /^(?:Bearer|YAA-API-KEY)\s+(\S+)\s*$/i.exec(header)?.[1] ?? null
}

export async function configuredKey(env: Env, keys: readonly KnownKey[], hash: string): Promise<Admitted | null> {
  const matching = await Promise.all(keys.map(async (key) => ((await key.sha256) === hash ? key.principal : null)))
  const principal = matching.find((one) => one !== null)
  if (!principal) return null
  const { id, tenant, limits } = principal
  const isLimited = limits?.requests_per_minute !== undefined
  return {
    principal,
    rate: isLimited ? await countedRequest(env, tenant, `config:${id}`, limits) : null,
  }
}

async function countedRequest(env: Env, tenant: string, id: string, limits: KeyLimits): Promise<RateStand | null> {
  const now = Date.now()
  const counted = nearKeys(env, tenant, now)?.takeFromMemory(id, limits, now)
  return counted === undefined ? directoryObject(env, tenant).takeRequest(id, limits) : counted
}

export async function madeKey(env: Env, tenant: string, hash: string): Promise<Admitted | null> {
  const now = Date.now()
  const known = nearKeys(env, tenant, now)?.admitFromMemory(hash, now)
  const admission = known ?? (await directoryObject(env, tenant).admitKey(hash))
  if (!admission) return null
  const { id, scopes, limits, rate } = admission
  return { principal: { kind: 'key', id, tenant, scopes, limits }, rate }
}

/** The tenants that the config names: of its keys, and of tokens that do not name their own. */
export function tenantsOf(env: Env, config: ServerConfig): ReadonlySet<string> {
  const { jwt = [], access } = config.auth ?? {}
  const doors = [...jwt, ...(access ? [access] : [])].filter((door) => door.tenant_claim === undefined)
  return new Set([
    ...keysOf(env, config).map(({ principal }) => principal.tenant),
    ...doors.map(({ tenant = 'default' }) => tenant),
  ])
}

/** Whether a key, or who issues tokens, is configured, so that one has to be shown. */
export function hasKeys(env: Env, { auth }: ServerConfig): boolean {
  return Boolean(env.YAA_API_KEY) || Boolean(auth?.keys?.length) || Boolean(auth?.jwt?.length) || Boolean(auth?.access)
}

interface KnownKey {
  sha256: string | Promise<string>
  principal: Principal
}

/** Keys are compared by their hashes, so that the time of a comparison tells nothing of a key. */
export function keysOf(env: Env, config: ServerConfig): KnownKey[] {
  const fromConfig = (config.auth?.keys ?? []).map((key) => ({
    sha256: key.sha256.toLowerCase(),
    principal: {
      kind: 'key' as const,
      id: key.id,
      tenant: key.tenant ?? 'default',
      scopes: key.scopes,
      ...(key.limits ? { limits: key.limits } : {}),
    },
  }))
  if (!env.YAA_API_KEY) return fromConfig
  return [
    {
      sha256: hashOf(env.YAA_API_KEY),
      principal: { kind: 'key', id: 'YAA_API_KEY', tenant: 'default', scopes: ['admin'] },
    },
    ...fromConfig,
  ]
}

let hashed: { apiKey: string; hash: string } | undefined

/** The hash of the environment's key, made once. */
async function hashOf(apiKey: string): Promise<string> {
  if (hashed?.apiKey === apiKey) return hashed.hash
  const hash = await sha256Hex(apiKey)
  hashed = { apiKey, hash }
  return hash
}
