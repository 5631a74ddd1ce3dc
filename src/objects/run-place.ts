import type { AuditActor } from '../domain/audit.ts'
import { fail, ok, type Result } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { directoryObject, type Env } from './env.ts'

export interface PlaceWanted {
  tenant: string
  key: string
  /** Id of the session, or of what else runs. */
  session: string
  max: number
}

/** A place among the sessions in progress that a key may have. */
export interface RunPlace {
  /** Not had before by the same session. */
  isNew: boolean
  giveBack(): Promise<void>
}

/** Take a place for what is about to run. A session gives it back itself when it rests. */
export async function takePlace(env: Env, { tenant, key, session, max }: PlaceWanted): Promise<Result<RunPlace>> {
  const leased = await directoryObject(env, tenant).leaseRun(key, session, max)
  if (leased === 'full') {
    const retryAfterMs = LIMITS.access.runRetryMs
    return fail({ code: 'rate_limited', what: 'sessions in progress', max, retryAfterMs })
  }
  // Asked for anew: what reached an object that has died reaches nothing any more.
  return ok({ isNew: leased === 'taken', giveBack: () => directoryObject(env, tenant).giveBackRun(key, session) })
}

/** The same for what a socket's frame runs: what gives the place back, if the frame did nothing. */
export async function framePlace(
  env: Env,
  session: string | null,
  { tenant, actor, at_once: max }: { tenant: string; actor: AuditActor; at_once: number | null },
): Promise<Result<() => Promise<void>>> {
  if (max === null || session === null) return ok(async () => {})
  const place = await takePlace(env, { tenant, key: actor.id, session, max })
  if (!place.ok) return place
  return ok(async () => (place.value.isNew ? place.value.giveBack() : undefined))
}
