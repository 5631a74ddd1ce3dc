import { createFactory } from 'hono/factory'
import type { AuditActor } from '../domain/audit.ts'
import type { AppError } from '../domain/errors.ts'
import type { Link } from '../domain/link.ts'
import type { KeyLimits, Scope } from '../domain/access.ts'
import type { Env } from '../objects/env.ts'
import type { RunPlace } from '../objects/run-place.ts'

/** Who asks: the key that was shown, its tenant and what it may do. */
export interface Principal {
  kind: AuditActor['kind']
  id: string
  tenant: string
  scopes: readonly Scope[]
  /** What it may use. */
  limits?: KeyLimits
  /** Unix ms from which on what it showed does not hold any more; absent: that has to be looked up, or it holds for ever. */
  expiresTime?: number
}

/** Of an act: names, ids and hashes, never content. */
export interface AuditNote {
  target?: string
  details?: Record<string, unknown>
}

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
    /** The place that the call has among the sessions in progress of its key, if that has such a limit. */
    place?: RunPlace
    /** The session that a POST is for, and the key under which it may come again. */
    idempotency: { sessionId: string; key?: string }
    /** The key of a POST whose answer the tenant keeps. `isAnswered`: the answer is kept by the effect. */
    once?: { key: string; isAnswered: boolean }
    /** Why the call was refused, if it was. */
    refusal?: AppError['code']
    /** What the audit is told beside what the route declares. */
    auditNote?: AuditNote
  }
}

export const factory = createFactory<AppEnv>()
