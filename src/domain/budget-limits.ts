import * as z from 'zod'
import { money } from './usage.ts'

const budget = z
  .strictObject({ max_total_tokens: z.int().min(1).max(1_000_000_000_000).optional(), max_cost: money.optional() })
  .refine(({ max_total_tokens: tokens, max_cost: cost }) => tokens !== undefined || cost !== undefined, {
    error: 'max_total_tokens or max_cost, or both',
  })

/** What may be spent in a day and in a month, each in UTC. */
export const budgetLimitFields = { day: budget.optional(), month: budget.optional() }
export const budgetLimits = z.strictObject(budgetLimitFields)
export type BudgetLimits = z.infer<typeof budgetLimits>
