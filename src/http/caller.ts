import type { Context } from 'hono'
import type { Origin } from '../domain/telemetry.ts'
import { servicePorts } from '../objects/service-ports.ts'
import { type Caller, payerOf } from '../service/caller.ts'
import type { ServicePorts } from '../service/ports.ts'
import { traceContextOf } from '../telemetry/spans.ts'
import type { AppEnv } from './context.ts'

/** The only way in. */
export function serviceOf(c: Context<AppEnv>): ServicePorts {
  return servicePorts(c.env)
}

/** Who asks, as the service knows callers. What goes on after a decision by a link is still for whom it was begun. */
export function callerOf(c: Context<AppEnv>): Caller {
  const principal = c.get('principal')
  const requestId = c.get('requestId')
  const link = c.get('link')
  return link
    ? { principal, requestId, link }
    : { principal, requestId, origin: originOf(c), payer: payerOf(principal) }
}

/** The request that a run is asked for by, and the trace that it belongs to. */
function originOf(c: Context<AppEnv>): Origin {
  const [traceparent = '', tracestate = ''] = [c.req.header('traceparent'), c.req.header('tracestate')]
  return { request_id: c.get('requestId'), ...traceContextOf({ traceparent, tracestate }) }
}
