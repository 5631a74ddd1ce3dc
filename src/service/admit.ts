import { shownKey } from '../access/marks.ts'
import type { TokenOutcome } from '../access/tokens.ts'
import { networkOf } from '../access/wrong-keys.ts'
import type { RateStand } from '../domain/access.ts'
import { fail, ok, type AppError, type Result } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import { LIMITS } from '../domain/limits.ts'
import { sha256Hex } from '../lib/hash.ts'
import { refused } from './audit.ts'
import type { Principal } from './caller.ts'
import type { ServicePorts } from './ports.ts'
import { foreignSender, isSameOrigin, type Sender } from './sender.ts'
import { openedToken, tenantOfKey } from './given-out.ts'
import { countMadeKey, countRequest } from './limits.ts'

/** What somebody shows to be let in; null: nothing of it. */
export interface Shown {
  /** A key or a token. */
  key: string | null
  /** What Cloudflare Access says of them. */
  assertion: string | null
  /** Where they came to, and from which page. */
  sender: Sender
  /** The network address that they came from; null: nobody knows. The platform takes a while to say it, so it is asked for where it matters. */
  address: () => string | null
}

/** Who asks, and where its requests of the minute stand; null: they have no limit. */
export interface Admitted {
  principal: Principal
  rate: RateStand | null
}

/** Lets in who shows a valid key or token. Of an address that showed many wrong ones none is looked at for a while. */
export async function admit(ports: ServicePorts, shown: Shown, requestId: string): Promise<Result<Admitted>> {
  const shows = shown.key !== null || shown.assertion !== null
  const waitMs = shows && ports.wrongKeys.areKnown ? waitOf(ports, sourceOf(shown)) : 0
  if (waitMs > 0) return fail(tooManyWrong(waitMs))
  const found = await holderOf(ports, shown)
  if (!('code' in found)) return ok(found)
  const source = shows && found.code === 'unauthorized' ? sourceOf(shown) : null
  const overMs = source ? ports.wrongKeys.count(source.name, ports.now()) : 0
  if (overMs > 0) return fail(tooManyWrong(overMs))
  const tenant = found.code === 'unauthorized' ? tenantTold(ports, shown) : null
  const act = { action: 'access.key', target: null, requestId, details: {} }
  if (tenant !== null) await refused(ports, { tenant, kind: 'key', id: 'unknown' }, act, found.code)
  return fail(found)
}

/** By what wrong keys are counted. Behind loopback stands whoever a proxy brings: there wrong keys wait, and the right one does not. */
interface Source {
  name: string
  isShared: boolean
}

/** Ms until a key is looked at that is shown from there; 0: now. */
function waitOf(ports: ServicePorts, source: Source | null): number {
  return source === null || source.isShared ? 0 : ports.wrongKeys.waitMs(source.name, ports.now())
}

/** Null: nothing is known. */
function sourceOf(shown: Shown): Source | null {
  const address = shown.address()
  if (address === null) return null
  return { name: networkOf(address), isShared: /^(127\.|::1$)/.test(address) }
}

function tooManyWrong(retryAfterMs: number): AppError {
  return { code: 'rate_limited', what: 'wrong keys a minute', max: LIMITS.access.wrongKeysPerMinuteMax, retryAfterMs }
}

/** Why nobody is served who comes so, whatever proof of its own a request carries; null: it is. */
export function unserved(ports: ServicePorts, sender: Sender): AppError | null {
  return unconfigured(ports) ?? foreignSender(ports, sender)
}

/** Whether there is no way in, or nothing safe to mark with. That is all that a webhook is refused for: a tunnel brings it to whoever tries it out, by another name. */
export function unconfigured(ports: ServicePorts): AppError | null {
  if (!ports.hasUsableSecret) return { code: 'not_configured', lacks: 'secret' }
  return hasKeys(ports) ? null : { code: 'not_configured', lacks: 'key' }
}

const UNKNOWN_LINK = fail({ code: 'not_found', what: 'link' })

/** Whoever holds a link may do what it says, and nothing else. Forged, revoked and unknown ones are told the same. */
export async function admitByLink(
  ports: ServicePorts,
  text: string,
  requestId: string,
): Promise<Result<{ principal: Principal; link: Link }>> {
  const token = await openedToken(ports, text)
  if (!token) return UNKNOWN_LINK
  const { tenant, id } = token
  const opened = await ports.tenant(tenant).openLink(id, token.proof)
  if (opened.outcome === 'unknown') return UNKNOWN_LINK
  const { link } = opened
  const principal: Principal = { kind: 'link', id, tenant, scopes: [link.scope] }
  if (opened.outcome === 'good') return ok({ principal, link })
  const act = { action: 'access.link', target: link.sessionId, requestId, details: {} }
  await refused(ports, principal, act, 'link_expired')
  return fail({ code: 'link_expired' })
}

/** Whoever Access signed in, else a key of the config and of the environment, one that a tenant made, or a token. A browser sends along by
 *  itself who Access signed in, so that counts from pages of this server alone; a key is always shown on purpose. */
async function holderOf(ports: ServicePorts, { key, assertion, sender }: Shown): Promise<Admitted | AppError> {
  const closed = unserved(ports, sender)
  if (closed) return closed
  const signedIn = assertion === null ? null : await ports.tokens.ofAccess(assertion)
  const asserted = tokenHolder(signedIn)
  if (asserted && isSameOrigin(ports, sender)) return counted(ports, asserted)
  if (key === null) return asserted ? OTHER_ORIGIN : notTaken(signedIn)
  const hash = await sha256Hex(key)
  const tenant = await tenantOfKey(ports, key)
  const admitted = (await configuredKey(ports, hash)) ?? (tenant && (await madeKey(ports, tenant, hash)))
  if (admitted) return admitted
  const shown = await ports.tokens.ofBearer(key)
  const borne = tokenHolder(shown)
  return borne ? counted(ports, borne) : notTaken(shown)
}

/** Why nobody is let in by a token, or without any. */
function notTaken(outcome: TokenOutcome): AppError {
  return { code: typeof outcome === 'string' ? 'issuer_unavailable' : 'unauthorized' }
}

const OTHER_ORIGIN: AppError = {
  code: 'forbidden',
  detail: 'Who signed in by Cloudflare Access may ask from pages of this server only; show a key from elsewhere.',
}

function tokenHolder(holder: TokenOutcome): Principal | null {
  if (!holder || typeof holder === 'string') return null
  const { subject: id, limits, ...held } = holder
  return { kind: 'jwt', id, ...held, ...(limits ? { limits } : {}) }
}

/** Whoever config has limits for; each request of theirs counts. */
async function counted(ports: ServicePorts, principal: Principal): Promise<Admitted> {
  return { principal, rate: await countRequest(ports, principal) }
}

async function configuredKey(ports: ServicePorts, hash: string): Promise<Admitted | null> {
  const matching = await Promise.all(
    keysOf(ports).map(async (key) => ((await key.sha256) === hash ? key.principal : null)),
  )
  const principal = matching.find((one) => one !== null)
  return principal ? counted(ports, principal) : null
}

async function madeKey(ports: ServicePorts, tenant: string, hash: string): Promise<Admitted | null> {
  const admission = await countMadeKey(ports, tenant, hash)
  if (!admission) return null
  const { id, scopes, limits, rate } = admission
  return { principal: { kind: 'key', id, tenant, scopes, limits }, rate }
}

/** Whose door a wrong key was tried at, where that can be told: no text of a caller's makes a tenant be there. */
function tenantTold(ports: ServicePorts, { key, assertion }: Shown): string | null {
  const shown = key ?? (ports.config.auth?.access ? assertion : null)
  if (shown === null) return null
  const tenants = tenantsOf(ports)
  const [only = null] = tenants
  const named = shownKey(shown)?.tenant ?? null
  if (named !== null) return tenants.has(named) ? named : null
  return tenants.size === 1 ? only : null
}

/** The tenants that the config names: of its keys, and of tokens that do not name their own. */
function tenantsOf(ports: ServicePorts): ReadonlySet<string> {
  const { jwt = [], access } = ports.config.auth ?? {}
  const doors = [...jwt, ...(access ? [access] : [])].filter((door) => door.tenant_claim === undefined)
  return new Set([
    ...keysOf(ports).map(({ principal }) => principal.tenant),
    ...doors.map(({ tenant = 'default' }) => tenant),
  ])
}

/** Whether a key, or who issues tokens, is configured, so that one has to be shown. */
function hasKeys({ apiKey, config: { auth } }: ServicePorts): boolean {
  return isLongEnough(apiKey) || Boolean(auth?.keys?.length) || Boolean(auth?.jwt?.length) || Boolean(auth?.access)
}

/** One that can be guessed lets nobody in. */
function isLongEnough(apiKey: string): boolean {
  return apiKey.length >= LIMITS.access.secretCharsMin
}

interface KnownKey {
  sha256: string | Promise<string>
  principal: Principal
}

/** Keys are compared by their hashes, so that the time of a comparison tells nothing of a key. */
function keysOf({ apiKey, config: { auth } }: ServicePorts): KnownKey[] {
  const fromConfig = (auth?.keys ?? []).map((key) => ({
    sha256: key.sha256.toLowerCase(),
    principal: {
      kind: 'key' as const,
      id: key.id,
      tenant: key.tenant ?? 'default',
      scopes: key.scopes,
      ...(key.limits ? { limits: key.limits } : {}),
    },
  }))
  if (!isLongEnough(apiKey)) return fromConfig
  const principal: Principal = { kind: 'key', id: 'YAA_API_KEY', tenant: 'default', scopes: ['admin'] }
  return [{ sha256: hashOf(apiKey), principal }, ...fromConfig]
}

let hashed: { apiKey: string; hash: string } | undefined

/** The hash of the environment's key, made once. */
async function hashOf(apiKey: string): Promise<string> {
  if (hashed?.apiKey === apiKey) return hashed.hash
  const hash = await sha256Hex(apiKey)
  hashed = { apiKey, hash }
  return hash
}
