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

/** Tokens that one model call took, as the provider reports them (never negative; what it does not say is estimated). */
export interface TokenUsage {
  prompt_tokens: number
  completion_tokens: number
  cached_tokens: number
  reasoning_tokens: number
}

/** What was spent. `cost` is null while no priced model has answered. */
export interface Usage extends TokenUsage {
  total_tokens: number
  model_calls: number
  tool_calls: number
  iterations: number
  cost: Money | null
  unpriced_models?: string[]
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
