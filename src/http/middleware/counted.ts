import { countMeasures } from '../../objects/counters.ts'
import type { Principal } from '../../service/caller.ts'
import { factory } from '../context.ts'
import { routeOf } from './observed.ts'

/** The counters of requests, of those who were let in. */
export const countedRequests = factory.createMiddleware(async (c, next) => {
  const started = Date.now()
  await next()
  const caller = c.var.principal as Principal | undefined
  if (!caller) return
  const route = routeOf(c)
  const labels = { method: c.req.method, route, status: String(c.res.status) }
  const measures = [
    { name: 'yaa_http_requests_total', labels, add: 1 },
    { name: 'yaa_http_request_duration_seconds', labels: { route }, observe: (Date.now() - started) / 1_000 },
  ]
  countMeasures(c.env, caller.tenant, measures, c.executionCtx)
})
