import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { countMeasures } from '../../objects/counters.ts'
import { serverOf } from '../../objects/engine.ts'
import { logFact } from '../../objects/telemetry.ts'
import { isLogged } from '../../domain/telemetry.ts'
import type { Principal } from '../../service/caller.ts'
import { factory, type AppEnv } from '../context.ts'

/** One line a request, and its counters. */
export const observed = factory.createMiddleware(async (c, next) => {
  const started = Date.now()
  await next()
  const ms = Date.now() - started
  const caller = c.var.principal as Principal | undefined
  const route = routeOf(c)
  const { method } = c.req
  const level = c.res.status >= 500 ? 'error' : 'info'
  const { log = {} } = serverOf(c.env).config
  if (isLogged(level, log))
    logFact({
      level,
      event: 'request',
      time: new Date(started).toISOString(),
      request: c.get('requestId'),
      ...(caller ? { tenant: caller.tenant, actor: `${caller.kind}:${caller.id}` } : {}),
      ...sessionIn(c),
      method,
      route,
      status: c.res.status,
      ms,
      ...(c.get('refusal') ? { code: c.get('refusal') } : {}),
    })
  if (!caller) return
  const measures = [
    { name: 'yaa_http_requests_total', labels: { method, route, status: String(c.res.status) }, add: 1 },
    { name: 'yaa_http_request_duration_seconds', labels: { route }, observe: ms / 1_000 },
  ]
  countMeasures(c.env, caller.tenant, measures, c.executionCtx)
})

/** The pattern of the route that answered, so that ids make no series of their own. */
function routeOf(c: Context<AppEnv>): string {
  const route = routePath(c, -1)
  return c.res.status === 404 && c.get('refusal') === 'not_found' && route.endsWith('*') ? 'none' : route
}

function sessionIn(c: Context<AppEnv>): { session?: string } {
  const session = /\bses_[0-9a-z]{26}(?:[0-9a-z]{8})?(?:-[a-z]+)*\b/.exec(c.req.path)?.[0] ?? c.get('session')
  return session === undefined ? {} : { session }
}
