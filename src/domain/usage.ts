import * as z from 'zod'

export const money = z.strictObject({
  amount: z.number().nonnegative().finite(),
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

interface TokenCounts {
  prompt_tokens: number
  completion_tokens: number
  cached_tokens: number
  reasoning_tokens: number
}

/** Tokens that one model call took, as the provider reports them. `estimated`: it did not say, or nothing that can be true. */
export interface TokenUsage extends TokenCounts {
  estimated?: true
}

/** What was spent. `cost` is null while no priced model has answered. */
export interface Usage extends TokenCounts {
  total_tokens: number
  model_calls: number
  tool_calls: number
  iterations: number
  cost: Money | null
  /** Aliases with calls that are not in `cost`: they have no price, or one in another currency. */
  unpriced_models?: string[]
  /** Calls of `model_calls` whose tokens are estimated. */
  estimated_calls?: number
}

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
