import type { Context } from 'hono'
import { LIMITS } from '../domain/limits.ts'
import { directoryObject } from '../objects/env.ts'
import { factory, type AppEnv } from './context.ts'
import { problem } from './problem.ts'

/** Of a POST that runs: takes a place among the sessions that the key may have in progress, if it has such a limit. A call that is
 *  refused gives it back; else the session does, when its run is over. */
export const atOnce = factory.createMiddleware(async (c, next) => {
  const { id: key, tenant, limits } = c.get('principal')
  const max = limits?.sessions_at_once
  const session = c.get('idempotency').sessionId
  if (max === undefined || !runs(c)) return next()
  const directory = directoryObject(c.env, tenant)
  const leased = await directory.leaseRun(key, session, max)
  if (leased === 'full') {
    const retryAfterMs = LIMITS.access.runRetryMs
    return problem(c, { code: 'rate_limited', what: 'sessions in progress', max, retryAfterMs })
  }
  await next()
  if (c.res.status >= 400 && leased === 'taken') await directory.endRun(session)
})

/** A new session runs if it has a task. */
function runs(c: Context<AppEnv>): boolean {
  if (c.req.path !== '/v1/sessions') return true
  const input: unknown = c.req.valid('json' as never)
  return typeof input === 'object' && input !== null && 'task' in input && input.task !== undefined
}
