import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { TELEMETRY_LIMITS, type Measure } from '../domain/telemetry.ts'
import { countFor, logFact } from '../objects/telemetry.ts'
import { factory, type AppEnv, type Principal } from './context.ts'

/** Measures of requests that wait to be written, by tenant: of this isolate. Those of one that ends idle are not counted. */
const waiting = new Map<string, { since: number; measures: Measure[] }>()

/** One line a request, and its counters. */
export const observed = factory.createMiddleware(async (c, next) => {
  const started = Date.now()
  await next()
  const ms = Date.now() - started
  const caller = c.var.principal as Principal | undefined
  const route = routeOf(c)
  const { method } = c.req
  logFact({
    level: c.res.status >= 500 ? 'error' : 'info',
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
  await counted(c, caller.tenant, [
    { name: 'yaa_http_requests_total', labels: { method, route, status: String(c.res.status) }, add: 1 },
    { name: 'yaa_http_request_duration_seconds', labels: { route }, observe: ms / 1_000 },
  ])
})

/** Write what waits of a tenant. */
export async function flushCounters(c: Context<AppEnv>, tenant: string): Promise<void> {
  const { measures = [] } = waiting.get(tenant) ?? {}
  waiting.delete(tenant)
  await countFor(c.env, tenant, measures)
}

async function counted(c: Context<AppEnv>, tenant: string, measures: readonly Measure[]): Promise<void> {
  const known = waiting.get(tenant) ?? { since: Date.now(), measures: [] }
  known.measures.push(...measures)
  waiting.set(tenant, known)
  const isDue = Date.now() - known.since > TELEMETRY_LIMITS.measuresMsMax
  if (isDue || known.measures.length >= TELEMETRY_LIMITS.measuresMax) c.executionCtx.waitUntil(flushCounters(c, tenant))
}

/** The pattern of the route that answered, so that ids make no series of their own. */
function routeOf(c: Context<AppEnv>): string {
  const route = routePath(c, -1)
  return c.res.status === 404 && c.get('refusal') === 'not_found' && route.endsWith('*') ? 'none' : route
}

function sessionIn(c: Context<AppEnv>): { session?: string } {
  const session = /\bses_[0-9a-z]{26}\b/.exec(c.req.path)?.[0] ?? c.get('idempotency')?.sessionId
  return session === undefined ? {} : { session }
}
