import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { logFact } from '../../objects/report.ts'
import { isLogged } from '../../domain/telemetry.ts'
import type { Principal } from '../../service/caller.ts'
import { factory, type AppEnv } from '../context.ts'

/** One line a request. */
export const observed = factory.createMiddleware(async (c, next) => {
  const started = Date.now()
  await next()
  const level = c.res.status >= 500 ? 'error' : 'info'
  if (!isLogged(level, c.get('config').log ?? {})) return
  const caller = c.var.principal as Principal | undefined
  const refusal = c.get('refusal')
  logFact({
    level,
    event: 'request',
    time: new Date(started).toISOString(),
    request: c.get('requestId'),
    ...(caller ? { tenant: caller.tenant, actor: `${caller.kind}:${caller.id}` } : {}),
    ...sessionIn(c),
    method: c.req.method,
    route: routeOf(c),
    status: c.res.status,
    ms: Date.now() - started,
    ...(refusal ? { code: refusal.code } : {}),
  })
})

/** The pattern of the route that answered, so that ids make no series of their own. */
export function routeOf(c: Context<AppEnv>): string {
  const route = routePath(c, -1)
  return c.res.status === 404 && c.get('refusal')?.code === 'not_found' && route.endsWith('*') ? 'none' : route
}

function sessionIn(c: Context<AppEnv>): { session?: string } {
  const session = /\bses_[0-9a-z]{26}(?:[0-9a-z]{8})?(?:-[a-z]+)*\b/.exec(c.req.path)?.[0] ?? c.get('session')
  return session === undefined ? {} : { session }
}
