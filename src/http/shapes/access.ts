import * as z from 'zod'
import { keyLimits, scope } from '../../domain/access.ts'
import { budgetLimits } from '../../domain/budget-limits.ts'
import { money } from '../../domain/usage.ts'
import { sessionData } from './answers.ts'
import { count, time } from '../../lib/shape.ts'
import { STATUSES } from '../../domain/run.ts'
import { DECISION_WORDS, pending } from '../../domain/pending.ts'

const left = z.object({ max_total_tokens: z.number().min(0).exactOptional(), max_cost: money.exactOptional() })
const leftOfBudgets = { day: left.exactOptional(), month: left.exactOptional() }
const remaining = z.object({
  requests_per_minute: count().exactOptional(),
  sessions_at_once: count().exactOptional(),
  ...leftOfBudgets,
})

/** A budget that concerns the caller. `id`: of its key. */
export const budget = z.object({
  of: z.enum(['tenant', 'key']),
  id: z.string().exactOptional(),
  limits: budgetLimits,
  remaining: z.object(leftOfBudgets),
})

/** Answers about keys and links. */

export const apiKey = z.object({
  id: z.string(),
  object: z.literal('key'),
  name: z.string(),
  prefix: z.string(),
  tenant: z.string(),
  scopes: z.array(scope),
  limits: keyLimits,
  remaining: remaining.exactOptional(),
  created_time: time().nullable(),
  expires_time: time().nullable(),
  last_used_time: time().nullable(),
})

/** `key`: in the first answer alone. */
export const madeKey = apiKey.extend({ key: z.string().exactOptional() })

export const link = z.object({
  id: z.string(),
  object: z.literal('link'),
  scope,
  session_id: z.string(),
  pending_id: z.string().nullable(),
  created_time: time(),
  expires_time: time(),
  created_by: z.string().exactOptional(),
})

/** `url` and `token`: in the first answer alone. */
export const madeLink = link.extend({ url: z.string().exactOptional(), token: z.string().exactOptional() })

/** What the holder of a link sees: the session, or what waits for a decision. */
export const linkView = z.union([
  sessionData,
  link.extend({ title: z.string(), status: z.enum(STATUSES), pending: z.array(pending()) }),
])

export const linkDecided = z.object({
  object: z.literal('link.decision'),
  session_id: z.string(),
  pending_id: z.string(),
  decision: z.enum(DECISION_WORDS),
})

export const linkSecretRotated = z.object({ object: z.literal('link.secret'), rotated_time: time() })
