import { fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Principal } from './caller.ts'
import type { ServicePorts } from './ports.ts'

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
  { tenant, id: key, limits }: Principal,
  of: string,
): Promise<Result<RunLease | null>> {
  const max = limits?.sessions_at_once
  if (max === undefined) return ok(null)
  const outcome = await ports.tenant(tenant).leaseRun(key, of, max)
  if (outcome === 'full') {
    const retryAfterMs = LIMITS.access.runRetryMs
    return fail({ code: 'rate_limited', what: 'sessions in progress', max, retryAfterMs })
  }
  return ok({ isNew: outcome === 'taken', giveBack: () => ports.tenant(tenant).giveBackRun(key, of) })
}
