import * as z from 'zod'
import { budgetLimitFields } from './budget-limits.ts'
import { LIMITS } from './limits.ts'

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
