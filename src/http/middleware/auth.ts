import type { Context } from 'hono'
import { tenantOfKey } from '../../access/key-text.ts'
import type { RateStand, Scope } from '../../domain/access.ts'
import type { AppError } from '../../domain/errors.ts'
import { sha256Hex } from '../../lib/canonical-json.ts'
import { serverOf } from '../../objects/engine.ts'
import { refused } from './audited.ts'
import { factory, type AppEnv, type Principal } from '../context.ts'
import {
  type Admitted,
  assertedHolder,
  configuredKey,
  hasKeys,
  keysOf,
  madeKey,
  shownAssertion,
  shownKey,
  tenantsOf,
  tokenHolder,
} from './credentials.ts'
import { declared } from './declared.ts'
import { problem } from '../problem.ts'

const LOCAL: Principal = { kind: 'local', id: 'local', tenant: 'default', scopes: ['admin'] }
const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Lets in who shows a valid key; without any key configured, who speaks to a local server from this machine. */
export const authenticated = factory.createMiddleware(async (c, next) => {
  const found = await admittedOf(c)
  if ('code' in found) {
    const refusal = problem(c, found)
    const tenant = found.code === 'unauthorized' ? tenantTold(c) : null
    if (tenant !== null) await refused(c, { tenant, kind: 'key', id: 'unknown' }, { action: 'access.key' })
    return refusal
  }
  c.set('principal', found.principal)
  if (found.rate) tellRate(c, found.rate)
  if (found.rate && found.rate.retryAfterMs !== null) {
    const { max, retryAfterMs } = found.rate
    return problem(c, { code: 'rate_limited', what: 'requests a minute', max, retryAfterMs })
  }
  return next()
})

/** Whose door a wrong key was tried at, where that can be told: no text of a caller's makes a tenant be there. */
function tenantTold(c: Context<AppEnv>): string | null {
  const { config } = serverOf(c.env)
  const shown = shownKey(c) ?? (config.auth?.access ? shownAssertion(c) : null)
  if (shown === null) return null
  const tenants = tenantsOf(c.env, config)
  const [only = null] = tenants
  const named = tenantOfKey(shown)
  if (named !== null) return tenants.has(named) ? named : null
  return tenants.size === 1 ? only : null
}

/** What carries its own proof, such as a signed link, is served wherever anything is. */
export const served = factory.createMiddleware(async (c, next) => {
  const local = hasKeys(c.env, serverOf(c.env).config) ? null : withoutKeys(c)
  return local && 'code' in local ? problem(c, local) : next()
})

/** The same, also when it comes by another name than this machine's: a tunnel brings webhooks to whoever tries them out here. */
export const servedToAll = factory.createMiddleware(async (c, next) => {
  const isServed = hasKeys(c.env, serverOf(c.env).config) || c.env.YAA_LOCAL === '1'
  return isServed ? next() : problem(c, { code: 'not_configured' })
})

/** Asks for a scope; `admin` holds the others. */
export const needs = (scope: Scope) =>
  declared(
    factory.createMiddleware(async (c, next) => {
      const lacking = lacks(c, scope)
      return lacking ? problem(c, lacking) : next()
    }),
    { scope },
  )

/** Why the caller may not do what needs a scope; null: it may. */
export function lacks(c: Context<AppEnv>, scope: Scope): AppError | null {
  const { scopes } = c.get('principal')
  if (scopes.includes('admin') || scopes.includes(scope)) return null
  return { code: 'forbidden', detail: `This needs a key with scope ${scope}.` }
}

/** A key of the config and of the environment, else one that a tenant made. Where none is configured the keys that the local
 *  user made are good too, but nobody on this machine needs one. */
async function admittedOf(c: Context<AppEnv>): Promise<Admitted | AppError> {
  const { config } = serverOf(c.env)
  const local = hasKeys(c.env, config) ? null : withoutKeys(c)
  if (local && 'code' in local) return local
  const shown = shownKey(c)
  const tenant = shown === null ? null : tenantOfKey(shown)
  if (local && tenant === null) return { principal: local, rate: null }
  const asserted = await assertedHolder(c)
  if (asserted) return asserted
  if (shown === null) return { code: 'unauthorized' }
  const hash = await sha256Hex(shown)
  const admitted =
    (await configuredKey(c.env, keysOf(c.env, config), hash)) ?? (tenant && (await madeKey(c.env, tenant, hash)))
  return admitted || (await tokenHolder(c, shown)) || { code: 'unauthorized' }
}

/** No key is configured: a local server answers this machine alone, a deployed one nobody. */
function withoutKeys(c: Context<AppEnv>): Principal | AppError {
  if (c.env.YAA_LOCAL !== '1') return { code: 'not_configured' }
  const origin = c.req.header('origin')
  const isLocal =
    isLoopback(new URL(c.req.url).hostname) &&
    isLoopback(hostOf(c.req.header('host'))) &&
    (origin === undefined || isLoopback(hostOf(origin)))
  if (isLocal) return LOCAL
  return { code: 'forbidden', detail: 'Without a key only this machine is served: use localhost, or set YAA_API_KEY.' }
}

function isLoopback(hostname: string | null): boolean {
  return hostname !== null && (LOOPBACK_NAMES.has(hostname) || /^127(\.\d{1,3}){3}$/.test(hostname))
}

/** The host name of an origin or a Host header; null when it is neither. */
function hostOf(text: string | undefined): string | null {
  if (text === undefined) return null
  return URL.parse(text.includes('://') ? text : `http://${text}`)?.hostname ?? null
}

/** Source: draft-ietf-httpapi-ratelimit-headers-10. */
function tellRate(c: Context<AppEnv>, { max, remaining, resetMs }: RateStand): void {
  c.header('ratelimit-policy', `"requests";q=${max};w=60`)
  c.header('ratelimit', `"requests";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`)
}
