import type { Context, MiddlewareHandler } from 'hono'
import { takePlace } from '../../objects/run-place.ts'
import { factory, type AppEnv } from '../context.ts'
import { problem } from '../problem.ts'
import { REPLAYED } from './replayed.ts'

/** Of a POST that runs, if it does: takes a place among the sessions that the key may have in progress, where it has such a limit. A
 *  call that starts nothing gives it back; else the session does, when its run is over. */
export const atOnceIf = (runs: (c: Context<AppEnv>) => boolean): MiddlewareHandler<AppEnv> =>
  factory.createMiddleware(async (c, next) => {
    const { id: key, tenant, limits } = c.get('principal')
    const max = limits?.sessions_at_once
    if (max === undefined || !runs(c)) return next()
    const session = c.get('idempotency')?.sessionId ?? c.get('requestId')
    const place = await takePlace(c.env, { tenant, key, session, max })
    if (!place.ok) return problem(c, place.error)
    c.set('place', place.value)
    await next()
    const startedNothing = c.res.status >= 400 || c.res.headers.has(REPLAYED)
    if (startedNothing && place.value.isNew) await place.value.giveBack()
  })

export const atOnce = atOnceIf(() => true)

/** A new session runs if it has a task. */
export const atOnceWithTask = atOnceIf((c) => {
  const input = c.get('input')
  return typeof input === 'object' && input !== null && 'task' in input && input.task !== undefined
})
