import * as z from 'zod'
import { auditActor } from './audit.ts'
import { budgetLimitFields, budgetLimits } from './budget.ts'
import { LIMITS } from './limits.ts'
import { count, onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { money } from './usage.ts'

const { nameCharsMax } = LIMITS.text

/** What a credential may do; `admin` holds the others. */
export const scope = z.enum(['run', 'read', 'decide', 'admin'])
export type Scope = z.infer<typeof scope>

/** The name of a tenant; objects are named by it. */
export const tenantName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, '1–63 of a–z, 0–9, _ and -, the first a letter or digit')

/** What a key may use. Nothing said: no limit. */
export const keyLimits = z.strictObject({
  requests_per_minute: z.int().min(1).max(LIMITS.access.requestsPerMinuteMax).optional(),
  sessions_at_once: z.int().min(1).max(LIMITS.access.sessionsAtOnceMax).optional(),
  ...budgetLimitFields,
})
export type KeyLimits = z.infer<typeof keyLimits>

const keyName = z.string().trim().min(1).max(nameCharsMax)
const expiry = z.iso.datetime({ offset: true, error: 'an RFC 3339 time' })

/** Body of POST /v1/keys. `tenant`: the caller's own, and no other. */
export const newKey = z.strictObject({
  name: keyName,
  scopes: z
    .array(scope)
    .min(1)
    .transform((scopes) => [...new Set(scopes)]),
  tenant: tenantName.optional(),
  expires_time: expiry.nullable().optional(),
  limits: keyLimits.optional(),
})
export type NewKey = z.infer<typeof newKey>

/** Body of PATCH /v1/keys/{id}; `limits` replace the known ones as a whole, null takes expiry and limits away. */
export const keyPatch = z.strictObject({
  name: keyName.optional(),
  expires_time: expiry.nullable().optional(),
  limits: keyLimits.nullable().optional(),
})
export type KeyPatch = z.infer<typeof keyPatch>

/** A key that a tenant made, without what would let somebody in. Times in Unix ms. */
export interface MadeKey {
  id: string
  name: string
  /** The start of the key's text. */
  prefix: string
  scopes: readonly Scope[]
  limits: KeyLimits
  createdTime: number
  expiresTime: number | null
  lastUsedTime: number | null
}

/** Where a credential stands in its requests of the minute. `resetMs`: until all of them are there again. */
export interface RateStand {
  max: number
  remaining: number
  resetMs: number
  /** Null: this request is taken; else when one will be. */
  retryAfterMs: number | null
}

/** What a tenant says of a key that was shown. */
export interface Admission {
  id: string
  scopes: readonly Scope[]
  limits: KeyLimits
  /** Null: the key has no limit on its requests. */
  rate: RateStand | null
}

const left = /* @__PURE__ */ onDemand(() => {
  const of = z.object({ max_total_tokens: z.number().min(0).optional(), max_cost: money.optional() })
  return { day: of.optional(), month: of.optional() }
})

/** A key as it is shown: never its text. `remaining`: what is left of its limits. */
export const apiKey = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('key'),
    name: z.string(),
    prefix: z.string(),
    tenant: z.string(),
    scopes: z.array(scope),
    limits: keyLimits,
    remaining: z
      .object({
        requests_per_minute: count().optional(),
        sessions_at_once: count().optional(),
        ...left(),
      })
      .exactOptional(),
    created_time: time().nullable(),
    /** Null: it does not end by itself. */
    expires_time: time().nullable(),
    last_used_time: time().nullable(),
  }),
)

/** `key`: its whole text, in the answer that made it and never again. */
export const madeKey = /* @__PURE__ */ onDemand(() => apiKey().extend({ key: z.string().exactOptional() }))
export type KeyInfo = ShapeOf<typeof madeKey>

/** Who asks, and what they may do. */
export const me = /* @__PURE__ */ onDemand(() =>
  z.object({ object: z.literal('me'), actor: auditActor, tenant: z.string(), scopes: z.array(scope) }),
)
export type Me = ShapeOf<typeof me>

/** A budget that concerns the caller: what may be spent, and what is left of it. `id`: of its key. */
export const budgetInfo = /* @__PURE__ */ onDemand(() =>
  z.object({
    of: z.enum(['tenant', 'key']),
    id: z.string().exactOptional(),
    limits: budgetLimits,
    remaining: z.object(left()),
  }),
)
export type BudgetInfo = ShapeOf<typeof budgetInfo>
