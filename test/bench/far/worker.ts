// The product, unchanged, with the tenant's objects as far away as `PUT /far/MS` says: so long every call of one waits before it is made.
// `GET /far` tells how many are under way. All objects live in this isolate.
import * as product from '../../../src/index.ts'
import type { Env } from '../../../src/objects/env.ts'
import { objectsWith, withTenantCalls } from '../harness/tenant-calls.ts'

let roundTripMs = 0
let underWay = 0

function farAway(env: Env): Env {
  return withTenantCalls(env, async (_, call) => {
    underWay++
    try {
      if (roundTripMs > 0) await new Promise((resolve) => setTimeout(resolve, roundTripMs))
      return await call()
    } finally {
      underWay--
    }
  })
}

const far = <Class extends Function>(objects: Class): Class => objectsWith(objects, (_, env) => farAway(env))

export const SessionObject = far(product.SessionObject)
export const DirectoryObject = far(product.DirectoryObject)
export const MemoryObject = far(product.MemoryObject)
export const TriggerObject = far(product.TriggerObject)
export const OutboxObject = far(product.OutboxObject)
export const AuditObject = far(product.AuditObject)
export const MetricsObject = far(product.MetricsObject)
export const McpSessionObject = far(product.McpSessionObject)

export default {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response> {
    const [, what, ms] = new URL(request.url).pathname.split('/')
    if (what !== 'far') return product.default.fetch(request, farAway(env), ctx)
    if (request.method === 'PUT') roundTripMs = Number(ms)
    return Response.json({ roundTripMs, underWay })
  },
}
