import * as z from 'zod'
import { tenantName } from './access.ts'
import { budgetLimits, type BudgetLimits } from './budget-limits.ts'
import type { Money } from './usage.ts'

/** Server config `budgets`: what each tenant may spend, or the one that is named, and each user of a tenant. */
export const budgetsConfig = z.strictObject({
  tenant: budgetLimits.optional(),
  tenants: z.record(tenantName, budgetLimits).optional(),
  user: budgetLimits.optional(),
})
export type BudgetsConfig = z.infer<typeof budgetsConfig>

export const PERIODS = ['day', 'month'] as const
export type Period = (typeof PERIODS)[number]

/** Whose budget it is: the tenant's, a user's, or that of the key which began the run. `id`: the user, or the key's id. */
export interface Account {
  of: 'tenant' | 'user' | 'key'
  id: string
  limits: BudgetLimits
}

/** What a model call may take at most, asked for before it is made. `id` is its own, so that it is held once. */
export interface Hold {
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
  reserve(tenant: string, hold: Hold): Promise<BudgetRefusal | null>
  settle(tenant: string, id: string, spent: Settlement): Promise<void>
}
