import type { Context } from 'hono'
import { createFactory } from 'hono/factory'
import type { AppError } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import type { Origin } from '../domain/telemetry.ts'
import type { Env } from '../objects/env.ts'
import { servicePorts } from '../objects/service-ports.ts'
import { type Caller, payerOf, type Principal } from '../service/caller.ts'
import type { ServicePorts } from '../service/ports.ts'
import { parseTraceparent } from '../telemetry/spans.ts'

export interface AppEnv {
  Bindings: Env
  Variables: {
    requestId: string
    principal: Principal
    /** The signed link by which the caller came. */
    link?: Link
    /** The body, once it was read. */
    bodyBytes?: Uint8Array
    /** The JSON body, once it fits its schema. */
    input?: unknown
    /** The session that a command is for. */
    session?: string
    /** The key of a POST whose answer the tenant keeps. `isAnswered`: the answer is kept by the effect. */
    once?: { key: string; isAnswered: boolean }
    /** Why the call was refused, if it was. */
    refusal?: AppError['code']
    /** What the audit is told beside what the route declares: names, ids and hashes, never content. */
    auditNote?: Record<string, unknown>
  }
}

export const factory = createFactory<AppEnv>()

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
  const traceparent = c.req.header('traceparent')
  return { request_id: c.get('requestId'), ...(traceparent && parseTraceparent(traceparent) ? { traceparent } : {}) }
}
