import type { Admission, RateStand } from '../domain/access.ts'
import { type AppError, fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { accountOfCaller, isMadeKey, isOver, type Principal } from './caller.ts'
import type { ServicePorts } from './ports.ts'

/** What a key may use: requests a minute, and sessions in progress; and how many sessions a tenant may have. */

type RatePorts = Pick<ServicePorts, 'tenant' | 'nearKeys' | 'now'>

/** Why a request is not taken now; null: it is. */
export function overRate(stand: RateStand | null): AppError | null {
  if (stand === null || stand.retryAfterMs === null) return null
  const { max, retryAfterMs } = stand
  return { code: 'rate_limited', what: 'requests of a key a minute', max, retryAfterMs }
}

/** Counts a request of a key that the config holds, or of a token; null: it has no limit. */
export async function countRequest(ports: RatePorts, principal: Principal): Promise<RateStand | null> {
  const { tenant, limits } = principal
  if (limits?.requests_per_minute === undefined) return null
  const now = ports.now()
  const id = accountOfCaller(principal)
  const counted = ports.nearKeys(tenant, now)?.takeFromMemory(configured(id), limits, now)
  return counted === undefined ? ports.tenant(tenant).takeRequest(configured(id), limits) : counted
}

/** Counts a request of a made key, by its hash; null: there is no such key. */
export async function countMadeKey(ports: RatePorts, tenant: string, hash: string): Promise<Admission | null> {
  const now = ports.now()
  const known = ports.nearKeys(tenant, now)?.admitFromMemory(hash, now)
  return known ?? ports.tenant(tenant).admitKey(hash)
}

/** Counts what somebody asks who was let in before. A key that was revoked, or whose requests of the minute are used up, does
 *  nothing any more. */
export async function countFrame(ports: RatePorts, principal: Principal): Promise<AppError | null> {
  if (isOver(principal, ports.now())) return { code: 'unauthorized' }
  if (!isMadeKey(principal)) return overRate(await countRequest(ports, principal))
  const stand = await ports.tenant(principal.tenant).takeFrame(principal.id)
  return stand === 'gone' ? { code: 'unauthorized' } : overRate(stand)
}

/** Keys of the config have buckets of their own names. */
function configured(id: string): string {
  return `config:${id}`
}

/** A place among the sessions in progress that a key may have. */
export interface RunLease {
  /** Not had before by the same session. */
  isNew: boolean
  giveBack(): Promise<void>
}

/** Takes a place for what is about to run, and gives it back where that started nothing; a session that runs gives it back itself when
 *  it rests. `of`: id of the session, or of what else runs. */
export async function leased<T extends { replayed?: boolean }>(
  ports: Pick<ServicePorts, 'tenant'>,
  principal: Principal,
  of: string,
  work: (lease: RunLease | null) => Promise<Result<T>>,
): Promise<Result<T>> {
  const lease = await take(ports, principal, of)
  if (!lease.ok) return lease
  let isStarted = false
  try {
    const done = await work(lease.value)
    isStarted = done.ok && !done.value.replayed
    return done
  } finally {
    if (!isStarted && lease.value?.isNew) await lease.value.giveBack()
  }
}

/** Null: there may be as many as there are. */
async function take(
  ports: Pick<ServicePorts, 'tenant'>,
  principal: Principal,
  of: string,
): Promise<Result<RunLease | null>> {
  const { tenant, limits } = principal
  const key = accountOfCaller(principal)
  const max = limits?.sessions_at_once
  if (max === undefined) return ok(null)
  const outcome = await ports.tenant(tenant).leaseRun(key, of, max)
  if (outcome === 'full') {
    const retryAfterMs = LIMITS.access.runRetryMs
    return fail({ code: 'rate_limited', what: 'sessions of a key in progress', max, retryAfterMs })
  }
  return ok({ isNew: outcome === 'taken', giveBack: () => ports.tenant(tenant).giveBackRun(key, of) })
}

/** Makes a session within what its tenant may have. `isKnown`: it was made before, under the key of the same request. */
export async function withinQuota<T extends { replayed?: boolean }>(
  ports: Pick<ServicePorts, 'tenant' | 'config'>,
  tenant: string,
  id: string,
  { isKnown, make }: { isKnown: () => Promise<boolean>; make: () => Promise<Result<T>> },
): Promise<Result<T>> {
  const max = ports.config.quotas?.sessions_max
  if (max === undefined) return make()
  if (!(await ports.tenant(tenant).takeSession(id, max))) {
    return (await isKnown()) ? make() : fail({ code: 'too_many', what: 'sessions of a tenant', max })
  }
  let isMade = false
  try {
    const made = await make()
    isMade = made.ok && !made.value.replayed
    return made
  } finally {
    if (!isMade) await ports.tenant(tenant).giveBackSession(id)
  }
}
