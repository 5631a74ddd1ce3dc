import * as z from 'zod'
import { onDemand, type ShapeOf, time } from '../lib/shape.ts'
import { type Money, money } from './usage.ts'

const budget = z
  .strictObject({ max_total_tokens: z.int().min(1).max(1_000_000_000_000).optional(), max_cost: money.optional() })
  .refine(({ max_total_tokens: tokens, max_cost: cost }) => tokens !== undefined || cost !== undefined, {
    error: 'max_total_tokens or max_cost, or both',
  })

/** What may be spent in a day and in a month, each in UTC. */
export const budgetLimitFields = { day: budget.optional(), month: budget.optional() }
export const budgetLimits = z.strictObject(budgetLimitFields)
export type BudgetLimits = z.infer<typeof budgetLimits>

export const PERIODS = ['day', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** Whose budget it is: the tenant's, a user's, or that of the key which began the run. `id`: the user, or the key's id. */
export interface Account {
  of: 'tenant' | 'user' | 'key'
  id: string
  limits: BudgetLimits
}

/** What a user is topped up by: in the current day and month of its budget, or one of them, until these end. */
export const newCredit = z
  .strictObject({
    tokens: z.int().min(1).max(1_000_000_000_000).optional(),
    cost: money.optional(),
    period: z.enum(PERIODS).optional(),
  })
  .refine(({ tokens, cost }) => tokens !== undefined || (cost !== undefined && cost.amount > 0), {
    error: 'tokens or cost, or both',
  })

export type NewCredit = z.infer<typeof newCredit>

/** A credit as it was given. */
export const creditGiven = /* @__PURE__ */ onDemand(() =>
  z.object({
    id: z.string(),
    object: z.literal('budget.credit'),
    user: z.string(),
    tokens: z.int().min(1).exactOptional(),
    cost: money.exactOptional(),
    periods: z.array(z.enum(PERIODS)),
    created_time: time(),
  }),
)
export type CreditGiven = ShapeOf<typeof creditGiven>

const ofPeriods = () => {
  const of = z.object({ max_total_tokens: z.number().min(0).optional(), max_cost: money.optional() })
  return z.object({ day: of.optional(), month: of.optional() })
}

/** What a user may spend in the current periods. */
export const userBudget = /* @__PURE__ */ onDemand(() =>
  z.object({
    object: z.literal('budget'),
    user: z.string(),
    limits: budgetLimits,
    credit: ofPeriods(),
    remaining: ofPeriods(),
  }),
)
export type UserBudget = ShapeOf<typeof userBudget>

/** What a model call may take at most, asked for before it is made. `id` is its own, so that it is held once. */
export interface BudgetReservation {
  id: string
  accounts: readonly Account[]
  tokens: number
  cost: Money | null
  /** Of every model that may answer; null: without a price. */
  currencies: readonly (string | null)[]
}

/** What a call took in the end. */
export interface Settlement {
  tokens: number
  cost: Money | null
}

export const NOTHING_SPENT: Settlement = { tokens: 0, cost: null }

/** Why a call may not be made. `spent` holds what is held for calls under way. `resetTime`: Unix ms. */
export type BudgetRefusal = { of: Account['of']; id: string; period: Period; resetTime: number } & (
  | { what: 'tokens'; max: number; spent: number }
  | { what: 'cost'; max: Money; spent: number }
  | { what: 'unpriced'; max: Money }
)

/** The tenant's account of what its runs spend. */
export interface BudgetPort {
  /** The accounts that a run spends from; empty: nothing has a budget. `payer`: the key that began it, if that has one. */
  accountsOf(run: { tenant: string; user: string | null; payer: string | null }): readonly Account[]
  /** Null: it may be made. */
  reserve(tenant: string, hold: BudgetReservation): Promise<BudgetRefusal | null>
  settle(tenant: string, id: string, spent: Settlement): Promise<void>
}
