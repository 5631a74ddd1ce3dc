import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import { type KeyLimits, type Scope, scope, tenantName } from '../domain/access.ts'
import { type AccessConfig, accessIssuer, type JwtConfig } from '../domain/auth-config.ts'
import { tokenAccount } from '../domain/token-account.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Fetch } from '../domain/ports.ts'
import { readBounded } from '../net/read-body.ts'

/** Who a token speaks for. `subject`: as its issuer names it. */
export interface TokenHolder {
  subject: string
  /** Under which what they use is counted: who they are, by the word of this issuer. */
  account: string
  limits?: KeyLimits
  tenant: string
  scopes: readonly Scope[]
  /** Unix ms from which on the token is not taken any more. */
  expiresTime: number
}

/** The keys of who issued a token cannot be fetched, so that nobody knows whether it is right. */
export const KEYS_AWAY = 'keys away'

/** What becomes of a token; null: it is none of ours, or not valid. */
export type TokenOutcome = TokenHolder | typeof KEYS_AWAY | null

/** Signed with a key of the issuer's list, never with a secret, and never unsigned. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

interface Issuer {
  config: JwtConfig
  /** The claims that may name who it is; the first that does. */
  names: readonly string[]
  keys: ReturnType<typeof createRemoteJWKSet>
}

/** Tokens of the issuers that the config names. Their keys are fetched when they are first needed, kept for a while, and
 *  fetched again for a key that is not among them, once in a while. */
export class Tokens {
  readonly #issuers: readonly Issuer[]
  readonly #access: Issuer | null

  constructor(
    { jwt = [], access }: { jwt?: JwtConfig[] | undefined; access?: AccessConfig | undefined },
    fetch: Fetch,
  ) {
    this.#issuers = jwt.map((config) => issuerOf(config, ['sub'], fetch))
    this.#access = access ? issuerOf(accessAsJwt(access), ['email', 'sub', 'common_name'], fetch) : null
  }

  /** The holder of a bearer token. */
  async ofBearer(token: string): Promise<TokenOutcome> {
    const named = issuerIn(token)
    let isAway = false
    for (const issuer of this.#issuers) {
      const holder = issuer.config.issuer === named ? await holderOf(issuer, token) : null
      if (holder === KEYS_AWAY) isAway = true
      else if (holder) return holder
    }
    return isAway ? KEYS_AWAY : null
  }

  /** The holder of what Cloudflare Access asserts (`Cf-Access-Jwt-Assertion`). */
  async ofAccess(token: string): Promise<TokenOutcome> {
    return this.#access && holderOf(this.#access, token)
  }
}

function issuerOf(config: JwtConfig, names: readonly string[], fetch: Fetch): Issuer {
  const { keysKeptMs, keysAgainMs, keysFetchMs } = LIMITS.access
  const keys = createRemoteJWKSet(new URL(config.jwks_url), {
    [customFetch]: (url, { signal, headers }) => boundedFetch(fetch, url, { signal, headers }),
    timeoutDuration: keysFetchMs,
    cooldownDuration: keysAgainMs,
    cacheMaxAge: keysKeptMs,
  })
  return { config, names, keys }
}

/** Redirects are not followed, and of a long answer nothing is taken. */
async function boundedFetch(
  fetch: Fetch,
  url: string,
  init: { signal: AbortSignal; headers: Headers },
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const { bytes, complete } = await readBounded(response.body, LIMITS.access.keysBytesMax, init.signal)
  return complete ? new Response(bytes, { status: response.status }) : new Response(null, { status: 502 })
}

/** Source: developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json. */
function accessAsJwt({ team_domain: domain, audience, ...grants }: AccessConfig): JwtConfig {
  const issuer = accessIssuer(domain)
  return { issuer, audience, jwks_url: `${issuer}/cdn-cgi/access/certs`, ...grants }
}

function issuerIn(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null
  } catch {
    return null
  }
}

async function holderOf({ config, names, keys }: Issuer, token: string): Promise<TokenOutcome> {
  let isAway = false
  const keyOf: Issuer['keys'] = Object.assign(async (...asked: Parameters<Issuer['keys']>) => {
    try {
      return await keys(...asked)
    } catch (error) {
      isAway = !(error instanceof errors.JOSEError) || FETCH_FAILURES.has(error.code)
      throw error
    }
  }, keys)
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      issuer: config.issuer,
      audience: config.audience,
      algorithms: [...ALGORITHMS],
      clockTolerance: LIMITS.access.clockToleranceMs / 1_000,
      requiredClaims: ['exp'],
    })
    return granted(config, names, payload)
  } catch (error) {
    const isKnown = error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException
    if (!isAway && !isKnown) throw error
    return isAway && mayBeRight(config, names, token) ? KEYS_AWAY : null
  }
}

/** Codes of jose for a list of keys that could not be had: no good answer, none in time, none that is such a list. */
const FETCH_FAILURES = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'])

/** Whether a token is one that would be taken by what it claims itself; its signature was not looked at. */
function mayBeRight(config: JwtConfig, names: readonly string[], token: string): boolean {
  const claims = decodeJwt(token)
  const now = Date.now()
  const { clockToleranceMs } = LIMITS.access
  const isOver = typeof claims.exp !== 'number' || claims.exp * 1_000 + clockToleranceMs <= now
  const isEarly = claims.nbf !== undefined && !(claims.nbf * 1_000 - clockToleranceMs <= now)
  const isForUs = [claims.aud].flat().some((one) => [config.audience].flat().includes(one ?? ''))
  return claims.iss === config.issuer && !isOver && !isEarly && isForUs && granted(config, names, claims) !== null
}

/** What the config makes of the claims; null: nobody is named, or a tenant that cannot be. */
function granted(config: JwtConfig, names: readonly string[], payload: JWTPayload): TokenHolder | null {
  const subject = names
    .map((name) => payload[name])
    .find((name): name is string => typeof name === 'string' && name !== '')
  const claimed = config.tenant_claim === undefined ? (config.tenant ?? 'default') : payload[config.tenant_claim]
  const tenant = tenantName.safeParse(claimed)
  if (subject === undefined || !tenant.success) return null
  return {
    account: tokenAccount(config.issuer, subject),
    ...(config.limits ? { limits: config.limits } : {}),
    subject: subject.slice(0, LIMITS.text.nameCharsMax),
    tenant: tenant.data,
    scopes: [...new Set([...(config.scopes ?? []), ...claimedScopes(config, payload)])],
    expiresTime: (payload.exp ?? 0) * 1_000 + LIMITS.access.clockToleranceMs,
  }
}

/** Words of the claim that the config maps to a scope; without a map, those that are scopes. */
function claimedScopes({ scopes_claim: claim, scopes_map: map }: JwtConfig, payload: JWTPayload): Scope[] {
  const value = claim === undefined ? undefined : payload[claim]
  const words: unknown[] = typeof value === 'string' ? value.split(/\s+/) : Array.isArray(value) ? value : []
  return words.flatMap((word) => {
    const parsed = scope.safeParse(
      map && typeof word === 'string' ? Object.entries(map).find(([name]) => name === word)?.[1] : word,
    )
    return parsed.success ? [parsed.data] : []
  })
}
