import * as z from 'zod'
import { count, onDemand, type ShapeOf } from '../lib/shape.ts'

/** An amount in a currency. Answers have it as decimal text, too; in what is sent that text may stand as it came, and `amount` counts. */
export const money = z.strictObject({
  amount: z.number().nonnegative().finite(),
  amount_decimal: z.string().max(64).exactOptional(),
  currency: z.string().regex(/^[A-Z]{3}$/, 'an ISO 4217 code such as CNY'),
})
export type Money = z.infer<typeof money>

/** Price of a model per million tokens, in one currency. */
export const price = z.strictObject({
  prompt_per_mtok: z.number().nonnegative(),
  cached_per_mtok: z.number().nonnegative().optional(),
  completion_per_mtok: z.number().nonnegative(),
  currency: z.string().regex(/^[A-Z]{3}$/),
})
export type Price = z.infer<typeof price>

/** Tokens that one model call took, as the provider reports them. `estimated`: it did not say, or nothing that can be true. */
export interface TokenUsage extends Pick<
  Usage,
  'prompt_tokens' | 'completion_tokens' | 'cached_tokens' | 'reasoning_tokens'
> {
  estimated?: true
}

const counts = () => ({
  prompt_tokens: count(),
  completion_tokens: count(),
  total_tokens: count(),
  cached_tokens: count(),
  reasoning_tokens: count(),
  model_calls: count(),
  tool_calls: count(),
  iterations: count(),
  /** Aliases with calls that are not in `cost`: they have no price, or one in another currency. */
  unpriced_models: z.array(z.string()).exactOptional(),
  /** Calls of `model_calls` whose tokens are estimated. */
  estimated_calls: count().exactOptional(),
})

/** What was spent. `cost` is null while no priced model has answered. */
export const usage = /* @__PURE__ */ onDemand(() => z.object({ ...counts(), cost: money.nullable() }))
export type Usage = ShapeOf<typeof usage>

/** By what sums are told apart. */
export const USAGE_KEYS = ['day', 'model', 'user', 'skill', 'session'] as const
export type UsageKey = (typeof USAGE_KEYS)[number]

/** What was spent under one `key`: a day, a model, a user, a skill or a session; null: none of these, or sessions of long ago. `cost`:
 *  one amount, or a list with one a currency. */
export const usageSum = /* @__PURE__ */ onDemand(() =>
  z.object({ ...counts(), key: z.string().nullable(), cost: z.union([money, z.array(money), z.null()]) }),
)
export type UsageSum = ShapeOf<typeof usageSum>

/** What one model took in one run on one UTC day. `n`: the row's number within its run. */
export interface Spending {
  run: string
  n: number
  /** YYYY-MM-DD. */
  day: string
  /** Unix ms of the last that is in it. */
  time: number
  /** The alias; empty for what no model had asked for. */
  model: string
  usage: Usage
}

/** What a session spent, as its tenant is told: all that is in question, every time. */
export interface Spent {
  session: string
  user: string | null
  /** That the session runs. */
  skill: string | null
  rows: readonly Spending[]
}

export const NO_USAGE: Usage = {
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  model_calls: 0,
  tool_calls: 0,
  iterations: 0,
  cost: null,
}

/** Sums of fractions without the noise of their last bits: a part in a billion is kept. */
export function rounded(amount: number): number {
  return Math.round(amount * 1e9) / 1e9
}
