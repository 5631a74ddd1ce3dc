import type { Admission, RateStand } from '../domain/access.ts'
import type { AppError } from '../domain/errors.ts'
import { isMadeKey, isOver, type Principal } from './caller.ts'
import type { ServicePorts } from './ports.ts'

type RatePorts = Pick<ServicePorts, 'tenant' | 'nearKeys' | 'now'>

/** Why a request is not taken now; null: it is. */
export function overRate(stand: RateStand | null): AppError | null {
  if (stand === null || stand.retryAfterMs === null) return null
  const { max, retryAfterMs } = stand
  return { code: 'rate_limited', what: 'requests a minute', max, retryAfterMs }
}

/** Counts a request of a key that the config holds; null: it has no limit. */
export async function countRequest(ports: RatePorts, { tenant, id, limits }: Principal): Promise<RateStand | null> {
  if (limits?.requests_per_minute === undefined) return null
  const now = ports.now()
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
  if (!isMadeKey(principal)) return null
  const stand = await ports.tenant(principal.tenant).takeFrame(principal.id)
  return stand === 'gone' ? { code: 'unauthorized' } : overRate(stand)
}

/** Keys of the config have buckets of their own names. */
function configured(id: string): string {
  return `config:${id}`
}
